package mutate

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"cilcheck/properties"
	"cilcheck/properties/verdict"
	"cilcheck/statespace"
)

// holds is a search in which every property holds, but for those named.
func holds(states int, others map[string]verdict.Verdict) answer {
	a := answer{States: states}
	for _, p := range properties.All() {
		v := verdict.Holds
		if other, ok := others[p.Name]; ok {
			v = other
		}
		a.Verdicts = append(a.Verdicts, v)
	}
	return a
}

func TestJudge(t *testing.T) {
	is := func(name string, v verdict.Verdict) map[string]verdict.Verdict {
		return map[string]verdict.Verdict{name: v}
	}
	limited := holds(50, nil)
	limited.Reason = statespace.StateLimit
	limitedViolated := holds(50, is("no-spin", verdict.Violated))
	limitedViolated.Reason = statespace.StateLimit
	left := holds(50, nil)
	left.Reason = "context slots"
	reached := holds(10, nil)
	reached.Reached = []int{1}
	for _, c := range []struct {
		name              string
		original, mutated answer
		fate              Fate
		what              string
	}{
		{"nothing", holds(10, nil), reached, Same, ""},
		{"counts", holds(10, nil), holds(11, nil), Counts, "11 states, not 10"},
		{"violation", holds(10, nil), holds(11, is("no-stuck", verdict.Violated)), ByViolation, "no-stuck"},
		{"clearing", holds(10, is("no-stuck", verdict.Violated)), holds(10, nil), ByClearing, "no-stuck"},
		{"exercise", holds(10, nil), holds(10, is("lsn-once", verdict.NotExercised)), ByExercise, "lsn-once"},
		{"fault", holds(10, nil), answer{Fault: "panic"}, ByFault, "panic"},
		{"limit", holds(10, is("no-stuck", verdict.Violated)), limited, Limited, ""},
		{"limit with a violation", holds(10, nil), limitedViolated, ByViolation, "no-spin"},
		{"slots", holds(10, nil), left, ByFault, "leaves the model: context slots"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if fate, what := judge(c.original, c.mutated); fate != c.fate || what != c.what {
				t.Errorf("%s: %s, want %s: %s", fate, what, c.fate, c.what)
			}
		})
	}
}

// sample are three mutants: one killed, one equivalent, one unseen.
func sample() []Result {
	mutant := func(n int, operator, text string) Mutant {
		return Mutant{Number: n, File: "cil/a.go", Func: "f", Operator: operator, Text: text, Nth: 1}
	}
	return []Result{
		{Mutant: mutant(1, "drop-wake", "r.wakeAll(w)"), Fate: ByViolation, What: "no-stuck", Case: "one-force", Cases: 1},
		{Mutant: mutant(2, "drop-assign", "t.X = 0"), Fate: Same, Case: "one-force", Cases: 3},
		{Mutant: mutant(3, "compare", "a < b: <="), Fate: Counts, What: "2 states, not 1", Case: "one-force", Cases: 3},
	}
}

const explained = `- class: equivalent
  reason: nobody reads it
  mutants:
    - "cil/a.go f: drop-assign: t.X = 0"
- class: unseen
  reason: no property asks
  mutants:
    - "cil/a.go f: compare: a < b: <="
`

func TestReport(t *testing.T) {
	all, err := ParseExplanations("x.yaml", []byte(explained))
	if err != nil {
		t.Fatal(err)
	}
	r := NewReport(sample(), all)
	if r.Unexplained != nil {
		t.Errorf("unexplained: %v", r.Unexplained)
	}
	var out bytes.Buffer
	if err := r.Write(&out); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"3 mutants: 1 killed, 1 equivalent, 1 survive. Score: 50.0 % of those that are not equivalent.\n",
		"\nunseen (1): no property asks\n  cil/a.go f: compare: a < b: <= (other counts: 2 states, not 1 in one-force)\n",
		"\nequivalent (1): nobody reads it\n  cil/a.go f: drop-assign: t.X = 0 (no difference in one-force)\n",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("missing %q in\n%s", want, out.String())
		}
	}
	if left := NewReport(sample(), all[:1]).Unexplained; len(left) != 1 || left[0].Mutant.Number != 3 {
		t.Errorf("unexplained: %v, want mutant 3", left)
	}
}

func TestStale(t *testing.T) {
	all, err := ParseExplanations("x.yaml", []byte(explained))
	if err != nil {
		t.Fatal(err)
	}
	results := sample()
	var mutants []Mutant
	for _, r := range results {
		mutants = append(mutants, r.Mutant)
	}
	if err := Stale(all, mutants, results); err != nil {
		t.Errorf("stale: %v", err)
	}
	results[1].Fate = ByFault
	want := `properties/mutate/survivors.yaml:4: killed, not a survivor: cil/a.go f: drop-assign: t.X = 0
properties/mutate/survivors.yaml:8: no such mutant: cil/a.go f: compare: a < b: <=`
	if err := Stale(all, mutants[:2], results[:2]); err == nil || err.Error() != want {
		t.Errorf("stale: %v, want\n%s", err, want)
	}
}

func TestParseExplanations(t *testing.T) {
	if _, err := Explanations(); err != nil {
		t.Error(err)
	}
	const wrong = `- class: odd
  reason: x
  mutants: [a, b]
- class: unseen
  mutants: [a]
`
	want := `x.yaml:1: class: expected equivalent or unseen, found "odd"
x.yaml:4: expected a reason and mutants
x.yaml:5: the same mutant as line 3`
	_, err := ParseExplanations("x.yaml", []byte(wrong))
	if err == nil {
		t.Fatal("no error")
	}
	if diff := cmp.Diff(want, err.Error()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
