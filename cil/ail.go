package cil

// The AIL, as far as its order matters to who waits for it: how many units of log
// space stand at or below the target of xfsaild, and how many above. A checkpoint
// that completes inserts its items above every target set so far, since LSNs grow.
// Writing items back always succeeds and takes them off the AIL; with log space
// that is finite (Config.LogUnits) that is what frees it.

// AIL is struct xfs_ail.
type AIL struct {
	Below   uint8 // units at or below ail_target
	Above   uint8 // units above it
	PushAll uint8 // XFS_AIL_OPSTATE_PUSH_ALL: the target is whatever is last
	Awake   uint8 // the task of xfsaild was woken
}

// insertAIL is the insertion of K3b.
func (r *run) insertAIL(c *Ctx) {
	if !r.m.ails || r.t.Local&localAbort != 0 {
		return
	}
	a := &r.s.AIL
	a.Above = min(a.Above+max(c.Space, 1), MaxUnits-a.Below)
	if r.m.Without&WithoutGrantPush == 0 {
		r.pushForGrant()
	}
}

// pushForGrant raises the target and wakes xfsaild if somebody waits for log
// space (xlog_grant_push_ail).
func (r *run) pushForGrant() {
	for i := range r.m.Scripts {
		if r.s.Task[i].Wait == waitGrant {
			r.raiseTarget()
			r.s.AIL.Awake = 1
			return
		}
	}
}

// WritesBack reports whether a scenario has who waits for metadata to be unpinned
// or written back.
func (m *Machine) WritesBack() bool { return m.ails || m.buffers > 0 }

// WaitsForWriteback reports whether a task sleeps until an item is unpinned, the
// AIL is empty, or log space is free.
func (m *Machine) WaitsForWriteback(s *State, id int) bool {
	return s.Task[id].Wait >= waitUnpin && s.Task[id].Wait <= waitGrant
}

// reserve is xfs_log_reserve for a commit: it takes log space or waits for
// it. Woken waiters try again in any order, which is more than the queue allows.
func (r *run) reserve() {
	s, t := r.s, r.t
	op := r.m.op(s, r.id)
	switch {
	case r.isShutdown():
		r.result(true)
		r.ret()
	case op.Size <= s.Grant:
		s.Grant -= op.Size
		t.PC = pcCommitTest
	default:
		r.sleepOn(waitGrant, pcReserve)
		r.raiseTarget()
		s.AIL.Awake = 1
	}
}

// raiseTarget sets ail_target to the last item.
func (r *run) raiseTarget() {
	a := &r.s.AIL
	a.Below, a.Above = a.Below+a.Above, 0
}

// xfsaild is the thread that writes items back: pass by pass up to its target,
// and idle when that is reached.
func (r *run) xfsaild() {
	s, t := r.s, r.t
	a := &s.AIL
	switch t.PC {
	case pcXAidle: // woken
		a.Awake = 0
		t.PC = pcXApass

	case pcXApass: // [ail]
		if a.PushAll != 0 {
			r.raiseTarget()
		}
		switch {
		case a.Below > 0:
			t.PC = pcXApush
		case r.m.Without&WithoutIdleRecheck != 0:
			t.PC = pcXAsleep
		default: // the task state was set before the test, so a wake counts
			t.PC = pcXAidle
		}

	case pcXAsleep: // B46: it is set after the test; a wake between is lost
		a.Awake = 0
		t.PC = pcXAidle

	case pcXApush: // the write is done, and its completion takes the item off
		a.Below--
		t.PC = pcXApass
		if r.m.LogUnits > 0 {
			s.Grant++
			r.wakeAll(waitGrant)
		}
		if a.Below+a.Above == 0 {
			a.PushAll = 0
			r.wakeAll(waitAILEmpty)
		}
	}
}

// pushAll is xfs_ail_push_all_sync.
func (r *run) pushAll() {
	a := &r.s.AIL
	if a.Below+a.Above == 0 { // [ail]
		r.ret()
		return
	}
	if r.m.Without&WithoutPushAll != 0 {
		r.raiseTarget()
	} else {
		a.PushAll = 1
	}
	a.Awake = 1
	r.sleepOn(waitAILEmpty, pcPushAll)
}

// submitBuffer is xfs_buf_delwri_submit_buffers for one buffer, as xfsaild calls
// it: a buffer that is pinned is skipped, and the CIL is flushed instead.
func (r *run) submitBuffer() {
	s, t := r.s, r.t
	i := int(r.m.op(s, r.id).Buffer - 1)
	switch t.PC {
	case pcDelwri: // trylock; with the lock held nobody pins it
		switch {
		case r.m.Without&WithoutLockedPinTest != 0 && !r.m.pinned(s, i):
			r.mv.Note(NoteNotPinned, uint8(i), 0)
			t.PC = pcDelwriLock
		case r.m.pinned(s, i):
			t.PC = pcA1
		case s.Buf[i] != 0: // the next pass tries again
			r.ret()
		default:
			s.Buf[i] = uint8(r.id) + 1
			t.PC = pcDelwriSubmit
		}

	case pcDelwriLock: // B44: it may be pinned by now
		if s.Buf[i] != 0 {
			r.ret()
			return
		}
		s.Buf[i] = uint8(r.id) + 1
		t.PC = pcDelwriSubmit

	case pcDelwriSubmit: // xfs_buf_wait_unpin, then the write
		if r.m.pinned(s, i) {
			r.sleepOn(waitUnpin+wait(i), pcDelwriSubmit)
			return
		}
		r.upBuf(i)
		r.result(false)
		r.ret()
	}
}
