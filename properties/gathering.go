package properties

import (
	"slices"

	"cilcheck/cil"
	"cilcheck/spec"
	"cilcheck/statespace"
)

// gathering: what commits leave on the lists of their CPUs, and what the push
// takes; who is throttled, and until when.
var gathering = []*Property{
	{
		Name:       "accounting",
		Claim:      "a push takes off the lists all items that joined its checkpoint, with their space, and no other: none is lost or counted twice; and an item that gets smaller makes only a checkpoint smaller that has it",
		Reason:     "cil.md#C4d, cil.md#W4, cil.md#W7; ecd49f7a36fb, bugs.md#B30, bugs.md#M6",
		Antecedent: "a push takes the items off the lists of CPUs, or an item gets smaller",
		Kind:       StepKind,
		applies:    func(m *cil.Machine) bool { return hasCPUs(m) || m.Shrinks() },
		step: func(*spec.System) func(_, _ *cil.State, mv *statespace.Move) bool {
			return func(_, _ *cil.State, mv *statespace.Move) bool {
				for _, n := range mv.Notes() {
					if accounts(n) && n.B != 0 {
						return false
					}
				}
				return true
			}
		},
		met: func(*spec.System) func(_, _ *cil.State, mv *statespace.Move) bool {
			return func(_, _ *cil.State, mv *statespace.Move) bool {
				return slices.ContainsFunc(mv.Notes(), accounts)
			}
		},
	},
	{
		Name:       "limit-seen",
		Claim:      "once the items of the current checkpoint, on all CPUs, have reached the hard limit, its push is queued when no commit is in progress",
		Reason:     "cil.md#C4d, cil.md#B4; 7c8ade212120, bugs.md#B31: nothing else bounds the CIL",
		Antecedent: "the items have reached the hard limit, and no commit is in progress",
		Kind:       StateKind,
		applies:    hasCPUs,
		state: func(sys *spec.System) func(*cil.State) bool {
			return func(s *cil.State) bool { return !overLimit(sys, s) || s.PushSeq >= s.XcCtx }
		},
		metState: func(sys *spec.System) func(*cil.State) bool {
			return func(s *cil.State) bool { return overLimit(sys, s) }
		},
	},
	{
		Name:       "overrun-bounded",
		Claim:      "a checkpoint outgrows the hard limit by no more than one transaction of each task that commits",
		Reason:     "cil.md#B6; 0e7ab7efe774, bugs.md#B40: the CIL may not eat the log while its push is held off",
		Antecedent: "the items have reached the hard limit, and no commit is in progress",
		Kind:       StateKind,
		applies:    func(m *cil.Machine) bool { return hasCPUs(m) && m.CanThrottle() },
		state: func(sys *spec.System) func(*cil.State) bool {
			most := sys.Machine.MostUnits()
			return func(s *cil.State) bool {
				for i := range s.Ctx[:sys.Machine.Contexts] {
					if s.Ctx[i].Joined > most {
						return false
					}
				}
				return true
			}
		},
		metState: func(sys *spec.System) func(*cil.State) bool {
			return func(s *cil.State) bool { return overLimit(sys, s) }
		},
	},
	{
		Name:       "throttle-brief",
		Claim:      "a throttled committer never waits until a log write completes: while it sleeps and the next push does not wait for a kworker, something else than the log device can move",
		Reason:     "cil.md#P18, bugs.md#M7: it waits for the next push to start, not to end",
		Antecedent: "a committer is throttled",
		Kind:       StateKind,
		Enabled:    true,
		applies:    (*cil.Machine).CanThrottle,
		state: func(sys *spec.System) func(*cil.State) bool {
			return func(s *cil.State) bool {
				return !throttled(sys, s) || sys.Machine.PushLacksWorker(s) || !onlyDeviceMoves(sys, s)
			}
		},
		metState: func(sys *spec.System) func(*cil.State) bool {
			return func(s *cil.State) bool { return throttled(sys, s) }
		},
	},
}

// accounts reports whether a note says that items or their space were counted.
func accounts(n statespace.Note) bool { return n.Kind == cil.NoteGathered || n.Kind == cil.NoteShrunk }

func hasCPUs(m *cil.Machine) bool { return m.CPUs > 0 }

// overLimit: commits hold xc_ctx_lock for read until they have queued the push.
func overLimit(sys *spec.System, s *cil.State) bool {
	return s.XcCtx >= cil.FirstSeq && s.Readers == 0 && s.Writer == 0 &&
		s.Ctx[s.XcCtx-cil.FirstSeq].Joined >= sys.Machine.Hard
}

func throttled(sys *spec.System, s *cil.State) bool {
	for i := range sys.Machine.Scripts {
		if sys.Machine.Throttled(s, i) {
			return true
		}
	}
	return false
}

// onlyDeviceMoves reports whether something can move, and all that can is a log
// write that the device has.
func onlyDeviceMoves(sys *spec.System, s *cil.State) bool {
	device := false
	for task := range sys.Tasks() {
		switch {
		case sys.Machine.Status(s, task) != statespace.Moved:
		case !sys.Machine.InDevice(s, task):
			return false
		default:
			device = true
		}
	}
	return device
}
