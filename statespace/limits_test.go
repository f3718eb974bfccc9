package statespace_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"cilcheck/statespace"
	"cilcheck/statespace/internal/toys"
)

type twoPhaseOptions = statespace.Options[toys.TwoPhaseState]

// liveTwoPhase asks for everything, so that every limit has something to cut.
func liveTwoPhase() twoPhaseOptions {
	return twoPhaseOptions{
		Stuck:   []statespace.Stuck[toys.TwoPhaseState]{{Name: "no stuck"}},
		Spin:    []statespace.Spin{{Name: "no spin"}},
		Starved: []statespace.Starved[toys.TwoPhaseState]{{Name: "returns", Owes: func(s *toys.TwoPhaseState, task int) bool { return (s.Prepared|s.Committed|s.Aborted)&1 == 0 }}},
		Longest: []statespace.Longest[toys.TwoPhaseState]{{Name: "steps", Tasks: 1}},
	}
}

func TestStateLimit(t *testing.T) {
	for _, limit := range []int{1, 2, 100, 287} {
		r := mustExplore(t, toys.TwoPhase{N: 3}, twoPhaseOptions{Limits: statespace.Limits{States: limit}})
		if r.Exhausted || r.Reason != statespace.StateLimit || r.States != limit {
			t.Errorf("limit %d: exhausted %v, reason %q, %d states", limit, r.Exhausted, r.Reason, r.States)
		}
	}
	r := mustExplore(t, toys.TwoPhase{N: 3}, twoPhaseOptions{Limits: statespace.Limits{States: 288}})
	if !r.Exhausted || r.States != 288 {
		t.Errorf("a limit that is just enough: exhausted %v, %d states", r.Exhausted, r.States)
	}
}

// TestMemoryLimit: whatever the limit, the search never holds more, and what
// it needs in all is just enough.
func TestMemoryLimit(t *testing.T) {
	m := toys.TwoPhase{N: 5}
	whole := mustExplore(t, m, liveTwoPhase())
	for limit := int64(4096); limit < whole.Memory; limit += limit / 3 {
		o := liveTwoPhase()
		o.Limits.Memory = limit
		r := mustExplore(t, m, o)
		if r.Exhausted || r.Reason != statespace.MemoryLimit || r.Memory > limit {
			t.Errorf("limit %d: exhausted %v, reason %q, held %d", limit, r.Exhausted, r.Reason, r.Memory)
		}
	}
	o := liveTwoPhase()
	o.Limits.Memory = whole.Memory
	if r := mustExplore(t, m, o); !r.Exhausted || r.Memory != whole.Memory {
		t.Errorf("exhausted %v (%s), held %d of %d", r.Exhausted, r.Reason, r.Memory, whole.Memory)
	}
}

func TestTimeLimit(t *testing.T) {
	o := liveTwoPhase()
	o.Limits.Time = 30 * time.Millisecond
	start := time.Now()
	r := mustExplore(t, toys.TwoPhase{N: 9}, o)
	if r.Exhausted || r.Reason != statespace.TimeLimit || r.States == 0 {
		t.Errorf("exhausted %v, reason %q, %d states", r.Exhausted, r.Reason, r.States)
	}
	if d := time.Since(start); d > 5*time.Second {
		t.Errorf("took %v", d)
	}
}

// TestInterrupt cancels from the progress report, during the search and during
// each analysis.
func TestInterrupt(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	o := liveTwoPhase()
	o.Context = ctx
	if r := mustExplore(t, toys.TwoPhase{N: 5}, o); r.Exhausted || r.Reason != statespace.Interrupted || len(r.Violations) > 0 {
		t.Errorf("exhausted %v, reason %q, %v", r.Exhausted, r.Reason, r.Violations)
	}

	ctx, cancel = context.WithCancel(t.Context())
	defer cancel()
	reports := 0
	o = twoPhaseOptions{Context: ctx, Progress: func(p statespace.Progress) {
		if p.Phase != "search" || p.States == 0 || p.Memory == 0 || p.Elapsed == 0 || p.Level == 0 {
			t.Errorf("%+v", p)
		}
		if reports++; reports == 2 {
			cancel()
		}
	}}
	r := mustExplore(t, toys.TwoPhase{N: 9}, o)
	if r.Reason != statespace.Interrupted || reports != 2 {
		t.Errorf("reason %q after %d reports", r.Reason, reports)
	}
}

func TestTruncate(t *testing.T) {
	m := newSystem(2, 0).step(0, 0, 1).add(1, 0, arrow{to: 2, truncate: true}).step(1, 1, 3).block(3, 0).block(0, 1)
	r := mustExplore(t, m, nodeOptions(0))
	if r.Exhausted || r.Reason != "out of slots" || r.States != 3 || r.Transitions != 2 {
		t.Errorf("%+v", r)
	}
	// State 1 is not terminal, and from it nobody is stuck for sure; state 3 is
	// real, and task 0 is stuck in it.
	if v := r.Violation("no stuck"); r.Terminals != 1 || v == nil || len(v.Path) != 2 {
		t.Errorf("%d terminal states, %+v", r.Terminals, v)
	}
}

func TestStopAtFirst(t *testing.T) {
	o := tableOptions(4)
	o.Invariants = []statespace.Invariant[toys.TableState]{{Name: "nobody eats", Holds: func(s *toys.TableState) bool {
		return s.Holds[0] < 2
	}}}
	whole := mustExplore(t, toys.Philosophers{N: 4}, o)
	o.StopAtFirst = true
	r := mustExplore(t, toys.Philosophers{N: 4}, o)
	if r.Exhausted || r.Reason != statespace.FirstViolation || len(r.Violations) != 1 || r.States >= whole.States {
		t.Fatalf("%+v", r)
	}
	got, want := r.Violation("nobody eats"), whole.Violation("nobody eats")
	if len(want.Path) != 2 || len(got.Path) != 2 || got.Path[0] != want.Path[0] || got.Path[1] != want.Path[1] {
		t.Errorf("path %v; the whole search has %v", got.Path, want.Path)
	}
}

// modelError explores m, which is at fault.
func modelError(t *testing.T, m *system, o statespace.Options[node]) *statespace.ModelError {
	t.Helper()
	r, err := statespace.Explore(m, o)
	var me *statespace.ModelError
	if !errors.As(err, &me) || r != nil {
		t.Fatalf("result %v, error %v", r, err)
	}
	return me
}

// chain leads from 0 over 1 and 2, by two tasks in turn.
func chain() *system {
	return newSystem(2, 0).step(0, 0, 1).step(1, 1, 1).step(1, 1, 2)
}

func TestModelErrors(t *testing.T) {
	path := []statespace.Choice{{Task: 0}, {Task: 1, Outcome: 1}}
	step := append(path[:2:2], statespace.Choice{Task: 0})
	explode := func(s *node) bool {
		if s.At == 2 {
			panic("planted")
		}
		return true
	}
	unfit := chain().step(2, 0, 3)
	unfit.unfit[3] = true
	unfitInit := newSystem(1, 0)
	unfitInit.unfit[0] = true
	for _, c := range []struct {
		name string
		m    *system
		o    statespace.Options[node]
		says string
		want []statespace.Choice
	}{
		{"panic in Step", chain().add(2, 0, arrow{panics: true}), statespace.Options[node]{}, "panic in a step: planted", step},
		{"panic in Step, with graph", chain().add(2, 0, arrow{panics: true}), nodeOptions(0), "planted", step},
		{"Pack error", unfit, statespace.Options[node]{}, "does not fit", step},
		{"Pack error, initial", unfitInit, statespace.Options[node]{}, "does not fit", nil},
		{"invariant", chain(), statespace.Options[node]{Invariants: []statespace.Invariant[node]{{Name: "i", Holds: explode}}}, `property "i"`, path},
		{"initial invariant", newSystem(1, 2), statespace.Options[node]{Invariants: []statespace.Invariant[node]{{Name: "i", Holds: explode}}}, `property "i"`, nil},
		{"step invariant", chain(), statespace.Options[node]{StepInvariants: []statespace.StepInvariant[node]{{Name: "s", Holds: func(_, after *node, _ *statespace.Move) bool { return explode(after) }}}}, `property "s"`, path},
		{"terminal", chain(), statespace.Options[node]{Terminal: []statespace.Invariant[node]{{Name: "t", Holds: explode}}}, `property "t"`, path},
		{"owes", chain(), statespace.Options[node]{Starved: []statespace.Starved[node]{{Name: "o", Owes: func(s *node, _ int) bool { return explode(s) }}}}, `property "o"`, path},
		{"excused", chain().block(2, 0), statespace.Options[node]{Stuck: []statespace.Stuck[node]{{Name: "e", Excused: func(s *node, _ int) bool { return explode(s) }}}}, `property "e"`, path},
		{"too many alternatives", newSystem(1, 0).add(0, 0, arrow{}), statespace.Options[node]{}, "too many", []statespace.Choice{{}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.says == "too many" {
				for range 255 {
					c.m.add(0, 0, arrow{})
				}
			}
			me := modelError(t, c.m, c.o)
			if !strings.Contains(me.Error(), c.says) || me.Init != 0 && c.name != "Pack error, initial" {
				t.Errorf("init %d: %v; want %q", me.Init, me, c.says)
			}
			if len(me.Path) != len(c.want) {
				t.Fatalf("path %v; want %v", me.Path, c.want)
			}
			for i := range c.want {
				if me.Path[i] != c.want[i] {
					t.Fatalf("path %v; want %v", me.Path, c.want)
				}
			}
		})
	}
	if me := modelError(t, unfit, statespace.Options[node]{}); !errors.Is(me, errUnfit) {
		t.Errorf("%v does not wrap its cause", me)
	}
}

func TestBadDimensions(t *testing.T) {
	for _, tasks := range []int{0, 65} {
		if _, err := statespace.Explore(newSystem(tasks, 0), statespace.Options[node]{}); err == nil {
			t.Errorf("%d tasks are accepted", tasks)
		}
	}
	m := newSystem(1, 0)
	m.words = 0
	if _, err := statespace.Explore(m, statespace.Options[node]{}); err == nil {
		t.Error("a state of no words is accepted")
	}
	if r := mustExplore(t, newSystem(1), nodeOptions(0)); !r.Exhausted || r.States != 0 || r.Depth != 0 {
		t.Errorf("no initial state: %+v", r)
	}
}

func TestReplayRefuses(t *testing.T) {
	m := chain().block(2, 0).add(1, 0, arrow{to: 3, truncate: true}).add(2, 1, arrow{panics: true})
	first, second := statespace.Choice{Task: 0}, statespace.Choice{Task: 1, Outcome: 1}
	for _, c := range []struct {
		says string
		init int
		path []statespace.Choice
	}{
		{"there is no initial state 1", 1, nil},
		{"step 1: there is no task 2", 0, []statespace.Choice{{Task: 2}}},
		{"step 1, task 1, outcome 0: the task has nothing to do", 0, []statespace.Choice{{Task: 1}}},
		{"step 2, task 1, outcome 2: the outcome does not exist", 0, []statespace.Choice{first, {Task: 1, Outcome: 2}}},
		{"step 2, task 0, outcome 0: the step leaves the model: out of slots", 0, []statespace.Choice{first, {Task: 0}}},
		{"step 3, task 0, outcome 0: the task is blocked", 0, []statespace.Choice{first, second, {Task: 0}}},
		{"model error after 3 steps: panic in a replayed step: planted", 0, []statespace.Choice{first, second, {Task: 1}}},
	} {
		err := statespace.Replay(m, c.init, c.path, nil)
		if err == nil || err.Error() != c.says {
			t.Errorf("%v; want %s", err, c.says)
		}
	}
	if err := statespace.Replay(m, 0, []statespace.Choice{first, second}, nil); err != nil {
		t.Error(err)
	}
}
