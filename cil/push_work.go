package cil

// pushWork is xlog_cil_push_work up to the write of the chain, and its ends. The
// work is that of context t.Work, whose sequence is n in cil.md.
func (r *run) pushWork() {
	s, t := r.s, r.t
	switch t.PC {
	case pcW1: // a kworker claims the work; the allocation is local
		r.tag(TagW1)
		t.Work = r.claim()
		t.PC = pcW2

	case pcW2:
		r.tag(TagW2)
		r.downWrite(pcW3)

	case pcW3: // [ctx w, push] all of it is protected: one access
		r.startPush()

	case pcW8empty: // [ctx w, push] ctx_switch
		r.tag(TagW7, TagW8)
		t.White = r.ctx(t.Work).White
		if int(s.Current-FirstSeq)+1 >= int(r.m.Contexts) {
			r.mv.Truncate("context slots")
		} else {
			s.Ctx[s.Current-FirstSeq+1] = Ctx{Life: Live}
		}
		s.Empty = 1
		t.PC = pcW8current

	case pcW8current: // [ctx w, push]
		s.Current++
		t.PC = pcW8ctx

	case pcW8ctx: // [ctx w, push]
		s.XcCtx = s.Current
		if r.m.Without&WithoutEarlyListing != 0 {
			r.tag(TagW6)
			r.ctx(t.Work).Next, s.Committing = s.Committing, t.Work
		}
		r.unlock()
		t.PC = pcW9

	case pcW9:
		r.tag(TagW9)
		r.upWrite()
		t.PC = pcW11
		if r.m.Without&WithoutLockedDrain != 0 {
			t.PC = pcW7drain
		}

	case pcW7drain: // no lock keeps commits out
		r.tag(TagW7)
		r.gather(t.Work)
		t.PC = pcW11

	case pcW12test: // lock-free
		r.tag(TagW12)
		if r.isShutdown() {
			t.PC = pcAbort
			return
		}
		t.Local |= localCommit
		if r.m.Faults&FaultNoCommitOrder != 0 {
			t.PC = pcW12ordered
			return
		}
		r.call(pcO1, pcW12ordered)

	case pcSkip:
		r.tag(TagSKIP)
		r.upWrite()
		t.PC = pcRetire

	case pcRetire: // [pool] the function has returned
		completed := s.Wq.Retire(r.worker(), int(r.m.MaxActive))
		*t = Task{PC: pcIdle, OnCPU: t.OnCPU}
		for i := range s.Task[:r.m.tasks] {
			if completed&(1<<i) != 0 {
				r.wake(i)
			}
		}
	}
}

// claim takes one of the works that may start; any may be the first.
func (r *run) claim() Seq {
	var works [MaxContexts]Seq
	n := 0
	for set, seq := r.s.Wq.Startable(), FirstSeq; set != 0; set, seq = set>>1, seq+1 {
		if set&1 != 0 {
			works[n] = seq
			n++
		}
	}
	seq := works[r.mv.Choose(n)]
	r.s.Wq.Start(int(seq-FirstSeq), r.worker())
	return seq
}

// worker is the task's number among the kworkers.
func (r *run) worker() int { return r.id - r.m.firstWorker }

// forgetWork marks the last use of the work's context by its function: from
// here on somebody else may free it.
func (r *run) forgetWork() { r.t.Work = NoSeq }

// startPush is W3 to W6 [ctx w, push].
func (r *run) startPush() {
	s, t := r.s, r.t
	r.tag(TagW3)
	r.assert(s.PushSeq <= t.Work, AssertSampledSeq)
	r.mv.Note(NoteSamples, s.Stable, 0)
	if s.Stable != 0 {
		t.Local |= localStable
		s.Stable = 0
	}
	r.tag(TagW4)
	c := r.ctx(t.Work)
	if r.m.Without&WithoutLockedDrain == 0 {
		r.gather(t.Work)
	}
	if c.Space >= r.m.Hard || r.m.Without&WithoutThrottleWake == 0 {
		r.wakeAll(waitPush)
	}
	r.tag(TagW5)
	if s.Empty != 0 || s.PushSeq < t.Work {
		if s.Empty != 0 {
			s.PushSeq = NoSeq
		}
		t.PC = pcSkip
		r.unlock()
		return
	}
	t.PC = pcW8empty
	if r.m.Without&WithoutEarlyListing != 0 {
		s.Empty = 1 // the drain shows; W8 links
		r.unlock()
		return
	}
	r.tag(TagW6)
	c.Next, s.Committing = s.Committing, t.Work
	r.unlock()
}

// pushWorkWrite is the control flow of W11, W12 and ABORT between the functions
// that they call.
func (r *run) pushWorkWrite() {
	s, t := r.s, r.t
	switch t.PC {
	case pcW11:
		r.tag(TagW10, TagW11)
		if r.m.Without&WithoutStartOrder != 0 {
			t.PC = pcW11ordered
			return
		}
		r.call(pcO1, pcW11ordered)

	case pcW11ordered:
		if r.failed() {
			t.PC = pcAbort
			return
		}
		t.Rest = max(r.ctx(t.Work).Space, 1) // the header, if all items are lost
		r.call(pcX2, pcW12)

	case pcW12:
		t.PC = pcW12test
		if r.failed() {
			t.PC = pcAbort
		}

	case pcW12ordered:
		if r.failed() {
			t.PC = pcAbort
			return
		}
		t.Rest = 1
		r.call(pcX2, pcW12written)

	case pcW12written:
		t.Local &^= localCommit
		if r.failed() {
			t.Args |= argIOError
			r.call(pcD1, pcAbort)
			return
		}
		t.PC = pcW13
		if r.m.Without&WithoutSharedCallbackLock != 0 {
			t.PC = pcW12attach
		}

	case pcW12attach: // [lock of the callbacks]
		if t.Ctx = t.Work; r.isShutdown() {
			r.tag(TagABORT) // the reference on the iclog stays
			r.forgetWork()
			r.call(pcK1, pcRetire)
			return
		}
		r.tag(TagS2)
		r.appendCallback(&s.Iclog[r.ctx(t.Work).Iclog-1])
		t.Ctx, t.PC = NoSeq, pcW13

	case pcAbort:
		r.tag(TagABORT, TagAB1)
		r.assert(r.isShutdown(), AssertAbortShutdown)
		r.unpinWhiteouts()
		t.Args, t.Local = 0, 0
		if r.ctx(t.Work).Iclog != 0 && r.m.Without&WithoutSharedCallbackLock == 0 {
			t.PC = pcAB3
			return
		}
		r.tag(TagAB2)
		t.Ctx = t.Work
		r.forgetWork()
		r.call(pcK1, pcRetire)
	}
}

// pushWorkCommit is W13 to W16, and AB3, which end the same way.
func (r *run) pushWorkCommit() {
	s, t := r.s, r.t
	switch t.PC {
	case pcW13: // [icl]
		r.tag(TagW13)
		c := r.ctx(t.Work)
		if c.Start == c.Commit {
			t.PC = pcW14
			return
		}
		prev := r.m.prev(c.Iclog - 1)
		if p := s.Iclog[prev].Lsn; p != NoLSN && p < c.Commit && r.m.Without&WithoutCommitWait == 0 {
			t.Iclog = prev + 1
			r.call(pcWI1, pcW13waited)
			return
		}
		t.PC = pcW13waited

	case pcW13waited: // [icl]
		r.tag(TagW13)
		r.result(false) // that of the wait is ignored
		s.Iclog[r.ctx(t.Work).Iclog-1].Flags |= needFlush
		t.PC = pcW14

	case pcW14: // [icl]
		r.tag(TagW14, TagW15)
		i := r.ctx(t.Work).Iclog - 1
		c := &s.Iclog[i]
		c.Flags |= needFUA
		if r.m.Without&WithoutCommitPreflush != 0 {
			c.Flags &^= needFlush
		}
		if t.Local&localStable != 0 && c.State == Active && r.m.Without&WithoutStableSwitch == 0 {
			r.switchIclog(int(i))
		}
		t.Local = 0
		t.Iclog = i + 1
		r.forgetWork()
		r.call(pcRI1, pcW16)

	case pcAB3: // [icl]
		r.tag(TagAB3)
		t.Iclog = r.ctx(t.Work).Iclog
		r.forgetWork()
		r.call(pcRI1, pcAB3released)

	case pcW16, pcAB3released: // [icl] the context may be freed by now
		if t.PC == pcW16 {
			r.tag(TagW16)
		}
		t.Iclog = 0
		r.result(false)
		r.unlock()
		t.PC = pcRetire
		if t.White != 0 {
			t.PC = pcW16white
		}

	case pcW16white: // [ail]
		r.tag(TagW16)
		r.unpinWhiteouts()
		t.PC = pcRetire
	}
}

// unpinWhiteouts drops what W7 has set aside: intents whose removal takes the AIL
// lock.
func (r *run) unpinWhiteouts() {
	if r.t.White != 0 {
		r.touch(TornAIL)
		r.t.White = 0
	}
}

// orderWrite is xlog_cil_order_write: it waits until every older checkpoint on
// xc_committing has its start record (or, for the commit record, its commit
// record) in an iclog.
func (r *run) orderWrite() { // [push]
	s, t := r.s, r.t
	switch t.PC {
	case pcO1:
		r.tag(TagO1)
		t.Ctx = s.Committing
		t.PC = pcO1elem
		if t.Ctx == NoSeq {
			r.orderWriteDone(false)
		}

	case pcXW2order:
		r.setStateAndSleep(waitCommit, pcO1)

	case pcO1elem: // one element of xc_committing
		c := r.ctx(t.Ctx)
		commit := t.Local&localCommit != 0
		switch {
		case r.isShutdown():
			r.tag(TagO1a)
			r.orderWriteDone(true)
			return
		case t.Ctx >= t.Work:
			r.tag(TagO1b)
		case !commit && c.Start == NoLSN:
			r.tag(TagO1c)
			r.orderWriteWait(waitStart)
			return
		case commit && c.Commit == NoLSN:
			r.tag(TagO1d)
			r.orderWriteWait(waitCommit)
			return
		}
		if t.Ctx = c.Next; t.Ctx == NoSeq {
			r.orderWriteDone(false)
		}
	}
}

func (r *run) orderWriteWait(w wait) {
	r.t.Ctx = NoSeq
	without := WithoutLockedCommitWake
	if w == waitStart {
		without = 0
	}
	r.joinOrSleep(without, w, pcO1, pcXW2order)
}

func (r *run) orderWriteDone(eio bool) {
	if !eio {
		r.tag(TagO2)
	}
	r.t.Ctx = NoSeq
	r.result(eio)
	r.unlock()
	r.ret()
}
