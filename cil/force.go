package cil

import "cilcheck/statespace"

// forceSeq is xlog_cil_force_seq(t.Seq); the result is t.Lsn: NoLSN if it saw
// the shutdown, Machine.nullLSN if the sequence was not on the list.
func (r *run) forceSeq() {
	s, t := r.s, r.t
	switch t.PC {
	case pcF0:
		r.tag(TagF0)
		r.assert(t.Seq <= s.Current, AssertForceSeq)
		t.PC = pcF1

	case pcF1: // top of a turn
		r.tag(TagF1)
		t.Lsn = NoLSN
		t.Local &^= localTurn
		r.call(pcN0, pcF2)

	case pcF2: // [push]
		r.tag(TagF2)
		t.Ctx, t.Lsn = s.Committing, r.m.nullLSN
		t.PC = pcF2elem
		if t.Ctx == NoSeq {
			t.PC = pcF3
		}

	case pcF2elem: // [push] one element of xc_committing
		r.forceSeqElement()

	case pcF3: // [push]
		r.tag(TagF3)
		if t.Seq == s.Current && s.Empty == 0 && r.m.Without&(WithoutRestart|WithoutSecondLook) == 0 {
			r.restartCurrent()
			return
		}
		r.tag(TagF4)
		if r.m.RecheckShutdown && t.Lsn == r.m.nullLSN && r.isShutdown() {
			t.Lsn = NoLSN
		}
		r.forceSeqDone()

	case pcXW2force: // [push]
		r.setStateAndSleep(waitCommit, pcF1)

	case pcF3flush: // R4: a flush on the restart only
		r.tag(TagF3)
		t.PC = pcF1
		if s.Wq.Flush(r.id) {
			r.mv.Marks |= MarkRestartSlept
			r.sleepOn(waitFlush, pcF1)
			return
		}
		r.mv.Marks |= MarkRestartSpun
	}
}

// forceSeqElement looks at one context of the walk of F2.
func (r *run) forceSeqElement() {
	t := r.t
	r.tag(TagF2a)
	if r.isShutdown() {
		t.Lsn = NoLSN
		r.forceSeqDone()
		return
	}
	c := r.ctx(t.Ctx)
	switch {
	case t.Ctx > t.Seq:
		r.tag(TagF2b)
	case c.Commit == NoLSN:
		r.tag(TagF2c)
		t.Ctx, t.Lsn = NoSeq, NoLSN
		r.mv.Marks |= MarkRestartSlept
		r.joinOrSleep(WithoutLockedCommitWake, waitCommit, pcF1, pcXW2force)
		return
	case t.Ctx == t.Seq:
		r.tag(TagF2d)
		t.Lsn = c.Commit
	}
	if t.Ctx = c.Next; t.Ctx == NoSeq {
		t.PC = pcF3
	}
}

// restartCurrent is restart B of F3: the push of the current sequence has not
// reached W6 yet.
func (r *run) restartCurrent() {
	t := r.t
	slept := statespace.Mark(MarkRestartSpun)
	if t.Local&localTurn != 0 {
		slept = MarkRestartSlept
	}
	t.Lsn = NoLSN
	t.Local &^= localTurn
	switch {
	case r.m.Flush == FlushOnRestart:
		t.PC = pcF3flush
		r.unlock()
	case r.m.Wait == WaitCommit,
		r.m.Wait == WaitCommitIfQueued && r.s.PushSeq >= t.Seq:
		r.mv.Marks |= MarkRestartSlept
		r.sleepOn(waitCommit, pcF1)
		r.unlock()
	default:
		r.mv.Marks |= slept
		t.PC = pcF1
		r.unlock()
	}
}

func (r *run) forceSeqDone() {
	r.t.Ctx = NoSeq
	r.t.Seq = NoSeq
	r.t.Local &^= localTurn
	r.unlock()
	r.ret()
	if r.t.PC == pcG2 {
		r.t.Lsn = NoLSN // xfs_log_force ignores it
	}
}

// logForce is xfs_log_force.
func (r *run) logForce() {
	s, t := r.s, r.t
	switch t.PC {
	case pcG1: // lock-free; the result of the force is ignored
		r.tag(TagG1)
		if r.m.op(s, r.id).Kind == OpLogForce {
			t.Own = s.Returned
		}
		t.Seq = s.Current
		r.call(pcF0, pcG2)

	case pcG2: // [icl]
		r.tag(TagG2)
		t.Lsn = NoLSN
		if r.isShutdown() {
			r.forceDone(true)
			return
		}
		r.chooseIclog()

	case pcG3b: // [icl] after force_iclog
		r.forcedIclog(pcG4)

	case pcG4: // [icl]
		r.tag(TagG4, TagG5)
		r.flagAndWait()
	}
}

// chooseIclog is G3: which iclog holds what was logged last? Where every iclog is
// busy the head is the oldest; the current kernel chooses it all the same.
func (r *run) chooseIclog() {
	s, t := r.s, r.t
	h := &s.Iclog[s.Head]
	t.Iclog, t.PC = s.Head+1, pcG4
	switch {
	case h.State == Dirty, h.State == Active && h.Ref == 0 && h.Offset == 0:
		r.tag(TagG3a)
		t.Iclog = r.m.prev(s.Head) + 1
	case h.State == Active && h.Ref == 0:
		r.tag(TagG3b)
		t.Lsn = h.Lsn
		r.call(pcFI1, pcG3b)
	case h.State == Active:
		r.tag(TagG3c)
		r.switchIclog(int(s.Head))
	case r.m.RingNewest:
		t.Iclog = r.m.prev(s.Head) + 1
	}
}

// forcedIclog continues after force_iclog: an error ends the force, and so does
// an iclog that was completed and recycled meanwhile.
func (r *run) forcedIclog(next Label) {
	t := r.t
	switch recycled := r.s.Iclog[t.Iclog-1].Lsn != t.Lsn; {
	case r.failed():
		r.forceDone(true)
	case recycled:
		r.forceDone(false)
	default:
		t.Lsn, t.PC = NoLSN, next
	}
}

// flagAndWait is G4 and G5, FL5 and FL6.
func (r *run) flagAndWait() {
	c := &r.s.Iclog[r.t.Iclog-1]
	if c.State == WantSync && r.m.Without&WithoutForceFlagsWantSync == 0 {
		c.Flags |= needFlush | needFUA
	}
	if r.t.Args&argSync != 0 {
		r.t.PC = pcWI1
		return
	}
	r.forceDone(false)
}

// forceDone drops l_icloglock and returns.
func (r *run) forceDone(eio bool) {
	r.t.Iclog, r.t.Lsn = 0, NoLSN
	r.t.Local &^= localSlept
	r.result(eio)
	r.unlock()
	r.ret()
}

// logForceSeq is xfs_log_force_seq.
func (r *run) logForceSeq() {
	t := r.t
	switch t.PC {
	case pcFS1:
		r.tag(TagFS1)
		r.call(pcF0, pcFS2)

	case pcFS2:
		if t.Lsn == r.m.nullLSN {
			r.tag(TagFS2)
			t.Lsn = NoLSN
			r.result(false)
			r.ret()
			return
		}
		r.tag(TagFS3)
		t.PC = pcFL1
	}
}

// forceLsn is xlog_force_lsn(t.Lsn), called again once after it slept in FL3.
func (r *run) forceLsn() {
	s, t := r.s, r.t
	switch t.PC {
	case pcFL1: // [icl]
		r.tag(TagFL1)
		if r.isShutdown() {
			r.forceDone(true)
			return
		}
		r.tag(TagFL2)
		i := r.m.findLSN(s, t.Lsn)
		if i < 0 {
			r.forceDone(false)
			return
		}
		r.forceFound(i)

	case pcFL4: // [icl] after force_iclog
		if !r.failed() {
			t.Local |= localFlushed
		}
		r.forcedIclog(pcFL5)

	case pcFL5: // [icl]
		r.tag(TagFL5, TagFL6)
		r.flagAndWait()
	}
}

// forceFound is FL3 and FL4 for the iclog that holds the LSN.
func (r *run) forceFound(i int) {
	s, t := r.s, r.t
	t.Iclog, t.PC = uint8(i)+1, pcFL5
	if s.Iclog[i].State != Active {
		return
	}
	prev := r.m.prev(uint8(i))
	if st := s.Iclog[prev].State; t.Local&localSlept == 0 && (st == WantSync || st == Syncing) {
		r.tag(TagFL3)
		t.Local |= localSlept
		t.Iclog = 0
		r.sleepOn(waitWrite+wait(prev), pcFL1)
		r.unlock()
		return
	}
	r.tag(TagFL4)
	r.call(pcFI1, pcFL4)
}

// forceIclog is xlog_force_iclog(t.Iclog); release_iclog's result is its own.
func (r *run) forceIclog() { // [icl]
	r.tag(TagFI1)
	c := &r.s.Iclog[r.t.Iclog-1]
	c.Ref++
	if r.m.Without&WithoutForceFlagsActive == 0 {
		c.Flags |= needFlush | needFUA
	}
	if c.State == Active {
		r.tag(TagFI2)
		r.switchIclog(int(r.t.Iclog - 1))
	}
	r.tag(TagFI3)
	r.t.PC = pcRI1
}

// waitOnIclog is xlog_wait_on_iclog(t.Iclog): at most one sleep, no loop.
func (r *run) waitOnIclog() {
	t := r.t
	switch t.PC {
	case pcWI1: // [icl]
		r.tag(TagWI1)
		i := t.Iclog - 1
		t.Iclog, t.Lsn = 0, NoLSN
		t.Local &^= localSlept
		t.PC = pcWI2
		if st := r.s.Iclog[i].State; !r.isShutdown() && st != Active && st != Dirty {
			r.sleepOn(waitForce+wait(i), pcWI2)
		}
		r.unlock()

	case pcWI2: // lock-free
		r.tag(TagWI2)
		r.result(r.isShutdown())
		r.ret()
	}
}

// fsync is xfs_file_fsync from FY2 on.
func (r *run) fsync() {
	s, t := r.s, r.t
	switch t.PC {
	case pcFY2: // lock-free, after FY1 has written the file data to the device
		r.tag(TagFY1, TagFY2)
		t.Data = 1
		t.Own = s.Logged[r.m.op(s, r.id).Inode]
		if r.isShutdown() {
			r.result(true)
			r.ret()
			return
		}
		t.PC = pcFY3

	case pcFY3: // [ili_lock]
		r.tag(TagFY3)
		t.Seq = s.Inode[r.m.op(s, r.id).Inode]
		if t.Seq == NoSeq {
			r.result(false)
			t.PC = pcFY4
			if r.m.RecheckShutdown {
				t.PC = pcFY3recheck
			}
			return
		}
		r.call(pcFS1, pcFY4)

	case pcFY3recheck: // shutdown=recheck: lock-free
		r.tag(TagFY3)
		r.result(r.isShutdown())
		t.PC = pcFY4

	case pcFY4: // flush the data device, unless force_lsn flushed
		r.tag(TagFY4)
		if t.Local&localFlushed == 0 {
			r.m.flushData(s)
			if !r.m.ExternalLog {
				r.m.flushLog(s)
			}
		}
		t.Local &^= localFlushed
		r.ret()
	}
}
