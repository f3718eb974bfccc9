package conform

import (
	"fmt"
	"slices"

	"cilcheck/cil"
)

// maxTold bounds how many states of a rejection are described.
const maxTold = 4

// explain says what the model could have shown instead of the event, and in
// which states it is. A value that was read late and never found is the true
// place of the fault if there is one before the event.
func (c *checker) explain(res *Result, e *Event) {
	for _, n := range c.cur {
		task := n.task(e.PID)
		if task < 0 {
			res.could("the thread has no operation in progress, and this does not begin one")
			continue
		}
		if r := &n.threads[task].read; r.stage != allRead {
			res.Line, res.Why = int(r.line), "the values that this event read were not there, then or later"
		}
		for _, s := range c.instead(n, task) {
			res.could(s)
		}
	}
	for _, n := range c.cur[:min(len(c.cur), maxTold)] {
		res.States = append(res.States, c.describe(n))
	}
}

func (res *Result) could(s string) {
	if !slices.Contains(res.Could, s) {
		res.Could = append(res.Could, s)
	}
}

// instead is what the thread of a task shows next in a state.
func (c *checker) instead(n *node, task int) []string {
	th := &n.threads[task]
	if th.owed.n > 0 {
		s := th.owed.q[0].kind.String()
		if w := c.m.WaitName(&n.s, task); w != "" {
			s += ", once woken from " + w
		}
		return []string{s}
	}
	if w := c.m.WaitName(&n.s, task); w != "" {
		return []string{"nothing: it sleeps on " + w}
	}
	var could []string
	for _, o := range c.steps(n, task, &c.scratch) {
		switch {
		case o.told.inside.n > 0:
			could = append(could, o.told.inside.q[0].kind.String())
		case o.told.after.n > 0:
			could = append(could, o.told.after.q[0].kind.String())
		}
	}
	if could == nil {
		could = []string{"nothing yet: it is in " + cil.FunctionName(n.s.Task[task].PC)}
	}
	return could
}

// describe is one line about a state.
func (c *checker) describe(n *node) string {
	cur, _ := n.seq(n.s.Current)
	push, ok := n.seq(n.s.PushSeq)
	if !ok && n.base > 0 {
		push = n.base - 1
	}
	s := fmt.Sprintf("xc_current_sequence %d, xc_push_seq %d, EMPTY %d", cur, push, n.s.Empty)
	for i := range c.m.Tasks() {
		th := &n.threads[i]
		if th.pid == 0 {
			continue
		}
		s += fmt.Sprintf("; pid %d in %s", th.pid, cil.FunctionName(n.s.Task[i].PC))
		if w := c.m.WaitName(&n.s, i); w != "" {
			s += " waits for " + w
		}
		if th.owed.n > 0 {
			s += " then " + th.owed.q[0].kind.String()
		}
	}
	return s
}
