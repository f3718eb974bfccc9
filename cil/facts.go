package cil

// Facts about states that properties and metrics ask for, in terms of tasks.

// InForce reports whether a task is in an operation that forces the log: it has
// begun a force and owes its return.
func (m *Machine) InForce(s *State, id int) bool {
	if id >= m.firstWorker {
		return false
	}
	t := &s.Task[id]
	if t.PC == pcDone {
		return false
	}
	switch m.op(s, id).Kind {
	case OpCommit, OpFreeze, OpThaw:
		return false
	case OpSyncCommit:
		return t.Seq != NoSeq || labels[t.PC].fn != fnCommit
	}
	return true
}

// Environment is the set of tasks that nothing obliges to go on: freezers and
// shutdowns from outside.
func (m *Machine) Environment() uint64 {
	var set uint64
	for i, sc := range m.Scripts {
		outside := true
		for _, op := range sc.Ops {
			if op.Kind != OpFreeze && op.Kind != OpThaw && op.Kind != OpShutdown && op.Kind != OpShutdownIO {
				outside = false
			}
		}
		if outside {
			set |= 1 << i
		}
	}
	return set
}

// Throttled reports whether a task sleeps on xc_push_wait.
func (m *Machine) Throttled(s *State, id int) bool { return s.Task[id].Wait == waitPush }

// RunningPushes counts the push works that have started and not returned.
func (m *Machine) RunningPushes(s *State) int { return s.Wq.Running() }

// BehindUnstarted is the largest number of forces that sleep until one push is
// done that is queued but has not started.
func (m *Machine) BehindUnstarted(s *State) int {
	most := 0
	for i := range s.Wq.Work[:m.Contexts] {
		if s.Wq.Work[i].Pending == 0 {
			continue
		}
		n := 0
		for id := range m.firstWorker {
			t := &s.Task[id]
			flush := t.Wait == waitFlush && s.Wq.FlushWorks[id]&(1<<i) != 0
			commit := t.Wait == waitCommit && t.Seq == FirstSeq+Seq(i)
			if flush || commit {
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
