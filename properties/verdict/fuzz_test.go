package verdict

import (
	"context"
	"fmt"
	"testing"
	"time"

	"cilcheck/cil"
	"cilcheck/properties"
	"cilcheck/statespace"
)

func fuzzText(t *testing.T, f Fuzz) string {
	t.Helper()
	res, err := f.Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	text := fmt.Sprintln(res.Runs, res.Steps, res.Reason)
	for _, x := range res.Findings {
		text += fmt.Sprintln(x.Case, x.Violation)
	}
	return text
}

func TestFuzzDependsOnTheSeedOnly(t *testing.T) {
	f := Fuzz{
		Cases:      casesOf(t, []cil.Variant{{}, {Flush: cil.FlushNever}}, "freezer", "two-forces"),
		Properties: properties.All(), Seed: 3, Runs: 70, Steps: 500, Workers: 1,
	}
	for _, policy := range []statespace.Policy{statespace.Uniform{}, statespace.PCT{Depth: 2}} {
		f.Policy, f.Workers, f.Seed = policy, 1, 3
		one := fuzzText(t, f)
		f.Workers = 4
		if four := fuzzText(t, f); four != one {
			t.Errorf("%T: with 4 workers\n%swith one\n%s", policy, four, one)
		}
		f.Seed = 4
		if other := fuzzText(t, f); other == one {
			t.Errorf("%T: another seed gives the same walks", policy)
		}
	}
}

// A case is walked alike whatever other cases there are.
func TestFuzzOfOneCase(t *testing.T) {
	cases := casesOf(t, []cil.Variant{{Flush: cil.FlushNever}}, "freezer", "two-forces")
	f := Fuzz{Cases: cases, Properties: properties.All(), Runs: 40, Steps: 500}
	all, err := f.Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	f.Cases = cases[1:]
	alone, err := f.Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	var of []Finding
	for _, x := range all.Findings {
		if x.Case == cases[1] {
			of = append(of, x)
		}
	}
	if len(of) == 0 || len(of) != len(alone.Findings) {
		t.Fatalf("%d findings among others, %d alone", len(of), len(alone.Findings))
	}
	for i := range of {
		if fmt.Sprint(of[i].Violation) != fmt.Sprint(alone.Findings[i].Violation) {
			t.Errorf("%v among others, %v alone", of[i].Violation, alone.Findings[i].Violation)
		}
	}
	if s := all.Shortest(); len(s) != 1 || s[0].Property.Name != "no-spin" {
		t.Errorf("shortest: %v", s)
	}
}

func TestFuzzEnds(t *testing.T) {
	f := Fuzz{Cases: casesOf(t, []cil.Variant{{}}, "looping-forces"), Properties: properties.All(), Steps: 1000, Time: 20 * time.Millisecond}
	res, err := f.Run(context.Background())
	if err != nil || res.Reason != statespace.TimeLimit {
		t.Errorf("ended by %q, %v", res.Reason, err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	res, err = f.Run(ctx)
	if err != nil || res.Reason != statespace.Interrupted || res.Runs != 0 {
		t.Errorf("%d runs, ended by %q, %v", res.Runs, res.Reason, err)
	}
}
