package counterexamples

import (
	"fmt"

	"cilcheck/cil"
	"cilcheck/spec"
	"cilcheck/statespace"
)

// Bounds of the search that confirms that a task is stuck.
const (
	confirmStates = 4 << 20
	confirmMemory = 1 << 30
)

// A judge watches a replay and says at the end whether the property is
// violated. It knows only the system and the property, not what the trace says
// that the steps do.
type judge struct {
	t    *Trace
	sys  *spec.System
	o    statespace.Options[cil.State]
	task int // that the trace is about; -1: none
	// anyTask lets a step of any task violate the property, not only of task.
	anyTask bool

	// first is the number of steps after which a state or a step violated the
	// property; -1: none did.
	first  int
	loop   []turn    // the steps of the loop
	start  cil.State // where the loop starts
	rounds []round   // ended without coming back to a start
}

// A round is one time through the schedule of the loop.
type round struct {
	start cil.State
	at    int // in judge.loop
}

// A turn is a step of the loop.
type turn struct {
	task  int
	marks statespace.Mark
	after cil.State
}

func newJudge(t *Trace, sys *spec.System, anyTask bool) (*judge, error) {
	if err := t.fits(sys); err != nil {
		return nil, err
	}
	j := &judge{t: t, sys: sys, task: -1, anyTask: anyTask, first: -1}
	var err error
	if j.o, err = t.claim(sys); err != nil {
		return nil, err
	}
	if t.Task != "" {
		if j.task = taskNumber(sys, t.Task); j.task < 0 {
			return nil, t.wrong("task", noTask(sys, t.Task))
		}
	}
	return j, nil
}

// begin sees the initial state.
func (j *judge) begin(s *cil.State) {
	j.start = *s
	j.seeState(0, s)
}

// see sees a step, and the state after it.
func (j *judge) see(number int, d *deed) {
	if j.t.Kind == statespace.StepKind && j.first < 0 && (j.anyTask || d.mv.Task == j.task) &&
		!j.o.StepInvariants[0].Holds(d.before, d.after, d.mv) {
		j.first = number
	}
	j.seeState(number, d.after)
	switch {
	case number == j.t.Loop:
		j.start = *d.after
	case j.t.Loop >= 0 && number > j.t.Loop:
		j.loop = append(j.loop, turn{d.mv.Task, d.mv.Marks, *d.after})
	}
}

func (j *judge) seeState(number int, s *cil.State) {
	if j.t.Kind == statespace.StateKind && j.first < 0 && !j.o.Invariants[0].Holds(s) {
		j.first = number
	}
}

// verdict says how the replay ended in state s, and why.
func (j *judge) verdict(s *cil.State) (Outcome, string, error) {
	switch j.t.Kind {
	case statespace.StateKind, statespace.StepKind:
		return j.passed()
	case statespace.TerminalKind:
		return j.ended(s)
	case statespace.StuckKind:
		return j.stuck(s)
	case statespace.SpinKind:
		return j.spins()
	case statespace.StarvedKind:
		return j.starves()
	}
	return 0, "", fmt.Errorf("unknown kind %v", j.t.Kind)
}

func (j *judge) passed() (Outcome, string, error) {
	if j.first < 0 {
		return NotViolated, fmt.Sprintf("no %s violates %s", j.t.Kind, j.t.Property), nil
	}
	return Violated, fmt.Sprintf("the %s violates %s", j.t.Kind, j.t.Property), nil
}

func (j *judge) ended(s *cil.State) (Outcome, string, error) {
	for i := range j.sys.Tasks() {
		if status(j.sys, s, i) == statespace.Moved {
			return NotViolated, fmt.Sprintf("the end is no end: %s can move", j.sys.Machine.TaskName(i)), nil
		}
	}
	if j.o.Terminal[0].Holds(s) {
		return NotViolated, fmt.Sprintf("nothing can move, and %s holds", j.t.Property), nil
	}
	return Violated, fmt.Sprintf("nothing can move any more, and %s is violated", j.t.Property), nil
}

// stuck searches everything that can happen after s for a step of the task.
func (j *judge) stuck(s *cil.State) (Outcome, string, error) {
	excused := j.o.Stuck[0].Excused
	switch {
	case status(j.sys, s, j.task) != statespace.Blocked:
		return NotViolated, fmt.Sprintf("%s is not blocked at the end", j.t.Task), nil
	case excused != nil && excused(s, j.task):
		return NotViolated, fmt.Sprintf("%s may stay blocked: the scenario allows it", j.t.Task), nil
	}
	moves := statespace.StepInvariant[cil.State]{
		Name:  "moves",
		Holds: func(_, _ *cil.State, mv *statespace.Move) bool { return mv.Task != j.task },
	}
	res, err := statespace.Explore[cil.State](from{j.sys, s}, statespace.Options[cil.State]{
		StepInvariants: []statespace.StepInvariant[cil.State]{moves},
		StopAtFirst:    true,
		Limits:         statespace.Limits{States: confirmStates, Memory: confirmMemory},
	})
	switch {
	case err != nil:
		return 0, "", fmt.Errorf("confirming that %s is stuck: %w", j.t.Task, err)
	case len(res.Violations) > 0:
		return NotViolated, fmt.Sprintf("%s can still move, after %s", j.t.Task,
			spec.Count(len(res.Violations[0].Path)-1, "more step", "more steps")), nil
	case !res.Exhausted:
		return Unconfirmed, fmt.Sprintf("whether %s can ever move again was not exhausted: %s after %s",
			j.t.Task, res.Reason, spec.Count(res.States, "state", "states")), nil
	}
	return Violated, fmt.Sprintf("%s can never move again, whatever follows (states searched: %d)", j.t.Task, res.States), nil
}

// endRound ends a round of the loop's schedule in state s and says whether s is
// where a round started. The loop is then what was done from there.
func (j *judge) endRound(s *cil.State) bool {
	if len(j.rounds) == 0 {
		j.rounds = append(j.rounds, round{j.start, 0})
	}
	for i := range j.rounds {
		if r := &j.rounds[i]; r.start == *s {
			j.start, j.loop = r.start, j.loop[r.at:]
			return true
		}
	}
	j.rounds = append(j.rounds, round{*s, len(j.loop)})
	return false
}

// closed says why the loop is none, or "".
func (j *judge) closed() string {
	if len(j.loop) == 0 {
		return "there is no loop"
	}
	if last := &j.loop[len(j.loop)-1].after; *last != j.start {
		return "the loop does not come back to the state in which it starts"
	}
	for i := range j.loop {
		if l := &j.loop[i]; l.task == j.task && l.marks&statespace.Return != 0 {
			return fmt.Sprintf("%s returns from its operation in the loop", j.t.Task)
		}
	}
	return ""
}

func (j *judge) spins() (Outcome, string, error) {
	if tasks := j.o.Spin[0].Tasks; tasks != 0 && tasks>>j.task&1 == 0 {
		return NotViolated, fmt.Sprintf("%s may spin", j.t.Task), nil
	}
	if why := j.closed(); why != "" {
		return NotViolated, why, nil
	}
	for i := range j.loop {
		switch l := &j.loop[i]; {
		case l.task != j.task:
			return NotViolated, fmt.Sprintf("%s moves in the loop too", j.sys.Machine.TaskName(l.task)), nil
		case l.marks&statespace.Slept != 0:
			return NotViolated, fmt.Sprintf("%s sleeps in the loop", j.t.Task), nil
		}
	}
	return Violated, fmt.Sprintf("%s alone moves in the loop, which comes back to the same state without a sleep", j.t.Task), nil
}

func (j *judge) starves() (Outcome, string, error) {
	if why := j.closed(); why != "" {
		return NotViolated, why, nil
	}
	claim := &j.o.Starved[0]
	var moved, disabled uint64
	for i := range j.loop {
		l := &j.loop[i]
		moved |= 1 << l.task
		if !claim.Owes(&l.after, j.task) {
			return NotViolated, fmt.Sprintf("%s owes nothing in a state of the loop", j.t.Task), nil
		}
		for t := range j.sys.Tasks() {
			if status(j.sys, &l.after, t) != statespace.Moved {
				disabled |= 1 << t
			}
		}
	}
	for t := range j.sys.Tasks() {
		if bit := uint64(1) << t; claim.Fair&bit != 0 && (moved|disabled)&bit == 0 {
			return NotViolated, fmt.Sprintf("the loop is not fair to %s, which can always move and never does",
				j.sys.Machine.TaskName(t)), nil
		}
	}
	return Violated, fmt.Sprintf("%s owes throughout the loop, which is fair and comes back to the same state without its return",
		j.t.Task), nil
}
