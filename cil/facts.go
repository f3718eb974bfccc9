package cil

// Facts about states that properties and metrics ask for, in terms of tasks.

// InForce reports whether a task is in an operation that forces the log: it has
// begun a force and owes its return.
func (m *Machine) InForce(s *State, id int) bool {
	if id >= m.firstWorker || s.Task[id].PC == pcDone || m.atEntry(s, id) {
		return false
	}
	t := &s.Task[id]
	switch m.op(s, id).Kind {
	case OpCommit, OpFreeze, OpThaw:
		return false
	case OpSyncCommit:
		return labels[t.PC].fn != fnCommit
	}
	return true
}

// entries are the first labels of operations.
var entries = [NumOps]Label{
	OpCommit: pcCommitTest, OpSyncCommit: pcCommitTest, OpFsync: pcFY2,
	OpLogForce: pcG1, OpLogForceAsync: pcG1, OpLogWorker: pcG1, OpCilFlush: pcA1,
	OpShutdown: pcD1, OpShutdownIO: pcD1, OpFreeze: pcFreeze, OpThaw: pcThaw,
}

// atEntry reports whether a task has not begun the operation that is next.
func (m *Machine) atEntry(s *State, id int) bool {
	if id >= m.firstWorker || s.Task[id].PC == pcDone {
		return false
	}
	t := &s.Task[id]
	return t.PC == entries[m.op(s, id).Kind] && t.Frame == tree[0].child[pcReturn]
}

// Asleep reports whether a task sleeps.
func (m *Machine) Asleep(s *State, id int) bool { return s.Task[id].Wait != notWaiting }

// Throttled reports whether a task sleeps on xc_push_wait.
func (m *Machine) Throttled(s *State, id int) bool { return s.Task[id].Wait == waitPush }

// RunningPushes counts the push works that have started and not returned.
func (m *Machine) RunningPushes(s *State) int { return s.Wq.Running() }

// BehindUnstarted is the largest number of forces that cannot return before one
// push has started that is queued: they sleep in a flush that waits for it, or
// are in xlog_cil_force_seq for its sequence.
func (m *Machine) BehindUnstarted(s *State) int {
	most := 0
	for i := range s.Wq.Work[:m.Contexts] {
		if s.Wq.Work[i].Pending == 0 {
			continue
		}
		n := 0
		for id := range m.firstWorker {
			t := &s.Task[id]
			if s.Wq.FlushWorks[id]&(1<<i) != 0 || t.Seq == FirstSeq+Seq(i) && m.InForce(s, id) {
				n++
			}
		}
		most = max(most, n)
	}
	return most
}

// CallbacksHeld counts the checkpoints whose iclog I/O is done and whose
// callbacks wait for an iclog with a lower LSN.
func (m *Machine) CallbacksHeld(s *State) int {
	n := 0
	var seqs [MaxContexts]Seq
	lowest := m.lowestLSN(s)
	for i := range s.Iclog[:m.Iclogs] {
		if c := &s.Iclog[i]; c.State == DoneSync && c.Lsn > lowest {
			n += len(m.Callbacks(s, i, seqs[:0]))
		}
	}
	return n
}

// Callbacks appends the contexts on ic_callbacks of iclog i to seqs, in order. A
// list that runs in a circle, which only a fault can make, is cut off.
func (m *Machine) Callbacks(s *State, i int, seqs []Seq) []Seq {
	for seq := s.Iclog[i].Cb; seq != NoSeq && len(seqs) < int(m.Contexts); seq = s.context(seq).CbNext {
		seqs = append(seqs, seq)
	}
	return seqs
}

// CommittingList appends the contexts on xc_committing to seqs, newest first.
func (m *Machine) CommittingList(s *State, seqs []Seq) []Seq {
	for seq := s.Committing; seq != NoSeq && len(seqs) < int(m.Contexts); seq = s.context(seq).Next {
		seqs = append(seqs, seq)
	}
	return seqs
}

// Yields reports whether a task is at a point where also a kernel without
// preemption reschedules: a kworker between two works.
func (m *Machine) Yields(s *State, id int) bool { return s.Task[id].PC == pcRetire }

// Freeing reports whether a task has unlinked a context from xc_committing and
// frees it next.
func (m *Machine) Freeing(s *State, seq Seq) bool {
	for i := range s.Task[:m.tasks] {
		if t := &s.Task[i]; t.PC == pcK6 && t.Ctx == seq {
			return true
		}
	}
	return false
}

// CallbacksPending reports whether callbacks of iclog i have still to run: they
// are attached to it, or a task has spliced them off and is not done.
func (m *Machine) CallbacksPending(s *State, i int) bool {
	if s.Iclog[i].Cb != NoSeq {
		return true
	}
	for id := range s.Task[:m.tasks] {
		if t := &s.Task[id]; int(t.Pos) == i+1 && (t.List != NoSeq || t.Ctx != NoSeq) {
			return true
		}
	}
	return false
}
