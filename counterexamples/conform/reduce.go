package conform

import (
	"iter"
	"math/bits"
)

// The reduction: which hidden steps of other threads have to be considered before
// what the thread of the event does next. The answer is a persistent set of
// tasks, computed in each state by trying both orders and comparing the states.

// others is the set of tasks whose hidden steps may have to come before what the
// task does next, which is outs: those that a chain of conflicts leads to.
func (c *checker) others(n *node, task int, outs []outcome) uint64 {
	var movable, before uint64
	for u := range c.m.Tasks() {
		if u != task && c.mayStep(n, u) {
			movable |= 1 << u
		}
	}
	if c.how == full || movable == 0 {
		return movable
	}
	for u := range members(movable) {
		if c.conflict(n, u, task, outs) {
			before |= 1 << u
		}
	}
	for grown := before != 0; grown; {
		grown = false
		for u := range members(movable &^ before) {
			if c.conflictsWithAny(n, u, before) {
				before |= 1 << u
				grown = true
			}
		}
	}
	return before
}

// members are the numbers in a set, in order.
func members(set uint64) iter.Seq[int] {
	return func(yield func(int) bool) {
		for ; set != 0; set &= set - 1 {
			if !yield(bits.TrailingZeros64(set)) {
				return
			}
		}
	}
}

// conflict reports whether some step of u's hidden chain does not commute with
// what the task does next about the event, which is outs.
func (c *checker) conflict(n *node, u, task int, outs []outcome) bool {
	return c.chain(n, u, func(_, b *node) bool {
		after := c.try(b, task, &c.scratch)
		if len(outs) != len(after) {
			return true
		}
		for i := range outs {
			moved := c.ahead(outs[i].n, u, &c.scratch)
			if len(moved) != 1 || outs[i].shown != after[i].shown || *moved[0] != *after[i].n {
				return true
			}
		}
		outs = after
		return false
	})
}

// conflictsWithAny reports whether u's hidden chain does not commute with the
// next hidden step of one of the tasks.
func (c *checker) conflictsWithAny(n *node, u int, tasks uint64) bool {
	return c.chain(n, u, func(a, b *node) bool {
		for v := range members(tasks) {
			va, vb := c.ahead(a, v, &c.scratch), c.ahead(b, v, &c.scratch)
			if len(va) != 1 || len(vb) != 1 {
				return true
			}
			if ab := c.ahead(va[0], u, &c.scratch); len(ab) != 1 || *ab[0] != *vb[0] {
				return true
			}
		}
		return false
	})
}

// chain passes each hidden step of u, from n on, to stop, until that says so.
func (c *checker) chain(n *node, u int, stop func(a, b *node) bool) bool {
	const longest = 16
	c.scratch.reset()
	for range longest {
		next := c.ahead(n, u, &c.scratch)
		if len(next) == 0 {
			return false
		}
		if len(next) > 1 || stop(n, next[0]) {
			return true
		}
		n = next[0]
	}
	return false
}
