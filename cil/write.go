package cil

// write is xlog_write of t.Rest units for the checkpoint t.Work: iclog by iclog,
// each released when it is filled.
func (r *run) write() {
	t := r.t
	switch t.PC {
	case pcX3: // the first iclog of the record tells the checkpoint its LSN
		c := r.ctx(t.Work)
		switch {
		case t.Local&localCommit != 0:
			r.tag(TagX3)
			t.PC = pcS1
			if r.m.Faults&FaultPublishBeforeAttach != 0 {
				t.PC = pcS3
			}
		case c.Start == NoLSN:
			r.tag(TagX3)
			t.PC = pcSF1
		default:
			t.PC = pcX4
		}

	case pcX4: // [icl] copied; give up the reference
		if t.Rest > 0 {
			r.tag(TagX4)
		} else {
			r.tag(TagX5)
		}
		r.call(pcRI1, pcX4released)

	case pcX4released: // [icl]
		r.unlock()
		t.Iclog = 0
		if t.Rest > 0 && !r.failed() {
			t.PC = pcX2
			return
		}
		t.Rest = 0
		r.ret()
	}
}

// getIclogSpace is xlog_state_get_iclog_space: it finds room for t.Rest units,
// or as much of them as fits, in the head iclog, with a reference on it.
func (r *run) getIclogSpace() { // [icl]
	s, t := r.s, r.t
	switch t.PC {
	case pcX2:
		r.tag(TagX2, TagGI1)
		if r.isShutdown() {
			r.noIclogSpace()
			return
		}
		h := &s.Iclog[s.Head]
		if h.State != Active {
			r.tag(TagGI2)
			r.joinOrSleep(WithoutLockedSpaceWake, waitSpace, pcX2, pcXW2space)
			return
		}
		r.tag(TagGI3)
		t.Iclog = s.Head + 1
		h.Ref++
		if h.Offset == 0 {
			r.assignLSN(h)
		}
		r.takeSpace(h)

	case pcXW2space: // [icl]
		r.setStateAndSleep(waitSpace, pcX2)

	case pcGI4released: // [icl]
		t.Iclog = 0
		if r.failed() {
			r.noIclogSpace()
			return
		}
		r.unlock()
		t.PC = pcX2
	}
}

// takeSpace is GI4 to GI6 for the head iclog, on which the task has a reference.
func (r *run) takeSpace(h *Iclog) {
	s, t := r.s, r.t
	if h.Offset == r.m.IclogUnits { // no room for another op header
		r.tag(TagGI4)
		r.switchIclog(int(s.Head))
		if h.Ref > 1 {
			h.Ref--
			t.Iclog = 0
			t.PC = pcX2
			r.unlock()
			return
		}
		r.call(pcRI1, pcGI4released)
		return
	}
	r.tag(TagGI5, TagGI6)
	if room := r.m.IclogUnits - h.Offset; t.Rest <= room {
		h.Offset += t.Rest
		t.Rest = 0
	} else {
		h.Offset = r.m.IclogUnits
		t.Rest -= room
		r.switchIclog(int(s.Head))
	}
	r.unlock()
	t.PC = pcX3
}

func (r *run) noIclogSpace() {
	r.t.Rest = 0
	r.result(true)
	r.unlock()
	r.ret()
}

// assignLSN gives the iclog the LSN of the current head block of the log.
func (r *run) assignLSN(c *Iclog) {
	if int(r.s.NextLSN-FirstLSN) >= int(r.m.LSNs) {
		r.mv.Truncate("log write slots")
		return
	}
	c.Lsn = r.s.NextLSN
	r.s.NextLSN++
}

// setCtxWriteState is xlog_cil_set_ctx_write_state: the first call of a
// checkpoint is SF1 and SF2, the second S1 to S3.
func (r *run) setCtxWriteState() {
	s, t := r.s, r.t
	iclog := &s.Iclog[t.Iclog-1]
	switch t.PC {
	case pcSF1: // [push]
		r.tag(TagSF1)
		r.ctx(t.Work).Start = iclog.Lsn
		if r.m.Faults&FaultSkipStartWake == 0 {
			r.wakeAll(waitStart)
		}
		r.unlock()
		t.PC = pcSF2

	case pcSF2: // [icl]
		r.tag(TagSF2)
		iclog.Flags |= needFlush
		r.unlock()
		t.PC = pcX4

	case pcS1: // no lock: the reference of xlog_write keeps it above 0
		r.tag(TagS1)
		iclog.Ref++
		t.PC = pcS2
		if r.m.Without&WithoutSharedCallbackLock != 0 {
			t.PC = pcS3
		}

	case pcS2: // [icl]
		r.tag(TagS2)
		r.appendCallback(iclog)
		r.unlock()
		t.PC = pcS3
		if r.m.Faults&FaultPublishBeforeAttach != 0 {
			t.PC = pcX4
		}

	case pcS3: // [push]
		r.tag(TagS3)
		c := r.ctx(t.Work)
		if c.Commit != NoLSN {
			r.mv.Note(NoteCommitSetAgain, t.Work, 0)
		}
		c.Iclog, c.Commit = t.Iclog, iclog.Lsn
		r.wakeAll(waitCommit)
		r.unlock()
		t.PC = pcX4
		if r.m.Faults&FaultPublishBeforeAttach != 0 {
			t.PC = pcS1
		}
	}
}

// appendCallback appends the context to ic_callbacks.
func (r *run) appendCallback(iclog *Iclog) {
	last := &iclog.Cb
	for *last != NoSeq {
		last = &r.ctx(*last).CbNext
	}
	*last = r.t.Work
	r.ctx(r.t.Work).CbNext = NoSeq
}
