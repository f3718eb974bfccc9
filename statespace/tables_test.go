package statespace

import (
	"fmt"
	"testing"

	"pgregory.net/rapid"
)

// TestVisited compares the set with a map: random insertions, with few distinct
// values so that most are repeated, and hashes made to collide.
func TestVisited(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.IntRange(1, 3).Draw(t, "words")
		hashes := rapid.SampledFrom([]uint64{0, 1, 15 << 60, 1<<64 - 1}).Draw(t, "hashes")
		v := newVisited(words)
		model := map[string]uint32{}
		for range rapid.IntRange(1, 400).Draw(t, "insertions") {
			state := make([]uint64, words)
			state[rapid.IntRange(0, words-1).Draw(t, "word")] = rapid.Uint64Range(0, 500).Draw(t, "value")
			key := fmt.Sprint(state)
			hash := hashWords(state)
			if hashes > 1 {
				hash &= hashes // long chains, equal tags
			}
			v.reserve(1)
			i, added := v.insert(state, hash)
			want, known := model[key]
			if added == known || known && i != want || !known && int(i) != len(model) {
				t.Fatalf("insert %s: index %d, added %v; known %v as %d", key, i, added, known, want)
			}
			model[key] = i
			if got := fmt.Sprint(v.at(int(i))); got != key {
				t.Fatalf("state %d is %s; want %s", i, got, key)
			}
			if j, found := v.find(state); hashes <= 1 && (!found || j != i) {
				t.Fatalf("find %s: %d, %v", key, j, found)
			}
		}
	})
}

// TestGrowth checks that what growth announces is never less than what the
// tables then take, the copies made meanwhile included.
func TestGrowth(t *testing.T) {
	v := newVisited(2)
	var vec vector[uint32]
	g := newGraph(9)
	for i := 0; v.n < 300_000; i++ {
		n := i*i%397 + 1
		before, growth, table := v.bytes(), v.growth(n), len(v.slots)
		v.reserve(n)
		copies := int64(0)
		if len(v.slots) > table {
			copies = 8 * int64(table) // the old table, while the new one is filled
		}
		for range n {
			words := []uint64{uint64(v.n), 7}
			v.insert(words, hashWords(words))
		}
		if after := v.bytes() + copies; after > before+growth {
			t.Fatalf("set of %d: %d bytes with copies, %d and %d announced", v.n, after, before, growth)
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
			if g.to.at(e) != uint32(s+k) || g.task.at(e) != uint8(k%3) || g.marks.at(e) != Mark(k) {
				t.Fatalf("state %d, transition %d: to %d, task %d, marks %d", s, k, g.to.at(e), g.task.at(e), g.marks.at(e))
			}
		}
	}
}
