package statespace

import (
	"fmt"
	"os"
	"sort"
	"time"
)

// An explorer is one breadth-first search.
//
// Where the store numbers the states, they are expanded in that order; where it
// is a set, the keys of two levels are kept beside it.
type explorer[S any] struct {
	m     Model[S]
	o     *Options[S]
	tasks int
	words int
	watch *watch

	store
	graph    *graph // nil when no question needs it
	frontier *frontier
	batches  []*batch[S]
	recent   []*recent // per worker
	block    int       // states that a batch begins with

	levels   []int    // per level, the states seen before it
	inits    []uint64 // refs of the states of level 0
	initNos  []int    // and the numbers of these initial states
	expanded int      // states whose successors are in
	end      int      // of the level that is expanded
	saved    time.Time

	transitions int
	terminals   int
	truncated   string // the first reason a step gave for leaving the model
	coverage    *[MaxTags]uint64

	checks   checks[S]
	analysed []Violation // what the analyses of the graph found
	longest  []Length
	analysis int64 // bytes that the current analysis holds throughout
	// What the analyses share.
	predicates []taskPredicate[S]
	found      components     // those found last
	held       bitset         // the states in which a predicate holds
	length     vector[uint32] // of the longest path from a component, in the order of completion

	// Scratch space of what runs in one goroutine.
	mv    Move
	base  S       // the state expanded
	work  S       // its successor
	probe S       // the state judged
	tree  folding // a packed state
	at    place
}

// Explore searches all reachable states of m breadth-first and answers the
// questions of o. The counts and the traces depend only on m and o, whatever
// the number of workers. The error is a *ModelError, or says which option or
// dimension of the model is impossible, or which file failed; a violated
// property is not an error.
func Explore[S any](m Model[S], o Options[S]) (*Result[S], error) {
	e, err := newExplorer(m, &o)
	if err != nil {
		return nil, err
	}
	defer e.frontier.close()
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
	r := e.result(violations)
	if r.Exhausted && o.Checkpoint.File != "" {
		os.Remove(o.Checkpoint.File) // there may be none
	}
	return r, nil
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
		store:    newStore(words, o.needsGraph(), o.Compact),
		frontier: newFrontier(o.SpillDir),
		coverage: new([MaxTags]uint64),
		block:    blockLen,
		at:       place{none: true},
	}
	if o.block > 0 {
		e.block = o.block
	}
	e.tree = e.newFolding()
	if o.needsGraph() {
		e.graph = newGraph(tasks)
	}
	if e.numbers != nil {
		e.watch.limits.States = min(e.watch.limits.States, maxStates)
	}
	e.checks.init(o)
	return e, nil
}

// search visits every reachable state, level by level, or stops at a limit.
func (e *explorer[S]) search() error {
	resumed, err := e.resume()
	if err == nil && !resumed {
		err = e.initial()
	}
	e.saved = time.Now()
	for err == nil && e.expanded < e.states() && e.watch.reason == "" {
		if e.expanded == e.end && !e.nextLevel() {
			break
		}
		if err = e.level(e.expanded, e.end); err == nil {
			err = e.saveLevel()
		}
	}
	if err != nil {
		return err
	}
	if r := e.watch.reason; e.o.Checkpoint.File != "" && (r == Interrupted || r == TimeLimit) {
		if err := e.save(); err != nil {
			return err
		}
	}
	if e.end < e.states() { // ended early: what it found is a level, too
		e.levels = append(e.levels, e.end)
	}
	e.checks.endLevel()
	if e.o.StopAtFirst && e.checks.found > 0 {
		e.watch.stop(FirstViolation)
	}
	return nil
}

// nextLevel makes the states found last the level to be expanded, and says
// whether it should be.
func (e *explorer[S]) nextLevel() bool {
	e.checks.endLevel()
	if e.o.StopAtFirst && e.checks.found > 0 {
		return false
	}
	if e.set != nil && len(e.levels) == maxDepth {
		e.watch.stop(DepthLimit)
		return false
	}
	e.levels = append(e.levels, e.expanded)
	e.end = e.states()
	if e.set != nil {
		e.set.deepen(len(e.levels))
		e.set.measure()
		e.frontier.swap()
	}
	return true
}

// initial finds the initial states. They are few: they are looked up one by
// one, and no limit is looked at.
func (e *explorer[S]) initial() error {
	var err error
	number := 0
	b := e.newBatch()
	e.m.Init(func(s *S) {
		if err == nil {
			err = e.arriveInitial(b, s, number)
		}
		number++
	})
	return err
}

func (e *explorer[S]) arriveInitial(b *batch[S], s *S, number int) error {
	e.work = *s
	if err := e.pack(); err != nil {
		return err
	}
	if e.fold != nil {
		e.fold.reserve(1)
	}
	key := e.addKey(&e.tree, nil)
	ref, added, err := e.enter(key, hashState(key), 0)
	if added && err == nil && e.set != nil {
		err = e.frontier.push(key[0])
	}
	if !added || err != nil {
		return err
	}
	e.inits = append(e.inits, ref)
	e.initNos = append(e.initNos, number)
	b.reset()
	b.at = place{state: ref}
	defer func() { e.at = b.at }() // a panic wants to be located
	b.judge(e.tree.words, 0)
	for i := range b.stateRemarks {
		e.remark(&b.stateRemarks[i], ref)
	}
	b.at = place{none: true}
	return nil
}

// enter adds a state to those seen, and makes room first; the error is one of
// spilling. A state that finds no room for want of memory stops the search.
func (e *explorer[S]) enter(key []uint64, hash uint64, level int) (ref uint64, added bool, err error) {
	if e.numbers != nil {
		e.numbers.reserve(1)
		n, added := e.numbers.insert(key, hash)
		return uint64(n), added, nil
	}
	shard, in := shardOf(hash)
	for s := e.set.shards[shard]; ; {
		added, fits := s.insert(in, level)
		if added {
			e.count(shard, 1)
		}
		if fits {
			return key[0], added, nil
		}
		if ok, err := e.room(e.set.growth()); !ok || err != nil {
			return 0, false, err
		}
		e.set.grow(shard)
		e.set.measure()
	}
}

// pack packs e.work into e.tree.
func (e *explorer[S]) pack() error {
	if err := e.m.Pack(&e.work, e.tree.words); err != nil {
		return fmt.Errorf("cannot pack a state: %w", err)
	}
	return nil
}

// unpack writes a state to *s.
func (e *explorer[S]) unpack(ref uint64, s *S) {
	e.readRef(ref, &e.tree)
	e.m.Unpack(e.tree.words, s)
}

// eachOf calls f for the states of a level until it is false.
func (e *explorer[S]) eachOf(level int, f func(ref uint64) bool) {
	if e.set != nil {
		e.set.each(level, f)
		return
	}
	for i, end := e.levels[level], min(e.levelEnd(level), e.expanded); i < end && f(uint64(i)); i++ {
	}
}

func (e *explorer[S]) levelOf(ref uint64) int {
	if e.set != nil {
		return e.set.levelOf(hashKey(ref))
	}
	return sort.SearchInts(e.levels, int(ref)+1) - 1
}

func (e *explorer[S]) levelEnd(l int) int {
	if l+1 < len(e.levels) {
		return e.levels[l+1]
	}
	return e.states()
}

// room says whether the search may hold so many more bytes. If it may not, it
// moves the frontier to files, and asks again.
func (e *explorer[S]) room(bytes int64) (bool, error) {
	if !e.watch.mayHold(e.memory() + bytes) {
		if err := e.frontier.spill(); err != nil {
			return false, err
		}
	}
	return e.watch.hold(e.memory() + bytes), nil
}

// memory is what the search holds.
func (e *explorer[S]) memory() int64 {
	size := e.store.bytes() + e.frontier.bytes() + e.checks.bytes() +
		e.analysis + e.found.bytes() + 8*int64(len(e.held)) + e.length.bytes()
	if e.graph != nil {
		size += e.graph.bytes()
	}
	return size
}

func (e *explorer[S]) fillProgress(p *Progress) {
	p.Phase = "search"
	p.States = e.states()
	p.Transitions = e.transitions
	p.Level = len(e.levels) - 1
	p.Frontier = e.states() - e.expanded
	p.Memory = e.memory()
	p.Spilled = e.frontier.files()
	p.Load = e.load()
	left := p.Frontier + remaining(e.levels, e.end, p.States)
	if e.expanded > 0 && left > p.Frontier {
		p.Remaining = time.Duration(float64(p.Elapsed) * float64(left) / float64(e.expanded))
	}
}
