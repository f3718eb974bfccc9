package properties

import (
	"slices"

	"cilcheck/cil"
	"cilcheck/spec"
	"cilcheck/statespace"
)

// lifetime: who may touch a context, and until when, and that its life ends.
var lifetime = []*Property{
	{
		Name:       "no-use-after-free",
		Claim:      "no task, list or queued work touches a freed context",
		Reason:     "cil.md#P12; bugs.md#B07, bugs.md#B10, bugs.md#B11",
		Antecedent: "a context is freed",
		Kind:       StepKind,
		step:       noNote(cil.NoteUseAfterFree),
		met:        passed(cil.TagK6),
	},
	{
		Name:       "teardown",
		Claim:      "nothing uses the AIL or the CIL after unmount has destroyed it",
		Reason:     "cil.md#UM6, cil.md#UM7, cil.md#ASK7; bugs.md#B25, bugs.md#B26",
		Antecedent: "an unmount destroys the AIL",
		Kind:       StepKind,
		applies:    (*cil.Machine).Unmounts,
		step:       noNote(cil.NoteTornDown),
		met:        passed(cil.TagUM6),
	},
	{
		Name:       "shutdown-callbacks",
		Claim:      "on shutdown the callbacks of an iclog run only when nobody holds a reference to it",
		Reason:     "cil.md#P19; 502a01fac098, bugs.md#B11",
		Antecedent: "the shutdown finds an iclog that is referenced",
		Kind:       StepKind,
		step: func(*spec.System) func(_, _ *cil.State, mv *statespace.Move) bool {
			return func(_, _ *cil.State, mv *statespace.Move) bool {
				for _, n := range mv.Notes() {
					if n.Kind == cil.NoteSpliced && n.B > 0 {
						return false
					}
				}
				return true
			}
		},
		met: passed(cil.TagSC1),
	},
	{
		Name:       "no-lost-completion",
		Claim:      "once everything in flight has finished, every checkpoint attached to an iclog has completed, or the iclog was not written and the log not shut down",
		Reason:     "cil.md#S2, cil.md#DC1c, cil.md#RI3; 502a01fac098, bugs.md#B11: what a lost checkpoint pins stays pinned",
		Antecedent: "all is done",
		Kind:       EndKind,
		end: func(sys *spec.System) func(*cil.State) bool {
			return func(s *cil.State) bool { return waitsForBuffer(sys, s) || noneLost(sys, s) }
		},
		metState: func(sys *spec.System) func(*cil.State) bool {
			return func(s *cil.State) bool { return ended(sys, s) }
		},
	},
	{
		Name:       "no-lost-unpin",
		Claim:      "once everything in flight has finished, an inode with an ili_commit_seq is pinned by that checkpoint, which has not completed",
		Reason:     "cil.md#K3, cil.md#U1: whoever reads the sequence forces for nothing, and what stays pinned is never written back",
		Antecedent: "all is done, and an inode that was changed is not pinned",
		Kind:       EndKind,
		end: func(*spec.System) func(*cil.State) bool {
			return func(s *cil.State) bool {
				for i, seq := range s.Inode {
					if seq != cil.NoSeq && !pins(s, seq, i) {
						return false
					}
				}
				return true
			}
		},
		metState: func(sys *spec.System) func(*cil.State) bool {
			return func(s *cil.State) bool {
				for i, seq := range s.Inode {
					if seq == cil.NoSeq && s.Logged[i] != cil.NoSeq {
						return ended(sys, s)
					}
				}
				return false
			}
		},
	},
}

// pins reports whether a checkpoint that is not freed pins an inode.
func pins(s *cil.State, seq cil.Seq, inode int) bool {
	if seq < cil.FirstSeq {
		return false
	}
	c := &s.Ctx[seq-cil.FirstSeq]
	return c.Life == cil.Live && c.Inodes&(1<<inode) != 0
}

// noneLost reports whether every context that has a commit record, and is not
// freed, waits on the iclog of that record for its write.
func noneLost(sys *spec.System, s *cil.State) bool {
	var buf [cil.MaxContexts]cil.Seq
	for i := range s.Ctx[:sys.Machine.Contexts] {
		c := &s.Ctx[i]
		if c.Life != cil.Live || c.Iclog == 0 {
			continue
		}
		list := sys.Machine.Callbacks(s, int(c.Iclog)-1, buf[:0])
		if s.Shutdown != 0 || !slices.Contains(list, cil.FirstSeq+cil.Seq(i)) {
			return false
		}
	}
	return true
}

// waitsForBuffer reports whether a task sleeps for the lock of a buffer: then not
// everything has finished, and no-deadlock-with-locks speaks of it.
func waitsForBuffer(sys *spec.System, s *cil.State) bool {
	for task := range sys.Tasks() {
		if sys.Machine.WaitsForBuffer(s, task) {
			return true
		}
	}
	return false
}
