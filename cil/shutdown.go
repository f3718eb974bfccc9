package cil

// shutdown is xlog_force_shutdown. D4 (the mount), D5 (grant waiters) and D8
// (opstate waiters) touch nothing that is modelled.
func (r *run) shutdown() {
	s, t := r.s, r.t
	switch t.PC {
	case pcD1: // test-and-set
		if r.declines() {
			return
		}
		r.tag(TagD1)
		if s.Started != 0 && !(r.m.IOErrorAnyway && t.Args&argIOError != 0) {
			r.ret()
			return
		}
		s.Started = 1
		t.PC = pcD3
		if t.Args&argIOError == 0 {
			r.tag(TagD2)
			r.call(pcG1, pcD3)
		}

	case pcD3: // [icl]
		r.tag(TagD3, TagD4, TagD5)
		s.Shutdown = 1
		r.result(false)
		r.unlock()
		t.PC = pcD6

	case pcD6: // [push]
		r.tag(TagD6)
		r.wakeAll(waitStart)
		r.wakeAll(waitCommit)
		r.unlock()
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
		if c.Ref > 0 && r.m.Without&WithoutRefcntSkip == 0 {
			r.tag(TagSC1)
			r.nextShutdown()
			return
		}
		r.tag(TagSC2)
		r.mv.Note(NoteSpliced, t.Pos-1, c.Ref)
		t.List, c.Cb = c.Cb, NoSeq
		r.unlock()
		r.call(pcPC1, pcSC2)

	case pcSC2: // the callbacks of this iclog have run
		r.wakeAll(waitWrite + wait(t.Pos-1))
		r.wakeAll(waitForce + wait(t.Pos-1))
		r.nextShutdown()
	}
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
