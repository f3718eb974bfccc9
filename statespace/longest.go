package statespace

import "math/bits"

// findLongest computes the longest-path questions.
func (e *explorer[S]) findLongest() error {
	e.longest = make([]Length, 0, len(e.o.Longest))
	for i := range e.o.Longest {
		q := &e.o.Longest[i]
		var masks *maskVector
		if q.Within != nil {
			poll := e.poll("longest", func() int64 { return 0 })
			if masks = e.taskMasks(q.Name, q.Tasks, q.Within, poll); masks == nil {
				e.longest = nil
				return nil
			}
			e.analysis = masks.bytes.bytes()
		}
		answer := Length{Name: q.Name, Task: -1}
		for rest := q.Tasks & e.allTasks(); rest != 0 && !answer.Unbounded; rest &= rest - 1 {
			if !e.longestOf(q, bits.TrailingZeros64(rest), masks, &answer) {
				e.analysis, e.longest = 0, nil
				return nil
			}
		}
		e.analysis = 0
		e.longest = append(e.longest, answer)
	}
	return nil
}

// longestOf raises the answer to the longest path of one task. Components come
// successors first, so the longest path from a component is known from those of
// its successors; a counted transition inside one can be repeated for ever.
func (e *explorer[S]) longestOf(q *Longest[S], task int, masks *maskVector, answer *Length) bool {
	v := &view{graph: e.graph, movers: e.allTasks(), cutTask: task, cutMark: Return | q.Cut}
	if masks != nil {
		v.within, _ = masks.column(e.states(), task)
	}
	c := newComponents(v)
	var length vector[uint32] // by component, in the order of completion
	poll := e.poll("longest", func() int64 {
		return c.bytes() + length.bytes() + 8*int64(len(v.within))
	})
	return c.run(func(number uint32, members []uint32) {
		n, unbounded := e.lengthFrom(q, task, c, &length, number, members)
		length.push(n)
		if unbounded && !answer.Unbounded || !answer.Unbounded && int(n) > answer.Value {
			answer.Value, answer.Unbounded, answer.Task = int(n), unbounded, task
			if unbounded {
				answer.Value = 0
			}
		}
	}, poll)
}

// lengthFrom is the most counted transitions on a path that starts in a
// component.
func (e *explorer[S]) lengthFrom(q *Longest[S], task int, c *components, length *vector[uint32], number uint32, members []uint32) (n uint32, unbounded bool) {
	for _, s := range members {
		first, end := e.graph.rowOf(s)
		for i := first; i < end; i++ {
			if !c.view.keeps(i) {
				continue
			}
			var counted uint32
			marks := e.graph.marks.at(i)
			if int(e.graph.task.at(i)) == task && marks&q.Count == q.Count && marks&q.Without == 0 {
				counted = 1
			}
			to := c.number[e.graph.to.at(i)]
			if to == number {
				unbounded = unbounded || counted > 0
				continue
			}
			n = max(n, counted+length.at(e.states()-int(to)))
		}
	}
	return n, unbounded
}
