package statespace

import "fmt"

// A loop is a cycle to be shown: it starts in a state, stays inside one
// component of a view, and takes in what fairness asks for.
type loop struct {
	view   *view
	number []uint32 // the component of each state
	start  uint32
	fair   uint64
}

// An edge is a transition of the graph with its origin.
type edge struct {
	from uint32
	at   int
}

// find returns a short cycle: it goes to the nearest thing that satisfies one
// of the fair tasks left, a step of the task or a state in which the task is
// not enabled, until none is left, and then back to the start.
func (l *loop) find() []edge {
	var cycle []edge
	s := l.start
	left := l.fair & l.view.enabled(s)
	for len(cycle) == 0 || left != 0 || s != l.start {
		leg := l.nearest(s, left)
		if leg == nil {
			return nil
		}
		for _, e := range leg {
			s = l.view.to.at(e.at)
			left &^= 1 << l.view.by.at(e.at).task
			left &= l.view.enabled(s)
		}
		cycle = append(cycle, leg...)
	}
	return cycle
}

// nearest is a shortest path of at least one step from s to something that
// satisfies a task of left, or to the start if none is left.
func (l *loop) nearest(s uint32, left uint64) []edge {
	parent := map[uint32]edge{}
	queue := []uint32{s}
	for len(queue) > 0 {
		from := queue[0]
		queue = queue[1:]
		first, end := l.view.rowOf(from)
		for at := first; at < end; at++ {
			to := l.view.to.at(at)
			if !l.view.keeps(at) || l.number[to] != l.number[l.start] {
				continue
			}
			if l.reached(at, to, left) {
				return l.back(parent, s, edge{from, at})
			}
			if _, seen := parent[to]; !seen && to != s {
				parent[to] = edge{from, at}
				queue = append(queue, to)
			}
		}
	}
	return nil
}

func (l *loop) reached(at int, to uint32, left uint64) bool {
	if left == 0 {
		return to == l.start
	}
	return left>>l.view.by.at(at).task&1 != 0 || left&^l.view.enabled(to) != 0
}

// back reads the path from s to the end of last off the parents.
func (l *loop) back(parent map[uint32]edge, s uint32, last edge) []edge {
	leg := []edge{last}
	for e := last; e.from != s; {
		e = parent[e.from]
		leg = append(leg, e)
	}
	for i, j := 0, len(leg)-1; i < j; i, j = i+1, j-1 {
		leg[i], leg[j] = leg[j], leg[i]
	}
	return leg
}

// retake takes the transitions of a cycle again, in the model, and returns
// their choices. It is an error if the cycle does not come back to its start.
func (e *explorer[S]) retake(cycle []edge) ([]Choice, error) {
	choices := make([]Choice, 0, len(cycle))
	s := cycle[0].from
	for _, step := range cycle {
		if s != step.from {
			return choices, errNotClosed
		}
		by, want := e.graph.by.at(step.at), e.graph.to.at(step.at)
		task := int(by.task)
		found := false
		err := e.outcomes(uint64(s), task, func(to uint64) bool {
			found = to == uint64(want) && e.mv.Marks == by.marks
			return !found
		})
		if err != nil {
			return choices, err
		}
		if !found {
			return choices, fmt.Errorf("state %d, task %d: %w", s, task, errNotAgain)
		}
		choices = append(choices, Choice{task, e.mv.Outcome})
		s = want
	}
	if s != cycle[0].from {
		return choices, errNotClosed
	}
	return choices, nil
}

// lasso adds the violation made of a prefix and the cycle at its end.
func (e *explorer[S]) lasso(f *finding, task int, tr trace, l *loop) error {
	cycle := l.find()
	if cycle == nil {
		return fmt.Errorf("%s: a component without a cycle: the explorer is at fault", f.name)
	}
	choices, err := e.retake(cycle)
	if err != nil {
		return err
	}
	e.analysed = append(e.analysed, Violation{
		Property: f.name, Kind: f.kind, Task: task, Init: tr.init,
		Path: append(tr.path, choices...), Loop: len(tr.path),
	})
	return nil
}
