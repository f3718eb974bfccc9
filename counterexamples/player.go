package counterexamples

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"cilcheck/cil"
	"cilcheck/spec"
	"cilcheck/statespace"
)

// from is a system that starts in a given state.
type from struct {
	*spec.System
	start *cil.State
}

// Init passes the state that the system starts in.
func (m from) Init(yield func(*cil.State)) {
	s := *m.start
	yield(&s)
}

// counting is from, and counts how often a step is tried.
type counting struct {
	from
	steps *int
}

// Step counts, and takes the step.
func (m counting) Step(s *cil.State, task int, mv *statespace.Move) statespace.Status {
	*m.steps++
	return m.System.Step(s, task, mv)
}

// outcomes is the number of outcomes of the next step of a task.
func outcomes(sys *spec.System, s *cil.State, task int) int {
	n := 0
	beyond := []statespace.Choice{{Task: task, Outcome: math.MaxInt}}
	// No step has that many outcomes: the error says so after trying all.
	_ = statespace.Replay[cil.State](counting{from{sys, s}, &n}, 0, beyond, nil)
	return n
}

// status says whether a task can move.
func status(sys *spec.System, s *cil.State, task int) statespace.Status {
	probe, mv := *s, statespace.Move{Task: task}
	return sys.Step(&probe, task, &mv)
}

// A player takes a system from state to state, one choice at a time.
type player struct {
	sys   *spec.System
	state cil.State
	base  cil.Base
}

// newPlayer stands in the initial state.
func newPlayer(sys *spec.System) (*player, error) {
	p := &player{sys: sys, base: cil.FirstBase}
	err := statespace.Replay[cil.State](sys, 0, nil, func(_ int, s *cil.State, _ *statespace.Move) { p.state = *s })
	return p, err
}

// take makes a move and passes it to look, if not nil. The error is a
// *statespace.ModelError if the model is at fault; any other says why the move
// cannot be made, and the state is as before.
func (p *player) take(c statespace.Choice, look func(d *deed)) error {
	before := p.state
	err := statespace.Replay[cil.State](from{p.sys, &before}, 0, []statespace.Choice{c},
		func(i int, s *cil.State, mv *statespace.Move) {
			if i == 0 {
				return
			}
			p.state = *s
			d := deed{before: &before, after: s, mv: mv, base: p.base}
			p.base = d.next()
			if look != nil {
				look(&d)
			}
		})
	if fault := new(statespace.ModelError); err == nil || errors.As(err, &fault) {
		return err
	}
	if inner := errors.Unwrap(err); inner != nil {
		err = inner // without the number of the step, which is ours to know
	}
	return p.refusal(c, err)
}

// refusal says in plain words why a move cannot be made.
func (p *player) refusal(c statespace.Choice, why error) error {
	name := p.sys.Machine.TaskName(c.Task)
	switch status(p.sys, &p.state, c.Task) {
	case statespace.Blocked:
		return fmt.Errorf("%s is not enabled: %s", name, p.blockedBy(c.Task))
	case statespace.Done:
		return fmt.Errorf("%s is not enabled: %s", name, p.doneBecause(c.Task))
	}
	n := outcomes(p.sys, &p.state, c.Task)
	switch {
	case c.Outcome < n:
		return fmt.Errorf("%s cannot take the step: %w", name, why)
	case n == 1:
		return fmt.Errorf("outcome %d does not exist: the step of %s has one outcome only, so none is given", c.Outcome, name)
	}
	return fmt.Errorf("outcome %d does not exist: the step of %s has outcomes 0 to %d", c.Outcome, name, n-1)
}

// blockedBy says what a blocked task waits for.
func (p *player) blockedBy(task int) string {
	m := p.sys.Machine
	switch {
	case p.state.Task[task].Wait != 0:
		return "it " + waiting(newTeller(p.sys).waitsFor(&p.state, task))
	case m.Status(&p.state, task) != statespace.Moved:
		return "the workqueues are frozen"
	case p.sys.Scheduler.Policy == spec.Cooperative:
		return "no CPU is free before one blocks of " + p.those(func(i int) bool { return p.state.Task[i].OnCPU != 0 })
	}
	realtime := func(i int) bool {
		return i < len(m.Scripts) && m.Scripts[i].FIFO && m.Status(&p.state, i) == statespace.Moved
	}
	return "it is not scheduled while a real-time task can run: " + p.those(realtime)
}

// doneBecause says why a task has nothing to do.
func (p *player) doneBecause(task int) string {
	m := p.sys.Machine
	first := len(m.Scripts)
	switch {
	case task < first:
		return "it has finished"
	case task >= first+int(m.Workers):
		return "no I/O of its iclog is in flight"
	case p.state.Wq.Startable() == 0:
		return "no push work is ready to start"
	}
	return "another idle kworker takes the work (they are alike)"
}

// those are the names of tasks.
func (p *player) those(which func(int) bool) string {
	var names []string
	for i := range p.sys.Tasks() {
		if which(i) {
			names = append(names, p.sys.Machine.TaskName(i))
		}
	}
	return strings.Join(names, ", ")
}
