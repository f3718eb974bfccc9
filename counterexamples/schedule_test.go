package counterexamples_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"

	"pgregory.net/rapid"

	"cilcheck/cil"
	"cilcheck/counterexamples"
	"cilcheck/properties"
	"cilcheck/spec"
	"cilcheck/statespace"
)

// drawScenario draws a valid scenario of one to three tasks; shrinking makes
// tasks, operations and numbers fewer.
func drawScenario(t *rapid.T) *spec.Scenario {
	return rapid.Custom(anyScenario).Filter(func(sc *spec.Scenario) bool { return sc.Validate() == nil }).Draw(t, "scenario")
}

func anyScenario(t *rapid.T) *spec.Scenario {
	sc, err := spec.Parse("random.yaml", []byte("name: random\ntitle: a random scenario\ntasks:\n  - name: task\n    do: [commit]\n"), nil)
	if err != nil {
		t.Fatal(err)
	}
	number := func(name string, from, to int) spec.Number {
		return spec.N(rapid.IntRange(from, to).Draw(t, name))
	}
	sc.Sizes = []spec.Size{spec.Check}
	sc.Iclogs = number("iclogs", 2, 3)
	sc.IclogUnits = number("iclog units", 2, 5)
	sc.Contexts, sc.LSNs = spec.N(cil.MaxContexts), spec.N(cil.MaxLSNs)
	sc.Soft = number("soft", 1, 6)
	sc.Hard = spec.N(sc.Soft[0] + rapid.IntRange(1, 4).Draw(t, "hard above soft"))
	sc.Workers = number("workers", 1, 2)
	sc.LogIOError = rapid.Bool().Draw(t, "log I/O errors")
	sc.ExternalLog = rapid.Bool().Draw(t, "external log")
	sc.Ends = []spec.End{spec.EndDone}
	sc.Tasks = nil
	for i := range rapid.IntRange(1, 3).Draw(t, "tasks") {
		sc.Tasks = append(sc.Tasks, drawTask(t, i))
	}
	return sc
}

// drawTask draws a task that commits to its own inode and forces it.
func drawTask(t *rapid.T, i int) spec.Task {
	kinds := []cil.OpKind{
		cil.OpCommit, cil.OpFsync, cil.OpLogForce, cil.OpCilFlush, cil.OpSyncCommit, cil.OpLogForceAsync, cil.OpShutdownIO, cil.OpShutdown,
	}
	task := spec.Task{
		Name: fmt.Sprintf("task%d", i), Count: spec.N(1), Times: spec.N(1), Size: spec.N(1), Inode: spec.Own,
		Start: rapid.SampledFrom([]cil.Start{cil.StartClean, cil.StartCurrent, cil.StartPrevious}).Draw(t, "start"),
	}
	for range rapid.IntRange(1, 3).Draw(t, "operations") {
		op := spec.Op{Kind: rapid.SampledFrom(kinds).Draw(t, "operation"), Inode: spec.Own}
		if op.Kind == cil.OpCommit || op.Kind == cil.OpSyncCommit {
			op.Size = spec.N(rapid.IntRange(1, 3).Draw(t, "size"))
		}
		task.Do = append(task.Do, op)
	}
	return task
}

// judged are the properties that a schedule can violate, without those that the
// current kernel is known to violate in a scenario.
func judged(sys *spec.System) []*properties.Property {
	disturbed := sys.Machine.LogIOError
	for _, script := range sys.Machine.Scripts {
		for _, op := range script.Ops {
			if op.Kind == cil.OpShutdown || op.Kind == cil.OpShutdownIO || op.Overrun {
				disturbed = true
			}
		}
	}
	known := []string{"force-durable", "completed-durable", "wake-after-callbacks"} // around a shutdown
	return slices.DeleteFunc(properties.All(), func(p *properties.Property) bool {
		return disturbed && slices.Contains(known, p.Name) || p.Kind == properties.EndKind || p.Kind == properties.LivenessKind
	})
}

// knownFullRing reports whether a step may violate force-durable without a shutdown:
// xfs_log_force returns, and does not wait for the newest iclog where all are busy.
func knownFullRing(sys *spec.System, mv *statespace.Move) bool {
	return !sys.Machine.RingNewest && slices.ContainsFunc(mv.Notes(), func(n statespace.Note) bool {
		return n.Kind == cil.NoteReturned && cil.OpKind(n.A) == cil.OpLogForce
	})
}

// schedule lets rapid choose a schedule of a system and checks every state and
// step. A violation is the test's failure, shrunk by rapid, and printed as a
// trace that `cilcheck replay` reads.
func schedule(t *rapid.T, sys *spec.System, steps int, visit func(*cil.State)) {
	o := properties.Options(sys, judged(sys))
	s := sys.Machine.Init()
	var path []statespace.Choice
	for len(path) < steps {
		visit(&s)
		type move struct {
			choice   statespace.Choice
			next     cil.State
			violated string
			kind     statespace.Kind
		}
		var moves []move
		statespace.Successors[cil.State](sys, &s, func(c statespace.Choice, next *cil.State, mv *statespace.Move) {
			if mv.Truncated() != "" {
				return
			}
			m := move{choice: c, next: *next}
			for _, inv := range o.StepInvariants {
				if !inv.Holds(&s, next, mv) && !(inv.Name == "force-durable" && knownFullRing(sys, mv)) {
					m.violated, m.kind = inv.Name, statespace.StepKind
				}
			}
			for _, inv := range o.Invariants {
				if !inv.Holds(next) {
					m.violated, m.kind = inv.Name, statespace.StateKind
				}
			}
			moves = append(moves, m)
		})
		if len(moves) == 0 {
			return
		}
		m := moves[rapid.IntRange(0, len(moves)-1).Draw(t, "step")]
		path = append(path, m.choice)
		s = m.next
		if m.violated != "" {
			task := -1
			if m.kind == statespace.StepKind {
				task = m.choice.Task
			}
			t.Fatalf("%s", asTrace(sys, statespace.Violation{
				Property: m.violated, Kind: m.kind, Task: task, Path: path, Loop: -1,
			}))
		}
	}
}

// asTrace saves the scenario and the trace of a violation where they can be
// replayed from, and returns the trace and the command.
func asTrace(sys *spec.System, v statespace.Violation) string {
	dir := filepath.Join(os.TempDir(), "cilcheck-random-schedule")
	scenario, file := filepath.Join(dir, "random.yaml"), filepath.Join(dir, "random.trace")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err.Error()
	}
	if err := os.WriteFile(scenario, sys.Scenario.Format(), 0o644); err != nil {
		return err.Error()
	}
	trace, err := counterexamples.Record(sys, v, scenario)
	if err != nil {
		return fmt.Sprintf("%s violated, but not recorded: %v", v.Property, err)
	}
	if err := trace.Save(file); err != nil {
		return err.Error()
	}
	return fmt.Sprintf("%s is violated:\n%s\nreplay it: cilcheck replay %s", v.Property, trace.Format(), file)
}

// sound are the variants of which no schedule violates a state or step property
// in any scenario that we know of.
var sound = []string{
	"", "flush=never", "flush=on-restart", "flush=never,wait=commit", "flush=never,wait=commit-if-queued", "stable=or",
}

func mustVariant(t *rapid.T, list string) cil.Variant {
	v, err := cil.ParseVariant(list)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// Random schedules of random scenarios violate nothing on the sound variants.
func TestRandomSchedules(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sc := drawScenario(t)
		v := mustVariant(t, rapid.SampledFrom(sound).Draw(t, "variant"))
		sys, err := spec.NewSystem(sc, spec.Check, v, spec.Scheduler{})
		if err != nil {
			t.Fatal(err)
		}
		schedule(t, sys, 400, func(*cil.State) {})
	})
}

// The states that random schedules of a small scenario meet are all in the set
// that the explorer found.
func TestRandomSchedulesStayInTheExploredSet(t *testing.T) {
	explored := map[string]func() *statespace.Result[cil.State]{}
	systems := map[string]*spec.System{}
	for _, name := range []string{"one-force", "empty-cil-race", "io-error-force", "overrun-shutdown", "throttled-committers", "freezer", "spanning-checkpoint"} {
		sc, err := spec.Lookup(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, list := range sound {
			v, err := cil.ParseVariant(list)
			if err != nil {
				t.Fatal(err)
			}
			sys, err := spec.NewSystem(sc, spec.Check, v, spec.Scheduler{})
			if err != nil {
				t.Fatal(err)
			}
			systems[name+" "+list] = sys
			explored[name+" "+list] = sync.OnceValue(func() *statespace.Result[cil.State] {
				res, err := statespace.Explore[cil.State](sys, statespace.Options[cil.State]{Context: context.Background()})
				if err != nil {
					panic(err)
				}
				return res
			})
		}
	}
	names := make([]string, 0, len(systems))
	for name := range systems {
		names = append(names, name)
	}
	slices.Sort(names)
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.SampledFrom(names).Draw(t, "system")
		res := explored[name]()
		schedule(t, systems[name], 200, func(s *cil.State) {
			if !res.Contains(s) {
				t.Fatalf("%s: a state of this schedule is not among the %d states explored", name, res.States)
			}
		})
	})
}

// A fault planted in the model is found by a random schedule, and what rapid
// shrinks it to is a trace that replays.
func TestRandomSchedulesFindAPlantedFault(t *testing.T) {
	found := &failure{}
	done := make(chan struct{})
	go func() { // FailNow ends the goroutine
		defer close(done)
		rapid.Check(found, func(t *rapid.T) {
			sc := drawScenario(t)
			sys, err := spec.NewSystem(sc, spec.Check, mustVariant(t, "fault=free-before-unlink"), spec.Scheduler{})
			if err != nil {
				t.Fatal(err)
			}
			schedule(t, sys, 400, func(*cil.State) {})
		})
	}()
	<-done
	text := found.log.String()
	if !found.failed || !strings.Contains(text, "no-use-after-free is violated") {
		t.Fatalf("rapid did not find the use after free:\n%s", text)
	}
	_, file, _ := strings.Cut(text, "replay it: cilcheck replay ")
	file, _, _ = strings.Cut(file, "\n")
	trace, err := counterexamples.Load(strings.TrimSpace(file))
	if err != nil {
		t.Fatal(err)
	}
	sys, err := trace.System()
	if err != nil {
		t.Fatal(err)
	}
	report, err := counterexamples.Replay(trace, sys)
	if err != nil || report.Outcome != counterexamples.Violated {
		t.Errorf("the shrunk trace replays as %v, %v", report, err)
	}
	t.Logf("shrunk to %d steps", len(trace.Steps))
}

// failure is a test that may fail.
type failure struct {
	failed bool
	log    strings.Builder
}

func (f *failure) Helper()                   {}
func (f *failure) Name() string              { return "TestExpectedToFail" }
func (f *failure) Logf(s string, a ...any)   { fmt.Fprintf(&f.log, s+"\n", a...) }
func (f *failure) Log(a ...any)              { fmt.Fprintln(&f.log, a...) }
func (f *failure) Skipf(s string, a ...any)  { f.Logf(s, a...); f.SkipNow() }
func (f *failure) Skip(a ...any)             { f.Log(a...); f.SkipNow() }
func (f *failure) SkipNow()                  { runtime.Goexit() }
func (f *failure) Errorf(s string, a ...any) { f.Logf(s, a...); f.Fail() }
func (f *failure) Error(a ...any)            { f.Log(a...); f.Fail() }
func (f *failure) Fatalf(s string, a ...any) { f.Logf(s, a...); f.FailNow() }
func (f *failure) Fatal(a ...any)            { f.Log(a...); f.FailNow() }
func (f *failure) FailNow()                  { f.failed = true; runtime.Goexit() }
func (f *failure) Fail()                     { f.failed = true }
func (f *failure) Failed() bool              { return f.failed }
