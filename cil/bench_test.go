package cil_test

import (
	"testing"

	"cilcheck/cil"
	"cilcheck/spec"
	"cilcheck/statespace"
)

// BenchmarkExplore searches a scenario without any property: the model's steps,
// packing and the visited set. The allocations are those of whole searches;
// allocs/state shows that the steps make none.
func BenchmarkExplore(b *testing.B) {
	for _, name := range []string{"two-forces", "two-forces-committer"} {
		b.Run(name, func(b *testing.B) {
			sc, err := spec.Lookup(name)
			if err != nil {
				b.Fatal(err)
			}
			sys, err := spec.NewSystem(sc, spec.Check, cil.Variant{}, spec.Scheduler{})
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			states, transitions := 0, 0
			for b.Loop() {
				res, err := statespace.Explore[cil.State](sys, statespace.Options[cil.State]{})
				if err != nil {
					b.Fatal(err)
				}
				states, transitions = res.States, res.Transitions
			}
			seconds := b.Elapsed().Seconds() / float64(b.N)
			b.ReportMetric(float64(states)/seconds, "states/s")
			b.ReportMetric(float64(transitions)/seconds, "transitions/s")
			b.ReportMetric(float64(testing.AllocsPerRun(1, func() {
				if _, err := statespace.Explore[cil.State](sys, statespace.Options[cil.State]{}); err != nil {
					b.Fatal(err)
				}
			}))/float64(states), "allocs/state")
		})
	}
}
