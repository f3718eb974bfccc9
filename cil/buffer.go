package cil

// Buffers (Op.Buffer) have a lock that a task holds across a call into the log:
// the forcers of cil.md section 6.5. A transaction that logs a buffer pins it; K3c
// of an aborting checkpoint takes the lock of each.

// MaxBuffers bounds the buffers that operations name.
const MaxBuffers = 2

// buffer is the callers of the log that lock a buffer: its lock around an
// operation, and the flush of a dquot.
func (r *run) buffer() {
	t := r.t
	op := r.m.op(r.s, r.id)
	i := int(op.Buffer - 1)
	switch t.PC {
	case pcBufLock:
		r.downBuf(i, pcBufLocked)

	case pcBufLocked:
		r.enter(op)

	case pcBufUnlock:
		r.upBuf(i)
		t.PC = pcReturn

	case pcDQ1: // lock-free; the force of xfs_qm_dqunpin_wait
		if r.m.pinned(r.s, i) {
			r.call(pcG1, pcDQ2)
			return
		}
		t.PC = pcDQ3

	case pcDQ2: // what the force returned is ignored
		r.result(false)
		t.PC = pcDQ3
		if r.m.pinned(r.s, i) {
			r.sleepOn(waitUnpin+wait(i), pcDQ3)
		}

	case pcDQ3: // the flush itself; before d62016b1a2df the lock is held since DQ1
		if r.s.Buf[i] == uint8(r.id)+1 {
			r.ret()
			return
		}
		r.downBuf(i, pcDQ4)

	case pcDQ4:
		r.ret()
	}
}

// locksFirst reports whether the buffer of an operation is locked before it
// begins. A commit locks it too, and unlocks it in C6 unless it holds it.
func (m *Machine) locksFirst(op Op) bool {
	return op.Buffer > 0 && op.Kind != OpDelwriSubmit && (op.Kind != OpDqflush || m.Without&WithoutUnlockedDqForce != 0)
}

// holdsBuffer reports whether the task holds the buffer of its operation.
func (r *run) holdsBuffer(op Op) bool {
	return op.Buffer > 0 && r.s.Buf[op.Buffer-1] == uint8(r.id)+1
}

// downBuf is xfs_buf_lock.
func (r *run) downBuf(i int, pc Label) {
	if r.s.Buf[i] != 0 {
		r.queue(waitBuf+wait(i), pc)
		return
	}
	r.s.Buf[i] = uint8(r.id) + 1
	r.t.PC = pc
}

// upBuf is xfs_buf_unlock.
func (r *run) upBuf(i int) {
	r.s.Buf[i] = uint8(r.dequeue(waitBuf+wait(i))) + 1
}

// pinned reports whether a checkpoint pins buffer i.
func (m *Machine) pinned(s *State, i int) bool {
	for c := range s.Ctx[:m.Contexts] {
		if s.Ctx[c].Bufs&(1<<i) != 0 {
			return true
		}
	}
	return false
}

// unpinBuffers drops the pins of a checkpoint. Those that were the last leave,
// when it aborts, a buffer whose lock K3c has to take.
func (r *run) unpinBuffers(c *Ctx) {
	bufs := c.Bufs
	c.Bufs = 0
	for i := 0; bufs != 0; i, bufs = i+1, bufs>>1 {
		if bufs&1 == 0 || r.m.pinned(r.s, i) {
			continue
		}
		r.wakeAll(waitUnpin + wait(i))
		if r.t.Local&localAbort != 0 && !r.joined(i) {
			c.Fail |= 1 << i
		}
	}
}

// joined reports whether the holder of buffer i has it in a transaction that has
// not passed C6: then the pin was not the last reference to its log item.
func (r *run) joined(i int) bool {
	holder := int(r.s.Buf[i]) - 1
	if holder < 0 || holder >= r.m.firstWorker {
		return false
	}
	t := &r.s.Task[holder]
	return labels[t.PC].fn == fnCommit && t.PC <= pcC6 || t.PC == pcBufLocked
}

// failBuffer is xfs_buf_item_unpin of an aborting checkpoint: it locks each
// buffer to fail it.
func (r *run) failBuffer() {
	c := r.s.context(r.t.Ctx)
	i := 0
	for c.Fail&(1<<i) == 0 {
		i++
	}
	if r.t.PC == pcK3buf {
		r.tag(TagK3c)
		r.downBuf(i, pcK3buffed)
		return
	}
	c.Fail &^= 1 << i
	r.upBuf(i)
	r.t.PC = r.afterUnpin()
}

// HoldsBuffer reports whether a task holds the lock of a buffer.
func (m *Machine) HoldsBuffer(s *State, id int) bool {
	for _, holder := range s.Buf[:m.buffers] {
		if int(holder) == id+1 {
			return true
		}
	}
	return false
}

// WaitsForBuffer reports whether a task sleeps for the lock of a buffer.
func (m *Machine) WaitsForBuffer(s *State, id int) bool {
	return s.Task[id].Wait >= waitBuf && s.Task[id].Wait < waitUnpin
}

// HasBuffers reports whether an operation of the scenario locks a buffer.
func (m *Machine) HasBuffers() bool { return m.buffers > 0 }
