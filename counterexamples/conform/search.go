package conform

import (
	"cilcheck/cil"
	"cilcheck/statespace"
)

// effort is how much the search allows to make an event fit. It begins with the
// least, and goes on only if no state fits.
type effort uint8

const (
	// lazy takes a hidden step of another thread only if it does not commute
	// with what the thread of the event does next.
	lazy effort = iota
	// late also lets a probe that reads shared variables read them later than its
	// timestamp: see lateRead.
	late
	// full takes the hidden steps of all threads in every order.
	full
	// skewed takes, ahead of their time, also steps of other threads that show
	// events, if these then come within the skew of the clocks; of all steps only
	// those that do not commute, as lazy does.
	skewed
	numEfforts
)

// checker is the search for the executions of the model that show the events
// seen so far.
type checker struct {
	m       *cil.Machine
	absent  KindSet         // the recording has no events of these kinds
	skew    uint64          // between the clocks of two CPUs
	limit   int             // nodes looked at for one event at most
	missing map[int]KindSet // by the line of an entry, the returns that the recording misses

	event    *Event                     // that is to be shown
	upcoming []Event                    // that follow it, as far as peek has looked
	peek     func(until uint64) []Event // the events that follow, up to a time
	how      effort
	least    effort
	mv       statespace.Move

	// cur is the set of nodes after the event before; all that is made for this
	// one lives in the arena spare, cur in kept.
	cur         []*node
	kept, spare arena
	scratch     arena
	found, seen nodes
	ways        []cil.State

	hidden   int    // hidden steps taken
	noRoom   bool   // some thread found no free task
	beyond   string // a step was left out: what the model has too few of
	overflow bool   // more than limit nodes
}

// next takes the set of nodes over one event and reports whether any is left.
// If none is, the set stays as it was.
func (c *checker) next(e *Event) bool {
	c.event = e
	for c.how = c.least; c.how < numEfforts; c.how++ {
		c.spare.reset()
		c.found.reset()
		c.seen.reset()
		for _, n := range c.cur {
			c.show(n)
		}
		if len(c.found.list) > 0 {
			c.cur = append(c.cur[:0], c.found.list...)
			c.kept, c.spare = c.spare, c.kept
			return true
		}
		if c.overflow || c.noRoom {
			break
		}
		if c.how+1 == skewed && c.peek != nil {
			c.upcoming = c.peek(e.Time + c.skew)
		}
	}
	return false
}

// show adds to found the nodes after the event that n leads to.
func (c *checker) show(n *node) {
	n = c.spare.copy(n)
	task := n.task(c.event.PID)
	if task < 0 {
		c.began(c.begin(n))
		return
	}
	n.foresee(task, c.event)
	c.arrive(n, task)
}

// began goes on from nodes in which the thread of the event has begun something.
// shown: the event is used up by that.
func (c *checker) began(starts []*node, shown bool) {
	for _, n := range starts {
		if shown {
			c.keep(n)
		} else {
			c.arrive(n, n.task(c.event.PID))
		}
	}
}

// arrive adds to found every node in which the thread of the task has shown the
// event, reached from n by hidden steps of it and of others. n is in the arena
// of this event.
func (c *checker) arrive(n *node, task int) {
	if len(c.seen.list) >= c.limit {
		c.overflow = true
		return
	}
	if !c.seen.add(n) {
		return
	}
	if n.idle(c.m, task) {
		c.again(n, task)
		return
	}
	if starts, shown := c.nested(n, task); len(starts) > 0 {
		c.began(starts, shown)
		return
	}
	if n.threads[task].owed.n > 0 && n.threads[task].read.stage == allRead {
		next := c.spare.copy(n)
		if c.pay(next, task) {
			// What others do makes no difference to that any more.
			next.release(c.m, task)
			c.keep(next)
			return
		}
	}
	outs := c.try(n, task, &c.spare)
	before := c.others(n, task, outs)
	for i := range outs {
		o := &outs[i]
		if o.shown {
			o.n.release(c.m, task)
			c.keep(o.n)
			continue
		}
		c.hidden++
		c.arrive(o.n, task)
	}
	for u := range members(before) {
		for _, next := range c.ahead(n, u, &c.spare) {
			c.hidden++
			c.arrive(next, task)
		}
	}
}

// keep adds to found a node that has shown the event, unless a step that was
// taken early should have shown itself by now.
func (c *checker) keep(n *node) {
	for i := range n.threads {
		if d := &n.threads[i].due; d.count > 0 && c.event.Time > d.until {
			return
		}
	}
	if missing := c.missing[c.event.Line]; missing != 0 {
		n.threads[n.task(c.event.PID)].miss(missing)
	}
	n.settleAll()
	c.doze(n)
	c.found.add(n)
}

// again is arrive for a thread whose task has come to the end of what it did
// before, so that the event is the beginning of something new.
func (c *checker) again(n *node, task int) {
	n = c.spare.copy(n)
	if n.threads[task].inFsync {
		n.threads[task].inFsync = false
		c.operation(n, task, opFsync)
		n.foresee(task, c.event)
		c.arrive(n, task)
		return
	}
	n.release(c.m, task)
	c.began(c.begin(n))
}

// outcome is a node after one step of a task.
type outcome struct {
	n     *node
	told  telling
	shown bool // the event has been shown
}

// steps takes the next step of a task in every way.
func (c *checker) steps(n *node, task int, a *arena) []outcome {
	first := len(a.outs)
	c.ways = n.ways(task, c.ways[:0])
	if len(c.ways) == 0 {
		c.step(n, &n.s, task, a)
	}
	for i := range c.ways {
		c.step(n, &c.ways[i], task, a)
	}
	return a.outs[first:len(a.outs):len(a.outs)]
}

// step takes the next step of a task of n from a state, and adds its outcomes to
// those of the arena.
func (c *checker) step(n *node, from *cil.State, task int, a *arena) {
	for c.mv.Begin(task); ; {
		next := a.copy(n)
		if from != &n.s {
			next.s = *from
		}
		moved := c.m.Step(&next.s, task, &c.mv) == statespace.Moved
		if moved && c.mv.Truncated() != "" {
			c.beyond = c.mv.Truncated()
		} else if moved {
			a.outs = append(a.outs, outcome{n: next, told: c.finish(from, next, task)})
		}
		if !c.mv.Next() {
			return
		}
	}
}

// finish brings a node in line with the step that its state has taken, and says
// what the step shows.
func (c *checker) finish(before *cil.State, n *node, task int) telling {
	told := c.tell(before, n, task)
	n.threads[task].dozes = 0
	for i := range n.s.Iclog {
		if before.Iclog[i].Lsn == cil.NoLSN && n.s.Iclog[i].Lsn != cil.NoLSN {
			n.ring[i] = 0
		}
	}
	if c.mv.Marks&statespace.Return != 0 || task >= c.m.FirstWorker() && c.m.Between(&n.s, task) {
		n.threads[task].busy = false
	}
	n.shifted(&c.mv)
	resize(&n.s)
	return told
}

// try does what the thread of the task does next: read what it has still to
// read, show what it owes, or take one step.
func (c *checker) try(n *node, task int, a *arena) []outcome {
	th := &n.threads[task]
	if th.read.stage != allRead {
		n = a.copy(n)
		if !n.settle(task) {
			return nil
		}
		th = &n.threads[task]
	}
	if th.owed.n > 0 {
		next := a.copy(n)
		if c.pay(next, task) {
			a.outs = append(a.outs, outcome{n: next, shown: true})
			return a.outs[len(a.outs)-1:]
		}
		return nil
	}
	outs := c.steps(n, task, a)
	fits := outs[:0]
	for i := range outs {
		o := &outs[i]
		if o.told.inside.n > 0 {
			if !c.matches(o.n, task, o.told.inside.q[0]) {
				continue
			}
			o.told.inside.pop()
			o.shown = true
		}
		o.n.threads[task].owed.append(&o.told.inside)
		o.n.threads[task].owed.append(&o.told.after)
		fits = append(fits, *o)
	}
	return fits
}

// pay lets the thread show what it owes, if that is the event.
func (c *checker) pay(n *node, task int) bool {
	th := &n.threads[task]
	if c.passesOn(n, task) {
		return true
	}
	if th.due.count > 0 {
		if th.due.count--; th.due.count == 0 {
			th.due = due{}
		}
	}
	x := th.owed.q[0]
	if !c.matches(n, task, x) && !(c.how > c.least && n.readLate(task, x, c.event)) {
		return false
	}
	th.owed.pop()
	return true
}

// passesOn reports whether the event is that a flush, which has waited, is passed
// on to the next colour, for who waits behind it: a flush_prep_ret more. That the
// first was missed is believed like other returns.
func (c *checker) passesOn(n *node, task int) bool {
	th := &n.threads[task]
	if c.event.Kind != FlushPrepRet || n.s.Task[task].Wait != 0 || !c.flushing(n, task) {
		return false
	}
	if x := th.owed.q[0]; x.kind == FlushPrepRet && x.more&flushMustWait != 0 && c.missing != nil {
		th.owed.pop()
	}
	return th.owed.q[0].kind == FlushWqRet
}
