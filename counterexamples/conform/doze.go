package conform

import "cilcheck/cil"

// A thread in xlog_force_lsn that finds the iclog before its own being written
// sleeps until that is done (FL3), once, and shows nothing of it: the iclog is the
// head, so the walk along the ring passes none. With many threads, whether each
// has slept or not would be the most of the states.
//
// So nobody takes that step. A thread that could be asleep is noted (dozes); when
// the write is done, it counts as one that has slept. That it may not have slept
// loses nothing: one that has can do whatever one that has not can (go on to FL4,
// at any time later), but for sleeping once more, which nobody sees.

// doze notes who may sleep now, and who has slept.
func (c *checker) doze(n *node) {
	for task := range c.m.FirstWorker() {
		th := &n.threads[task]
		if th.pid == 0 || th.owed.n > 0 {
			continue
		}
		if th.dozes != 0 && n.written(int(th.dozes)-1) {
			th.dozes = 0
			n.s.Task[task].Slept()
		}
		if i := c.m.WouldSleep(&n.s, task); i >= 0 {
			th.dozes = int64(i) + 1
		}
	}
}

// written reports whether the write of an iclog that was on its way is done.
func (n *node) written(i int) bool {
	st := n.s.Iclog[i].State
	return st != cil.WantSync && st != cil.Syncing
}
