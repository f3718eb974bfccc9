package cil

// pushNow is xlog_cil_push_now(t.Seq, async).
func (r *run) pushNow() {
	s, t := r.s, r.t
	switch t.PC {
	case pcN0:
		r.tag(TagN0)
		t.PC = pcN2
		if t.Args&argAsync != 0 || r.m.Without&WithoutSecondLook != 0 {
			return
		}
		switch r.m.Flush {
		case FlushAlways:
			t.PC = pcN1
		case FlushWork:
			t.PC = pcN1ctx
		}

	case pcN1: // takes wq->mutex, then sleeps if anything is in flight
		r.tag(TagN1)
		t.PC = pcN2
		if r.s.Wq.Flush(r.id) {
			t.Local |= localTurn
			r.sleepOn(waitFlush, pcN2)
		}

	case pcN1ctx: // R3 [push]: which work is it?
		r.tag(TagN1)
		t.Ctx = s.XcCtx
		r.mv.Note(NoteReads, t.Ctx, 0)
		r.unlock()
		t.PC = pcN1work

	case pcN1work: // R3: flush_work, with no lock and no reference on the context
		r.tag(TagN1)
		r.ctx(t.Ctx)
		ctx := t.Ctx
		t.Ctx, t.PC = NoSeq, pcN2
		if ctx >= FirstSeq && r.s.Wq.FlushWork(r.id, int(ctx-FirstSeq)) {
			t.Local |= localTurn
			r.sleepOn(waitFlush, pcN2)
		}

	case pcN2: // [push]
		r.tag(TagN2, TagN3)
		r.assert(t.Seq != NoSeq && t.Seq <= s.Current, AssertPushSeq)
		async := t.Args & argAsync
		if r.m.Without&WithoutPendingStable == 0 {
			r.storeStable(async)
		}
		if r.m.ForceStarted && async != 0 && (t.Seq < s.Current || t.Seq == s.Committing) {
			t.Args |= argStarted
		}
		t.PC = pcN4

	case pcN4: // [push]; EMPTY may be cleared right after: commits do not take it
		r.tag(TagN4)
		t.PC = pcN5
		if s.Empty != 0 || t.Seq <= s.PushSeq {
			r.pushNowDone()
		}

	case pcN5: // [push]
		r.tag(TagN5)
		if r.m.Without&WithoutPendingStable != 0 {
			r.storeStable(t.Args & argAsync)
		}
		s.PushSeq = t.Seq
		r.queuePush()
		if r.m.Without&WithoutSecondLook != 0 && t.Args&argAsync == 0 {
			r.unlock()
			t.PC = pcN5own
			return
		}
		r.pushNowDone()

	case pcN5own: // a kworker stands for the caller, who waits for it
		t.PC = pcN5returned
		if t.Seq >= FirstSeq && s.Wq.FlushWork(r.id, int(t.Seq-FirstSeq)) {
			r.sleepOn(waitFlush, pcN5returned)
		}

	case pcN5returned:
		r.ret()
	}
}

// storeStable is the store of N3. R5 leaves a set flag to the push work.
func (r *run) storeStable(async uint8) {
	if async != 0 || !r.m.StableOR {
		r.s.Stable = async
	}
}

func (r *run) pushNowDone() {
	r.t.Args &^= argAsync
	r.unlock()
	r.ret()
}

// cilFlush is xlog_cil_flush.
func (r *run) cilFlush() {
	s, t := r.s, r.t
	switch t.PC {
	case pcA1: // lock-free
		r.tag(TagA1, TagA2)
		t.Seq = s.Current
		r.snapshotAsync()
		t.Args |= argAsync
		r.call(pcN0, pcA3)

	case pcA3: // lock-free
		r.tag(TagA3)
		t.Seq = NoSeq
		started := t.Args&argStarted != 0
		t.Args &^= argStarted
		if s.Empty == 0 && !started || r.m.Without&WithoutEmptyForce != 0 {
			r.result(false)
			r.ret()
			return
		}
		t.PC = pcG1 // xfs_log_force(mp, 0)
	}
}

// snapshotAsync remembers the checkpoints that exist when cil_flush is called.
func (r *run) snapshotAsync() {
	newest := r.s.Current
	if r.s.Empty != 0 {
		newest--
	}
	if !r.s.Durable(newest) {
		r.s.Async = max(r.s.Async, newest)
	}
}
