package conform

import "slices"

// The reduction: which hidden steps of other threads have to be considered before
// what the thread of the event does next. The answer is a persistent set of
// tasks, computed in each state by trying both orders and comparing the states.

// others are the tasks whose hidden steps may have to come before what the task
// does next: those that a chain of conflicts leads to.
func (c *checker) others(n *node, task int) []int {
	var movable []int
	for u := range c.m.Tasks() {
		if u != task && c.mayStep(n, u) {
			movable = append(movable, u)
		}
	}
	if c.how == full || len(movable) == 0 {
		return movable
	}
	var before []int
	for _, u := range movable {
		if c.conflict(n, u, task) {
			before = append(before, u)
		}
	}
	for grown := len(before) > 0; grown; {
		grown = false
		for _, u := range movable {
			if !slices.Contains(before, u) && c.conflictsWithAny(n, u, before) {
				before, grown = append(before, u), true
			}
		}
	}
	return before
}

// conflict reports whether some step of u's hidden chain does not commute with
// what the task does next about the event.
func (c *checker) conflict(n *node, u, task int) bool {
	return c.chain(n, u, func(a, b *node) bool {
		outs, after := c.try(a, task, &c.scratch), c.try(b, task, &c.scratch)
		if len(outs) != len(after) {
			return true
		}
		for i := range outs {
			moved := c.ahead(outs[i].n, u, &c.scratch)
			if len(moved) != 1 || outs[i].shown != after[i].shown || *moved[0] != *after[i].n {
				return true
			}
		}
		return false
	})
}

// conflictsWithAny reports whether u's hidden chain does not commute with the
// next hidden step of one of the tasks.
func (c *checker) conflictsWithAny(n *node, u int, tasks []int) bool {
	return c.chain(n, u, func(a, b *node) bool {
		for _, v := range tasks {
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
	n = c.scratch.copy(n)
	for range longest {
		next := c.ahead(n, u, &c.scratch)
		if len(next) != 1 {
			return false
		}
		if stop(n, next[0]) {
			return true
		}
		n = next[0]
	}
	return false
}
