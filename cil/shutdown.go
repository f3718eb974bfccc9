package cil

// shutdown is xlog_force_shutdown. D4 (the mount) and D8 (opstate waiters) touch
// nothing that is modelled; D5 needs no step of its own, for who waits for log space
// tests the shutdown in the step in which it goes to sleep.
func (r *run) shutdown() {
	s, t := r.s, r.t
	switch t.PC {
	case pcD1: // test-and-set
		if r.declines() {
			return
		}
		r.tag(TagD1)
		if r.alreadyShut() && !(r.m.IOErrorAnyway && t.Args&argIOError != 0) {
			r.ret()
			return
		}
		if r.m.Without&(WithoutAtomicShutdown|WithoutStartedBit) == 0 {
			s.Started = 1
		}
		t.PC = pcD3
		if t.Args&argIOError == 0 {
			r.tag(TagD2)
			r.call(pcG1, pcD3)
		}

	case pcD3: // [icl]
		if r.m.Without&WithoutStartedBit != 0 && r.isShutdown() {
			r.tag(TagD3)
			r.unlock()
			r.ret()
			return
		}
		r.tag(TagD3, TagD4, TagD5)
		s.Shutdown = 1
		if r.m.IclogErrors {
			for i := range s.Iclog[:r.m.Iclogs] {
				s.Iclog[i].State = IOError
			}
		}
		s.Started = 1
		r.wakeAll(waitGrant)
		r.result(false)
		r.unlock()
		t.PC = pcD6

	case pcD6: // [push]
		r.tag(TagD6)
		r.wakeAll(waitStart)
		t.PC = pcD7
		if r.m.Without&WithoutLockedCommitWake != 0 {
			t.PC = pcD6unlocked
		} else {
			r.wakeAll(waitCommit)
		}
		r.unlock()

	case pcD6unlocked: // B05: no lock
		r.tag(TagD6)
		r.wakeAll(waitCommit)
		t.PC = pcD7

	case pcD7: // [icl]
		r.tag(TagD7)
		r.call(pcSC0, pcD8)

	case pcD8: // [icl]
		r.tag(TagD8)
		r.unlock()
		r.ret()
	}
}

// shutdownCallbacks is xlog_state_shutdown_callbacks [icl]: it enters and leaves
// with l_icloglock held and drops it for the callbacks of each iclog.
func (r *run) shutdownCallbacks() {
	s, t := r.s, r.t
	switch t.PC {
	case pcSC0:
		t.Pos = s.Head + 1
		t.PC = pcSC1

	case pcSC1:
		c := &s.Iclog[t.Pos-1]
		if c.Ref > 0 && r.m.Without&(WithoutRefcntSkip|WithoutSharedCallbackLock) == 0 {
			r.tag(TagSC1)
			r.nextShutdown()
			return
		}
		r.tag(TagSC2)
		r.mv.Note(NoteSpliced, t.Pos-1, c.Ref)
		t.List, c.Cb = c.Cb, NoSeq
		if r.m.Without&WithoutCallbacksFirst != 0 {
			r.wakeIclogWaiters()
		}
		r.unlock()
		r.call(pcPC1, pcSC2)

	case pcSC2: // the callbacks of this iclog have run
		if r.m.Without&WithoutCallbacksFirst == 0 {
			r.wakeIclogWaiters()
		}
		r.nextShutdown()
	}
}

// wakeIclogWaiters wakes who waits for the iclog at the ring cursor.
func (r *run) wakeIclogWaiters() {
	r.wakeAll(waitWrite + wait(r.t.Pos-1))
	r.wakeAll(waitForce + wait(r.t.Pos-1))
}

// alreadyShut is the test of D1.
func (r *run) alreadyShut() bool {
	if r.m.Without&(WithoutAtomicShutdown|WithoutStartedBit) != 0 {
		return r.isShutdown()
	}
	return r.s.Started != 0
}

func (r *run) nextShutdown() {
	t := r.t
	t.PC = pcSC1
	if t.Pos = r.m.next(t.Pos-1) + 1; t.Pos-1 == r.s.Head {
		r.tag(TagSC3)
		r.wakeAll(waitSpace)
		t.Pos = 0
		r.ret()
	}
}
