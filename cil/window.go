package cil

import "cilcheck/statespace"

// settle keeps sequences and LSNs relative: it forgets the
// oldest checkpoint once nothing refers to it and its fate is known, and the
// oldest log write once it is stable and no iclog holds it.
func (m *Machine) settle(s *State, mv *statespace.Move) {
	n := uint8(0)
	for m.oldestGone(s) {
		m.shiftSeq(s)
		n++
	}
	if n > 0 {
		mv.Note(NoteSeqShift, n, 0)
	}
	n = 0
	for s.Disk[0] == Stable && m.findLSN(s, FirstLSN) < 0 {
		m.shiftLSN(s)
		n++
	}
	if n > 0 {
		mv.Note(NoteLSNShift, n, 0)
	}
}

// oldestGone reports whether the oldest checkpoint can be forgotten: freed,
// durable, its work not queued, and on no list. A task may still point to it:
// the pointer becomes GoneSeq, which is recognised as freed memory for ever.
func (m *Machine) oldestGone(s *State) bool {
	return !m.Tail && s.Ctx[0].Life == Freed && s.Durable(FirstSeq) &&
		s.Wq.Queued()&1 == 0 && !m.listed(s, FirstSeq)
}

// listed reports whether a list or xc_ctx points to a context.
func (m *Machine) listed(s *State, seq Seq) bool {
	if s.Committing == seq || s.XcCtx == seq {
		return true
	}
	for i := range s.Ctx[:m.Contexts] {
		if s.Ctx[i].Next == seq || s.Ctx[i].CbNext == seq {
			return true
		}
	}
	for i := range s.Iclog[:m.Iclogs] {
		if s.Iclog[i].Cb == seq {
			return true
		}
	}
	return false
}

// shiftSeq makes the second-oldest checkpoint the oldest.
func (m *Machine) shiftSeq(s *State) {
	copy(s.Ctx[:], s.Ctx[1:])
	s.Ctx[MaxContexts-1] = Ctx{}
	s.Wq.Shift()
	for i := range s.Ctx[:m.Contexts] {
		lower(&s.Ctx[i].Next, &s.Ctx[i].CbNext)
	}
	for i := range s.Iclog[:m.Iclogs] {
		lower(&s.Iclog[i].Cb)
	}
	for i := range s.Inode {
		lower(&s.Inode[i], &s.Logged[i])
	}
	for i := range s.Task[:m.tasks] {
		t := &s.Task[i]
		lower(&t.Seq, &t.Ctx, &t.List, &t.Work, &t.Own)
	}
	lower(&s.XcCtx, &s.Current, &s.PushSeq, &s.Committing, &s.Async, &s.Returned)
}

// shiftLSN makes the second-oldest log write the oldest.
func (m *Machine) shiftLSN(s *State) {
	copy(s.Disk[:], s.Disk[1:])
	s.Disk[MaxLSNs-1] = Unwritten
	copy(s.DiskTail[:], s.DiskTail[1:])
	s.DiskTail[MaxLSNs-1] = NoSeq
	for i := range s.Ctx[:m.Contexts] {
		lower(&s.Ctx[i].Start, &s.Ctx[i].Commit)
	}
	for i := range s.Iclog[:m.Iclogs] {
		lower(&s.Iclog[i].Lsn)
	}
	for i := range s.Task[:m.tasks] {
		if t := &s.Task[i]; t.Lsn != m.nullLSN {
			lower(&t.Lsn)
		}
	}
	lower(&s.NextLSN)
}

// lower takes one off relative numbers; the oldest becomes gone.
func lower(refs ...*uint8) {
	for _, v := range refs {
		if *v >= FirstSeq {
			*v--
		}
	}
}
