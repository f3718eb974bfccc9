package counterexamples

import (
	"strings"
	"testing"

	"cilcheck/cil"
	"cilcheck/properties"
	"cilcheck/spec"
	"cilcheck/statespace"
)

// walked finds violations of the kinds state, step and terminal by random walks.
func walked(t *testing.T, sys *spec.System, seed uint64) []statespace.Violation {
	t.Helper()
	res, err := statespace.Walk[cil.State](sys, properties.Options(sys, properties.All()),
		statespace.WalkOptions{Seed: seed, Runs: 200, Steps: 400})
	if err != nil {
		t.Fatal(err)
	}
	var found []statespace.Violation
	for _, v := range res.Violations {
		if v.Kind <= statespace.TerminalKind {
			found = append(found, v)
		}
	}
	return found
}

func TestMinimise(t *testing.T) {
	minimised := 0
	for _, c := range [][2]string{
		{"two-forces", "flush=never,fault=no-commit-order"},
		{"two-forces", "fault=free-before-unlink"},
		{"two-forces", "fault=publish-before-attach"},
		{"shutdown-force", ""},
		{"older-force-xfsaild", ""},
	} {
		sys := system(t, c[0], c[1])
		for _, v := range walked(t, sys, 1) {
			minimised++
			got, err := Minimise(sys, v)
			if err != nil {
				t.Fatal(err)
			}
			checkMinimal(t, sys, v, got)
			t.Logf("%v %s: %d steps and %d switches to %d and %d", c, v.Property,
				len(v.Path), v.Switches(), len(got.Path), got.Switches())
		}
	}
	if minimised == 0 {
		t.Error("the walks found nothing to minimise")
	}
}

// checkMinimal checks that a violation is one, is no worse than the one that it
// was made from, and has no step that can be left out.
func checkMinimal(t *testing.T, sys *spec.System, from, got statespace.Violation) {
	t.Helper()
	if len(got.Path) > len(from.Path) {
		t.Errorf("%s: %d steps became %d", from.Property, len(from.Path), len(got.Path))
	}
	shortest := len(search(t, sys, from.Property)[0].Path)
	if len(got.Path) < shortest {
		t.Errorf("%s: %d steps, but the shortest has %d", from.Property, len(got.Path), shortest)
	}
	tr, err := Record(sys, got, "")
	if err != nil {
		t.Fatal(err)
	}
	if report, err := Replay(tr, sys); err != nil || report.Outcome != Violated || report.Step != len(got.Path) {
		t.Errorf("%s: minimised to no violation: %v, %v", from.Property, report, err)
	}
	again, err := Minimise(sys, got)
	if err != nil {
		t.Fatal(err)
	}
	if len(again.Path) < len(got.Path) {
		t.Errorf("%s: %d steps could have become %d", from.Property, len(got.Path), len(again.Path))
	}
}

func TestMinimiseRefuses(t *testing.T) {
	sys := system(t, "one-force", "flush=never")
	for _, c := range []struct {
		v    statespace.Violation
		says string
	}{
		{search(t, sys, "no-spin")[0], "a violation of kind spin cannot be minimised"},
		{statespace.Violation{Property: "crash-prefix"}, "the path does not violate it"},
		{statespace.Violation{Property: "nonsense"}, `there is no property "nonsense"`},
	} {
		if _, err := Minimise(sys, c.v); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("got error %v, want %s", err, c.says)
		}
	}
}
