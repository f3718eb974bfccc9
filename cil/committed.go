package cil

// processCommitted is xlog_cil_process_committed of the list t.List.
func (r *run) processCommitted() {
	t := r.t
	if t.List == NoSeq {
		r.ret()
		return
	}
	r.tag(TagPC1)
	c := r.ctx(t.List)
	t.Ctx, t.List = t.List, c.CbNext
	c.CbNext = NoSeq
	t.PC = pcK1
}

// committed is xlog_cil_committed of context t.Ctx. Of K3, what the forces can
// see is modelled: unpinning an inode. K4 (busy extents) is not.
func (r *run) committed() {
	t := r.t
	switch t.PC {
	case pcK1: // lock-free, once
		r.tag(TagK1)
		r.ctx(t.Ctx)
		abort := uint8(0)
		t.PC = r.insertion()
		if r.isShutdown() {
			abort = 1
			t.Local |= localAbort
			t.PC = pcK2
		}
		r.mv.Note(NoteCompleted, t.Ctx, abort)
		r.skipUnpin()

	case pcK2: // [push]
		r.tag(TagK2)
		r.wakeAll(waitStart)
		r.wakeAll(waitCommit)
		r.unlock()
		t.PC = r.insertion()
		r.skipUnpin()

	case pcK3a: // [ail]
		t.PC = pcK3
		if !r.m.TailInserted {
			r.moveHead()
		}

	case pcK3: // [ili_lock] the last unpin clears ili_commit_seq
		r.unpin()
		t.PC = r.afterUnpin()

	case pcK3buf, pcK3buffed:
		r.failBuffer()

	case pcK3d: // [ail]
		r.tag(TagK3d)
		r.touch(TornAIL)
		t.PC = r.afterAIL()

	case pcK5: // [push]
		r.tag(TagK5)
		r.unlinkCommitting()
		r.unlock()
		t.PC = pcK6
		if r.m.Faults&FaultFreeBeforeUnlink != 0 {
			r.committedDone()
		}

	case pcK6: // poisoned; a work that is still queued would be freed with it
		r.tag(TagK6)
		if r.s.Wq.Queued()&(1<<(t.Ctx-FirstSeq)) != 0 {
			r.mv.Note(NoteUseAfterFree, t.Ctx, 0)
		}
		r.ctx(t.Ctx).Life = Freed
		if r.m.Faults&FaultFreeBeforeUnlink != 0 {
			t.PC = pcK5
			return
		}
		r.committedDone()
	}
}

// insertion is where the AIL insertion begins; K3a is a step of its own where the
// tail shows it.
func (r *run) insertion() Label {
	if r.m.Tail {
		return pcK3a
	}
	return pcK3
}

func (r *run) committedDone() {
	r.t.Ctx, r.t.PC = NoSeq, pcPC1
	r.t.Local &^= localAbort
}

// skipUnpin passes over K3 when it changes nothing that a force reads.
func (r *run) skipUnpin() {
	if r.t.PC == pcK3 && !r.m.Fine && !r.lastPin() {
		r.unpin()
		r.t.PC = r.afterUnpin()
	}
}

// afterUnpin is where the completion goes on: at the next buffer to fail, else at
// the end of the AIL insertion, which is a step of its own for an unmount only.
func (r *run) afterUnpin() Label {
	switch {
	case r.s.context(r.t.Ctx).Fail != 0:
		return pcK3buf
	case r.m.unmounts:
		return pcK3d
	}
	return r.afterAIL()
}

func (r *run) afterAIL() Label {
	if r.m.Faults&FaultFreeBeforeUnlink != 0 {
		return pcK6
	}
	return pcK5
}

// lastPin reports whether K3 drops the last pin of an inode whose commit
// sequence is still set.
func (r *run) lastPin() bool {
	c := r.s.context(r.t.Ctx)
	return r.lastPins(c) != 0
}

// lastPins is the set of inodes that only this checkpoint pins.
func (r *run) lastPins(c *Ctx) uint8 {
	mine := c.Inodes
	for i := range r.s.Ctx[:r.m.Contexts] {
		if o := &r.s.Ctx[i]; o != c {
			mine &^= o.Inodes
		}
	}
	for i := range r.s.Inode {
		if r.s.Inode[i] == NoSeq {
			mine &^= 1 << i
		}
	}
	return mine
}

func (r *run) unpin() {
	c := r.s.context(r.t.Ctx)
	if r.t.Local&localAbort != 0 {
		r.tag(TagK3a, TagK3c)
	} else {
		r.tag(TagK3a, TagK3b)
	}
	r.touch(TornAIL)
	r.insertAIL(c)
	r.insertOnAIL(c)
	r.unpinBuffers(c)
	last := r.lastPins(c)
	for i := range r.s.Inode {
		if last&(1<<i) != 0 {
			r.s.Inode[i] = NoSeq
		}
	}
	c.Inodes = 0
}

// unlinkCommitting takes context t.Ctx off xc_committing.
func (r *run) unlinkCommitting() {
	link := &r.s.Committing
	for *link != NoSeq && *link != r.t.Ctx {
		link = &r.ctx(*link).Next
	}
	if *link == r.t.Ctx {
		c := r.ctx(r.t.Ctx)
		*link, c.Next = c.Next, NoSeq
	}
}
