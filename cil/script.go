package cil

import "cilcheck/statespace"

// script drives a task through its operations.
func (r *run) script() {
	t := r.t
	script := &r.m.Scripts[r.id]
	switch t.PC {
	case pcReturn:
		op := script.Ops[t.Op]
		eio := uint8(0)
		if r.failed() {
			eio = 1
		}
		r.mv.Marks |= statespace.Return
		r.mv.Note(NoteReturned, uint8(op.Kind), eio)
		r.mv.Note(NoteOwn, t.Own, 0)
		*t = Task{PC: pcNext, Op: t.Op + 1, Left: t.Left, Own: t.Own, OnCPU: t.OnCPU}

	case pcNext:
		if int(t.Op) == len(script.Ops) {
			t.Op = 0
			if script.Times > 0 {
				if t.Left--; t.Left == 0 {
					t.PC, t.Own = pcDone, NoSeq
					return
				}
			}
		}
		if !r.m.syncAhead(r.id, t) {
			t.Own = NoSeq // nothing will ask what became of it
		}
		r.startOp(script.Ops[t.Op])
	}
}

// startOp enters the kernel function of an operation.
func (r *run) startOp(op Op) {
	switch op.Kind {
	case OpCommit:
		r.call(pcCommitTest, pcReturn)
	case OpSyncCommit:
		r.t.Args = argSync
		r.call(pcCommitTest, pcReturn)
	case OpFsync:
		r.t.Args = argSync
		r.call(pcFY2, pcReturn)
	case OpLogForce:
		r.t.Args = argSync
		r.call(pcG1, pcReturn)
	case OpLogForceAsync:
		r.call(pcG1, pcReturn)
	case OpCilFlush:
		r.call(pcA1, pcReturn)
	case OpShutdown:
		r.t.Args = argSync // D2 forces the log with XFS_LOG_SYNC
		r.call(pcD1, pcReturn)
	case OpShutdownIO:
		r.t.Args = argIOError
		r.call(pcD1, pcReturn)
	case OpFreeze:
		r.call(pcFreeze, pcReturn)
	case OpThaw:
		r.call(pcThaw, pcReturn)
	}
}

// freezer freezes and thaws the freezable workqueues.
func (r *run) freezer() {
	switch r.t.PC {
	case pcFreeze:
		r.s.Wq.Freeze()
	case pcThaw:
		r.s.Wq.Thaw(int(r.m.MaxActive))
	}
	r.ret()
}

// op is the operation that a script task is in.
func (m *Machine) op(s *State, id int) Op { return m.Scripts[id].Ops[s.Task[id].Op] }

// syncAhead reports whether the rest of a task's script has an operation whose
// return promises that the task's own transactions are durable.
func (m *Machine) syncAhead(id int, t *Task) bool {
	script := &m.Scripts[id]
	from := int(t.Op)
	if script.Times == 0 || t.Left > 1 {
		from = 0
	}
	for _, op := range script.Ops[from:] {
		if op.Kind.Sync() {
			return true
		}
	}
	return false
}

// Sync reports whether success of the operation promises durability.
func (k OpKind) Sync() bool {
	return k == OpSyncCommit || k == OpFsync || k == OpLogForce
}
