package statespace

import (
	"fmt"
	"slices"
)

// batchLen is how many successors are collected before they are looked up:
// enough to overlap the waits for memory, few enough to stay in the cache.
const batchLen = 128

// An explorer is one breadth-first search.
type explorer[S any] struct {
	m     Model[S]
	o     *Options[S]
	tasks int
	words int
	watch *watch

	seen     visited
	graph    *graph // nil when no question needs it
	levels   []int  // first state of each level
	inits    []int  // per state of level 0, the number of the initial state
	expanded int    // states whose successors are in

	transitions int
	terminals   int
	truncated   string // the first reason a step gave for leaving the model
	coverage    *[MaxTags]uint64

	checks   checks[S]
	analysed []Violation // what the analyses of the graph found
	longest  []Length
	analysis int64 // bytes that the current analysis holds throughout

	batch  batch
	mv     Move
	from   []uint64 // the state expanded, packed
	base   S        // and unpacked
	work   S        // its successor
	probe  S        // the state judged
	packed []uint64
	at     place
}

// Explore searches all reachable states of m breadth-first and answers the
// questions of o. The order of states, the counts and the traces depend only on
// m and o. The error is a *ModelError, or says which option or dimension of the
// model is impossible; a violated property is not an error.
func Explore[S any](m Model[S], o Options[S]) (*Result[S], error) {
	e, err := newExplorer(m, &o)
	if err != nil {
		return nil, err
	}
	var violations []Violation
	fault := e.guard(func() error {
		if err := e.search(); err != nil {
			return err
		}
		return e.analyse()
	})
	if fault == nil {
		fault = e.guard(func() (err error) {
			violations, err = e.violations()
			return err
		})
	}
	if fault != nil {
		return nil, e.located(fault)
	}
	return e.result(violations), nil
}

func newExplorer[S any](m Model[S], o *Options[S]) (*explorer[S], error) {
	tasks, words := m.Tasks(), m.Words()
	if tasks < 1 || tasks > MaxTasks {
		return nil, fmt.Errorf("a model has 1 to %d tasks, not %d", MaxTasks, tasks)
	}
	if words < 1 {
		return nil, fmt.Errorf("a packed state has at least one word, not %d", words)
	}
	e := &explorer[S]{
		m: m, o: o, tasks: tasks, words: words,
		watch:    newWatch(o.Context, o.Limits, o.Progress),
		seen:     newVisited(words),
		coverage: new([MaxTags]uint64),
		packed:   make([]uint64, words),
		at:       place{state: -1},
	}
	if o.needsGraph() {
		e.graph = newGraph(tasks)
	}
	e.checks.init(o)
	return e, nil
}

// search visits every reachable state, level by level, or stops at a limit.
func (e *explorer[S]) search() error {
	if err := e.initial(); err != nil {
		return err
	}
	first := 0
	for first < e.seen.n && e.watch.reason == "" {
		e.checks.endLevel()
		if e.o.StopAtFirst && e.checks.found > 0 {
			break
		}
		e.levels = append(e.levels, first)
		end := e.seen.n
		if err := e.level(first, end); err != nil {
			return err
		}
		first = end
	}
	if first < e.seen.n { // ended early: what it found is a level, too
		e.levels = append(e.levels, first)
	}
	e.checks.endLevel()
	if e.o.StopAtFirst && e.checks.found > 0 {
		e.watch.stop(FirstViolation)
	}
	return nil
}

// initial finds the initial states. They are few: they are looked up one by one.
func (e *explorer[S]) initial() error {
	var err error
	number := 0
	e.m.Init(func(s *S) {
		if err != nil {
			return
		}
		e.work = *s
		if err = e.pack(); err != nil {
			return
		}
		e.seen.reserve(1)
		i, added := e.seen.insert(e.packed, hashWords(e.packed))
		if added {
			e.inits = append(e.inits, number)
			e.at.state = int(i)
			e.judge(i)
			e.at.state = -1
		}
		number++
	})
	return err
}

// pack packs e.work into e.packed.
func (e *explorer[S]) pack() error {
	if err := e.m.Pack(&e.work, e.packed); err != nil {
		return fmt.Errorf("cannot pack a state: %w", err)
	}
	return nil
}

// level expands the states from first to end.
func (e *explorer[S]) level(first, end int) error {
	for i := first; i < end; {
		e.batch.reset()
		for ; i < end && !e.batch.full(); i++ {
			if err := e.expand(i); err != nil {
				return err
			}
		}
		if !e.commit() || !e.watch.tick(e.fillProgress) {
			return nil
		}
	}
	return nil
}

// expand takes every outcome of every task's step from state i and adds the
// successors to the batch.
func (e *explorer[S]) expand(i int) error {
	e.at = place{state: i, hasStep: true}
	e.from = e.seen.at(i)
	e.m.Unpack(e.from, &e.base)
	var moved, blocked, cut uint64
	mv := &e.mv
	for t := 0; t < e.tasks; t++ {
		mv.begin(t)
		for {
			e.work = e.base
			switch e.m.Step(&e.work, t, mv) {
			case Moved:
				if mv.truncated != "" {
					cut |= 1 << t
					e.truncate(mv.truncated)
					break
				}
				moved |= 1 << t
				if err := e.successor(i); err != nil {
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
	e.batch.endRow(blocked&^(moved|cut), cut)
	if moved|cut == 0 {
		e.terminal(i)
	}
	return nil
}

func (e *explorer[S]) truncate(reason string) {
	if e.truncated == "" {
		e.truncated = reason
	}
}

// successor judges the step from e.base to e.work and adds it to the batch. A
// step that changes nothing is common (a message received again, a busy wait)
// and needs no look-up.
func (e *explorer[S]) successor(i int) error {
	for _, tag := range e.mv.Tags() {
		e.coverage[tag]++
	}
	if e.checks.onSteps {
		e.judgeStep(i)
	}
	words := e.batch.add(e.words, &e.mv)
	if err := e.m.Pack(&e.work, words); err != nil {
		return fmt.Errorf("cannot pack a state: %w", err)
	}
	if words[0] == e.from[0] && slices.Equal(words, e.from) {
		e.batch.dropWords(e.words)
	}
	return nil
}

// commit looks up the successors of a batch, stores what is new, and judges it.
// It reports false, with nothing changed, if there is no memory for it.
func (e *explorer[S]) commit() bool {
	b := &e.batch
	if !e.makeRoom(len(b.rows), len(b.succ)) {
		return false
	}
	b.hash(e.words)
	b.sum += e.seen.touch(b.hashes)
	k, looked := 0, 0
	for _, row := range b.rows {
		for ; k < row.end; k++ {
			to, known := uint32(e.expanded), true
			if !b.succ[k].same {
				to, known = e.arrive(k, looked)
				looked++
			}
			if known {
				e.transitions++
				if e.graph != nil {
					e.graph.addEdge(to, b.succ[k].task, b.succ[k].marks)
				}
			}
		}
		if e.graph != nil {
			e.graph.endRow(row.blocked, row.cut)
		}
		e.expanded++
	}
	return e.watch.reason == ""
}

// arrive looks up successor k of the batch, whose words are number looked of
// those kept. It is not known, and dropped, if there may be no more states.
func (e *explorer[S]) arrive(k, looked int) (to uint32, known bool) {
	b := &e.batch
	words := b.words[looked*e.words : (looked+1)*e.words]
	if e.seen.n >= e.watch.limits.States {
		if to, known = e.seen.find(words); !known {
			e.watch.stop(StateLimit)
		}
		return to, known
	}
	to, added := e.seen.insert(words, b.hashes[looked])
	if added && e.checks.onStates {
		e.at.state = e.expanded
		e.at.step = Choice{int(b.succ[k].task), int(b.succ[k].outcome)}
		e.judge(to)
	}
	return to, true
}

// makeRoom grows the tables for so many rows and successors, if it may.
func (e *explorer[S]) makeRoom(rows, succ int) bool {
	growth := e.seen.growth(succ)
	if e.graph != nil {
		growth += e.graph.growth(rows, succ)
	}
	if !e.watch.hold(e.memory() + growth) {
		return false
	}
	e.seen.reserve(succ)
	return true
}

// memory is what the search holds.
func (e *explorer[S]) memory() int64 {
	size := e.seen.bytes() + e.checks.bytes() + e.analysis
	if e.graph != nil {
		size += e.graph.bytes()
	}
	return size
}

func (e *explorer[S]) fillProgress(p *Progress) {
	p.Phase = "search"
	p.States = e.seen.n
	p.Transitions = e.transitions
	p.Level = len(e.levels) - 1
	p.Frontier = e.seen.n - e.expanded
	p.Memory = e.memory()
}

// A batch holds the successors of some states until they are looked up
// together. Nothing in it is allocated per state.
type batch struct {
	rows   []batchRow
	succ   []successor
	words  []uint64
	hashes []uint64
	sum    uint64 // keeps the reads of touch from being optimised away
}

// A batchRow is one expanded state.
type batchRow struct {
	end          int // of its successors in the batch
	blocked, cut uint64
}

type successor struct {
	outcome uint32
	task    uint8
	marks   Mark
	same    bool // it is the state it comes from, and has no words
}

func (b *batch) reset() {
	b.rows, b.succ, b.words = b.rows[:0], b.succ[:0], b.words[:0]
}

func (b *batch) full() bool { return len(b.succ) >= batchLen || len(b.rows) >= batchLen }

// add adds the successor that mv leads to and returns the place for its words.
func (b *batch) add(words int, mv *Move) []uint64 {
	b.succ = append(b.succ, successor{uint32(mv.Outcome), uint8(mv.Task), mv.Marks, false})
	n := len(b.words)
	if n+words > cap(b.words) {
		grown := make([]uint64, n, 2*(n+words))
		copy(grown, b.words)
		b.words = grown
	}
	b.words = b.words[:n+words]
	return b.words[n : n+words : n+words]
}

// dropWords says that the successor added last is the state it comes from.
func (b *batch) dropWords(words int) {
	b.succ[len(b.succ)-1].same = true
	b.words = b.words[:len(b.words)-words]
}

func (b *batch) endRow(blocked, cut uint64) {
	b.rows = append(b.rows, batchRow{len(b.succ), blocked, cut})
}

func (b *batch) hash(words int) {
	b.hashes = b.hashes[:0]
	for w := b.words; len(w) > 0; w = w[words:] {
		b.hashes = append(b.hashes, hashWords(w[:words]))
	}
}
