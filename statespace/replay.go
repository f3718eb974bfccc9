package statespace

import "fmt"

// Replay takes a path again, from initial state number init. It calls visit, if
// not nil, with 0, the initial state and nil, then after each step with the
// number of steps taken, the state and what the step reported; visit keeps
// neither. The error says which step could not be taken and why: it names the
// step from 1.
func Replay[S any](m Model[S], init int, path []Choice, visit func(i int, s *S, mv *Move)) (err error) {
	taken := 0
	defer func() {
		if r := recover(); r != nil {
			fault := caught("a replayed step", r)
			fault.Init, fault.Path = init, path[:min(taken+1, len(path))]
			err = fault
		}
	}()
	s, found := initialState(m, init)
	if !found {
		return fmt.Errorf("there is no initial state %d", init)
	}
	if visit != nil {
		visit(0, &s, nil)
	}
	var mv Move
	for i, c := range path {
		taken = i
		if c.Task < 0 || c.Task >= m.Tasks() {
			return fmt.Errorf("step %d: there is no task %d", i+1, c.Task)
		}
		if err := take(m, &s, c, &mv); err != nil {
			return fmt.Errorf("step %d, task %d, outcome %d: %w", i+1, c.Task, c.Outcome, err)
		}
		if visit != nil {
			visit(i+1, &s, &mv)
		}
	}
	return nil
}

// initialState finds initial state number init.
func initialState[S any](m Model[S], init int) (s S, found bool) {
	n := 0
	m.Init(func(first *S) {
		if n == init {
			s, found = *first, true
		}
		n++
	})
	if found {
		// The search judges what comes out of the packed form; so do we.
		words := make([]uint64, m.Words())
		if m.Pack(&s, words) == nil {
			m.Unpack(words, &s)
		}
	}
	return s, found
}

// take applies one choice to *s and brings it to the form that comes out of the
// packed state, as the search does.
func take[S any](m Model[S], s *S, c Choice, mv *Move) error {
	before := *s
	mv.begin(c.Task)
	for {
		*s = before
		status := m.Step(s, c.Task, mv)
		if mv.Outcome == c.Outcome {
			if err := takeable(status, mv); err != nil {
				*s = before
				return err
			}
			words := make([]uint64, m.Words())
			if err := m.Pack(s, words); err != nil {
				return fmt.Errorf("cannot pack a state: %w", err)
			}
			m.Unpack(words, s)
			return nil
		}
		if !mv.next() {
			*s = before
			return errNoChoice
		}
	}
}

// takeable says why a step was not taken.
func takeable(status Status, mv *Move) error {
	switch {
	case status == Blocked:
		return fmt.Errorf("the task is blocked")
	case status != Moved:
		return fmt.Errorf("the task has nothing to do")
	case mv.truncated != "":
		return fmt.Errorf("the step leaves the model: %s", mv.truncated)
	}
	return nil
}
