package cil

// commit is xlog_cil_commit, after the shutdown test that xfs_trans_commit makes
// before it. C3 (intent whiteouts) and C4c (stealing the iclog header space)
// only change how much space is reserved; grant space is not modelled.
func (r *run) commit() {
	s, t := r.s, r.t
	op := r.m.op(s, r.id)
	switch t.PC {
	case pcCommitTest: // lock-free; not repeated under xc_ctx_lock
		if r.isShutdown() {
			r.result(true)
			r.ret()
			return
		}
		t.PC = pcC2

	case pcC2: // C1 is local
		r.tag(TagC1, TagC2)
		if r.m.Faults&FaultNoCtxLock != 0 {
			t.PC = pcC4a
			return
		}
		r.downRead(pcC4a)

	case pcC4a: // [ctx r] pin
		r.tag(TagC4a)
		c, bit := r.ctx(s.XcCtx), r.m.inodeBit(op.Inode)
		if op.Shrink > 0 && c.Inodes&bit != 0 {
			t.Args |= argRelogs
		}
		c.Inodes |= bit
		if op.Buffer > 0 {
			c.Bufs |= 1 << (op.Buffer - 1)
		}
		if op.Whiteout {
			c.White = 1
		}
		t.PC = pcC4b

	case pcC4b: // [ctx r]; test and test-and-clear: only the second counts
		r.tag(TagC4b)
		s.Empty = 0
		r.joinCPU()
		t.PC = pcC4d

	case pcC4d: // [ctx r] the items are on the list only for who holds ctx w
		r.tag(TagC4d, TagC4e)
		r.insertItems(r.ctx(s.XcCtx), op)
		if r.m.tracked&(1<<op.Inode) != 0 || r.m.forcesAll || op.Kind == OpSyncCommit {
			t.Own = s.XcCtx
		}
		t.PC = pcC6
		if r.m.Without&WithoutLockedPublish != 0 {
			t.Seq, t.PC = s.XcCtx, pcB1
		}
		if op.Overrun {
			t.PC = pcC4f
		}

	case pcC4f: // [ctx r]
		r.tag(TagC4f)
		t.Args |= argIOError
		next := pcC6
		if r.m.Without&WithoutLockedPublish != 0 {
			next = pcB1
		}
		r.call(pcD1, next)

	case pcC6: // [ctx r, ili_lock]
		r.tag(TagC5, TagC6, TagC7)
		t.Args &^= argIOError
		seq := s.XcCtx
		t.PC = pcB1
		if r.m.Without&WithoutLockedPublish != 0 { // long after the context was chosen
			seq, t.Seq, t.PC = t.Seq, NoSeq, pcCommitted
		}
		if r.m.inodeBit(op.Inode) != 0 {
			s.Inode[op.Inode] = seq
		}
		if op.Kind == OpSyncCommit {
			t.Seq = seq
		}
		if r.holdsBuffer(op) && !op.Hold {
			r.upBuf(int(op.Buffer - 1))
		}

	case pcCommitted:
		r.result(false)
		r.committedTo(op.Inode)
		if op.Kind == OpSyncCommit {
			t.PC = pcFS1
			return
		}
		t.Own = NoSeq
		r.ret()
	}
}

// insertItems is C4d and C4e: with lists for each CPU, on that of the task.
func (r *run) insertItems(c *Ctx, op Op) {
	if r.m.CPUs == 0 {
		r.accountSpace(c, op)
		return
	}
	r.insertOnCPU(c, op.Size)
}

// accountSpace is C4d with one counter. An item that C4a found in the context
// counts for the difference to what it took before. Only without xc_ctx_lock can
// the context be another by now, which never had the item: space_used, an atomic_t,
// may then go below zero. Here it stays at the header, as after any difference, so
// that a later commit may reach a limit earlier; accounting reports the step.
func (r *run) accountSpace(c *Ctx, op Op) {
	if r.t.Args&argRelogs != 0 {
		r.t.Args &^= argRelogs
		strange := uint8(0)
		if c.Inodes&r.m.inodeBit(op.Inode) == 0 {
			strange = 1
		}
		r.mv.Note(NoteShrunk, r.s.XcCtx, strange)
		c.Space = max(c.Space, op.Shrink+1) - op.Shrink
		return
	}
	c.Space = min(c.Space+op.Size, r.m.Hard)
}

// pushBackground is xlog_cil_push_background; it enters with xc_ctx_lock held
// for read and releases it.
func (r *run) pushBackground() {
	s, t := r.s, r.t
	switch t.PC {
	case pcB1: // [ctx r] lock-free
		r.tag(TagC8, TagB1)
		r.assert(s.Empty == 0, AssertNotEmpty)
		space := r.ctx(s.XcCtx).Space
		switch {
		case space < r.m.Soft:
			r.tag(TagB2)
			r.commitUnlock()
			t.PC = r.backgroundDone()
			return
		case space < r.m.Hard:
			t.Space = 1
		default:
			t.Space = 2
		}
		t.PC = pcB2pushSeq

	case pcB2pushSeq: // [ctx r] lock-free
		r.tag(TagB2)
		t.PC = pcB3
		if s.PushSeq == s.XcCtx && t.Space == 1 {
			t.PC = pcB2waiters
		}

	case pcB2waiters: // [ctx r] lock-free: waitqueue_active
		r.tag(TagB2)
		t.PC = pcB3
		if !r.pushWaiters() {
			r.commitUnlock()
			t.Space, t.PC = 0, r.backgroundDone()
		}

	case pcB3: // [push]
		r.tag(TagB3, TagB4)
		if s.PushSeq < s.XcCtx {
			s.PushSeq = s.XcCtx
			r.queuePush()
		}
		t.PC = pcB5

	case pcB5: // [push]
		r.tag(TagB5)
		r.commitUnlock()
		throttle := (r.pushWaiters() || t.Space == 2) && r.m.Without&WithoutThrottle == 0
		t.Space, t.PC = 0, r.backgroundDone()
		if throttle {
			r.tag(TagB6)
			r.throttle()
		} else {
			r.tag(TagB7)
		}
		r.unlock()

	case pcB6flush: // M7: any work in flight, not only the start of the next
		r.tag(TagB6)
		t.PC = r.backgroundDone()
		if s.Wq.Flush(r.id) {
			r.sleepOn(waitFlush, t.PC)
		}

	case pcB6woken: // takes its entry off xc_push_wait; no re-check
		r.tag(TagB6)
		if r.m.Without&WithoutGlobalThrottle != 0 {
			r.ctx(t.Ctx)
			t.Ctx = NoSeq
		}
		t.PC = r.backgroundDone()
	}
}

// throttle is the sleep of B6 [push].
func (r *run) throttle() {
	if r.m.Without&WithoutThrottleQueue != 0 {
		r.t.PC = pcB6flush
		return
	}
	if r.m.Without&WithoutGlobalThrottle != 0 {
		r.t.Ctx = r.s.XcCtx
	}
	r.sleepOn(waitPush, pcB6woken)
}

// committedTo remembers where a commit that returns put its change, for the
// forces that are called after it.
func (r *run) committedTo(inode uint8) {
	s, own := r.s, r.t.Own
	if r.m.inodeBit(inode) != 0 {
		s.Logged[inode] = max(s.Logged[inode], own)
	}
	if r.m.forcesAll {
		s.Returned = max(s.Returned, own)
	}
}

// backgroundDone is where the commit goes on.
func (r *run) backgroundDone() Label {
	if r.m.Without&WithoutLockedPublish != 0 {
		return pcC6
	}
	return pcCommitted
}

// commitUnlock is up_read(xc_ctx_lock).
func (r *run) commitUnlock() {
	if r.m.Faults&FaultNoCtxLock == 0 {
		r.upRead()
	}
}

// queuePush is queue_work of the current context's push_work, under
// xc_push_lock.
func (r *run) queuePush() {
	c := r.ctx(r.s.XcCtx)
	if !r.s.Wq.QueueWork(int(r.s.XcCtx-FirstSeq), int(r.m.MaxActive)) || c.Queued != 0 {
		r.mv.Note(NoteQueuedAgain, r.s.XcCtx, 0)
	}
	c.Queued = 1
}
