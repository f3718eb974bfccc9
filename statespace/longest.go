package statespace

import "math/bits"

// findLongest computes the longest-path questions.
func (e *explorer[S]) findLongest() error {
	e.longest = make([]Length, 0, len(e.o.Longest))
	for i := range e.o.Longest {
		q, within := &e.o.Longest[i], &e.predicates[len(e.o.Starved)+i]
		answer := Length{Name: q.Name, Task: -1}
		for rest := within.tasks; rest != 0 && !answer.Unbounded; rest &= rest - 1 {
			if !e.longestOf(q, bits.TrailingZeros64(rest), within, &answer) {
				e.longest = nil
				return nil
			}
		}
		e.longest = append(e.longest, answer)
	}
	return nil
}

// longestOf raises the answer to the longest path of one task. Components come
// successors first, so the longest path from a component is known from those of
// its successors; a counted transition inside one can be repeated for ever. A
// path may as well begin with the first transition that counts.
func (e *explorer[S]) longestOf(q *Longest[S], task int, within *taskPredicate[S], answer *Length) bool {
	v := &view{graph: e.graph, movers: e.allTasks(), cutTask: task, cutMark: Return | q.Cut}
	v.within, _ = e.where(within, task)
	c := e.components(v, func(s uint32) bool {
		first, end := v.rowOf(s)
		for i := first; i < end; i++ {
			if q.counts(v, task, i) {
				return true
			}
		}
		return false
	})
	length := &e.length
	length.empty()
	poll := e.poll("longest", func() int64 { return 0 })
	return c.run(func(number uint32) {
		n, unbounded := q.lengthFrom(task, c, length, number)
		length.push(n)
		if unbounded && !answer.Unbounded || !answer.Unbounded && int(n) > answer.Value {
			answer.Value, answer.Unbounded, answer.Task = int(n), unbounded, task
			if unbounded {
				answer.Value = 0
			}
		}
	}, poll)
}

// counts says whether a transition of a view is one of the task that counts.
func (q *Longest[S]) counts(v *view, task, i int) bool {
	by := v.by.at(i)
	return int(by.task) == task && by.marks&q.Count == q.Count && by.marks&q.Without == 0 && v.keeps(i)
}

// lengthFrom is the most counted transitions on a path that starts in a
// component.
func (q *Longest[S]) lengthFrom(task int, c *components, length *vector[uint32], number uint32) (n uint32, unbounded bool) {
	for s := range c.members() {
		first, end := c.view.rowOf(s)
		for i := first; i < end; i++ {
			if !c.view.keeps(i) {
				continue
			}
			var counted uint32
			if q.counts(c.view, task, i) {
				counted = 1
			}
			to := c.number[c.view.to.at(i)]
			if to == number {
				unbounded = unbounded || counted > 0
				continue
			}
			n = max(n, counted+length.at(c.view.states-int(to)))
		}
	}
	return n, unbounded
}
