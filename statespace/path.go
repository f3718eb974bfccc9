package statespace

import (
	"fmt"
	"math"
)

// No parent pointers are kept. A path is found afterwards: backwards, level by
// level, go the states from which a target is reached by a shortest path; with
// each goes, per task, the fewest context switches of such a path that begins
// with a step of the task. Then the path is read off forwards, always taking
// the first choice that costs no more than the best.

const unreachable = math.MaxUint16

// A layer is the part of a level that lies on shortest paths to the targets.
type layer struct {
	refs  *index
	best  []uint16 // per state and task: switches to come if the task is next
	tasks int
}

func newLayer(tasks int) *layer { return &layer{refs: newIndex(1), tasks: tasks} }

// add adds a state, which is not there yet, with its row of best.
func (l *layer) add(ref uint64, row []uint16) {
	l.refs.reserve(1)
	l.refs.insertKey(ref)
	l.best = append(l.best, row...)
}

// row returns the row of a state, nil if the layer does not have it.
func (l *layer) row(ref uint64) []uint16 {
	i, found := l.refs.findKey(ref)
	if !found {
		return nil
	}
	return l.best[int(i)*l.tasks : int(i+1)*l.tasks]
}

func (l *layer) bytes() int64 { return l.refs.bytes() + 2*int64(cap(l.best)) }

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
	end  uint64
}

// shortest finds the path to the targets of f, which must be of one level.
func (e *explorer[S]) shortest(f *finding) (trace, error) {
	last := e.targets(f)
	layers := []*layer{last}
	size := last.bytes()
	for l := e.levelOf(last.refs.at(0)); l > 0; l-- {
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

// targets is the layer of the targets of f.
func (e *explorer[S]) targets(f *finding) *layer {
	last := newLayer(e.tasks)
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
	here := newLayer(e.tasks)
	row := e.emptyRow()
	var err error
	e.eachOf(l, func(s uint64) bool {
		found := false
		err = e.edges(s, func(task int, to uint64) {
			if after := next.row(to); after != nil {
				found = true
				row[task] = min(row[task], enter(after, task))
			}
		})
		if err != nil || !found {
			return err == nil
		}
		here.add(s, row)
		for t := range row {
			row[t] = unreachable
		}
		return e.watch.mayHold(e.memory() + size + 2*here.bytes())
	})
	if err == nil && here.refs.n == 0 {
		err = errNotAgain
	}
	return here, err
}

// edges calls f for the transitions of state s, from the stored graph or by
// taking the steps again.
func (e *explorer[S]) edges(s uint64, f func(task int, to uint64)) error {
	if e.graph != nil {
		first, end := e.graph.rowOf(uint32(s))
		for i := first; i < end; i++ {
			f(int(e.graph.by.at(i).task), uint64(e.graph.to.at(i)))
		}
		return nil
	}
	for t := 0; t < e.tasks; t++ {
		err := e.outcomes(s, t, func(to uint64) bool {
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
func (e *explorer[S]) outcomes(s uint64, task int, f func(to uint64) bool) error {
	e.at = place{state: s, hasStep: true}
	e.unpack(s, &e.base)
	e.mv.begin(task)
	for {
		e.work = e.base
		if e.m.Step(&e.work, task, &e.mv) == Moved && e.mv.truncated == "" {
			if err := e.pack(); err != nil {
				return err
			}
			if to, ok := e.find(&e.tree); ok && !f(to) {
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
	init, s, least := e.start(layers[len(layers)-1])
	tr := trace{init: init, path: make([]Choice, 0, len(layers))}
	task := -1
	for i := len(layers) - 1; i > 0; i-- {
		row := layers[i].row(s)
		task = nextTask(row, task, least)
		least = row[task]
		found := false
		err := e.outcomes(s, task, func(to uint64) bool {
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
			return tr, fmt.Errorf("task %d: %w", task, errNotAgain)
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

// start is the first initial state with the fewest switches.
func (e *explorer[S]) start(l *layer) (init int, ref uint64, least uint16) {
	least = unreachable
	for i, s := range e.inits {
		for _, c := range l.row(s) {
			if c < least {
				init, ref, least = e.initNos[i], s, c
			}
		}
	}
	return init, ref, least
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
