package verdict_test

import (
	"context"
	"testing"

	"cilcheck/cil"
	"cilcheck/properties"
	"cilcheck/properties/verdict"
	"cilcheck/spec"
)

// search runs all properties over a library scenario.
func search(t *testing.T, scenario, variant string, fine bool) *verdict.Outcome {
	t.Helper()
	sc, err := spec.Lookup(scenario)
	if err != nil {
		t.Fatal(err)
	}
	return searchScenario(t, sc, variant, fine)
}

func searchScenario(t *testing.T, sc *spec.Scenario, variant string, fine bool) *verdict.Outcome {
	t.Helper()
	v, err := cil.ParseVariant(variant)
	if err != nil {
		t.Fatal(err)
	}
	c := verdict.Case{Scenario: sc, Size: spec.Check, Variant: v, Scheduler: sc.Schedulers[0], Fine: fine}
	o, err := verdict.Run(context.Background(), c, properties.All(), verdict.Limits{}, verdict.How{}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if !o.Search.Exhausted {
		t.Fatalf("%s: not exhausted: %s", c, o.Search.Reason)
	}
	return o
}

// violated is the set of properties that an outcome violates.
func violated(o *verdict.Outcome) map[string]bool {
	set := map[string]bool{}
	for _, p := range o.Properties {
		if o.Of(p) == verdict.Violated {
			set[p.Name] = true
		}
	}
	return set
}

// Each fault planted in the model is caught by the property that is there for
// it, which holds without the fault.
func TestPlantedFaultsAreCaught(t *testing.T) {
	for _, c := range []struct{ fault, scenario, property string }{
		{"fault=skip-start-wake", "two-forces-committer", "no-stuck"},
		{"fault=publish-before-attach", "throttled-committers", "commit-order"},
		{"fault=no-ctx-lock", "two-forces", "force-durable"},
		{"fault=no-ctx-lock", "relog-beside-throttled", "accounting"},
		{"fault=no-commit-order", "two-forces-committer", "crash-prefix"},
		{"fault=no-commit-order", "two-forces-committer", "callback-order"},
		{"fault=free-before-unlink", "one-force", "no-use-after-free"},
		{"without=no_wait_before_commit_iclog", "span-log-force", "force-durable"},
		{"without=no_wait_before_commit_iclog", "span-log-force", "completed-durable"},
	} {
		t.Run(c.fault+"/"+c.property, func(t *testing.T) {
			if !violated(search(t, c.scenario, c.fault, false))[c.property] {
				t.Errorf("%s on %s does not violate %s", c.fault, c.scenario, c.property)
			}
			if violated(search(t, c.scenario, "", false))[c.property] {
				t.Errorf("%s violates %s without the fault", c.scenario, c.property)
			}
		})
	}
}
