package verdict_test

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"cilcheck/cil"
	"cilcheck/properties"
	"cilcheck/properties/verdict"
	"cilcheck/spec"
	"cilcheck/statespace"
)

// scripts are what the tasks of a random scenario do.
var scripts = []string{
	"[commit]", "[{commit: {size: 2}}]", "[{commit: {overrun: true}}]", "[sync_commit]", "[commit, fsync]", "[log_force]",
	"[log_force_async]", "[log_worker]", "[cil_flush]", "[shutdown]", "[shutdown_io]", "[freeze, thaw]",
	"[{commit: {inode: 0}}, {fsync: {inode: 0}}]", "[{commit: {size: 2, shrink: 1}}]",
}

// drawScenario draws a small scenario that is valid.
func drawScenario(t *rapid.T) *spec.Scenario {
	return rapid.Custom(anyScenario).Filter(func(sc *spec.Scenario) bool { return sc != nil }).Draw(t, "scenario")
}

// anyScenario draws a small scenario, nil if it is not valid.
func anyScenario(t *rapid.T) *spec.Scenario {
	number := func(name string, lo, hi int) int { return rapid.IntRange(lo, hi).Draw(t, name) }
	var b strings.Builder
	fmt.Fprintf(&b, "name: drawn\ntitle: drawn\ncontexts: 4\nlsns: 8\niclogs: %d\niclog_units: %d\nworkers: %d\n",
		number("iclogs", 1, 3), number("units", 3, 4), number("workers", 1, 2))
	soft := number("soft", 2, 6)
	fmt.Fprintf(&b, "soft: %d\nhard: %d\n", soft, soft+number("hard", 0, 2))
	if rapid.Bool().Draw(t, "errors") {
		b.WriteString("faults: [log_io_error]\n")
	}
	b.WriteString("tasks:\n")
	frozen := false
	for i := range number("kinds", 1, 2) {
		do := rapid.SampledFrom(scripts).Draw(t, "do")
		count := number("count", 1, 2)
		if strings.Contains(do, "freeze") {
			if count = 1; frozen {
				do = "[commit]"
			}
			frozen = true
		}
		fmt.Fprintf(&b, "  - name: task%c\n    count: %d\n    do: %s\n", 'a'+i, count, do)
		if rapid.Bool().Draw(t, "started") {
			b.WriteString("    start: current\n    size: 1\n")
		}
	}
	sc, err := spec.Parse("drawn.yaml", []byte(b.String()), nil)
	if err != nil {
		return nil
	}
	return sc
}

// Random scenarios, each with a variant of the table: the same verdicts, and
// declarations that are right in all states of the small ones, and on walks.
func TestReducedRandomScenarios(t *testing.T) {
	full, por, alike := 0, 0, 0
	rapid.Check(t, func(rt *rapid.T) {
		c := verdict.Case{
			Scenario: drawScenario(rt),
			Variant:  rapid.SampledFrom(verdict.AnswerVariants()).Draw(rt, "variant"),
		}
		checkDeclared(t, c, statespace.CheckOptions{Seed: rapid.Uint64().Draw(rt, "seed"), Runs: 2, Steps: 50})
		sys, err := c.System()
		if err != nil {
			rt.Fatal(err)
		}
		o := properties.Options(sys, preserved(sys))
		o.Limits.States = mostProved
		res, err := statespace.Explore[cil.State](sys, o)
		if err != nil {
			rt.Fatal(err)
		}
		if res.Reason != statespace.StateLimit {
			sizes := compareReduced(t, c, sys, res)
			full, por, alike = full+res.States, por+sizes[0], alike+sizes[1]
			if n := orbits(sys, res); n != sizes[1] {
				t.Errorf("%d orbits, %d states visited", n, sizes[1])
			}
			proveEarly(t, c, sys, o, res)
		}
		if t.Failed() {
			rt.Fatalf("%s\n%s", c, c.Scenario.Format())
		}
	})
	t.Logf("%d states, por %d, symmetry %d", full, por, alike)
	if full == 0 || por >= full || alike >= full {
		t.Errorf("nothing was reduced: %d states, por %d, symmetry %d", full, por, alike)
	}
}
