package verdict

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"cilcheck/cil"
	"cilcheck/properties"
	"cilcheck/statespace"

	"github.com/google/go-cmp/cmp"
)

// search runs a plan of one case, and returns its record.
func search(t *testing.T, p *Plan) (*Outcome, string) {
	t.Helper()
	outcomes, err := p.Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return outcomes[0], records(outcomes)[0]
}

// TestPlanHowDoesNotMatter: a search by several workers, a compact one, and one
// that spills find the same.
func TestPlanHowDoesNotMatter(t *testing.T) {
	for _, c := range casesOf(t, []cil.Variant{{}, {Flush: cil.FlushNever}}, "spanning-checkpoint", "io-error-in-shutdown") {
		var want *Outcome
		for _, how := range []How{{}, {Compact: true}, {Spill: t.TempDir()}} {
			for _, workers := range []int{1, 4} {
				got, _ := search(t, &Plan{Cases: []Case{c}, Properties: properties.All(), Workers: workers, How: how})
				if want == nil {
					want = got
				}
				ignored := cmp.FilterPath(func(p cmp.Path) bool {
					name := p.Last().String()
					return name == ".Memory" || name == ".Peak" || name == ".State"
				}, cmp.Ignore())
				if diff := cmp.Diff(facts(want.Search), facts(got.Search), ignored); diff != "" {
					t.Errorf("%s, %d workers, %+v (-want +got):\n%s", c, workers, how, diff)
				}
			}
		}
	}
}

// facts is all of a result that must not depend on how it came about.
func facts(r *statespace.Result[cil.State]) any {
	return struct {
		Exhausted                             bool
		Reason                                string
		States, Transitions, Depth, Terminals int
		Violations                            []statespace.Violation
		Exercised                             map[string]bool
		Maxima                                []statespace.Peak
		Longest                               []statespace.Length
		Coverage                              [statespace.MaxTags]uint64
	}{
		r.Exhausted, r.Reason, r.States, r.Transitions, r.Depth, r.Terminals,
		r.Violations, r.Exercised, r.Maxima, r.Longest, *r.Coverage,
	}
}

// TestSafety: the same verdicts on the properties that are left.
func TestSafety(t *testing.T) {
	for _, c := range casesOf(t, []cil.Variant{{}, {Flush: cil.FlushNever, Wait: cil.WaitCommit}}, "two-forces", "throttled-committers") {
		var safe []*properties.Property
		for _, p := range properties.All() {
			if p.Kind != properties.LivenessKind {
				safe = append(safe, p)
			}
		}
		whole, _ := search(t, &Plan{Cases: []Case{c}, Properties: properties.All()})
		got, _ := search(t, &Plan{Cases: []Case{c}, Properties: safe, How: How{Safety: true}})
		if got.Search.States != whole.Search.States || got.Search.Transitions != whole.Search.Transitions {
			t.Errorf("%s: %d states; want %d", c, got.Search.States, whole.Search.States)
		}
		for _, p := range safe {
			if got.Of(p) != whole.Of(p) {
				t.Errorf("%s: %s %s; want %s", c, p.Name, got.Of(p), whole.Of(p))
			}
		}
		if m := got.Metric(properties.MaxRestartsSpinning); m.Known {
			t.Errorf("%s: a metric that was not asked for is %s", c, m)
		}
	}
}

// TestCheckpoint: a search that is cut short again and again ends as one that is
// not; another search does not go on from its file.
func TestCheckpoint(t *testing.T) {
	c := casesOf(t, []cil.Variant{{}}, "three-forces")[0]
	_, want := search(t, &Plan{Cases: []Case{c}, Properties: properties.All()})
	dir := t.TempDir()
	plan := &Plan{
		Cases: []Case{c}, Properties: properties.All(), How: How{Checkpoints: dir, Every: time.Hour},
		Limits: Limits{Time: 20 * time.Millisecond},
	}
	got, cuts := "", 0
	for ; cuts < 1000; cuts++ {
		o, record := search(t, plan)
		if got = record; o.Search.Exhausted {
			break
		}
		if o.Search.Reason != statespace.TimeLimit {
			t.Fatal(o.Search.Reason)
		}
		plan.Limits.Time += time.Millisecond
	}
	if got != want || cuts == 0 {
		t.Errorf("after %d cuts %s; want %s", cuts, got, want)
	}
	file := filepath.Join(dir, FileName(c, "checkpoint"))
	if _, err := os.Stat(file); err == nil {
		t.Error("the checkpoint is left behind")
	}
	plan.Limits.Time = time.Nanosecond
	search(t, plan)
	plan.Properties = plan.Properties[1:]
	if _, err := plan.Run(context.Background()); err == nil || !strings.Contains(err.Error(), "it is of another search") {
		t.Errorf("another search goes on from it: %v", err)
	}
}

// TestCertificate: a certificate of a search is confirmed, unless it was changed.
func TestCertificate(t *testing.T) {
	dir := t.TempDir()
	for _, c := range casesOf(t, []cil.Variant{{}, {Flush: cil.FlushNever}, {Flush: cil.FlushNever, Wait: cil.WaitCommit}}, "one-force", "io-error-in-shutdown") {
		for _, how := range []How{{Certificates: dir}, {Certificates: dir, Safety: true, Compact: true}} {
			o, _ := search(t, &Plan{Cases: []Case{c}, Properties: properties.All(), How: how})
			v, err := Verify(o.Certificate)
			if err != nil {
				t.Fatal(err)
			}
			if v.Report.States != o.Search.States || v.Report.Transitions != o.Search.Transitions ||
				v.Case.String() != c.String() || len(v.Properties) != len(o.certified()) {
				t.Errorf("%s: confirmed %s: %+v, %d properties", c, v.Case, v.Report, len(v.Properties))
			}
			data, err := os.ReadFile(o.Certificate)
			if err != nil {
				t.Fatal(err)
			}
			data[len(data)/2]++
			if err := os.WriteFile(o.Certificate, data, 0o644); err != nil {
				t.Fatal(err)
			}
			if _, err := Verify(o.Certificate); err == nil || !strings.Contains(err.Error(), "checksum") {
				t.Errorf("%s: a changed certificate is confirmed: %v", c, err)
			}
		}
	}
}

func TestParseIdentityRefuses(t *testing.T) {
	c := casesOf(t, []cil.Variant{{}}, "one-force")[0]
	good := identity(c, properties.All())
	if _, props, err := parseIdentity(good); err != nil || len(props) != len(properties.All()) {
		t.Fatalf("%d properties, %v", len(props), err)
	}
	for change, want := range map[[2]string]string{
		{"cilcheck search 1", "cilcheck search 2"}: "not about a search",
		{"variant ", "variety "}:                   "expected variant",
		{"variant ", "variant flush=none"}:         "flush=none",
		{"size check", "size large"}:               "large",
		{"scheduler any", "scheduler all"}:         "all",
		{"properties ", "properties no-bugs,"}:     `unknown property "no-bugs"`,
		{"name: one-force", "name: [one-force]"}:   "the scenario in it:",
		{"\n\n", "\n"}:                             "not about a search",
	} {
		if _, _, err := parseIdentity(strings.Replace(good, change[0], change[1], 1)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q for %q: %v; want %s", change[1], change[0], err, want)
		}
	}
}
