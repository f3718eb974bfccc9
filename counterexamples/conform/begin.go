package conform

import "cilcheck/cil"

// begin gives the nodes in which a thread that has no task begins what the event
// says it begins. shown: the event is the beginning itself and is used up.
func (c *checker) begin(n *node) (starts []*node, shown bool) {
	e := c.event
	switch e.Kind {
	case Fsync:
		return c.start(n, opFsync), true
	case CilFlush:
		return c.start(n, opCilFlush), true
	case LogForce:
		return c.start(n, opLogForce), true
	case LogForceSeq:
		starts = c.start(n, opFsync)
		for _, s := range starts {
			task := s.task(e.PID)
			s.threads[task].lone = true
			s.foresee(task, e)
		}
	case QueueWork:
		starts = c.start(n, opPushCommit)
	case ExecuteStart:
		for w := c.m.FirstWorker(); w < c.m.FirstIO(); w++ {
			if c.m.Between(&n.s, w) {
				return []*node{c.named(n, w)}, false
			}
		}
	case IclogSyncDone:
		for i := range iclogs {
			if n.s.Iclog[i].Lsn != cil.NoLSN && (n.ring[i] == e.Lsn || n.ring[i] == 0) {
				starts = append(starts, c.named(n, c.m.FirstIO()+i))
			}
		}
	}
	return starts, false
}

// start makes the thread of the event begin one of the operations in the first
// free slot.
func (c *checker) start(n *node, ops ...int) (starts []*node) {
	for slot := committers + 1; slot < c.m.FirstWorker(); slot++ {
		if n.threads[slot].pid != 0 {
			continue
		}
		for _, op := range ops {
			next := c.named(n, slot)
			c.operation(next, slot, op)
			starts = append(starts, next)
		}
		return starts
	}
	c.noRoom = true
	return nil
}

// operation makes a task enter an operation.
func (c *checker) operation(n *node, task, op int) {
	n.threads[task].busy = true
	n.s.Inode[inodeOf(task)] = cil.NoSeq
	c.m.Begin(&n.s, task, op)
}

// nested gives the nodes in which a thread, in the part of xfs_file_fsync that
// comes before FY2, begins something else: its writeback commits, and may force
// the log itself.
func (c *checker) nested(n *node, task int) (starts []*node, shown bool) {
	var ops []int
	switch {
	case n.threads[task].owed.n > 0 || n.s.Task[task].PC != cil.PlaceFsync:
		return nil, false
	case c.event.Kind == LogForce:
		ops, shown = []int{opLogForce}, true
	case c.event.Kind == QueueWork:
		ops = []int{opPushCommit}
	}
	for _, op := range ops {
		next := c.spare.copy(n)
		next.threads[task].inFsync = true
		c.operation(next, task, op)
		starts = append(starts, next)
	}
	return starts, shown
}

// named is a copy of n in which a task is the thread of the event.
func (c *checker) named(n *node, task int) *node {
	next := c.spare.copy(n)
	next.threads[task] = thread{pid: int32(c.event.PID), busy: true}
	return next
}

// foresee sets the inode's commit sequence that FY3 is about to read to what the
// recording says it read, or to none if the event is another: commits are hidden,
// and any of them may have set it, or the end of a checkpoint cleared it.
func (n *node) foresee(task int, e *Event) {
	if n.threads[task].owed.n > 0 || n.s.Task[task].PC != cil.PlaceFsync {
		return
	}
	n.s.Inode[inodeOf(task)] = cil.NoSeq
	if e.Kind == LogForceSeq {
		n.s.Inode[inodeOf(task)] = n.relative(e.Seq)
	}
}
