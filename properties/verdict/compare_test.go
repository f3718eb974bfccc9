package verdict

import (
	"context"
	"strings"
	"testing"

	"cilcheck/cil"
	"cilcheck/properties"
	"cilcheck/statespace"
)

// outcome is the outcome of one-force without the flush, which violates no-spin.
func outcome(t *testing.T, l Limits) *Outcome {
	t.Helper()
	c := casesOf(t, []cil.Variant{{Flush: cil.FlushNever}}, "one-force")[0]
	o, err := Run(context.Background(), c, properties.All(), l, How{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

func recorded(t *testing.T, o *Outcome, lines ...string) *Recorded {
	t.Helper()
	r := &Recorded{}
	if err := r.Add(o.Case.Scenario, "x.expected", []byte(strings.Join(lines, "\n"))); err != nil {
		t.Fatal(err)
	}
	return r
}

func TestDifferences(t *testing.T) {
	whole, cut := outcome(t, Limits{}), outcome(t, Limits{States: 10})
	line := RecordOf(whole).String()
	found := *cut // a search that found its violation before it was cut short
	search := *cut.Search
	search.Violations = []statespace.Violation{{Property: "no-spin"}}
	found.Search = &search
	for _, test := range []struct {
		name  string
		o     *Outcome
		lines []string
		want  string // "" for no difference, else a part of it
	}{
		{"as recorded", whole, []string{"# comment", line}, ""},
		{"other counts", whole, []string{strings.Replace(line, " states", "0 states", 1)}, "0 states"},
		{"another verdict", whole, []string{strings.Replace(line, "violated: no-spin", "violated: asserts", 1)}, "violated: asserts"},
		{"no records", whole, nil, "one-force: no records; expected them in x.expected"},
		{"no record of the variant", whole, []string{strings.Replace(line, "flush=never", "flush=work", 1)}, "no record; found"},
		{"a record of nothing", whole, []string{line, "priority | - | 1 states, 1 transitions, depth 1"}, "recorded but not searched: priority | -"},
		{"cut short", cut, []string{line}, ""},
		{"cut short, violated as recorded", &found, []string{line}, ""},
		{"cut short, violated otherwise", &found, []string{"any | flush=never | 1 states, 1 transitions, depth 1"}, "not recorded as violated: no-spin"},
	} {
		got := strings.Join(recorded(t, test.o, test.lines...).Differences([]*Outcome{test.o}), "\n")
		if (test.want == "") != (got == "") || !strings.Contains(got, test.want) {
			t.Errorf("%s: got %q, want %q", test.name, got, test.want)
		}
	}
}

func TestRecordsRoundTrip(t *testing.T) {
	want := []Record{RecordOf(outcome(t, Limits{})), {Scheduler: "priority", States: 1, Transits: 2, Depth: 3, NotExhausted: []string{"a", "b"}}}
	got, err := ParseRecords("x", FormatRecords("one-force", want))
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != len(want) {
		t.Fatalf("%d records, want %d", len(got), len(want))
	}
	for i := range want {
		if got[i].String() != want[i].String() {
			t.Errorf("read %s, wrote %s", got[i], want[i])
		}
	}
}

// A conclusion claims nothing about what was not exhausted.
func TestConclusionOfCutSearches(t *testing.T) {
	var b strings.Builder
	plan := &Plan{Cases: casesOf(t, AnswerVariants(), "one-force"), Properties: properties.All(), Limits: Limits{States: 10}}
	outcomes, err := plan.RunWithin(context.Background(), 0)
	if err != nil {
		t.Fatal(err)
	}
	Summarise(outcomes).WriteConclusion(&b)
	for _, claim := range []string{"violates no", "violates nothing", "breaks no", "cures"} {
		if strings.Contains(b.String(), claim) {
			t.Errorf("claims %q:\n%s", claim, b.String())
		}
	}
}

func TestWrap(t *testing.T) {
	var b strings.Builder
	wrap(&b, "  head ", strings.Repeat("word ", 40))
	for line := range strings.Lines(b.String()) {
		if len(line) > 101 || !strings.HasPrefix(line, "  head word") && !strings.HasPrefix(line, "       word") {
			t.Errorf("line %q", line)
		}
	}
	if got := strings.Count(b.String(), "word"); got != 40 {
		t.Errorf("%d words, want 40", got)
	}
}
