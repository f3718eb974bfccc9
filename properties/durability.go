package properties

import (
	"cilcheck/cil"
	"cilcheck/spec"
	"cilcheck/statespace"
)

// durability: what a crash may leave, and what a caller was told.
var durability = []*Property{
	{
		Name:       "force-durable",
		Claim:      "when a force returns success, recovery replays all that it was asked for and that was committed before the call, and the data an fsync wrote back is there, whatever part of the volatile cache survives",
		Reason:     "cil.md#P13, cil.md#FY4; bugs.md#B01, bugs.md#B15",
		Antecedent: "a force returns success that had something to make durable",
		Kind:       StepKind,
		step: func(sys *spec.System) func(_, _ *cil.State, mv *statespace.Move) bool {
			return func(_, after *cil.State, mv *statespace.Move) bool {
				own, ok := promised(mv)
				if !ok {
					return true
				}
				if dataCached(mv) {
					return false
				}
				for seq := cil.FirstSeq; seq <= own; seq++ {
					if !after.Durable(seq) {
						return false
					}
				}
				return true
			}
		},
		met: func(*spec.System) func(_, _ *cil.State, mv *statespace.Move) bool {
			return func(_, _ *cil.State, mv *statespace.Move) bool {
				own, ok := promised(mv)
				return ok && own != cil.NoSeq
			}
		},
	},
	{
		Name:       "crash-prefix",
		Claim:      "whatever part of the volatile cache survives a crash now, recovery replays whole checkpoints, without skipping an older one",
		Reason:     "cil.md#P7, cil.md#P8; bugs.md#B16",
		Antecedent: "a checkpoint with a commit record is not yet certain to survive",
		Kind:       StateKind,
		state: func(sys *spec.System) func(*cil.State) bool {
			return func(s *cil.State) bool { return recoversPrefix(sys, s) }
		},
		metState: func(sys *spec.System) func(*cil.State) bool {
			return func(s *cil.State) bool {
				for i := range s.Ctx[:sys.Machine.Contexts] {
					if s.Ctx[i].Commit != cil.NoLSN && !s.Durable(cil.FirstSeq+cil.Seq(i)) {
						return true
					}
				}
				return false
			}
		},
	},
	{
		Name:       "tail-durable",
		Claim:      "whatever part of the volatile cache survives a crash now, the tail of the last log write does not stand past a checkpoint whose metadata is only in the log",
		Reason:     "cil.md#RI1, cil.md#K3a; bugs.md#B47, bugs.md#B49",
		Antecedent: "a log write that carries a tail may be the last",
		Kind:       StateKind,
		applies:    func(m *cil.Machine) bool { return m.Tail },
		state: func(sys *spec.System) func(*cil.State) bool {
			m := sys.Machine
			return func(s *cil.State) bool {
				for l := cil.FirstLSN; int(l-cil.FirstLSN) < int(m.LSNs); l++ {
					if m.LostByTail(s, l) != cil.NoSeq {
						return false
					}
				}
				return true
			}
		},
		metState: func(sys *spec.System) func(*cil.State) bool {
			return func(s *cil.State) bool {
				for i, tail := range s.DiskTail[:sys.Machine.LSNs] {
					if tail != cil.NoSeq && s.Disk[i] != cil.Unwritten {
						return true
					}
				}
				return false
			}
		},
	},
	{
		Name:       "completed-durable",
		Claim:      "when a checkpoint completes, so that its items may be written back, recovery is certain to replay it",
		Reason:     "write-ahead logging: cil.md#K3, cil.md#W13; bugs.md#B15",
		Antecedent: "a checkpoint completes without aborting",
		Kind:       StepKind,
		step: func(*spec.System) func(_, _ *cil.State, mv *statespace.Move) bool {
			return func(before, _ *cil.State, mv *statespace.Move) bool {
				for _, n := range mv.Notes() {
					if n.Kind == cil.NoteCompleted && n.B == 0 && !before.Durable(n.A) {
						return false
					}
				}
				return true
			}
		},
		met: func(*spec.System) func(_, _ *cil.State, mv *statespace.Move) bool {
			return func(_, _ *cil.State, mv *statespace.Move) bool {
				for _, n := range mv.Notes() {
					if n.Kind == cil.NoteCompleted && n.B == 0 {
						return true
					}
				}
				return false
			}
		},
	},
	{
		Name:       "async-honoured",
		Claim:      "once everything in flight has finished, the checkpoints that an asynchronous flush found are durable, with no log worker to help",
		Reason:     "cil.md#P14; 70447e0ad978, bugs.md#B18",
		Antecedent: "all is done, not shut down or frozen, and xlog_cil_flush once found a checkpoint that was not durable",
		Kind:       EndKind,
		end: func(sys *spec.System) func(*cil.State) bool {
			return func(s *cil.State) bool {
				if s.Shutdown != 0 || s.Wq.Frozen != 0 {
					return true
				}
				for seq := cil.FirstSeq; seq <= s.Async; seq++ {
					if !s.Durable(seq) {
						return false
					}
				}
				return true
			}
		},
		metState: func(sys *spec.System) func(*cil.State) bool {
			return func(s *cil.State) bool {
				return s.Async != cil.NoSeq && s.Shutdown == 0 && s.Wq.Frozen == 0 && ended(sys, s)
			}
		},
	},
}

// ended reports whether nothing can move any more.
func ended(sys *spec.System, s *cil.State) bool {
	for task := range sys.Tasks() {
		if sys.Machine.Status(s, task) == statespace.Moved {
			return false
		}
	}
	return true
}

// promised returns the newest checkpoint that a force had to make durable when
// the step returns success from it.
func promised(mv *statespace.Move) (own cil.Seq, ok bool) {
	shift := uint8(0)
	for _, n := range mv.Notes() {
		switch n.Kind {
		case cil.NoteReturned:
			ok = cil.OpKind(n.A).Sync() && n.B == 0
		case cil.NoteOwn:
			own = n.A
		case cil.NoteSeqShift:
			shift = n.A
		}
	}
	if own >= cil.FirstSeq {
		own = max(own-min(shift, own), cil.GoneSeq)
	}
	return own, ok
}

// dataCached reports whether the operation that the step ends leaves file data,
// which it had to make durable, in a volatile cache.
func dataCached(mv *statespace.Move) bool {
	for _, n := range mv.Notes() {
		if n.Kind == cil.NoteOwn && n.B != 0 {
			return true
		}
	}
	return false
}

// recoversPrefix tries every log that a crash can leave. Recovery reads the log
// up to the first write that is missing; which of the writes behind that one
// survived does not matter. So the surviving subsets differ only in where the
// first hole is: at any write that is not stable, or behind the last one issued.
// The order of two records within one iclog is not kept: both are in the write
// or neither is.
func recoversPrefix(sys *spec.System, s *cil.State) bool {
	for hole := cil.FirstLSN; ; hole++ {
		last := int(hole-cil.FirstLSN) >= int(sys.Machine.LSNs)
		if last || s.Disk[hole-cil.FirstLSN] != cil.Stable {
			if !replaysPrefix(sys, s, hole) {
				return false
			}
		}
		if last || s.Disk[hole-cil.FirstLSN] == cil.Unwritten {
			return true
		}
	}
}

// replaysPrefix plays recovery on the log writes below hole: a checkpoint is
// replayed if its commit record is found, and must then have its start record
// there too and every older checkpoint with it.
func replaysPrefix(sys *spec.System, s *cil.State, hole cil.LSN) bool {
	missing := false
	for i := range s.Ctx[:sys.Machine.Contexts] {
		c := &s.Ctx[i]
		replayed := c.Commit != cil.NoLSN && c.Commit < hole
		switch {
		case c.Life == cil.Unused, c.Blank():
		case !replayed:
			missing = true
		case missing, c.Start == cil.NoLSN, c.Start > c.Commit:
			return false
		}
	}
	return true
}
