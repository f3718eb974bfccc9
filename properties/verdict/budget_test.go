package verdict

import (
	"context"
	"testing"

	"cilcheck/cil"
	"cilcheck/properties"
	"cilcheck/spec"
	"cilcheck/statespace"
)

// casesOf are the cases of scenarios of the library.
func casesOf(t *testing.T, variants []cil.Variant, names ...string) []Case {
	t.Helper()
	var scenarios []*spec.Scenario
	for _, name := range names {
		sc, err := spec.Lookup(name)
		if err != nil {
			t.Fatal(err)
		}
		scenarios = append(scenarios, sc)
	}
	return Cases(scenarios, spec.Check, variants, nil)
}

// records are the outcomes as lines, which have everything but the time.
func records(outcomes []*Outcome) []string {
	var lines []string
	for _, o := range outcomes {
		lines = append(lines, o.Case.String()+": "+RecordOf(o).String()+" "+o.Search.Reason)
	}
	return lines
}

func TestPlanWorkersDoNotMatter(t *testing.T) {
	cases := casesOf(t, AnswerVariants(), "one-force", "freezer", "priority-force")
	var want []string
	for _, workers := range []int{1, 2, 5} {
		plan := &Plan{Cases: cases, Properties: properties.All(), Workers: workers}
		outcomes, err := plan.RunWithin(context.Background(), 0)
		if err != nil {
			t.Fatal(err)
		}
		got := records(outcomes)
		if want == nil {
			want = got
		}
		for i := range want {
			if got[i] != want[i] {
				t.Errorf("with %d workers %s; with one %s", workers, got[i], want[i])
			}
		}
	}
}

// The memory is enough for each search alone, but not for half of it: with two
// workers both must be exhausted all the same.
func TestPlanSharesMemory(t *testing.T) {
	cases := casesOf(t, []cil.Variant{{}, {Flush: cil.FlushNever}}, "three-forces")
	search := func(workers int, memory int64) ([]*Outcome, int) {
		finished := 0
		plan := &Plan{Cases: cases, Properties: properties.All(), Workers: workers}
		plan.Finished = func(int, *Outcome) { finished++ }
		outcomes, err := plan.RunWithin(context.Background(), memory)
		if err != nil {
			t.Fatal(err)
		}
		return outcomes, finished
	}
	free, _ := search(1, 0)
	most := max(free[0].Search.Memory, free[1].Search.Memory)
	shared, finished := search(2, most*3/2)
	if finished != len(cases) {
		t.Errorf("%d searches finished, want %d", finished, len(cases))
	}
	for i, o := range shared {
		if got, want := RecordOf(o).String(), RecordOf(free[i]).String(); got != want || !o.Search.Exhausted {
			t.Errorf("found %s (%s), want %s", got, o.Search.Reason, want)
		}
	}
	small, _ := search(2, most/2)
	for _, o := range small {
		if o.Search.Exhausted {
			continue // the smaller of the two may fit
		}
		if o.Search.Reason != statespace.MemoryLimit || !CutShort(o) {
			t.Errorf("%s: not exhausted: %s, want %s", o.Case, o.Search.Reason, statespace.MemoryLimit)
		}
	}
}

func TestCancelledPlanClaimsNothing(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	plan := &Plan{Cases: casesOf(t, AnswerVariants(), "three-forces"), Properties: properties.All(), Workers: 2}
	outcomes, err := plan.RunWithin(ctx, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range outcomes {
		if o.Search.Reason != statespace.Interrupted || o.Count(Holds)+o.Count(NotExercised) > 0 {
			t.Errorf("%s: %q, %d hold, %d not exercised", o.Case, o.Search.Reason, o.Count(Holds), o.Count(NotExercised))
		}
	}
}
