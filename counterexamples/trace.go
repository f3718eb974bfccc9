package counterexamples

import (
	"fmt"
	"strings"

	"cilcheck/cil"
	"cilcheck/spec"
	"cilcheck/statespace"
)

// Version is the version of the text format that Format writes and Parse reads.
const Version = 1

// A Trace is a path of a system under check that violates a property, step by
// step, in the names of the kernel. It does not refer to the system: whether it
// is true of one is what Replay finds out.
//
// Sequences and LSNs are absolute: the oldest checkpoint and the oldest log
// write of the initial state have number 1.
type Trace struct {
	// Comment is what the lines starting with # before the header say. Other
	// comments of a file are dropped.
	Comment string
	// Scenario and Size name what was checked; File is where the scenario was
	// read from, "" for one of the library.
	Scenario string
	Size     spec.Size
	File     string
	// Variant is a comma list of toggles, "" for the current kernel.
	Variant   string
	Scheduler spec.Scheduler
	// Fine says that every access is a step (granularity fine), not every lock
	// section (coarse).
	Fine bool
	// Property is violated at the end of the trace, by a violation of Kind.
	Property string
	Kind     statespace.Kind
	// Task is the task that is stuck, spins or starves, or whose last step
	// violates the property; "" when the property speaks of a state.
	Task string
	// RepairedBy are variants on which the trace must not be a violation. Only
	// kept traces have it.
	RepairedBy []string
	Steps      []Step
	// Loop is the index in Steps of the first step of the loop, which the last
	// step closes; -1 without a loop.
	Loop int

	source string         // the file the trace was parsed from
	keys   map[string]int // the lines of the header
}

// A Step is one step of a trace.
type Step struct {
	Number int // from 1
	Task   string
	// Outcome is which outcome the step had, from 0; Certain if it has only one.
	Outcome int
	// Function is the kernel function in which the step starts.
	Function string
	// Tags are the labels of cil.md that the step passes, in order.
	Tags []string
	// Changes are the shared fields that have another value after the step.
	Changes []Change
	// Woken are the tasks that the step woke.
	Woken []string
	// Notes are the other facts about the step: what an operation returned, an
	// ASSERT that failed, a touch of a freed context, ...
	Notes []string
	// Sleeps is what the task sleeps on, or spins on in the finer mode, after the
	// step; "" if it does not.
	Sleeps string

	line  int            // of the step in its file
	where map[string]int // the lines of its effects, by their text
}

// Certain is the Outcome of a step that has only one.
const Certain = -1

// A Change is a field with another value after a step than before.
type Change struct {
	Object string // "ctx 1", "iclog0"; "" for the CIL and the log
	Field  string // the kernel's name; "" for the life of a context
	Old    string
	New    string
}

// what names the field that changes.
func (c *Change) what() string {
	return strings.TrimSpace(c.Object + " " + c.Field)
}

func (c Change) String() string { return c.what() + ": " + c.Old + " -> " + c.New }

// Effects are the texts of everything the step did, in the order in which a
// trace shows it.
func (s *Step) Effects() []string {
	var all []string
	if s.Outcome != Certain {
		all = append(all, fmt.Sprintf("outcome %d", s.Outcome))
	}
	for _, c := range s.Changes {
		all = append(all, c.String())
	}
	for _, task := range s.Woken {
		all = append(all, "wakes "+task)
	}
	all = append(all, s.Notes...)
	if s.Sleeps != "" {
		all = append(all, waiting(s.Sleeps))
	}
	return all
}

// waiting says that a task waits: only the finer mode waits for spinlocks, and
// that is no sleep.
func waiting(what string) string {
	if what == "xc_push_lock" || what == "l_icloglock" {
		return spinsOn + what
	}
	return sleepsOn + what
}

const (
	sleepsOn = "sleeps on "
	spinsOn  = "spins on "
)

// An Error is something wrong with a trace file, or with a trace for the system
// it was to be replayed on.
type Error struct {
	File string
	Line int // from 1
	Err  error
}

func (e *Error) Error() string { return fmt.Sprintf("%s:%d: %v", e.File, e.Line, e.Err) }

// Unwrap returns Err.
func (e *Error) Unwrap() error { return e.Err }

// wrong is an error about a key of the header.
func (t *Trace) wrong(key string, err error) error {
	return &Error{t.source, max(t.keys[key], 1), fmt.Errorf("%s: %w", key, err)}
}

// System is the system that the trace was recorded on.
func (t *Trace) System() (*spec.System, error) {
	v, err := cil.ParseVariant(t.Variant)
	if err != nil {
		return nil, t.wrong("variant", err)
	}
	return t.SystemWith(v)
}

// SystemWith is the system that the trace was recorded on with another variant.
func (t *Trace) SystemWith(v cil.Variant) (*spec.System, error) {
	sc, err := t.scenario()
	if err != nil {
		return nil, err
	}
	build := spec.NewSystem
	if t.Fine {
		build = spec.NewFineSystem
	}
	sys, err := build(sc, t.Size, v, t.Scheduler)
	if err != nil {
		return nil, t.wrong("scenario", err)
	}
	return sys, nil
}

// scenario finds the scenario in the library or reads its file.
func (t *Trace) scenario() (*spec.Scenario, error) {
	if t.File == "" {
		sc, err := spec.Lookup(t.Scenario)
		if err != nil {
			return nil, t.wrong("scenario", err)
		}
		return sc, nil
	}
	sc, err := spec.Load(t.File, func(variant string) error {
		_, err := cil.ParseVariant(variant)
		return err
	})
	if err != nil {
		return nil, t.wrong("file", err)
	}
	return sc, nil
}

// Violation is the violation that the trace shows, as the explorer has it. The
// error says which line names a task that the system does not have.
func (t *Trace) Violation(sys *spec.System) (statespace.Violation, error) {
	v := statespace.Violation{Property: t.Property, Kind: t.Kind, Task: -1, Loop: t.Loop}
	if t.Task != "" {
		if v.Task = taskNumber(sys, t.Task); v.Task < 0 {
			return v, t.wrong("task", noTask(sys, t.Task))
		}
	}
	for i := range t.Steps {
		st := &t.Steps[i]
		c := st.choice(sys)
		if c.Task < 0 {
			return v, &Error{t.source, st.line, noTask(sys, st.Task)}
		}
		v.Path = append(v.Path, c)
	}
	return v, nil
}

// choice is the step as a choice of the explorer; its task is -1 if there is no
// such task.
func (s *Step) choice(sys *spec.System) statespace.Choice {
	return statespace.Choice{Task: taskNumber(sys, s.Task), Outcome: max(s.Outcome, 0)}
}

// taskNumber is the number of a task, or -1.
func taskNumber(sys *spec.System, name string) int {
	for i := range sys.Tasks() {
		if sys.Machine.TaskName(i) == name {
			return i
		}
	}
	return -1
}

func noTask(sys *spec.System, name string) error {
	names := make([]string, sys.Tasks())
	for i := range names {
		names[i] = sys.Machine.TaskName(i)
	}
	return fmt.Errorf("there is no task %q: expected %s", name, strings.Join(names, ", "))
}
