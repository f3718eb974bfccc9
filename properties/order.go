package properties

import (
	"cilcheck/cil"
	"cilcheck/spec"
	"cilcheck/statespace"
)

// order: checkpoints reach the log, and complete, in sequence order.
var order = []*Property{
	{
		Name:       "start-order",
		Claim:      "start records are written in sequence order",
		Reason:     "cil.md#P7; recovery and the AIL use the start LSN (68a74dcae673, bugs.md#B16)",
		Antecedent: "two checkpoints have a start record",
		Kind:       StateKind,
		state: func(sys *spec.System) func(*cil.State) bool {
			return func(s *cil.State) bool { return ordered(sys, s, func(c *cil.Ctx) cil.LSN { return c.Start }) }
		},
		metState: func(sys *spec.System) func(*cil.State) bool {
			return func(s *cil.State) bool { return two(sys, s, func(c *cil.Ctx) cil.LSN { return c.Start }) }
		},
	},
	{
		Name:       "commit-order",
		Claim:      "commit records are written, and attached to iclogs, in sequence order",
		Reason:     "cil.md#P8; recovery replays checkpoints in commit record order",
		Antecedent: "two checkpoints have a commit record",
		Kind:       StateKind,
		state: func(sys *spec.System) func(*cil.State) bool {
			return func(s *cil.State) bool {
				return ordered(sys, s, func(c *cil.Ctx) cil.LSN { return c.Commit }) && attachedInOrder(sys, s)
			}
		},
		metState: func(sys *spec.System) func(*cil.State) bool {
			return func(s *cil.State) bool { return two(sys, s, func(c *cil.Ctx) cil.LSN { return c.Commit }) }
		},
	},
	{
		Name:       "callback-order",
		Claim:      "a checkpoint completes only after every older one has completed",
		Reason:     "cil.md#P8, cil.md#P11; items enter the AIL in commit order",
		Antecedent: "a checkpoint completes, not aborting, while a younger one is on xc_committing",
		Kind:       StepKind,
		step: func(*spec.System) func(_, _ *cil.State, mv *statespace.Move) bool {
			return completesInOrder
		},
		met: func(*spec.System) func(_, _ *cil.State, mv *statespace.Move) bool {
			return func(before, _ *cil.State, mv *statespace.Move) bool {
				for _, n := range mv.Notes() {
					if n.Kind == cil.NoteCompleted && n.B == 0 && before.Committing > n.A {
						return true
					}
				}
				return false
			}
		},
	},
	{
		Name:       "ail-head",
		Claim:      "the head of the AIL never moves back, unless the log is shut down",
		Reason:     "cil.md#P11, cil.md#K3a",
		Antecedent: "the head of the AIL moves, and had moved before",
		Kind:       StepKind,
		applies:    func(m *cil.Machine) bool { return m.Tail },
		step: func(*spec.System) func(_, _ *cil.State, mv *statespace.Move) bool {
			return func(before, after *cil.State, _ *statespace.Move) bool {
				return after.AILHead >= before.AILHead || after.Shutdown != 0
			}
		},
		met: func(*spec.System) func(_, _ *cil.State, mv *statespace.Move) bool {
			return func(before, after *cil.State, _ *statespace.Move) bool {
				return before.AILHead != cil.NoSeq && after.AILHead != before.AILHead
			}
		},
	},
	{
		Name:       "wake-after-callbacks",
		Claim:      "who waits for an iclog is woken only after its callbacks have run",
		Reason:     "cil.md section 4.5; cd6f79d1fb32, bugs.md#B12: unmount relies on it",
		Antecedent: "a waiter of an iclog is woken",
		Kind:       StepKind,
		step: func(sys *spec.System) func(_, _ *cil.State, mv *statespace.Move) bool {
			return func(before, after *cil.State, mv *statespace.Move) bool {
				return wokenIclogs(sys, before, mv, func(i int) bool { return !sys.Machine.CallbacksPending(after, i) })
			}
		},
		met: func(sys *spec.System) func(_, _ *cil.State, mv *statespace.Move) bool {
			return func(before, _ *cil.State, mv *statespace.Move) bool {
				return !wokenIclogs(sys, before, mv, func(int) bool { return false })
			}
		},
	},
	{
		Name:       "lsn-once",
		Claim:      "commit_lsn is set once, and only after start_lsn",
		Reason:     "cil.md#P9",
		Antecedent: "a commit_lsn is set",
		Kind:       StepKind,
		step: func(*spec.System) func(_, _ *cil.State, mv *statespace.Move) bool {
			again := noNote(cil.NoteCommitSetAgain)(nil)
			return func(before, after *cil.State, mv *statespace.Move) bool {
				return again(before, after, mv) && startedBeforeCommit(after)
			}
		},
		met: passed(cil.TagS3),
	},
}

// ordered reports whether the LSNs that lsn reads off the checkpoints never go
// down with the sequence, and none is set while an older one that is still to
// be set is not. A checkpoint that was aborted before it had one does not count.
func ordered(sys *spec.System, s *cil.State, lsn func(*cil.Ctx) cil.LSN) bool {
	newest := cil.NoLSN
	for i := int(sys.Machine.Contexts) - 1; i >= 0; i-- {
		c := &s.Ctx[i]
		l := lsn(c)
		switch {
		case c.Life == cil.Unused:
		case l == cil.NoLSN:
			if newest != cil.NoLSN && c.Life == cil.Live {
				return false
			}
		case newest != cil.NoLSN && l > newest:
			return false
		default:
			newest = l
		}
	}
	return true
}

// two reports whether two checkpoints have the LSN.
func two(sys *spec.System, s *cil.State, lsn func(*cil.Ctx) cil.LSN) bool {
	n := 0
	for i := range s.Ctx[:sys.Machine.Contexts] {
		if lsn(&s.Ctx[i]) != cil.NoLSN {
			n++
		}
	}
	return n >= 2
}

func attachedInOrder(sys *spec.System, s *cil.State) bool {
	var buf [cil.MaxContexts]cil.Seq
	for i := range s.Iclog[:sys.Machine.Iclogs] {
		list := sys.Machine.Callbacks(s, i, buf[:0])
		for k := 1; k < len(list); k++ {
			if list[k] <= list[k-1] {
				return false
			}
		}
	}
	return true
}

func completesInOrder(before, _ *cil.State, mv *statespace.Move) bool {
	for _, n := range mv.Notes() {
		if n.Kind != cil.NoteCompleted || n.B != 0 {
			continue
		}
		for seq := cil.FirstSeq; seq < n.A; seq++ {
			if before.Ctx[seq-cil.FirstSeq].Life == cil.Live {
				return false
			}
		}
	}
	return true
}

// wokenIclogs reports whether good is true of every iclog on whose ic_force_wait
// the step wakes a task.
func wokenIclogs(sys *spec.System, before *cil.State, mv *statespace.Move, good func(i int) bool) bool {
	for _, n := range mv.Notes() {
		if n.Kind != cil.NoteWoken {
			continue
		}
		if i := sys.Machine.WaitsOnIclog(before, int(n.A)); i >= 0 && !good(i) {
			return false
		}
	}
	return true
}

func startedBeforeCommit(s *cil.State) bool {
	for i := range s.Ctx {
		if s.Ctx[i].Commit != cil.NoLSN && s.Ctx[i].Start == cil.NoLSN {
			return false
		}
	}
	return true
}
