package properties

import (
	"cilcheck/cil"
	"cilcheck/spec"
	"cilcheck/statespace"
)

// liveness: who waits, and for how long.
var liveness = []*Property{
	{
		Name:       "no-stuck",
		Claim:      "every task that sleeps can still be woken",
		Reason:     "cil.md#P17, cil.md#P18; bugs.md#B05, bugs.md#B06",
		Antecedent: "a task goes to sleep",
		Kind:       LivenessKind,
		liveness: func(sys *spec.System, o *statespace.Options[cil.State]) {
			o.Stuck = append(o.Stuck, statespace.Stuck[cil.State]{Name: "no-stuck", Excused: excused(sys)})
		},
		met: slept,
	},
	{
		Name:       "force-returns",
		Claim:      "every force returns, if every task that can always run does run",
		Reason:     "cil.md#P17; an fsync that does not return is a hung task",
		Antecedent: "a force goes to sleep or restarts",
		Kind:       LivenessKind,
		liveness: func(sys *spec.System, o *statespace.Options[cil.State]) {
			m := sys.Machine
			o.Starved = append(o.Starved, statespace.Starved[cil.State]{
				Name: "force-returns",
				Owes: func(s *cil.State, task int) bool {
					return m.InForce(s, task) && !(s.Wq.Frozen != 0 && m.Asleep(s, task)) // waits for thaw
				},
				Fair: 1<<sys.Tasks() - 1,
			})
		},
		met: func(sys *spec.System) func(_, _ *cil.State, mv *statespace.Move) bool {
			return func(before, _ *cil.State, mv *statespace.Move) bool {
				return sys.Machine.InForce(before, mv.Task) &&
					mv.Marks&(statespace.Slept|cil.MarkRestartSlept|cil.MarkRestartSpun) != 0
			}
		},
	},
	{
		Name:       "no-spin",
		Claim:      "no task turns round without sleeping while nothing else moves",
		Reason:     "cil.md#P15: between two sleeps a force restarts a bounded number of times",
		Antecedent: "a force restarts",
		Kind:       LivenessKind,
		liveness: func(_ *spec.System, o *statespace.Options[cil.State]) {
			o.Spin = append(o.Spin, statespace.Spin{Name: "no-spin"})
		},
		met: func(*spec.System) func(_, _ *cil.State, mv *statespace.Move) bool {
			return func(_, _ *cil.State, mv *statespace.Move) bool {
				return mv.Marks&(cil.MarkRestartSlept|cil.MarkRestartSpun) != 0
			}
		},
	},
}

func slept(*spec.System) func(_, _ *cil.State, mv *statespace.Move) bool {
	return func(_, _ *cil.State, mv *statespace.Move) bool { return mv.Marks&statespace.Slept != 0 }
}

// excused says which tasks may sleep for ever: those of the end states that the
// scenario allows.
func excused(sys *spec.System) func(*cil.State, int) bool {
	frozen := sys.Scenario.MayEnd(spec.EndFrozen)
	throttled := sys.Scenario.MayEnd(spec.EndThrottled)
	return func(s *cil.State, task int) bool {
		if sys.Machine.Status(s, task) == statespace.Moved {
			return true // it does not sleep: only the scheduler keeps it from running
		}
		return frozen && s.Wq.Frozen != 0 ||
			throttled && s.Shutdown != 0 && sys.Machine.Throttled(s, task)
	}
}
