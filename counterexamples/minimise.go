package counterexamples

import (
	"fmt"
	"slices"

	"cilcheck/cil"
	"cilcheck/spec"
	"cilcheck/statespace"
)

// Minimise finds a shorter path to a violation of the same property, from one
// that need not be shortest (a random walk's, say), and of its length one with
// fewer context switches. No single step can be left out of the result. That
// does not make it shortest: only a search does.
//
// It works for violations of the kinds state, step and terminal; a violation of
// another kind is an error.
func Minimise(sys *spec.System, v statespace.Violation) (statespace.Violation, error) {
	if v.Kind > statespace.TerminalKind {
		return v, fmt.Errorf("minimising %s: a violation of kind %s cannot be minimised: expected state, step or terminal",
			v.Property, v.Kind)
	}
	t := &Trace{Property: v.Property, Kind: v.Kind, Loop: -1}
	o, err := t.claim(sys)
	if err != nil {
		return v, err
	}
	m := &minimiser{sys: sys, kind: v.Kind, o: o}
	if !m.accept(v.Path) {
		return v, fmt.Errorf("minimising %s: the path does not violate it", v.Property)
	}
	// Another order may let other steps be left out.
	for length := len(v.Path) + 1; len(m.path) < length; {
		length = len(m.path)
		m.cutCycles()
		m.drop()
		m.reorder()
	}
	v.Path, v.Task = m.path, m.task
	return v, nil
}

// A minimiser holds the best path so far.
type minimiser struct {
	sys  *spec.System
	kind statespace.Kind
	o    statespace.Options[cil.State]

	path []statespace.Choice
	task int // whose step violates the property; -1: none
}

// A run is what following a schedule came to.
type run struct {
	path  []statespace.Choice // the steps that could be taken
	task  int
	found bool // the property is violated at the end of path
}

// follow takes those steps of a schedule that can be taken and leaves out the
// others, up to the first violation. It passes the states to look, if not nil.
func (m *minimiser) follow(schedule []statespace.Choice, look func(*cil.State)) run {
	r := run{task: -1}
	p, err := newPlayer(m.sys)
	if err != nil {
		return r
	}
	if look == nil {
		look = func(*cil.State) {}
	}
	look(&p.state)
	r.found = m.badState(&p.state)
	for i := 0; i < len(schedule) && !r.found; i++ {
		c := schedule[i]
		before := p.state
		if status(m.sys, &before, c.Task) != statespace.Moved {
			continue
		}
		err := p.take(c, func(d *deed) {
			if m.kind == statespace.StepKind && !m.o.StepInvariants[0].Holds(d.before, d.after, d.mv) {
				r.task, r.found = c.Task, true
			}
		})
		if err != nil {
			continue
		}
		r.path = append(r.path, c)
		look(&p.state)
		r.found = r.found || m.badState(&p.state)
	}
	return r
}

// badState says whether a state violates the property.
func (m *minimiser) badState(s *cil.State) bool {
	switch m.kind {
	case statespace.StateKind:
		return !m.o.Invariants[0].Holds(s)
	case statespace.TerminalKind:
		for i := range m.sys.Tasks() {
			if status(m.sys, s, i) == statespace.Moved {
				return false
			}
		}
		return !m.o.Terminal[0].Holds(s)
	}
	return false
}

// accept takes over what a schedule comes to if it is a violation.
func (m *minimiser) accept(schedule []statespace.Choice) bool {
	r := m.follow(schedule, nil)
	if r.found {
		m.path, m.task = r.path, r.task
	}
	return r.found
}

// cutCycles cuts out every part of the path that comes back to a state.
func (m *minimiser) cutCycles() {
	last := map[cil.State]int{} // the steps taken when a state was met last
	var states []cil.State
	m.follow(m.path, func(s *cil.State) {
		last[*s] = len(states)
		states = append(states, *s)
	})
	var short []statespace.Choice
	for i := 0; i < len(m.path); i++ {
		// The last step stays: it, not the state, may violate the property.
		i = min(last[states[i]], len(m.path)-1)
		short = append(short, m.path[i])
	}
	m.accept(short)
}

// drop leaves out parts of the path, halves first and then ever smaller ones,
// until no single step can be left out.
func (m *minimiser) drop() {
	for size := max(len(m.path)/2, 1); ; {
		shorter := false
		for at := 0; at < len(m.path); {
			rest := slices.Concat(m.path[:at], m.path[min(at+size, len(m.path)):])
			if m.accept(rest) {
				shorter = true
			} else {
				at += size
			}
		}
		switch {
		case size > 1:
			size /= 2
		case !shorter:
			return
		}
	}
}

// reorder joins the pieces of a task where that saves a context switch.
func (m *minimiser) reorder() {
	for m.joinOne() {
	}
}

// joinOne tries to move each piece of a task up to its piece before, or that one
// down to it, and keeps the first result that is better.
func (m *minimiser) joinOne() bool {
	pieces := piecesOf(m.path)
	for i, a := range pieces {
		for k := i + 2; k < len(pieces); k++ {
			b := pieces[k]
			if b.task != a.task {
				continue
			}
			p := m.path
			up := slices.Concat(p[:a.end], p[b.start:b.end], p[a.end:b.start], p[b.end:])
			down := slices.Concat(p[:a.start], p[a.end:b.start], p[a.start:a.end], p[b.start:])
			if m.better(up) || m.better(down) {
				return true
			}
			break // a later piece cannot be joined before this one
		}
	}
	return false
}

// better takes over a schedule if it is a violation that is shorter, or as long
// with fewer context switches.
func (m *minimiser) better(schedule []statespace.Choice) bool {
	old, oldTask := m.path, m.task
	if m.accept(schedule) {
		if len(m.path) < len(old) || len(m.path) == len(old) && len(piecesOf(m.path)) < len(piecesOf(old)) {
			return true
		}
	}
	m.path, m.task = old, oldTask
	return false
}

// A piece is a part of a path in which one task moves.
type piece struct{ task, start, end int }

func piecesOf(path []statespace.Choice) []piece {
	var pieces []piece
	for i, c := range path {
		if n := len(pieces); n > 0 && pieces[n-1].task == c.Task {
			pieces[n-1].end = i + 1
		} else {
			pieces = append(pieces, piece{c.Task, i, i + 1})
		}
	}
	return pieces
}
