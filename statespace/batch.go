package statespace

import (
	"fmt"
	"math/bits"
	"slices"
)

// blockLen is how many states are expanded before their successors are looked
// up together: enough to overlap the waits for memory, few enough to stay in
// the cache. A successor numbers up to 256 of them.
const blockLen = 256

// A batch is a block of states on its way through the search. They are expanded,
// and their successors looked up, those that are new judged, and what was found is
// committed, one batch after the other, in order. Where the store numbers states,
// new ones are entered when the batch is committed; a set enters them when it looks
// them up, shard by shard (see team). Nothing in a batch is allocated per state.
type batch[S any] struct {
	e       *explorer[S]
	onSteps bool     // steps are judged
	sifts   bool     // successors are keys, and only those not remembered matter
	alone   bool     // no other batch was being entered or committed meanwhile
	number  int      // in the level
	recent  *recent  // of the worker that runs it; nil keeps and looks up all
	refs    []uint64 // the states

	rows      []batchRow
	succ      []successor
	looked    []uint64 // keys of successors to look up
	hashes    []uint64 // and their hashes
	words     []uint64 // and, where keys are folded, the packed states
	to        []uint64 // with a graph: the refs of all successors
	numbers   []uint32 // and those of the successors that are numbered
	fresh     []fresh  // successors not known when they were looked up
	parts     [shardCount]part
	isFresh   bitset // by place; only gather uses it
	refused   bool   // there was no room for it
	strangers int    // successors whose key is not known yet

	steps        int // successors, those included that are not kept here
	dropped      int // successors that there was no room for
	terminals    int
	truncated    string
	coverage     [MaxTags]uint64
	tags         int // tags used are below
	stepRemarks  []remark
	stateRemarks []remark
	met          []bool // antecedents remarked on
	unmetStates  []int  // those of states that were not when the batch began
	unmetSteps   []int  // and those of steps
	peaks        []Peak // largest values remarked on

	fault error
	at    place
	sum   uint64 // keeps the reads of touch from being optimised away

	mv    Move
	base  S         // the state expanded
	work  S         // its successor
	probe S         // the state judged
	from  []folding // the states of the batch
	into  folding
}

// A batchRow is one expanded state.
type batchRow struct {
	end          int // of its successors in the batch, unless they are sifted
	blocked, cut uint64
}

// A successor of a state of the batch is, from the lowest bits on, the outcome that
// led to it (32 bits), the task and the marks, a form, and the number of the state.
// It is one word, so that it is written and read as one.
type successor uint64

func successorOf(mv *Move, f form, row int) successor {
	return successor(uint32(mv.Outcome)) | successor(mv.Task)<<32 | successor(mv.Marks)<<40 |
		successor(f)<<48 | successor(row)<<56
}

func (s successor) outcome() int { return int(uint32(s)) }
func (s successor) task() uint8  { return uint8(s >> 32) }
func (s successor) marks() Mark  { return Mark(s >> 40) }
func (s successor) form() form   { return form(s >> 48) }
func (s successor) row() int     { return int(s >> 56) }

// The forms of a successor.
type form uint8

const (
	whole    form = iota // its key is known
	strange              // it has parts that no state had before
	same                 // it is the state it comes from, and has no words
	numbered             // its number is known, and it has no words
)

// A fresh is a successor that was not known when it was looked up.
type fresh struct {
	succ  int32
	place int32 // among those with words
}

// A part is what a batch has for one shard of the set.
type part struct {
	hashes []uint64        // of keys, as the shard knows them
	places []int32         // theirs among the successors with words
	fresh  []int32         // places of those that the shard did not have
	_      [cacheLine]byte // the parts are entered by several workers
}

// A remark is something to report when the batch is committed.
type remark struct {
	what  remarkKind
	which int32 // of the properties of its kind
	at    int32 // the fresh successor, or the row
	value int
	step  stepAt // but the state
}

type remarkKind uint8

const (
	badState remarkKind = iota
	badStep
	badTerminal
	met
	peak
)

func (e *explorer[S]) newBatch() *batch[S] {
	list := e.newFoldings(e.block + 1)
	return &batch[S]{
		e: e, onSteps: e.checks.onSteps, from: list[:e.block], into: list[e.block],
		met:   make([]bool, len(e.o.Antecedents)),
		peaks: slices.Clone(e.checks.maxima),
	}
}

func (b *batch[S]) reset() {
	b.rows, b.succ, b.words = b.rows[:0], b.succ[:0], b.words[:0]
	b.looked, b.hashes, b.numbers = b.looked[:0], b.hashes[:0], b.numbers[:0]
	b.to, b.fresh = b.to[:0], b.fresh[:0]
	for i := range b.parts {
		p := &b.parts[i]
		p.hashes, p.places, p.fresh = p.hashes[:0], p.places[:0], p.fresh[:0]
	}
	b.alone, b.refused, b.strangers, b.dropped = false, false, 0, 0
	b.stepRemarks, b.stateRemarks = b.stepRemarks[:0], b.stateRemarks[:0]
	b.steps, b.terminals, b.truncated, b.fault = 0, 0, "", nil
	clear(b.coverage[:b.tags])
	b.tags = 0
	b.unmetStates, b.unmetSteps = b.unmetStates[:0], b.unmetSteps[:0]
	for k, known := range b.met {
		if a := &b.e.o.Antecedents[k]; !known && a.State != nil {
			b.unmetStates = append(b.unmetStates, k)
		}
		if a := &b.e.o.Antecedents[k]; !known && a.Met != nil {
			b.unmetSteps = append(b.unmetSteps, k)
		}
	}
}

// run does all that needs no order among batches.
func (b *batch[S]) run() {
	defer b.catch()
	b.reset()
	switch b.fault = b.expandAll(); {
	case b.fault != nil:
	case b.e.set != nil:
		b.deal()
	default:
		b.lookUp()
		b.judgeFresh()
	}
}

// catch makes a panic of the model the fault of the batch.
func (b *batch[S]) catch() {
	if r := recover(); r != nil {
		b.fault = caught(b.at.String(), r)
	}
}

// again runs the batch once more without remembering anything: of states that
// are to be dropped every arrival counts.
func (b *batch[S]) again() {
	b.recent = nil
	copy(b.met, b.e.checks.met)
	copy(b.peaks, b.e.checks.maxima)
	b.run()
}

// deal deals the successors to the shards, but those whose key is not known yet.
func (b *batch[S]) deal() {
	for place, hash := range b.hashes {
		if b.e.fold == nil || b.succ[place].form() != strange {
			b.dealOne(place, hash)
		}
	}
}

func (b *batch[S]) dealOne(place int, hash uint64) {
	shard, in := shardOf(hash)
	p := &b.parts[shard]
	p.hashes = append(p.hashes, in)
	p.places = append(p.places, int32(place))
}

// enter adds to a shard the keys that it does not have, and calls grow when it must
// grow first.
func (p *part) enter(s *keyset, level int, grow func()) {
	for i, hash := range p.hashes {
		added, fits := s.insert(hash, level)
		for ; !fits; added, fits = s.insert(hash, level) {
			grow()
		}
		if added {
			p.fresh = append(p.fresh, p.places[i])
		}
	}
}

// settle does what is left to do before the batch can be committed, when all its
// parts are entered.
func (b *batch[S]) settle() {
	if b.fault != nil || b.refused {
		return
	}
	defer b.catch()
	if !b.alone {
		b.gather()
	}
	b.judgeFresh()
}

// gather lists the successors that were new to the shards, in order.
func (b *batch[S]) gather() {
	b.isFresh = append(b.isFresh[:0], make(bitset, (len(b.hashes)+63)/64)...)
	for i := range b.parts {
		for _, place := range b.parts[i].fresh {
			b.isFresh.add(uint32(place))
		}
	}
	for i, w := range b.isFresh {
		for ; w != 0; w &= w - 1 {
			place := int32(64*i + bits.TrailingZeros64(w))
			b.fresh = append(b.fresh, fresh{succ: place, place: place})
		}
	}
}

// expandAll expands the states of the batch.
func (b *batch[S]) expandAll() (err error) {
	b.e.rlock()
	defer b.e.runlock()
	b.sifts = b.recent != nil && b.e.set != nil && b.e.fold == nil
	if b.sifts {
		b.recent.n = 0
		defer b.sift()
	}
	defer func() {
		if b.at.hasStep {
			b.at.step = Choice{b.mv.Task, b.mv.Outcome}
		}
	}()
	for i := range b.refs {
		if err := b.expand(i); err != nil {
			return err
		}
	}
	return nil
}

// expand takes every outcome of every task's step from a state.
func (b *batch[S]) expand(i int) error {
	e := b.e
	b.at = place{state: b.refs[i], hasStep: true}
	e.readRef(b.refs[i], &b.from[i])
	e.m.Unpack(b.from[i].words, &b.base)
	var moved, blocked, cut uint64
	m, mv := e.m, &b.mv
	fresh := false // work is base: a step that is not taken leaves it so
	for t := range e.tasks {
		mv.begin(t)
		for {
			if !fresh {
				b.work, fresh = b.base, true
			}
			switch m.Step(&b.work, t, mv) {
			case Moved:
				fresh = false
				if mv.truncated != "" {
					cut |= 1 << t
					if b.truncated == "" {
						b.truncated = mv.truncated
					}
					break
				}
				moved |= 1 << t
				if err := b.successor(); err != nil {
					return err
				}
			case Blocked:
				blocked |= 1 << t
			}
			if !mv.next() {
				break
			}
		}
	}
	b.rows = append(b.rows, batchRow{len(b.succ), blocked &^ (moved | cut), cut})
	if moved|cut == 0 {
		b.terminal(i)
	}
	return nil
}

// successor judges the step from b.base to b.work and adds it to the batch,
// unless nothing is to be done about it. A step that changes nothing is common
// (a message received again, a busy wait) and needs no look-up.
func (b *batch[S]) successor() error {
	b.steps++
	for _, tag := range b.mv.Tags() {
		b.coverage[tag]++
		b.tags = max(b.tags, int(tag)+1)
	}
	if b.onSteps {
		b.judgeStep()
	}
	words := b.into.words
	if err := b.e.m.Pack(&b.work, words); err != nil {
		return fmt.Errorf("cannot pack a state: %w", err)
	}
	if !b.sifts {
		b.take(words)
		return nil
	}
	// It is noted first, and then counted: no processor can tell in advance whether
	// it should be.
	list, n := b.recent.noted, b.recent.n
	if n == len(list) {
		list = append(list, make([]candidate, len(list)+1024)...)
		b.recent.noted = list
	}
	key := words[0]
	list[n] = candidate{key, hashKey(key), successorOf(&b.mv, whole, len(b.rows))}
	if key != b.at.state {
		n++
	}
	b.recent.n = n
	return nil
}

// sift keeps of the successors that the worker has noted those that it does not
// remember. All are looked at together, and without a branch: so the processor
// waits for many entries at once.
func (b *batch[S]) sift() {
	r := b.recent
	noted := r.noted[:r.n]
	looked := slices.Grow(b.looked, len(noted))[:len(noted)]
	hashes := slices.Grow(b.hashes, len(noted))[:len(noted)]
	succ := slices.Grow(b.succ, len(noted))[:len(noted)]
	n, entries, shift := 0, r.entries, r.shift&63
	for i := range noted {
		c := &noted[i]
		entry := &entries[c.hash>>shift]
		looked[n], hashes[n], succ[n] = c.key, c.hash, c.successor
		if *entry != c.key {
			n++
		}
		*entry = c.key
	}
	b.looked, b.hashes, b.succ = looked[:n], hashes[:n], succ[:n]
}

// take adds a successor with its words to the batch, unless nothing is to be done
// about it.
func (b *batch[S]) take(words []uint64) {
	from := b.from[len(b.rows)].words
	if words[0] == from[0] && (len(words) == 1 || slices.Equal(words, from)) {
		if b.recent == nil || b.e.graph != nil {
			b.add(same)
		}
		return
	}
	hash := hashState(words)
	if b.recent != nil {
		if b.e.graph == nil && b.recent.met(words, hash) || b.e.graph != nil && b.numbered(words, hash) {
			return
		}
	}
	b.keep(words, hash)
}

// numbered adds a successor whose number the worker remembers, and says whether
// it does.
func (b *batch[S]) numbered(words []uint64, hash uint64) bool {
	n, known := b.recent.number(words, hash)
	if known {
		b.add(numbered)
		b.numbers = append(b.numbers, n)
	}
	return known
}

// keep adds the successor in b.into to those that are looked up.
func (b *batch[S]) keep(words []uint64, hash uint64) {
	fold := b.e.fold
	if fold == nil {
		b.looked = append(b.looked, words...)
		b.hashes = append(b.hashes, hash)
		b.add(whole)
		return
	}
	key, known := fold.fold(&b.into, &b.from[len(b.rows)])
	b.looked = append(b.looked, key)
	b.hashes = append(b.hashes, hashKey(key))
	b.words = append(b.words, words...)
	if known {
		b.add(whole)
	} else {
		b.add(strange)
		b.strangers++
	}
}

// add adds a successor of a form.
func (b *batch[S]) add(f form) {
	b.succ = append(b.succ, successorOf(&b.mv, f, len(b.rows)))
}

// keyOf is the key of the successor at a place among those to look up.
func (b *batch[S]) keyOf(place int32) []uint64 {
	n := b.e.keyWords()
	return b.looked[int(place)*n : int(place+1)*n]
}

// wordsOf are its packed words.
func (b *batch[S]) wordsOf(place int32) []uint64 {
	if b.e.fold == nil {
		return b.keyOf(place)
	}
	return b.words[int(place)*b.e.words : int(place+1)*b.e.words]
}

// lookUp finds the successors that are known.
func (b *batch[S]) lookUp() {
	b.e.rlock()
	defer b.e.runlock()
	b.sum += b.e.numbers.touch(b.hashes)
	if b.e.graph != nil {
		b.lookUpNumbers()
		return
	}
	place := int32(0)
	for i, s := range b.succ {
		f, found := s.form(), false
		switch f {
		case same:
			continue
		case strange:
		default:
			_, found = b.e.numbers.find(b.keyOf(place), b.hashes[place])
		}
		if !found {
			b.fresh = append(b.fresh, fresh{succ: int32(i), place: place})
		}
		place++
	}
}

// lookUpNumbers finds the numbers of the successors that are known.
func (b *batch[S]) lookUpNumbers() {
	place, i, met := int32(0), 0, b.numbers
	for row := range b.rows {
		for ; i < b.rows[row].end; i++ {
			switch b.succ[i].form() {
			case same:
				b.to = append(b.to, b.refs[row])
			case numbered:
				b.to = append(b.to, uint64(met[0]))
				met = met[1:]
			default:
				n, found := b.numberOf(place, b.succ[i].form())
				if !found {
					b.fresh = append(b.fresh, fresh{succ: int32(i), place: place})
				}
				b.to = append(b.to, uint64(n))
				place++
			}
		}
	}
}

// numberOf is the number of the successor at a place, if it is known.
func (b *batch[S]) numberOf(place int32, f form) (n uint32, found bool) {
	if f == strange {
		return 0, false
	}
	n, found = b.e.numbers.find(b.keyOf(place), b.hashes[place])
	if found && b.recent != nil {
		words := b.wordsOf(place)
		b.recent.put(words, hashState(words), n)
	}
	return n, found
}

// judgeFresh judges the successors that may be new.
func (b *batch[S]) judgeFresh() {
	if !b.e.checks.onStates {
		return
	}
	for i := range b.fresh {
		f := &b.fresh[i]
		s := b.succ[f.succ]
		b.at = place{state: b.refs[s.row()], hasStep: true, step: Choice{int(s.task()), s.outcome()}}
		b.judge(b.wordsOf(f.place), int32(i))
	}
}
