package statespace

import (
	"fmt"
	"math"
	"sort"
)

// No parent pointers are kept. A path is found afterwards: backwards, level by
// level, go the states from which a target is reached by a shortest path; with
// each goes, per task, the fewest context switches of such a path that begins
// with a step of the task. Then the path is read off forwards, always taking
// the first choice that costs no more than the best.

const unreachable = math.MaxUint16

// A layer is the part of a level that lies on shortest paths to the targets.
type layer struct {
	first  uint32 // state of the level
	member bitset // by number in the level
	states []uint32
	best   []uint16 // per state and task: switches to come if the task is next
	tasks  int
}

func newLayer(first, end, tasks int) *layer {
	return &layer{first: uint32(first), member: newBitset(end - first), tasks: tasks}
}

// add adds a state, larger than those before it, with its row of best.
func (l *layer) add(s uint32, row []uint16) {
	l.member.add(s - l.first)
	l.states = append(l.states, s)
	l.best = append(l.best, row...)
}

// row returns the row of a state, nil if the layer does not have it.
func (l *layer) row(s uint32) []uint16 {
	if s < l.first || int(s-l.first) >= 64*len(l.member) || !l.member.has(s-l.first) {
		return nil
	}
	i := sort.Search(len(l.states), func(i int) bool { return l.states[i] >= s })
	return l.best[i*l.tasks : (i+1)*l.tasks]
}

func (l *layer) bytes() int64 {
	return 8*int64(len(l.member)) + 4*int64(cap(l.states)) + 2*int64(cap(l.best))
}

// enter is the fewest switches from a state with this row when task has just
// moved.
func enter(row []uint16, task int) uint16 {
	least := uint16(unreachable)
	for _, c := range row {
		least = min(least, c)
	}
	if least < unreachable-1 {
		least++
	}
	return min(row[task], least)
}

// A trace is a shortest path and the state it ends in; when the target is a
// step, the state before it.
type trace struct {
	init int
	path []Choice
	end  uint32
}

// shortest finds the path to the targets of f, which must be of one level.
func (e *explorer[S]) shortest(f *finding) (trace, error) {
	last := e.targets(f)
	layers := []*layer{last}
	size := last.bytes()
	for l := e.levelOf(last.states[0]); l > 0; l-- {
		next, err := e.before(l-1, layers[len(layers)-1], size)
		if err != nil {
			return trace{}, err
		}
		size += next.bytes()
		layers = append(layers, next)
	}
	e.watch.peak = max(e.watch.peak, e.memory()+size)
	return e.forward(f, layers)
}

func (e *explorer[S]) levelOf(s uint32) int {
	return sort.SearchInts(e.levels, int(s)+1) - 1
}

func (e *explorer[S]) levelEnd(l int) int {
	if l+1 < len(e.levels) {
		return e.levels[l+1]
	}
	return e.seen.n
}

// targets is the layer of the targets of f.
func (e *explorer[S]) targets(f *finding) *layer {
	var first uint32
	if len(f.states) > 0 {
		first = f.states[0]
	} else {
		first = f.steps[0].state
	}
	l := e.levelOf(first)
	last := newLayer(e.levels[l], e.levelEnd(l), e.tasks)
	for _, s := range f.states {
		last.add(s, make([]uint16, e.tasks))
	}
	for i := 0; i < len(f.steps); {
		s := f.steps[i].state
		row := e.emptyRow()
		for ; i < len(f.steps) && f.steps[i].state == s; i++ {
			row[f.steps[i].task] = 0
		}
		last.add(s, row)
	}
	return last
}

func (e *explorer[S]) emptyRow() []uint16 {
	row := make([]uint16, e.tasks)
	for t := range row {
		row[t] = unreachable
	}
	return row
}

// before computes the layer of level l from the one of the next level. When
// memory runs out it keeps only the first states: the path is then still a
// shortest one, but perhaps not the one with the fewest switches.
func (e *explorer[S]) before(l int, next *layer, size int64) (*layer, error) {
	end := min(e.levelEnd(l), e.expanded)
	here := newLayer(e.levels[l], end, e.tasks)
	row := e.emptyRow()
	limit := e.watch.limits.Memory
	for s := e.levels[l]; s < end; s++ {
		found := false
		err := e.edges(uint32(s), func(task int, to uint32) {
			after := next.row(to)
			if after == nil {
				return
			}
			found = true
			row[task] = min(row[task], enter(after, task))
		})
		if err != nil {
			return nil, err
		}
		if !found {
			continue
		}
		here.add(uint32(s), row)
		for t := range row {
			row[t] = unreachable
		}
		if limit > 0 && e.memory()+size+2*here.bytes() > limit {
			break
		}
	}
	if len(here.states) == 0 {
		return nil, errNotAgain
	}
	return here, nil
}

// edges calls f for the transitions of state s, from the stored graph or by
// taking the steps again.
func (e *explorer[S]) edges(s uint32, f func(task int, to uint32)) error {
	if e.graph != nil {
		first, end := e.graph.rowOf(s)
		for i := first; i < end; i++ {
			f(int(e.graph.task.at(i)), e.graph.to.at(i))
		}
		return nil
	}
	for t := 0; t < e.tasks; t++ {
		err := e.outcomes(s, t, func(to uint32) bool {
			f(t, to)
			return true
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// outcomes takes the step of a task from state s again and calls f for each
// outcome that leads to a state of the search, with e.mv, until f is false.
func (e *explorer[S]) outcomes(s uint32, task int, f func(to uint32) bool) error {
	e.at = place{state: int(s), hasStep: true}
	e.m.Unpack(e.seen.at(int(s)), &e.base)
	e.mv.begin(task)
	for {
		e.work = e.base
		if e.m.Step(&e.work, task, &e.mv) == Moved && e.mv.truncated == "" {
			if err := e.pack(); err != nil {
				return err
			}
			if to, ok := e.seen.find(e.packed); ok && !f(to) {
				return nil
			}
		}
		if !e.mv.next() {
			return nil
		}
	}
}

// forward reads the path off the layers, which are in backward order.
func (e *explorer[S]) forward(f *finding, layers []*layer) (trace, error) {
	s, least := layers[len(layers)-1].start()
	tr := trace{init: e.inits[s], path: make([]Choice, 0, len(layers))}
	task := -1
	for i := len(layers) - 1; i > 0; i-- {
		row := layers[i].row(s)
		task = nextTask(row, task, least)
		least = row[task]
		found := false
		err := e.outcomes(s, task, func(to uint32) bool {
			after := layers[i-1].row(to)
			found = after != nil && enter(after, task) == least
			if found {
				s = to
			}
			return !found
		})
		if err != nil {
			return tr, err
		}
		if !found {
			return tr, fmt.Errorf("state %d, task %d: %w", s, task, errNotAgain)
		}
		tr.path = append(tr.path, Choice{task, e.mv.Outcome})
	}
	tr.end = s
	if len(f.steps) > 0 {
		task = nextTask(layers[0].row(s), task, least)
		for _, st := range f.steps { // in order of outcome
			if st.state == s && int(st.task) == task {
				tr.path = append(tr.path, Choice{task, int(st.outcome)})
				break
			}
		}
	}
	return tr, nil
}

// start is the first state with the fewest switches.
func (l *layer) start() (s uint32, least uint16) {
	least = unreachable
	for i, state := range l.states {
		for _, c := range l.best[i*l.tasks : (i+1)*l.tasks] {
			if c < least {
				s, least = state, c
			}
		}
	}
	return s, least
}

// nextTask is the first task that continues, after a step of last, with no more
// than least switches.
func nextTask(row []uint16, last int, least uint16) int {
	for t, c := range row {
		if last >= 0 && t != last && c < unreachable-1 {
			c++
		}
		if c <= least {
			return t
		}
	}
	return 0
}
