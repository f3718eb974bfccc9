package conform

import "cilcheck/cil"

// matches reports whether the event is what the thread of the task shows
// next, in this state, and binds numbers that it is the first to show.
func (c *checker) matches(n *node, task int, x expect) bool {
	e := c.event
	if e.Kind != x.kind {
		return false
	}
	t := &n.s.Task[task]
	switch e.Kind {
	case PushNow:
		return t.Wait == 0 && e.Async == (x.more == 1) && n.sameSeq(t.Seq, e.Seq) && n.shows(e)
	case RestartCur:
		return n.sameSeq(t.Seq, e.Seq) && n.shows(e)
	case FlushWq, FlushWqRet:
		return t.Wait == 0
	case FlushPrepRet:
		mustWait, notFirst := x.more&flushMustWait != 0, x.more&flushNotFirst != 0
		return e.Wait && mustWait || !e.Wait && (!mustWait || notFirst)
	case LogForceSeq, CilForceSeq:
		return n.sameSeq(t.Seq, e.Seq)
	case RestartWait:
		return n.sameSeq(t.Seq, e.Seq) && n.sameSeq(n.s.Current, e.Cur) && n.sameSeq(c.uncommitted(n, e.Seq), e.OnSeq)
	case CilForceSeqRet:
		return n.sameResult(t, x, e)
	case LogForceSeqRet, OrderWriteRet:
		return e.Ret == 0
	case PushWork:
		return n.sameSeq(t.Work, e.Seq)
	case OrderWrite:
		return n.sameSeq(t.Work, e.Seq) && e.Rec == x.more
	case SetCtxWriteState:
		return n.sameSeq(t.Work, e.Seq) && n.sameStart(t.Work, e)
	case CilCommitted:
		return n.sameSeq(t.Ctx, e.Seq) && t.Ctx >= cil.FirstSeq &&
			n.sameLsn(n.s.Ctx[t.Ctx-cil.FirstSeq].Commit, e.CommitLsn)
	}
	if kinds[e.Kind].needs&hasState != 0 {
		return n.sameIclogEvent(x, e)
	}
	return true
}

// shows compares the shared variables that a probe read, without the lock, at
// the time of the event.
func (n *node) shows(e *Event) bool {
	empty := e.Flags&FlagEmpty != 0
	return n.sameSeq(n.s.Current, e.Cur) && n.sameSeq(n.s.PushSeq, e.PushSeq) && empty == (n.s.Empty != 0)
}

// uncommitted is the checkpoint on which the walk of F2 sleeps: the newest on
// xc_committing, not newer than seq, without a commit_lsn.
func (c *checker) uncommitted(n *node, seq uint64) cil.Seq {
	var list [cil.MaxContexts]cil.Seq
	for _, rel := range c.m.CommittingList(&n.s, list[:0]) {
		abs, ok := n.seq(rel)
		if ok && abs <= seq && n.s.Ctx[rel-cil.FirstSeq].Commit == cil.NoLSN {
			return rel
		}
	}
	return cil.NoSeq
}

// sameResult compares the LSN that xlog_cil_force_seq returned.
func (n *node) sameResult(t *cil.Task, x expect, e *Event) bool {
	switch x.more {
	case resultIgnored:
		return true
	case resultNull:
		return e.Lsn == NullCommitLSN
	}
	return e.Lsn != NullCommitLSN && e.Lsn != 0 && n.sameLsn(t.Lsn, e.Lsn)
}

// sameStart compares the LSNs of a checkpoint at the entry of
// xlog_cil_set_ctx_write_state.
func (n *node) sameStart(work cil.Seq, e *Event) bool {
	ctx := &n.s.Ctx[work-cil.FirstSeq]
	if e.CommitLsn != 0 || (ctx.Start == cil.NoLSN) != (e.StartLsn == 0) {
		return false
	}
	return e.StartLsn == 0 || n.sameLsn(ctx.Start, e.StartLsn)
}

// sameIclogEvent compares the state and the LSN of an iclog.
func (n *node) sameIclogEvent(x expect, e *Event) bool {
	if x.state != anyState && x.state != uint8(e.State) {
		return false
	}
	switch {
	case e.Kind == IclogRelease && int(x.more) != e.Refcnt:
		return false
	case e.Kind == IclogGetSpace && (x.more&freshIclog != 0) != (e.Offset == 0):
		return false
	case e.Lsn == 0:
		// Not assigned yet, which only these can see.
		switch e.Kind {
		case IclogGetSpace:
			return e.Offset == 0
		case IclogForce, IclogForceLsn, IclogWaitOn:
			return true
		}
		return false
	case x.iclog != 0:
		return n.sameIclog(int(x.iclog)-1, e.Lsn)
	}
	for _, lsn := range n.ring {
		if lsn == e.Lsn || lsn == 0 {
			return true
		}
	}
	return e.Kind == IclogWaitOn
}
