package cil

import "cilcheck/statespace"

// script drives a task through its operations.
func (r *run) script() {
	t := r.t
	script := &r.m.Scripts[r.id]
	switch t.PC {
	case pcReturn:
		op := script.Ops[t.Op]
		if r.holdsBuffer(op) {
			t.PC = pcBufUnlock
			return
		}
		eio := uint8(0)
		if r.failed() {
			eio = 1
		}
		r.mv.Marks |= statespace.Return
		r.mv.Note(NoteReturned, uint8(op.Kind), eio)
		r.mv.Note(NoteOwn, t.Own, t.Data)
		*t = Task{PC: pcNext, Op: t.Op + 1, Left: t.Left, OnCPU: t.OnCPU}

	case pcNext:
		if int(t.Op) == len(script.Ops) {
			t.Op = 0
			if script.Times > 0 {
				if t.Left--; t.Left == 0 {
					t.PC = pcDone
					return
				}
			}
		}
		r.startOp(script.Ops[t.Op])
	}
}

// startOp begins an operation.
func (r *run) startOp(op Op) {
	if r.m.locksFirst(op) {
		r.t.PC = pcBufLock
		return
	}
	r.enter(op)
}

// enter enters the kernel function of an operation.
func (r *run) enter(op Op) {
	commit := pcCommitTest
	if r.m.LogUnits > 0 {
		commit = pcReserve
	}
	switch op.Kind {
	case OpCommit:
		r.call(commit, pcReturn)
	case OpSyncCommit:
		r.t.Args = argSync
		r.call(commit, pcReturn)
	case OpFsync:
		r.t.Args = argSync
		r.call(pcFY2, pcReturn)
	case OpLogForce:
		r.t.Args = argSync
		r.call(pcG1, pcReturn)
	case OpLogForceAsync, OpLogWorker:
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
	case OpCPUOffline:
		r.call(pcCPUOffline, pcReturn)
	case OpDqflush:
		r.call(pcDQ1, pcReturn)
	case OpXfsaild:
		r.call(pcXAidle, pcReturn)
	case OpPushAll:
		r.call(pcPushAll, pcReturn)
	case OpDelwriSubmit:
		r.call(pcDelwri, pcReturn)
	case OpUnmount:
		r.t.Args = argSync
		r.call(pcUM1, pcReturn)
	}
}

// declines reports whether a task from outside chooses that what it is about to
// begin never happens: nothing obliges a shutdown, a freeze or a thaw to come.
// Its script ends there.
func (r *run) declines() bool {
	if !r.m.atEntry(r.s, r.id) || r.mv.Choose(2) == 0 {
		return false
	}
	if op := r.m.op(r.s, r.id); r.holdsBuffer(op) {
		r.upBuf(int(op.Buffer - 1))
	}
	*r.t = Task{PC: pcDone, OnCPU: r.t.OnCPU}
	r.mv.Note(NoteDeclined, 0, 0)
	return true
}

// freezer freezes and thaws the freezable workqueues.
func (r *run) freezer() {
	if r.declines() {
		return
	}
	switch r.t.PC {
	case pcFreeze:
		r.s.Wq.Freeze()
		r.freezeIO()
	case pcThaw:
		r.s.Wq.Thaw(int(r.m.MaxActive))
	}
	r.ret()
}

// op is the operation that a script task is in.
func (m *Machine) op(s *State, id int) Op { return m.Scripts[id].Ops[s.Task[id].Op] }

// freezeIO lets each write in flight be done already: then its completion is an
// active work, which a freeze does not stop (workqueue.md section 9).
func (r *run) freezeIO() {
	for i := range r.s.Iclog[:r.m.Iclogs] {
		if r.s.Task[r.m.firstIO+i].PC == pcIO {
			r.s.Iclog[i].Early = uint8(r.mv.Choose(2))
		}
	}
}

// Sync reports whether success of the operation promises durability.
func (k OpKind) Sync() bool {
	return k == OpSyncCommit || k == OpFsync || k == OpLogForce
}
