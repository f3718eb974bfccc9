package statespace

import (
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// drawKey draws a key of few distinct values, so that most are repeated, and
// with hashes at both ends of the range and close together.
func drawKey(t *rapid.T) uint64 {
	n := rapid.Uint64Range(0, 300).Draw(t, "key")
	switch rapid.IntRange(0, 2).Draw(t, "kind") {
	case 0:
		return n
	case 1:
		return keyOf(n) // hashes that differ in the lowest bits only
	}
	return keyOf(-n << 30)
}

// TestHash: the hash is a bijection.
func TestHash(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		key := rapid.Uint64().Draw(t, "key")
		if keyOf(hashKey(key)) != key || hashKey(keyOf(key)) != key {
			t.Fatalf("%x: hash %x, back %x", key, hashKey(key), keyOf(hashKey(key)))
		}
	})
}

// TestKeyset compares the set with a map, levels included.
func TestKeyset(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := newKeyset(roomy)
		model := map[uint64]int{}
		levels := rapid.SampledFrom([]int{3, 600, maxDepth}).Draw(t, "levels")
		for range rapid.IntRange(1, 400).Draw(t, "insertions") {
			key := drawKey(t)
			level := rapid.IntRange(0, levels).Draw(t, "level")
			added := addKey(s, key, level)
			_, known := model[key]
			if added == known {
				t.Fatalf("insert %x: added %v, known %v", key, added, known)
			}
			if !known {
				model[key] = level
			}
			if other := drawKey(t); holds(s, hashKey(other)) != has(model, other) {
				t.Fatalf("has %x: %v", other, holds(s, hashKey(other)))
			}
		}
		checkKeyset(t, s, model)
	})
}

func has(model map[uint64]int, key uint64) bool {
	_, known := model[key]
	return known
}

func holds(s *keyset, hash uint64) bool {
	_, _, found := s.find(hash)
	return found
}

func addKey(s *keyset, key uint64, level int) bool {
	s.deepen(level)
	for {
		added, fits := s.insert(hashKey(key), level)
		if fits {
			return added
		}
		s.grow()
	}
}

// checkKeyset compares a set with the keys and levels that it should have, by
// all ways to get at them.
func checkKeyset(t rapid.TB, s *keyset, model map[uint64]int) {
	if s.n != len(model) {
		t.Fatalf("%d keys; want %d", s.n, len(model))
	}
	sizes := map[int]int{}
	for key, level := range model {
		sizes[level]++
		if !holds(s, hashKey(key)) || s.level(hashKey(key)) != level {
			t.Fatalf("key %x: %v, level %d; want level %d", key, holds(s, hashKey(key)), s.level(hashKey(key)), level)
		}
	}
	for level, size := range sizes {
		s.each(level, func(hash uint64) bool {
			size--
			key := keyOf(hash)
			if l, known := model[key]; !known || l != level {
				t.Fatalf("key %x is in level %d; want %d, %v", key, level, l, known)
			}
			return true
		})
		if size != 0 {
			t.Fatalf("level %d is short of %d keys", level, size)
		}
	}
}

// TestShardset: all shards together are one set, in the order of the hashes, and
// an order numbers it.
func TestShardset(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := newShardset(roomy)
		model := map[uint64]int{}
		for _, key := range rapid.SliceOfN(rapid.Custom(drawKey), 0, 400).Draw(t, "keys") {
			if hash := hashKey(key); s.has(hash) != has(model, key) {
				t.Fatalf("has %x: %v", key, s.has(hash))
			}
			shard, in := shardOf(hashKey(key))
			if keyIn(in) != key {
				t.Fatalf("key %x is %x in its shard", key, keyIn(in))
			}
			if level := len(model) % 3; !has(model, key) {
				model[key] = level
				for added := false; !added; {
					if added, _ = s.shards[shard].insert(in, level); !added {
						s.grow(shard)
					}
				}
			}
		}
		checkOrder(t, s, model)
	})
}

// TestShardsetMemory: what is counted of the shards is what they hold, at every
// size, and with levels that have an upper part.
func TestShardsetMemory(t *testing.T) {
	for _, deep := range []bool{false, true} {
		s := newShardset(dense)
		if deep {
			s.deepen(levelCycle)
		}
		for range 20 {
			s.measure()
			var bytes, growth int64
			for _, shard := range s.shards {
				b, g := held(shard)
				bytes, growth = bytes+b, growth+g
			}
			if s.bytes() != bytes || s.growth() != growth {
				t.Fatalf("deep %v, scale %d: %d bytes and %d more; want %d and %d", deep, s.scale, s.bytes(), s.growth(), bytes, growth)
			}
			s.grow(3)
		}
	}
}

// TestShardsetCount: keys that are counted one by one account for the growth of all
// shards, and for what it takes.
func TestShardsetCount(t *testing.T) {
	s, growths := newShardset(roomy), 0
	for key := range uint64(400_000) {
		shard, in := shardOf(hashKey(key))
		for added := false; !added; {
			if added, _ = s.shards[shard].insert(in, 0); !added {
				s.grow(shard)
			}
		}
		before, more := s.bytes(), s.growth()
		if grown, beside := s.count(shard, 1); grown {
			growths++
			if s.bytes()+beside != before+more {
				t.Fatalf("%d bytes and %d beside; want %d and %d", s.bytes(), beside, before, more)
			}
		}
	}
	if s.n != 400_000 || s.scale != s.wanted.Load() || growths < 10 {
		t.Errorf("%d keys, scale %d, %d growths; the shards should have scale %d", s.n, s.scale, growths, s.wanted.Load())
	}
}

// TestShardsetSaved: shards that have not all grown yet come back from a checkpoint.
func TestShardsetSaved(t *testing.T) {
	o := &Options[uint64]{Checkpoint: Checkpoint{File: t.TempDir() + "/saved"}}
	saved, err := newExplorer(one{}, o)
	if err != nil {
		t.Fatal(err)
	}
	model := map[uint64]int{}
	for key := range uint64(5000) {
		if _, _, err := saved.enter([]uint64{key}, hashKey(key), 0); err != nil {
			t.Fatal(err)
		}
		model[key] = 0
	}
	saved.set.grow(2)
	if err := saved.save(); err != nil {
		t.Fatal(err)
	}
	resumed, err := newExplorer(one{}, o)
	if err != nil {
		t.Fatal(err)
	}
	if ok, err := resumed.resume(); err != nil || !ok {
		t.Fatalf("resumed: %v, %v", ok, err)
	}
	checkOrder(t, resumed.set, model)
	if resumed.states() != len(model) {
		t.Errorf("%d states; want %d", resumed.states(), len(model))
	}
}

// one is a model of a single state.
type one struct{}

func (one) Tasks() int                           { return 1 }
func (one) Words() int                           { return 1 }
func (one) Init(add func(*uint64))               { add(new(uint64)) }
func (one) Step(*uint64, int, *Move) Status      { return Blocked }
func (one) Pack(s *uint64, words []uint64) error { words[0] = *s; return nil }
func (one) Unpack(words []uint64, s *uint64)     { *s = words[0] }

// TestAlone: a batch is alone only when its turn has come to be committed and no
// worker is at a shard, and then none goes to one.
func TestAlone(t *testing.T) {
	e, err := newExplorer(one{}, &Options[uint64]{})
	if err != nil {
		t.Fatal(err)
	}
	w := &worker[uint64]{team: &team[uint64]{e: e, workers: 1}}
	b := &batch[uint64]{hashes: make([]uint64, 1)} // there is no room for it
	w.shards[2].busy = true
	if w.maySubmit(b) || w.alone {
		t.Error("it is alone while a worker is at a shard")
	}
	w.shards[2].busy = false
	b.number, w.submitted = 1, 1
	if w.maySubmit(b) || w.alone {
		t.Error("it is alone before its turn")
	}
	w.turn = 1
	if !w.maySubmit(b) || !w.alone {
		t.Error("it is not alone when it can be")
	}
	e.set.want(2)
	if w.claim(anyWorker) {
		t.Error("a worker goes to a shard meanwhile")
	}
	if w.alone = false; !w.claim(anyWorker) {
		t.Error("no worker makes a shard grow that is behind")
	}
}

// TestUnreadableFrontier: a worker that cannot read states does not wait for the
// others, which leave, too.
func TestUnreadableFrontier(t *testing.T) {
	e, err := newExplorer(one{}, &Options[uint64]{})
	if err != nil {
		t.Fatal(err)
	}
	e.frontier.cur = &queue{n: 1, chunks: make([]queueChunk, 1)} // in a file that there is not
	w := &worker[uint64]{own: []*batch[uint64]{e.newBatch()}, team: &team[uint64]{
		e: e, workers: 1, batches: make([]*batch[uint64], 1), end: 1,
	}}
	w.changed.L = &w.mu
	w.alone, w.submitted = true, 1 // another worker is to commit a batch
	left := make(chan job)
	go func() { left <- w.choose() }()
	select {
	case j := <-left:
		if j != leave || w.fault == nil {
			t.Errorf("it does %d, and the fault is %v", j, w.fault)
		}
	case <-time.After(10 * time.Second):
		t.Error("it waits")
	}
}

func checkOrder(t rapid.TB, s *shardset, model map[uint64]int) {
	o, n, last := newOrder(s), 0, uint64(0)
	_ = s.all(func(key uint64) error {
		if hash := hashKey(key); n > 0 && hash <= last || !has(model, key) || s.levelOf(hash) != model[key] {
			t.Fatalf("number %d: key %x, level %d", n, key, s.levelOf(hash))
		}
		last = hashKey(key)
		at, level := o.at(n)
		if number, found := o.number(last); at != key || level != model[key] || number != n || !found {
			t.Fatalf("number %d: key %x, level %d; want %x, %d, %v", n, at, level, key, number, found)
		}
		n++
		return nil
	})
	if n != len(model) {
		t.Fatalf("%d keys; want %d", n, len(model))
	}
	for level := range 3 {
		s.each(level, func(key uint64) bool {
			n--
			if model[key] != level {
				t.Fatalf("key %x is in level %d; want %d", key, level, model[key])
			}
			return true
		})
	}
	if n != 0 {
		t.Fatalf("the levels are short of %d keys", n)
	}
}

// TestKeysetGrowth: at every size the set takes less than twelve bytes per key
// with the part that grows, once it is large; a dense one less than 9.6.
func TestKeysetGrowth(t *testing.T) {
	for f, most := range map[fill]float64{roomy: 12, dense: 9.6} {
		s, model := newKeyset(f), map[uint64]int{}
		for i := range 300_000 {
			key := uint64(i) * 0x10001
			hash := hashKey(key)
			added, fits := s.insert(hash, i%250)
			for ; !fits; added, fits = s.insert(hash, i%250) {
				growWithin(t, s, most)
			}
			if !added {
				t.Fatalf("key %x is there already", key)
			}
			model[key] = i % 250
		}
		checkKeyset(t, s, model)
	}
}

// held is the memory of a keyset, and what is added while it grows: the part that
// grows, or a copy of all.
func held(s *keyset) (bytes, growth int64) {
	next := slotsOf(s.nextScale())
	if growth = 8 * int64(next); next <= cap(s.slots) {
		growth = 8 * int64(next-len(s.slots))
	}
	if s.high != nil {
		growth += 2 * int64(next)
	}
	return s.space.bytes() + 2*int64(len(s.high)), growth
}

// growWithin makes a set grow: with what is announced, and no more bytes per key
// than that, once it is large.
func growWithin(t *testing.T, s *keyset, most float64) {
	before, growth := held(s)
	inPlace := cap(s.slots) > len(s.slots)
	s.grow()
	peak := float64(before+growth) / float64(s.n)
	if after, _ := held(s); after > before+growth || inPlace && s.n > 200_000 && peak > most {
		t.Fatalf("%d keys: %d bytes, %d and %d announced", s.n, after, before, growth)
	}
}

// TestKeysetPrepared: a set whose slots come from another one, as after a resume,
// goes on as that would have. In a small table keys lie as far from home as they
// may.
func TestKeysetPrepared(t *testing.T) {
	for seed := range uint64(50) {
		rng := rand.New(rand.NewPCG(seed, 1))
		s, model := newKeyset(roomy), map[uint64]int{}
		add := func(n int) {
			for range n {
				key := rng.Uint64()
				addKey(s, key, 3)
				model[key] = 3
			}
		}
		add(1000 + rng.IntN(4000))
		saved := s
		s = newKeyset(roomy)
		s.prepare(saved.n, saved.scale, false)
		copy(s.slots, saved.slots)
		add(3000)
		checkKeyset(t, s, model)
	}
}

// TestIndex compares the numbers with a map.
func TestIndex(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := newIndex(1)
		model := map[uint64]uint32{}
		for range rapid.IntRange(1, 400).Draw(t, "insertions") {
			key := drawKey(t)
			x.reserve(1)
			i, added := x.insertKey(key)
			want, known := model[key]
			if added == known || known && i != want || !known && int(i) != len(model) {
				t.Fatalf("insert %x: number %d, added %v; known %v as %d", key, i, added, known, want)
			}
			model[key] = i
			if got := x.at(i); got != key {
				t.Fatalf("number %d is %x; want %x", i, got, key)
			}
			other := drawKey(t)
			j, found := x.findKey(other)
			if want, known := model[other]; found != known || j != want {
				t.Fatalf("find %x: %d, %v", other, j, found)
			}
		}
	})
}

// TestFold: folding with and without a state to go by gives the same key for
// the same state, another for another, and the state comes back.
func TestFold(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		compact := newStore(rapid.IntRange(2, 11).Draw(t, "words"), false, true)
		f := compact.fold
		keys := map[string]uint64{}
		states := map[uint64]string{}
		like, back := compact.newFolding(), compact.newFolding()
		word := rapid.SampledFrom([]uint64{0, 1, 2, 3, 1 << 32, 1<<32 | 1, 2 << 32, 1<<64 - 1})
		for i := range rapid.IntRange(1, 40).Draw(t, "states") {
			s := compact.newFolding()
			for k := range s.words {
				s.words[k] = word.Draw(t, "word")
			}
			name := fmt.Sprint(s.words)
			_, known := keys[name]
			if key, found := f.fold(&s, nil); known && (!found || key != keys[name]) {
				t.Fatalf("%s: key %x, %v; want %x", name, key, found, keys[name])
			}
			if i > 0 {
				if key, found := f.fold(&s, &like); known && (!found || key != keys[name]) {
					t.Fatalf("%s like %v: key %x, %v; want %x", name, like.words, key, found, keys[name])
				}
			}
			f.reserve(1)
			key := f.add(&s, nil)
			if other, taken := states[key]; taken && other != name {
				t.Fatalf("%s and %s have the same key", name, other)
			}
			keys[name], states[key] = key, name
			f.unfold(key, &back)
			if fmt.Sprint(back.words) != name {
				t.Fatalf("%s comes back as %v", name, back.words)
			}
			like = s
		}
	})
}

// TestFrontier compares the frontier with lists, spilled or not.
func TestFrontier(t *testing.T) {
	f := newFrontier(t.TempDir())
	defer f.close()
	rng := rand.New(rand.NewPCG(1, 2))
	var level []uint64
	for round := range 12 {
		n := rng.IntN(6 * queueChunkLen)
		var next []uint64
		read := 0
		for i := range n {
			if err := f.push(uint64(i) * 3); err != nil {
				t.Fatal(err)
			}
			next = append(next, uint64(i)*3)
			if round > 4 && rng.IntN(queueChunkLen) == 0 {
				if err := f.spill(); err != nil {
					t.Fatal(err)
				}
			}
			if k := min(64, len(level)-read); i%8 == 0 && k > 0 {
				got, err := f.read(nil, read, k)
				if err != nil || !slices.Equal(got, level[read:read+k]) {
					t.Fatalf("round %d, from %d: %v, %v", round, read, got, err)
				}
				f.drop(k)
				read += k
			}
		}
		if round > 5 && f.bytes() > 3*queueChunkBytes+4096 {
			t.Fatalf("%d bytes in memory", f.bytes())
		}
		level = next
		f.swap()
	}
	if len(f.files()) == 0 {
		t.Error("nothing was spilled")
	}
	dir := f.dir
	f.close()
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 || f.bytes() > 0 {
		t.Errorf("left behind: %v, %v, %d bytes", left, err, f.bytes())
	}
}

// TestGrowth checks that what growth announces is never less than what the
// tables then take, the copies made meanwhile included.
func TestGrowth(t *testing.T) {
	x := newIndex(1)
	var vec vector[uint32]
	g := newGraph(9)
	for i := 0; x.n < 300_000; i++ {
		n := i*i%397 + 1
		before, growth, table := x.bytes(), x.growth(n), len(x.slots)
		x.reserve(n)
		copies := int64(0)
		if len(x.slots) > table {
			copies = 8 * int64(table) // the old table, while the new one is filled
		}
		for range n {
			x.insertKey(uint64(x.n))
		}
		if after := x.bytes() + copies; after > before+growth {
			t.Fatalf("index of %d: %d bytes with copies, %d and %d announced", x.n, after, before, growth)
		}
		before, growth = vec.bytes(), vec.growth(n)
		gBefore, gGrowth := g.bytes(), g.growth(n, n)
		for range n {
			vec.push(1)
			g.addEdge(0, 0, 0)
			g.endRow(3, 0)
		}
		if vec.bytes() > before+growth || g.bytes() > gBefore+gGrowth+64 {
			t.Fatalf("vector of %d: %d bytes, %d and %d announced", vec.n, vec.bytes(), before, growth)
		}
	}
}

// TestMaskVector keeps masks of every width.
func TestMaskVector(t *testing.T) {
	for _, tasks := range []int{1, 8, 9, 63, 64} {
		v := newMaskVector(tasks)
		mask := func(i int) uint64 { return uint64(i) * 0x9e3779b97f4a7c15 >> (64 - tasks) }
		for i := range 10_000 {
			v.push(mask(i))
		}
		for i := range 10_000 {
			if v.at(i) != mask(i) {
				t.Fatalf("%d tasks, mask %d: %x; want %x", tasks, i, v.at(i), mask(i))
			}
		}
	}
}

// TestGraphRows reads every row back, over several blocks of row offsets.
func TestGraphRows(t *testing.T) {
	g := newGraph(3)
	degree := func(s int) int { return s * s % 5 }
	const states = 3<<rowBlockBits + 7
	for s := range states {
		for k := range degree(s) {
			g.addEdge(uint32(s+k), uint8(k%3), Mark(k))
		}
		g.endRow(uint64(s%8), uint64(s/1000%2*(s%2)))
	}
	for s := range states {
		first, end := g.rowOf(uint32(s))
		if end-first != degree(s) || g.blocked.at(s) != uint64(s%8) || g.cut[uint32(s)] != uint64(s/1000%2*(s%2)) {
			t.Fatalf("state %d: row of %d, blocked %b, cut %b", s, end-first, g.blocked.at(s), g.cut[uint32(s)])
		}
		for e := first; e < end; e++ {
			k := e - first
			if g.to.at(e) != uint32(s+k) || g.by.at(e).task != uint8(k%3) || g.by.at(e).marks != Mark(k) {
				t.Fatalf("state %d, transition %d: to %d, task %d, marks %d", s, k, g.to.at(e), g.by.at(e).task, g.by.at(e).marks)
			}
		}
	}
}
