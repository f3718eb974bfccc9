package statespace_test

import (
	"testing"

	"cilcheck/statespace"
	"cilcheck/statespace/internal/toys"
)

// TestNoAllocationPerState compares searches of 8,832 and 296,448 states: what
// is allocated grows with the logarithm of the space and with the number of
// chunks, not with the states.
func TestNoAllocationPerState(t *testing.T) {
	for name, o := range map[string]twoPhaseOptions{
		"safety": {
			Invariants: []statespace.Invariant[toys.TwoPhaseState]{{Name: "consistent", Holds: toys.Consistent}},
			StepInvariants: []statespace.StepInvariant[toys.TwoPhaseState]{{Name: "no change of mind", Holds: func(before, after *toys.TwoPhaseState, _ *statespace.Move) bool {
				return before.TM == toys.Working || before.TM == after.TM
			}}},
		},
		"stuck": {Stuck: []statespace.Stuck[toys.TwoPhaseState]{{Name: "no stuck"}}},
	} {
		allocs := func(managers int) float64 {
			return testing.AllocsPerRun(1, func() {
				r := mustExplore(t, toys.TwoPhase{N: managers}, o)
				if len(r.Violations) > 0 {
					t.Errorf("%+v", r.Violations)
				}
			})
		}
		small, large := allocs(5), allocs(7)
		if large-small > 1000 {
			t.Errorf("%s: %v allocations for 8,832 states, %v for 296,448", name, small, large)
		}
	}
}
