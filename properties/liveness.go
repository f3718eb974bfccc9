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
		Claim:      "every task that sleeps, without the lock of a buffer and not for one, can still be woken",
		Reason:     "cil.md#P17, cil.md#P18; bugs.md#B05, bugs.md#B06",
		Antecedent: "a task goes to sleep",
		Kind:       LivenessKind,
		liveness: func(sys *spec.System, o *statespace.Options[cil.State]) {
			other := excused(sys)
			o.Stuck = append(o.Stuck, statespace.Stuck[cil.State]{
				Name:    "no-stuck",
				Excused: func(s *cil.State, task int) bool { return other(s, task) || lockedIn(sys.Machine, s, task) },
			})
		},
		met: slept,
	},
	{
		Name:       "no-stall",
		Claim:      "every task that waits for an unpin, for the AIL to empty or for log space is woken in the end; without a task that is the log worker, without its help",
		Reason:     "cil.md section 6.1, cil.md#UM1; bugs.md#B41, bugs.md#B42, bugs.md#B43, bugs.md#B45, bugs.md#B46",
		Antecedent: "a task goes to sleep for one of these",
		Kind:       LivenessKind,
		applies:    (*cil.Machine).WritesBack,
		liveness: func(sys *spec.System, o *statespace.Options[cil.State]) {
			m, other := sys.Machine, excused(sys)
			o.Stuck = append(o.Stuck, statespace.Stuck[cil.State]{
				Name:    "no-stall",
				Excused: func(s *cil.State, task int) bool { return other(s, task) || !m.WaitsForWriteback(s, task) },
			})
		},
		met: func(sys *spec.System) func(_, _ *cil.State, mv *statespace.Move) bool {
			return func(_, after *cil.State, mv *statespace.Move) bool {
				return mv.Marks&statespace.Slept != 0 && sys.Machine.WaitsForWriteback(after, mv.Task)
			}
		},
	},
	{
		Name:       "no-deadlock-with-locks",
		Claim:      "every task that sleeps with a buffer locked, or for the lock of one, can still be woken",
		Reason:     "cil.md#K3c, cil.md#ASK5; bugs.md#B13, bugs.md#B23, bugs.md#B52",
		Antecedent: "a task sleeps with a buffer locked, or for the lock of one",
		Kind:       LivenessKind,
		applies:    (*cil.Machine).HasBuffers,
		liveness: func(sys *spec.System, o *statespace.Options[cil.State]) {
			m, other := sys.Machine, excused(sys)
			o.Stuck = append(o.Stuck, statespace.Stuck[cil.State]{
				Name: "no-deadlock-with-locks",
				Excused: func(s *cil.State, task int) bool {
					return other(s, task) || !lockedIn(m, s, task)
				},
			})
		},
		met: func(sys *spec.System) func(_, _ *cil.State, mv *statespace.Move) bool {
			return func(_, after *cil.State, mv *statespace.Move) bool {
				return mv.Marks&statespace.Slept != 0 && lockedIn(sys.Machine, after, mv.Task)
			}
		},
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

// lockedIn reports whether a task holds the lock of a buffer or sleeps for one: a
// question of its own, for the current kernel does not pass it (bugs.md#B13).
func lockedIn(m *cil.Machine, s *cil.State, task int) bool {
	return m.HoldsBuffer(s, task) || m.WaitsForBuffer(s, task)
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
