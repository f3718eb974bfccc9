package statespace_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"

	"cilcheck/statespace"
	"cilcheck/statespace/internal/toys"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func reduce[S any](t rapid.TB, m statespace.Model[S], o statespace.Options[S], by statespace.Reduction) *statespace.ReducedResult {
	t.Helper()
	r, err := statespace.ExploreReduced(m, o, by)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// sameVerdicts compares all that a reduction preserves, and takes the paths
// again.
func sameVerdicts[S any](t rapid.TB, m statespace.Model[S], o statespace.Options[S], full *statespace.Result[S], r *statespace.ReducedResult) {
	t.Helper()
	if r.Exhausted != full.Exhausted || r.Reason != full.Reason {
		t.Fatalf("%s: exhausted %v, %q; want %v, %q", r.By, r.Exhausted, r.Reason, full.Exhausted, full.Reason)
	}
	var want, got []string
	for i := range full.Violations {
		want = append(want, full.Violations[i].Property)
	}
	for i := range r.Violations {
		got = append(got, r.Violations[i].Property)
		checkReal(t, m, o, &r.Violations[i])
	}
	if diff := cmp.Diff(want, got) + cmp.Diff(full.Exercised, r.Exercised); diff != "" {
		t.Fatalf("%s: violated, exercised:\n%s", r.By, diff)
	}
	for tag, n := range full.Coverage {
		if (n > 0) != (r.Coverage[tag] > 0) {
			t.Fatalf("%s: tag %d is covered %d times, and %d by Explore", r.By, tag, r.Coverage[tag], n)
		}
	}
	if r.States > full.States || r.Transitions > full.Transitions {
		t.Fatalf("%s: %d states, %d transitions; Explore has %d, %d", r.By, r.States, r.Transitions, full.States, full.Transitions)
	}
}

// checkReal takes the path of a violation again and judges where it ends.
func checkReal[S any](t rapid.TB, m statespace.Model[S], o statespace.Options[S], v *statespace.Violation) {
	t.Helper()
	var before, last S
	holds := true
	err := statespace.Replay(m, v.Init, v.Path, func(i int, s *S, mv *statespace.Move) {
		before, last = last, *s
		for _, c := range o.StepInvariants {
			if c.Name == v.Property && i == len(v.Path) {
				holds = c.Holds(&before, s, mv)
			}
		}
	})
	if err != nil {
		t.Fatalf("%s: %v", v.Property, err)
	}
	for _, c := range slices.Concat(o.Invariants, o.Terminal) {
		if c.Name == v.Property {
			holds = c.Holds(&last)
		}
	}
	moves := false
	statespace.Successors(m, &last, func(statespace.Choice, *S, *statespace.Move) { moves = true })
	if holds || v.Kind == statespace.TerminalKind && moves || v.Kind == statespace.StepKind && v.Task != v.Path[len(v.Path)-1].Task {
		t.Fatalf("%s is not violated by %+v", v.Property, v)
	}
}

// TestRandomPartialOrder compares reduced searches of random programs with full
// ones. That the comparison means something is seen from how much is saved.
func TestRandomPartialOrder(t *testing.T) {
	whole, kept := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		m := drawProgram(t, false)
		o, observed := drawClaims(t, m)
		full := mustExploreRapid(t, m, o)
		r := reduce(t, m, o, statespace.Reduction{PartialOrder: true, Observed: observed})
		sameVerdicts(t, m, o, full, r)
		if r.Terminals != full.Terminals {
			t.Fatalf("%d terminal states; want %d", r.Terminals, full.Terminals)
		}
		whole, kept = whole+full.States, kept+r.States

		none := reduce(t, m, o, statespace.Reduction{})
		sameVerdicts(t, m, o, full, none)
		if none.States != full.States || none.Transitions != full.Transitions || none.Depth != full.Depth || none.Full != full.States {
			t.Fatalf("not reduced: %+v", none)
		}
	})
	t.Logf("%d of %d states", kept, whole)
	if 4*kept > 3*whole {
		t.Errorf("%d of %d states kept: next to nothing was reduced", kept, whole)
	}
}

func mustExploreRapid[S any](t *rapid.T, m statespace.Model[S], o statespace.Options[S]) *statespace.Result[S] {
	r, err := statespace.Explore(m, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// orbits counts the states of a search by their representatives, of the terminal
// ones, too, and measures the distance of the farthest.
func orbits(m alikeProgram, r *statespace.Result[programState]) (all, terminal, depth int) {
	seen, ends := map[programState]int{}, map[programState]bool{}
	for i := range r.States {
		s := r.State(i)
		c := s
		m.Canonical(&c)
		if d, known := seen[c]; !known || r.Level(i) < d {
			seen[c] = r.Level(i)
		}
		moves := false
		statespace.Successors(m, &s, func(statespace.Choice, *programState, *statespace.Move) { moves = true })
		if !moves {
			ends[c] = true
		}
	}
	for _, d := range seen {
		depth = max(depth, d)
	}
	return len(seen), len(ends), depth
}

// TestRandomSymmetry compares reduced searches of programs whose tasks are alike
// with full ones: exactly one state of each orbit is visited.
func TestRandomSymmetry(t *testing.T) {
	whole, kept, both := 0, 0, 0
	rapid.Check(t, func(t *rapid.T) {
		m := alikeProgram{drawProgram(t, true)}
		o, observed := drawClaims(t, m.program)
		full := mustExploreRapid(t, m, o)
		r := reduce(t, m, o, statespace.Reduction{Symmetry: true})
		sameVerdicts(t, m, o, full, r)
		if all, ends, depth := orbits(m, full); r.States != all || r.Terminals != ends || r.Depth != depth {
			t.Fatalf("%d states, %d terminal, depth %d; want %d, %d, %d", r.States, r.Terminals, r.Depth, all, ends, depth)
		}
		for i := range r.Violations {
			if v := &r.Violations[i]; len(v.Path) != len(full.Violations[i].Path) {
				t.Fatalf("%s: %d steps; the shortest path has %d", v.Property, len(v.Path), len(full.Violations[i].Path))
			}
		}
		two := reduce(t, m, o, statespace.Reduction{Symmetry: true, PartialOrder: true, Observed: observed})
		sameVerdicts(t, m, o, full, two)
		if two.Terminals != r.Terminals {
			t.Fatalf("both: %d terminal states; want %d", two.Terminals, r.Terminals)
		}
		whole, kept, both = whole+full.States, kept+r.States, both+two.States
	})
	t.Logf("%d and %d of %d states", kept, both, whole)
	if 4*kept > 3*whole || 10*both > 9*kept {
		t.Errorf("%d and %d of %d states kept: next to nothing was reduced", kept, both, whole)
	}
}

// TestRandomDeclarations: what the programs declare is found right.
func TestRandomDeclarations(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		alike := rapid.Bool().Draw(t, "alike")
		m := drawProgram(t, alike)
		o, observed := drawClaims(t, m)
		c := statespace.CheckOptions{Seed: rapid.Uint64().Draw(t, "seed"), Runs: 3, Steps: 12}
		if err := statespace.CheckFootprints(m, o, observed, c); err != nil {
			t.Fatal(err)
		}
		if alike {
			if err := statespace.CheckSymmetry(alikeProgram{m}, o, c); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// TestFootprintMistakes: a declaration that leaves something out is found.
func TestFootprintMistakes(t *testing.T) {
	code := [][]instruction{
		{{op: opLoad, x: 0}, {op: opStore, x: 1}, {op: opCount, x: 3}, {op: opJump}},
		{{op: opAwait, x: 0, c: 1}, {op: opSet, x: 0, c: 0}, {op: opSleep}, {op: opReport}},
		{{op: opSet, x: 0, c: 1}, {op: opWake, c: 1}, {op: opChoose, x: 0}, {op: opJump}},
	}
	without := func(v ...int) func(*statespace.Vars) {
		return func(s *statespace.Vars) { *s = s.Minus(statespace.VarsOf(v...)) }
	}
	check := func(lie func(*statespace.Footprint), o statespace.Options[programState], observed statespace.Vars) error {
		m := &program{code: code, start: [][2]uint8{{0, 0}, {1, 2}}, lie: lie}
		return statespace.CheckFootprints(m, o, observed, statespace.CheckOptions{Seed: 5, Runs: 200, Steps: 20})
	}
	none := statespace.Options[programState]{}
	if err := check(nil, none, statespace.Vars{}); err != nil {
		t.Fatal(err)
	}
	for v := range sharedVars + mostThreads {
		if v == 2 {
			continue // nobody uses it
		}
		if v != 1 { // written only
			err := check(func(f *statespace.Footprint) { without(v)(&f.Reads) }, none, statespace.Vars{})
			if err == nil {
				t.Errorf("reading variable %d is not missed", v)
			}
		}
		err := check(func(f *statespace.Footprint) { without(v)(&f.Writes) }, none, statespace.Vars{})
		if err == nil || !strings.Contains(err.Error(), "undeclared") {
			t.Errorf("writing variable %d is not missed: %v", v, err)
		}
	}
	err := check(func(f *statespace.Footprint) { f.Reads = f.Reads.Union(statespace.VarsOf(2)) }, none, statespace.Vars{})
	if err == nil || !strings.Contains(err.Error(), "not within") {
		t.Errorf("a rest that is too small: %v", err)
	}
	low := statespace.Options[programState]{Invariants: []statespace.Invariant[programState]{{Name: "low", Holds: func(s *programState) bool { return s.X[3] < 2 }}}}
	if err := check(nil, low, statespace.VarsOf(3)); err != nil {
		t.Error(err)
	}
	if err := check(nil, low, statespace.VarsOf(0, 1)); err == nil || !strings.Contains(err.Error(), `"low" reads`) {
		t.Errorf("a claim that observes more: %v", err)
	}
	report := statespace.Options[programState]{StepInvariants: []statespace.StepInvariant[programState]{{Name: "quiet", Holds: func(_, _ *programState, mv *statespace.Move) bool { return mv.Marks&markBad == 0 }}}}
	if err := check(nil, report, statespace.Vars{}); err != nil {
		t.Error(err)
	}
	blind := func(f *statespace.Footprint) { f.Visible = false }
	if err := check(blind, report, statespace.Vars{}); err == nil || !strings.Contains(err.Error(), `"quiet" is false of a step that is not visible`) {
		t.Errorf("a step that is not said to be visible: %v", err)
	}
	report.StepInvariants[0].Holds = func(before, _ *programState, mv *statespace.Move) bool {
		return mv.Marks&markBad == 0 || before.X[3] == 0
	}
	if err := check(nil, report, statespace.Vars{}); err == nil || !strings.Contains(err.Error(), `"quiet" looks at more`) {
		t.Errorf("a claim about steps that observes more: %v", err)
	}
	woken := statespace.Options[programState]{Antecedents: []statespace.Antecedent[programState]{
		{Name: "woken", Met: func(_, _ *programState, mv *statespace.Move) bool { return mv.Marks&wakeMark != 0 }},
		{Name: "high", State: func(s *programState) bool { return s.X[3] == 2 }},
	}}
	if err := check(nil, woken, statespace.VarsOf(3)); err != nil {
		t.Error(err)
	}
	if err := check(blind, woken, statespace.VarsOf(3)); err == nil || !strings.Contains(err.Error(), `"woken" is met by`) {
		t.Errorf("an antecedent met unseen: %v", err)
	}
	if err := check(nil, woken, statespace.Vars{}); err == nil || !strings.Contains(err.Error(), `"high" reads`) {
		t.Errorf("an antecedent that observes more: %v", err)
	}
}

// TestFootprintMistakesAlone: each way in which a step can depend on what it is
// not said to read is found by itself.
func TestFootprintMistakesAlone(t *testing.T) {
	sleeper := []instruction{{op: opSleep}}
	for _, c := range []struct {
		code   [][]instruction
		unread int
		why    string
	}{
		{[][]instruction{{{op: opAwait, x: 0, c: 1}}}, 0, "reports something else"},
		{[][]instruction{{{op: opChoose, x: 0}}}, 0, "outcomes, and"},
		{[][]instruction{{{op: opLoad, x: 0}}}, 0, "depends on variables that it does not read"},
		{[][]instruction{{{op: opWake, c: 1}}, sleeper, {{op: opWake, c: 1}}}, sharedVars + 1, "reports something else"},
	} {
		m := &program{code: c.code, start: [][2]uint8{{0, 0}, {1, 1}}, lie: func(f *statespace.Footprint) {
			f.Reads = f.Reads.Minus(statespace.VarsOf(c.unread))
		}}
		err := statespace.CheckFootprints(m, statespace.Options[programState]{}, statespace.Vars{}, statespace.CheckOptions{Seed: 2, Runs: 100, Steps: 5})
		if err == nil || !strings.Contains(err.Error(), c.why) {
			t.Errorf("variable %d not said to be read: %v; want %q", c.unread, err, c.why)
		}
	}
}

// TestPartialOrderVisible has programs in which a violation is lost if one of
// the steps that a claim sees is taken too early.
func TestPartialOrderVisible(t *testing.T) {
	o := statespace.Options[programState]{
		Invariants: []statespace.Invariant[programState]{{Name: "in order", Holds: func(s *programState) bool { return s.X[0] >= s.X[1] }}},
		StepInvariants: []statespace.StepInvariant[programState]{{Name: "quiet", Holds: func(before, _ *programState, mv *statespace.Move) bool {
			return mv.Marks&markBad == 0 || before.X[1] == 0
		}}},
	}
	for name, code := range map[string][][]instruction{
		// Task 0 waits for task 1, whose first step is seen.
		"behind a task that is blocked": {
			{{op: opAwait, x: 3, c: 1}},
			{{op: opSet, x: 0, c: 1}, {op: opSet, x: 3, c: 1}},
			{{op: opSet, x: 1, c: 1}},
		},
		// The report disturbs nobody, but comes too early for the claim.
		"a report": {
			{{op: opReport}},
			{{op: opSet, x: 0, c: 1}, {op: opSet, x: 1, c: 1}},
		},
		// Task 0 alone goes round a cycle, for ever if it may.
		"a cycle": {
			{{op: opLocal}, {op: opLocal}, {op: opLocal}, {op: opJump}},
			{{op: opSet, x: 1, c: 1}},
		},
	} {
		m := &program{code: code, start: [][2]uint8{{0, 0}}}
		full := mustExplore(t, m, o)
		r := reduce(t, m, o, statespace.Reduction{PartialOrder: true, Observed: statespace.VarsOf(0, 1)})
		sameVerdicts(t, m, o, full, r)
		if len(full.Violations) != 1 {
			t.Errorf("%s: %+v", name, full.Violations)
		}
	}
}

// A merging Canonical forgets a shared variable, which states differ in.
type merging struct{ alikeProgram }

func (m merging) Canonical(s *programState) {
	m.alikeProgram.Canonical(s)
	s.X[0] = 0
}

// A turning Canonical swaps the first two tasks, for ever.
type turning struct{ *program }

func (m turning) Canonical(s *programState) {
	s.PC[0], s.PC[1] = s.PC[1], s.PC[0]
	s.Reg[0], s.Reg[1] = s.Reg[1], s.Reg[0]
}

// TestSymmetryMistakes: states that are not alike are not taken for it.
func TestSymmetryMistakes(t *testing.T) {
	code := []instruction{{op: opCount, x: 0}, {op: opAwait, x: 0, c: 2}, {op: opSet, x: 1, c: 1}}
	m := merging{alikeProgram{&program{code: [][]instruction{code, code}, start: [][2]uint8{{0, 0}}, alike: true}}}
	o := statespace.Options[programState]{Terminal: []statespace.Invariant[programState]{{Name: "through", Holds: func(s *programState) bool { return s.X[1] == 1 }}}}
	c := statespace.CheckOptions{Seed: 1, Runs: 20, Steps: 10}
	if err := statespace.CheckSymmetry(m.alikeProgram, o, c); err != nil {
		t.Error(err)
	}
	if err := statespace.CheckSymmetry(m, o, c); err == nil || !strings.Contains(err.Error(), "other successors") {
		t.Errorf("not found: %v", err)
	}
	if err := statespace.CheckSymmetry(turning{m.program}, o, c); err == nil || !strings.Contains(err.Error(), "has another") {
		t.Errorf("a representative that is not its own: %v", err)
	}
	// The search itself sees it when a path cannot be lifted.
	var me *statespace.ModelError
	if _, err := statespace.ExploreReduced(m, o, statespace.Reduction{Symmetry: true}); !errors.As(err, &me) {
		t.Errorf("a path of the representatives only: %v", err)
	}
	first := statespace.Options[programState]{Invariants: []statespace.Invariant[programState]{{Name: "first", Holds: func(s *programState) bool { return s.PC[0] < 2 }}}}
	if err := statespace.CheckSymmetry(m.alikeProgram, first, c); err == nil || !strings.Contains(err.Error(), `"first" tells`) {
		t.Errorf("a claim about one of the tasks: %v", err)
	}
}

// commitAlike is two-phase commit with managers that are alike.
type commitAlike struct{ toys.TwoPhase }

// Canonical sorts the managers.
func (m commitAlike) Canonical(s *toys.TwoPhaseState) {
	sets := []*uint16{&s.Prepared, &s.Committed, &s.Aborted, &s.TMPrepared, &s.Sent}
	var all []uint64
	for i := range m.N {
		one := uint64(0)
		for k, set := range sets {
			one |= uint64(*set>>i&1) << k
		}
		all = append(all, one)
	}
	slices.Sort(all)
	for k, set := range sets {
		*set = 0
		for i, one := range all {
			*set |= uint16(one>>k&1) << i
		}
	}
}

// TestReducedToys: symmetry makes two-phase commit grow slowly.
func TestReducedToys(t *testing.T) {
	o := twoPhaseOptions{Invariants: []statespace.Invariant[toys.TwoPhaseState]{
		{Name: "consistent", Holds: toys.Consistent},
		{Name: "nobody commits", Holds: func(s *toys.TwoPhaseState) bool { return !s.SentCommit }},
	}}
	for _, c := range []struct{ managers, orbits int }{{3, 80}, {5, 314}, {7, 0}} {
		m := commitAlike{toys.TwoPhase{N: c.managers}}
		r := reduce(t, m, o, statespace.Reduction{Symmetry: true})
		full := mustExplore(t, m, o)
		sameVerdicts(t, m, o, full, r)
		t.Logf("%d managers: %d of %d states", c.managers, r.States, full.States)
		if c.orbits > 0 && r.States != c.orbits {
			t.Errorf("%d managers: %d states; want %d", c.managers, r.States, c.orbits)
		}
		if err := statespace.CheckSymmetry(m, o, statespace.CheckOptions{Seed: 1, Runs: 20, Steps: 30}); err != nil {
			t.Error(err)
		}
	}
}

// TestReducedRefuses: what a reduction does not preserve is an error, and so is
// a model that declares nothing.
func TestReducedRefuses(t *testing.T) {
	none := statespace.Options[toys.LockState]{}
	lock := toys.Lock{}
	for _, by := range []statespace.Reduction{{Symmetry: true}, {PartialOrder: true}, {Symmetry: true, PartialOrder: true}} {
		if r, err := statespace.ExploreReduced(lock, none, by); err == nil {
			t.Errorf("%s: %+v", by, r)
		}
	}
	_, err := statespace.ExploreReduced(lock, lockOptions(0), statespace.Reduction{})
	if want := "a reduced search does not preserve stuck, spin, starved: use Explore"; err == nil || err.Error() != want {
		t.Errorf("%v; want %q", err, want)
	}
	for kind, want := range map[statespace.Kind]bool{
		statespace.StateKind: true, statespace.StepKind: true, statespace.TerminalKind: true,
		statespace.StuckKind: false, statespace.SpinKind: false, statespace.StarvedKind: false,
	} {
		if (statespace.Reduction{Symmetry: true}).Preserves(kind) != want || (statespace.Reduction{PartialOrder: true}).Preserves(kind) != want {
			t.Errorf("%s: preserved is not %v", kind, want)
		}
	}
	for _, err := range []error{
		statespace.CheckFootprints(lock, none, statespace.Vars{}, statespace.CheckOptions{Runs: 1}),
		statespace.CheckSymmetry(lock, none, statespace.CheckOptions{Runs: 1}),
		statespace.CheckFootprints(&program{}, statespace.Options[programState]{}, statespace.Vars{}, statespace.CheckOptions{}),
	} {
		if err == nil {
			t.Error("checked what cannot be")
		}
	}
}

// TestReducedLimits: a reduced search keeps to its limits and says so.
func TestReducedLimits(t *testing.T) {
	m := commitAlike{toys.TwoPhase{N: 5}}
	by := statespace.Reduction{Symmetry: true}
	whole := reduce(t, m, twoPhaseOptions{}, by)
	for limit := int64(4096); limit < whole.Memory; limit += limit / 3 {
		r := reduce(t, m, twoPhaseOptions{Limits: statespace.Limits{Memory: limit}}, by)
		if r.Exhausted || r.Reason != statespace.MemoryLimit || r.Memory > limit {
			t.Errorf("limit %d: exhausted %v, reason %q, held %d", limit, r.Exhausted, r.Reason, r.Memory)
		}
	}
	if r := reduce(t, m, twoPhaseOptions{Limits: statespace.Limits{States: 100}}, by); r.Reason != statespace.StateLimit || r.States != 100 {
		t.Errorf("%+v", r)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if r := reduce(t, m, twoPhaseOptions{Context: ctx}, by); r.Reason != statespace.Interrupted {
		t.Errorf("%+v", r)
	}
	o := twoPhaseOptions{StopAtFirst: true, Invariants: []statespace.Invariant[toys.TwoPhaseState]{{Name: "never aborts", Holds: func(s *toys.TwoPhaseState) bool { return !s.SentAbort }}}}
	if r := reduce(t, m, o, by); r.Reason != statespace.FirstViolation || len(r.Violations) != 1 || len(r.Violations[0].Path) != 1 {
		t.Errorf("%+v", r)
	}
}
