package cil

import "slices"

// Facts about states that properties and metrics ask for, in terms of tasks.

// InForce reports whether a task is in an operation that forces the log: it has
// begun a force and owes its return.
func (m *Machine) InForce(s *State, id int) bool {
	if id >= m.firstWorker || s.Task[id].PC == pcDone || m.atEntry(s, id) {
		return false
	}
	t := &s.Task[id]
	switch m.op(s, id).Kind {
	case OpCommit, OpFreeze, OpThaw, OpCPUOffline, OpXfsaild, OpPushAll, OpDelwriSubmit:
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
	OpCPUOffline: pcCPUOffline, OpDqflush: pcDQ1, OpUnmount: pcUM1,
	OpXfsaild: pcXAidle, OpPushAll: pcPushAll, OpDelwriSubmit: pcDelwri,
}

// atEntry reports whether a task has not begun the operation that is next.
func (m *Machine) atEntry(s *State, id int) bool {
	if id >= m.firstWorker || s.Task[id].PC == pcDone {
		return false
	}
	t := &s.Task[id]
	if (t.PC == pcBufLock || t.PC == pcReserve) && t.Wait == notWaiting {
		return true
	}
	return t.PC == entries[m.op(s, id).Kind] && t.Frame == tree[0].child[pcReturn]
}

// Asleep reports whether a task sleeps.
func (m *Machine) Asleep(s *State, id int) bool { return s.Task[id].Wait != notWaiting }

// Throttled reports whether a task sleeps in B6: on xc_push_wait, or in the flush
// that M7 puts there.
func (m *Machine) Throttled(s *State, id int) bool {
	t := &s.Task[id]
	return t.Wait == waitPush || t.Wait == waitFlush && labels[t.PC].fn == fnCommit
}

// MostUnits is how many units a checkpoint may hold: one below the hard limit, and
// then one transaction of each task that commits.
func (m *Machine) MostUnits() uint8 {
	most := m.Hard - 1
	for _, sc := range m.Scripts {
		largest := uint8(0)
		for _, op := range sc.Ops {
			largest = max(largest, op.Size)
		}
		most = min(most+largest, MaxUnits)
	}
	return most
}

// Shrinks reports whether some commit makes an item smaller.
func (m *Machine) Shrinks() bool { return m.shrinks }

// CanThrottle reports whether the commits of the scenario together reach the
// hard limit of the CIL.
func (m *Machine) CanThrottle() bool {
	units := 0
	for _, sc := range m.Scripts {
		if sc.Start == StartCurrent {
			units += int(sc.Size)
		}
		for _, op := range sc.Ops {
			switch {
			case op.Kind != OpCommit && op.Kind != OpSyncCommit:
			case sc.Times == 0:
				return true
			default:
				units += int(op.Size) * int(sc.Times)
			}
		}
	}
	return units >= int(m.Hard)
}

// RunningPushes counts the push works that have started and not returned.
func (m *Machine) RunningPushes(s *State) int { return s.Wq.Running() }

// PushLacksWorker reports whether a push is queued and every kworker executes
// another one. That is a bound of the model: a kernel starts more kworkers when those
// it has sleep, so that only max_active, which this does not excuse, holds a push back.
func (m *Machine) PushLacksWorker(s *State) bool {
	if m.RunningPushes(s) < int(m.Workers) {
		return false
	}
	for i := range s.Wq.Work[:m.Contexts] {
		if s.Wq.Work[i].Pending != 0 {
			return true
		}
	}
	return false
}

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

// HalfAsleep reports whether a task has joined a wait queue (XW1) and not yet set
// its state (XW2).
func (m *Machine) HalfAsleep(s *State) bool {
	return m.anyAt(s, pcXW2space, pcXW2force, pcXW2order)
}

// WakesUnlocked reports whether a task is about to wake a wait queue without the
// lock that protects it.
func (m *Machine) WakesUnlocked(s *State) bool { return m.anyAt(s, pcDC3, pcD6unlocked) }

func (m *Machine) anyAt(s *State, pcs ...Label) bool {
	for i := range s.Task[:m.tasks] {
		if slices.Contains(pcs, s.Task[i].PC) {
			return true
		}
	}
	return false
}
