package properties

import (
	"cilcheck/cil"
	"cilcheck/spec"
	"cilcheck/statespace"
)

// queueing: how pushes are queued and listed.
var queueing = []*Property{
	{
		Name:       "push-seq-bounds",
		Claim:      "xc_push_seq is the current sequence or the one before",
		Reason:     "cil.md#P1, cil.md#P2",
		Antecedent: "a push is queued",
		Kind:       StateKind,
		state: func(*spec.System) func(*cil.State) bool {
			return func(s *cil.State) bool {
				return s.PushLock != 0 || s.PushSeq == s.Current || s.PushSeq == s.Current-1
			}
		},
		metState: anyPending,
	},
	{
		Name:       "queued-once",
		Claim:      "a context's push_work is queued once, and the only one not started is the current context's",
		Reason:     "cil.md#P4; a push_work must not be queued again when its context may be freed",
		Antecedent: "a push is queued while another has not returned",
		Kind:       StepKind,
		step: func(sys *spec.System) func(_, _ *cil.State, mv *statespace.Move) bool {
			again := noNote(cil.NoteQueuedAgain)(nil)
			return func(before, after *cil.State, mv *statespace.Move) bool {
				return again(before, after, mv) && onlyCurrentPending(sys, after)
			}
		},
		metState: func(sys *spec.System) func(*cil.State) bool {
			return func(s *cil.State) bool {
				return s.Wq.Queued() != 0 && s.Wq.Running() > 0
			}
		},
	},
	{
		Name:       "push-never-skipped",
		Claim:      "a push work always finds its context current, dirty and not yet pushed",
		Reason:     "cil.md#P3: neither exit of W5 is reachable with a work per context",
		Antecedent: "a push work reaches W5",
		Kind:       StepKind,
		step: func(*spec.System) func(_, _ *cil.State, mv *statespace.Move) bool {
			return func(_, _ *cil.State, mv *statespace.Move) bool { return !hasTag(mv, cil.TagSKIP) }
		},
		met: passed(cil.TagW5),
	},
	{
		Name:       "no-lost-push",
		Claim:      "once everything in flight has finished, no push is queued that was not run",
		Reason:     "workqueue.md#T1, workqueue.md#T2, workqueue.md#T5: a work that is queued runs, unless the queue stays frozen",
		Antecedent: "all is done, and the queue is not frozen",
		Kind:       EndKind,
		end: func(*spec.System) func(*cil.State) bool {
			return func(s *cil.State) bool { return s.Wq.Frozen != 0 || s.Wq.Queued() == 0 }
		},
		metState: func(sys *spec.System) func(*cil.State) bool {
			return func(s *cil.State) bool { return s.Wq.Frozen == 0 && ended(sys, s) }
		},
	},
	{
		Name:       "list-order",
		Claim:      "xc_committing is newest first without gaps, and holds every live older context",
		Reason:     "cil.md#P5, cil.md#P6",
		Antecedent: "two checkpoints are on xc_committing",
		Kind:       StateKind,
		state: func(sys *spec.System) func(*cil.State) bool {
			return func(s *cil.State) bool { return s.PushLock != 0 || listInOrder(sys, s) }
		},
		metState: func(sys *spec.System) func(*cil.State) bool {
			return func(s *cil.State) bool {
				return s.Committing != cil.NoSeq && s.Ctx[s.Committing-cil.FirstSeq].Next != cil.NoSeq
			}
		},
	},
	{
		Name:       "asserts",
		Claim:      "no ASSERT of the kernel code fails",
		Reason:     "cil.md#P10 and the ASSERTs of F0, N0, W3, B1, RI5, IE2 and ABORT",
		Antecedent: "an iclog is released for the last time",
		Kind:       StepKind,
		step:       noNote(cil.NoteAssert),
		met:        passed(cil.TagRI6),
	},
}

func anyPending(*spec.System) func(*cil.State) bool {
	return func(s *cil.State) bool {
		for i := range s.Wq.Work {
			if s.Wq.Work[i].Pending != 0 {
				return true
			}
		}
		return false
	}
}

func onlyCurrentPending(sys *spec.System, s *cil.State) bool {
	for i := range s.Wq.Work[:sys.Machine.Contexts] {
		if s.Wq.Work[i].Pending != 0 && cil.FirstSeq+cil.Seq(i) != s.XcCtx {
			return false
		}
	}
	return true
}

// listInOrder allows gaps after a shutdown, when contexts abort in any order.
func listInOrder(sys *spec.System, s *cil.State) bool {
	var buf [cil.MaxContexts]cil.Seq
	var listed uint16
	list := sys.Machine.CommittingList(s, buf[:0])
	for k, seq := range list {
		listed |= 1 << seq
		if k == 0 {
			continue
		}
		if gap := int(list[k-1]) - int(seq); gap < 1 || gap > 1 && s.Shutdown == 0 {
			return false
		}
	}
	for i := range s.Ctx[:sys.Machine.Contexts] {
		seq := cil.FirstSeq + cil.Seq(i)
		if s.Ctx[i].Life == cil.Live && seq < s.Current && listed&(1<<seq) == 0 && !sys.Machine.Freeing(s, seq) {
			return false
		}
	}
	return true
}
