package conform

import (
	"cilcheck/cil"
	"cilcheck/statespace"
)

// mayStep reports whether a task whose turn it is not may take a step now: it
// owes nothing, or little if the effort is skewed, and does not sleep.
func (c *checker) mayStep(n *node, task int) bool {
	if task == committers {
		return n.s.Empty != 0
	}
	th, t := &n.threads[task], &n.s.Task[task]
	const mayOwe = 4
	switch {
	case th.read.stage != allRead, t.Wait != 0, t.PC == cil.PlaceFsync, n.idle(c.m, task), c.m.WouldSleep(&n.s, task) >= 0:
		return false
	case c.how == skewed && c.soon(n, task):
		return th.owed.n <= mayOwe
	}
	// With the device, or before get_space: the next step shows an event, or
	// sleeps until it can.
	return th.owed.n == 0 && !c.m.InDevice(&n.s, task) && t.PC != cil.PlaceSpace
}

// soon reports whether the thread of a task shows an event within the skew.
func (c *checker) soon(n *node, task int) bool {
	for i := range c.upcoming {
		e := &c.upcoming[i]
		switch io := task - c.m.FirstIO(); {
		case since(c.event.Time, e.Time) > c.skew:
			return false
		case n.threads[task].pid == int32(e.PID):
			return true
		case io >= 0 && e.Kind == IclogSyncDone && n.ring[io] == e.Lsn:
			return true
		}
	}
	return false
}

// ahead takes the next step of a task whose turn it is not: one that shows
// nothing, or any if the effort is skewed.
func (c *checker) ahead(n *node, task int, a *arena) []*node {
	if !c.mayStep(n, task) {
		return nil
	}
	if task == committers {
		return c.commit(n, a)
	}
	early := c.how == skewed && c.soon(n, task)
	first := len(a.list)
	outs := c.steps(n, task, a)
	for i := range outs {
		o := &outs[i]
		th := &o.n.threads[task]
		if early {
			th.due = due{count: int64(th.owed.n + min(o.told.inside.n, 1))}
			if th.due.count > 0 {
				th.due.until = c.event.Time + c.skew
			}
		} else if o.told.inside.n > 0 {
			continue
		}
		th.owed.append(&o.told.inside)
		th.owed.append(&o.told.after)
		o.n.release(c.m, task)
		a.list = append(a.list, o.n)
	}
	return a.list[first:len(a.list):len(a.list)]
}

// commit is a whole transaction commit of some thread that shows no event, after
// the hidden steps of a push work that still holds xc_ctx_lock. Its one effect
// on others is that EMPTY is clear; while it holds xc_ctx_lock itself others can
// do less, so a commit in one go hides no behaviour.
func (c *checker) commit(n *node, a *arena) []*node {
	const steps = 8
	for i := 0; n.s.Writer != 0; i++ {
		nexts := c.ahead(n, int(n.s.Writer)-1, a)
		if len(nexts) != 1 || i == steps {
			return nil
		}
		n = nexts[0]
	}
	next := a.copy(n)
	c.m.Begin(&next.s, committers, opCommit)
	for done := false; !done; done = c.m.Between(&next.s, committers) {
		c.mv.Begin(committers)
		if c.m.Step(&next.s, committers, &c.mv) != statespace.Moved {
			return nil
		}
		next.shifted(&c.mv)
	}
	c.m.Begin(&next.s, committers, opCommit)
	resize(&next.s)
	a.list = append(a.list, next)
	return a.list[len(a.list)-1:]
}

// flushing reports whether a thread other than the task is in a flush, or can be:
// it has entered, and that it has looked at what is in flight was missed.
func (c *checker) flushing(n *node, task int) bool {
	for u := range c.m.FirstWorker() {
		th := &n.threads[u]
		switch {
		case u == task:
		case c.m.InFlush(&n.s, u), th.owed.n > 0 && th.owed.q[0].kind == FlushWqRet,
			n.s.Task[u].PC == cil.PlaceFlush && th.missed.Has(FlushPrepRet):
			return true
		}
	}
	return false
}
