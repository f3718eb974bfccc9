package cil

// switchIclog is xlog_state_switch_iclogs [icl]: the head becomes WANT_SYNC and
// the next iclog the head.
func (r *run) switchIclog(i int) {
	r.tag(TagIC1)
	r.assert(i == int(r.s.Head) && r.s.Iclog[i].State == Active, AssertHeadSwitched)
	r.s.Iclog[i].State = WantSync
	r.s.Head = r.m.next(uint8(i))
}

// release is xlog_state_release_iclog(t.Iclog) [icl]: it enters and leaves with
// l_icloglock held, but drops it to write. RI1 stamps the tail.
func (r *run) release() {
	s, t := r.s, r.t
	c := &s.Iclog[t.Iclog-1]
	switch t.PC {
	case pcRI1:
		if r.m.Without&WithoutLockedReleaseTest != 0 {
			r.unlock()
			t.PC = pcRI0
			return
		}
		r.tag(TagRI1, TagRI2)
		r.stampTail(c)
		c.Ref--
		r.released(c, r.isShutdown())

	case pcRI0: // B21: lock-free
		r.tag(TagRI3)
		if t.PC = pcRI2; r.isShutdown() {
			r.result(true) // and the reference stays
			r.ret()
		}

	case pcRI2: // B21: as the state was, it may have changed
		r.tag(TagRI1, TagRI2)
		c.Ref--
		r.released(c, false)

	case pcRI3: // the shutdown callbacks have run
		r.result(true)
		r.ret()

	case pcRI6relock:
		r.result(false)
		r.ret()
	}
}

// released is RI3 to RI6 [icl], after RI2.
func (r *run) released(c *Iclog, shutdown bool) {
	t := r.t
	switch {
	case shutdown:
		r.tag(TagRI3)
		if c.Ref == 0 && r.m.Without&WithoutReleaseCallbacks == 0 {
			r.call(pcSC0, pcRI3)
			return
		}
		r.result(true)
		r.ret()
	case c.Ref > 0:
		r.tag(TagRI4)
		r.result(false)
		r.ret()
	case c.State != WantSync:
		r.tag(TagRI5)
		r.assert(c.State == Active, AssertActiveRelease)
		r.result(false)
		r.ret()
	default:
		r.tag(TagRI6, TagIC2)
		c.State = Syncing
		r.unlock()
		t.PC = pcRI6sema
	}
}

// writeIclog is xlog_sync and xlog_write_iclog: it issues the write of t.Iclog.
func (r *run) writeIclog() {
	s, t := r.s, r.t
	i := int(t.Iclog - 1)
	switch t.PC {
	case pcRI6sema:
		r.tag(TagRI6)
		r.downSema(i, pcRI6test)

	case pcRI6test: // lock-free
		r.tag(TagRI6)
		r.assert(s.Iclog[i].Ref == 0, AssertUnreferencedEnd)
		if r.isShutdown() {
			t.Pos = t.Iclog
			r.call(pcIE2, pcRI6up)
			return
		}
		t.PC = pcRI6issue

	case pcRI6issue: // only the device sees it
		r.tag(TagRI6)
		if r.failsDataFlush(i) {
			t.PC = pcRI6relock
			return
		}
		r.issue(&s.Iclog[i])
		s.Task[r.m.firstIO+i].PC = pcIO
		t.PC = pcRI6relock

	case pcRI6up:
		r.tag(TagRI6)
		r.upSema(i)
		t.PC = pcRI6relock
	}
}

// failsDataFlush reports whether the flush of the data device fails that comes
// before the write. What the writer does then itself, shutting down the log and
// completing the iclog, is left to the completion task of the iclog: the writer
// does not wait for it, so more can happen between.
func (r *run) failsDataFlush(i int) bool {
	if !r.m.DataFlushError || r.s.Iclog[i].Flags&needFlush == 0 || r.mv.Choose(2) == 0 {
		return false
	}
	r.mv.Note(NoteFlushFailed, uint8(i), 0)
	r.s.Task[r.m.firstIO+i] = Task{PC: pcD1, Frame: tree[0].child[pcIE1], Args: argIOError | argUnissued}
	return true
}

// ioEnd is the write of one iclog from the device to the end of xlog_ioend_work;
// each iclog has a task for it. The device completes the write at the last
// moment, in the step in which the completion takes l_icloglock: until then a
// crash may or may not leave the write on disk, as it may while the write is in
// flight, so an earlier completion shows nothing more.
func (r *run) ioEnd() {
	s, t := r.s, r.t
	i := r.id - r.m.firstIO
	switch t.PC {
	case pcIO: // [icl]
		if r.m.LogIOError && r.mv.Choose(2) == 1 {
			r.tag(TagIE1)
			r.mv.Note(NoteWriteFailed, s.Iclog[i].Lsn, 0)
			r.m.forgetWrite(&s.Iclog[i]) // it may or may not survive a crash
			r.unlock()
			t.Args |= argIOError
			r.call(pcD1, pcIE1)
			return
		}
		r.m.complete(s, &s.Iclog[i])
		t.Pos = uint8(i) + 1
		r.call(pcIE2, pcIE4)

	case pcIE1: // after the shutdown
		if t.Args&argUnissued != 0 && r.m.Without&WithoutSemaRelease != 0 {
			*t = Task{PC: pcIdle, OnCPU: t.OnCPU}
			return
		}
		t.Args = 0
		t.Pos = uint8(i) + 1
		r.call(pcIE2, pcIE4)

	case pcIE4:
		r.tag(TagIE4)
		r.upSema(i)
		*t = Task{PC: pcIdle, OnCPU: t.OnCPU}
	}
}

// doneSyncing is xlog_state_done_syncing of iclog t.Pos.
func (r *run) doneSyncing() { // [icl]
	r.tag(TagIE2, TagIE3)
	i := r.t.Pos - 1
	c := &r.s.Iclog[i]
	r.assert(c.Ref == 0, AssertUnreferencedEnd)
	if !r.isShutdown() {
		r.tag(TagIC3)
		r.assert(c.State == Syncing, AssertSyncing)
		c.State = DoneSync
	}
	r.wakeAll(waitWrite + wait(i))
	r.t.Pos = 0
	r.unlock()
	r.t.PC = pcDC0
}

// doCallback is xlog_state_do_callback: passes over the ring from the head,
// until one runs no callbacks.
func (r *run) doCallback() { // [icl]
	s, t := r.s, r.t
	switch t.PC {
	case pcDC0:
		r.tag(TagDC1)
		t.Pos, t.First = s.Head+1, s.Head+1
		t.Local &^= localRan
		t.PC = pcDC1

	case pcDC1:
		r.doCallbackIclog()

	case pcDC1c: // the callbacks of this iclog have run
		r.tag(TagIC5)
		t.Local |= localRan
		r.clean(int(t.Pos - 1))
		r.nextCallback()

	case pcDC2:
		r.tag(TagDC2)
		if t.Local&localRan != 0 && !r.isShutdown() {
			t.PC = pcDC0
			return
		}
		t.Local &^= localRan
		if s.Iclog[s.Head].State == Active {
			if r.m.Without&WithoutLockedSpaceWake != 0 {
				r.unlock()
				t.PC = pcDC3
				return
			}
			r.tag(TagDC3)
			r.wakeAll(waitSpace)
		}
		r.unlock()
		r.ret()

	case pcDC3: // B05: no lock
		r.tag(TagDC3)
		r.wakeAll(waitSpace)
		r.ret()
	}
}

// doCallbackIclog looks at one iclog of a pass.
func (r *run) doCallbackIclog() {
	s, t := r.s, r.t
	i := int(t.Pos - 1)
	c := &s.Iclog[i]
	switch {
	case c.State == Active, c.State == Dirty:
		r.tag(TagDC1a)
	case c.State != DoneSync:
		r.tag(TagDC1d)
		t.Pos, t.First, t.PC = 0, 0, pcDC2
		return
	case r.m.lowestLSN(s) < c.Lsn:
		r.tag(TagDC1b)
	case c.Cb == NoSeq:
		r.tag(TagDC1b, TagIC6)
		r.clean(i)
	default:
		r.tag(TagDC1b, TagIC4, TagDC1c)
		c.State = Callback
		t.List, c.Cb = c.Cb, NoSeq
		r.unlock()
		r.call(pcPC1, pcDC1c)
		return
	}
	r.nextCallback()
}

func (r *run) nextCallback() {
	t := r.t
	t.PC = pcDC1
	if t.Pos = r.m.next(t.Pos-1) + 1; t.Pos == t.First {
		t.Pos, t.First, t.PC = 0, 0, pcDC2
	}
}

// clean is xlog_state_clean_iclog [icl]: DIRTY, then the run of DIRTY iclogs
// from the head becomes ACTIVE.
func (r *run) clean(i int) {
	s := r.s
	if s.Iclog[i].State == IOError {
		r.wakeAll(waitForce + wait(i))
		return
	}
	s.Iclog[i].State = Dirty
	for n, j := 0, s.Head; n < int(r.m.Iclogs); n, j = n+1, r.m.next(j) {
		c := &s.Iclog[j]
		if c.State == Dirty {
			r.tag(TagIC7)
			r.assert(c.Cb == NoSeq, AssertNoCallbacks)
			c.State, c.Offset, c.Lsn, c.Tail = Active, 0, NoLSN, NoSeq
		} else if c.State != Active {
			break
		}
	}
	r.wakeAll(waitForce + wait(i))
}
