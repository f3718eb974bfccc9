package counterexamples

import (
	"errors"
	"fmt"

	"cilcheck/cil"
	"cilcheck/properties"
	"cilcheck/spec"
	"cilcheck/statespace"
)

// An Outcome is how a replay ended.
type Outcome uint8

const (
	// Violated: the steps could be taken and violate the property.
	Violated Outcome = iota
	// NotViolated: the steps could be taken, but the property is not violated.
	NotViolated
	// Refused: the system cannot take a step of the trace.
	Refused
	// Unconfirmed: the steps could be taken, but whether the task at the end is
	// stuck could not be decided within bounds.
	Unconfirmed
)

var outcomeNames = [...]string{"violated", "not violated", "refused", "unconfirmed"}

func (o Outcome) String() string {
	if int(o) < len(outcomeNames) {
		return outcomeNames[o]
	}
	return fmt.Sprintf("Outcome(%d)", uint8(o))
}

// A Report is how a replay ended, and where.
type Report struct {
	Outcome Outcome
	// Step is the step refused, or else the last one.
	Step int
	// Line is the line of the step, or of what is refused of it.
	Line int
	// Reason says in plain words why.
	Reason string
	// Differs is where the system first did something else than the trace says;
	// only Follow goes on after that.
	Differs *Difference

	file string
}

func (r *Report) String() string {
	text := fmt.Sprintf("%s:%d: %s at step %d: %s", r.file, r.Line, r.Outcome, r.Step, r.Reason)
	if r.Differs != nil {
		text += fmt.Sprintf(" (other than recorded from line %d, step %d on: %s)", r.Differs.Line, r.Differs.Step, r.Differs.Reason)
	}
	return text
}

// Replay takes the steps of a trace again on a system, which may have another
// variant or scheduler than the trace was recorded on, and compares everything
// that the trace says of each. The first line that the system does differently
// is refused. If there is none, the property is judged anew.
//
// An error means that the trace speaks of something else than the system, or a
// fault of the model: no verdict at all.
func Replay(t *Trace, sys *spec.System) (*Report, error) { return play(t, sys, true) }

// Follow takes the schedule of a trace on a system: who moves when, and with
// which outcome, whatever the steps do. So it shows whether a repair keeps the
// same schedule from violating the property. It is refused only where a task
// cannot move. A violation on the way counts, and a loop is gone through until
// it comes back to a state, however many rounds that takes.
func Follow(t *Trace, sys *spec.System) (*Report, error) { return play(t, sys, false) }

func play(t *Trace, sys *spec.System, strict bool) (report *Report, err error) {
	defer func() {
		// The claims of properties run outside the explorer's own net.
		if r := recover(); r != nil {
			err = fmt.Errorf("replaying %s: panic: %v", t.source, r)
		}
		if err != nil {
			report = nil
		}
	}()
	j, err := newJudge(t, sys, !strict)
	if err != nil {
		return nil, err
	}
	p, err := newPlayer(sys)
	if err != nil {
		return nil, err
	}
	j.begin(&p.state)
	r := &Report{file: t.source}
	tell := newTeller(sys)
	for i := range t.Steps {
		if !strict && j.first >= 0 {
			break // what comes after the violation does not matter
		}
		stop, err := r.step(p, tell, j, &t.Steps[i], strict)
		if err != nil || stop {
			return r, err
		}
	}
	if !strict && t.Loop >= 0 {
		if stop, err := r.goOn(p, tell, j); err != nil || stop {
			return r, err
		}
	}
	r.Step, r.Line = len(t.Steps), t.lastLine()
	r.Outcome, r.Reason, err = j.verdict(&p.state)
	if j.first >= 0 && j.first < len(t.Steps) {
		r.Step, r.Line = j.first, t.lineOf(j.first)
	}
	return r, err
}

// step takes one step of the trace; stop says that it was refused.
func (r *Report) step(p *player, tell *teller, j *judge, st *Step, strict bool) (stop bool, err error) {
	refuse := func(line int, reason string) bool {
		r.Outcome, r.Step, r.Line, r.Reason = Refused, st.Number, line, reason
		return true
	}
	c := st.choice(p.sys)
	if c.Task < 0 {
		return refuse(st.line, noTask(p.sys, st.Task).Error()), nil
	}
	before := p.state
	var did Step
	err = p.take(c, func(d *deed) {
		d.outcomes = outcomes(p.sys, &before, c.Task)
		did = tell.tell(st.Number, d)
		j.see(st.Number, d)
	})
	if fault := new(statespace.ModelError); errors.As(err, &fault) {
		return false, fmt.Errorf("replaying step %d: %w", st.Number, err)
	}
	if err != nil {
		return refuse(st.whereIs(fmt.Sprintf("outcome %d", st.Outcome)), err.Error()), nil
	}
	if diff := compare(st, &did); diff != nil && strict {
		return refuse(diff.Line, diff.Reason), nil
	} else if r.Differs == nil {
		r.Differs = diff
	}
	return false, nil
}

// maxRounds bounds how often Follow takes the schedule of a loop.
const maxRounds = 1000

// goOn takes the schedule of the loop again and again until it comes back to a
// state in which it started once: on another variant a loop may be longer.
func (r *Report) goOn(p *player, tell *teller, j *judge) (stop bool, err error) {
	t := j.t
	for n := 1; !j.endRound(&p.state); n++ {
		if n == maxRounds {
			r.Outcome, r.Step, r.Line = Unconfirmed, len(t.Steps), t.lastLine()
			r.Reason = fmt.Sprintf("the schedule of the loop comes back to no state in %d rounds", maxRounds)
			return true, nil
		}
		for i := t.Loop; i < len(t.Steps); i++ {
			if stop, err := r.step(p, tell, j, &t.Steps[i], false); err != nil || stop {
				return stop, err
			}
		}
	}
	return false, nil
}

// lineOf is the line of a step, from 1; of the header for step 0.
func (t *Trace) lineOf(step int) int {
	if step == 0 {
		return max(t.keys["property"], 1)
	}
	return t.Steps[step-1].line
}

func (t *Trace) lastLine() int { return t.lineOf(len(t.Steps)) }

// fits says what of the header does not fit the system.
func (t *Trace) fits(sys *spec.System) error {
	for _, h := range []struct{ key, trace, system string }{
		{"scenario", t.Scenario, sys.Scenario.Name},
		{"size", t.Size.String(), sys.Size.String()},
		{"granularity", granularity(t.Fine), granularity(sys.Machine.Fine)},
	} {
		if h.trace != h.system {
			return t.wrong(h.key, fmt.Errorf("the system has %s, the trace %s", h.system, h.trace))
		}
	}
	return nil
}

// claim is the property as the explorer gets it, and a check that it is of the
// trace's kind.
func (t *Trace) claim(sys *spec.System) (o statespace.Options[cil.State], err error) {
	p := properties.Lookup(t.Property)
	if p == nil {
		return o, t.wrong("property", fmt.Errorf("there is no property %q", t.Property))
	}
	o = properties.Options(sys, []*properties.Property{p})
	if claims(&o, t.Kind) != 1 {
		return o, t.wrong("kind", fmt.Errorf("the property %s has no violations of kind %s", t.Property, t.Kind))
	}
	return o, nil
}

// claims counts the claims of a kind.
func claims(o *statespace.Options[cil.State], k statespace.Kind) int {
	return map[statespace.Kind]int{
		statespace.StateKind:    len(o.Invariants),
		statespace.StepKind:     len(o.StepInvariants),
		statespace.TerminalKind: len(o.Terminal),
		statespace.StuckKind:    len(o.Stuck),
		statespace.SpinKind:     len(o.Spin),
		statespace.StarvedKind:  len(o.Starved),
	}[k]
}
