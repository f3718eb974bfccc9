package statespace

import (
	"fmt"
	"math/bits"
)

// findSpins looks for cycles made by one task alone, without a step that
// returns or goes to sleep: components of the graph that has only such
// steps of the task.
func (e *explorer[S]) findSpins() error {
	for i := range e.o.Spin {
		p := &e.o.Spin[i]
		tasks := p.Tasks & e.allTasks()
		if p.Tasks == 0 {
			tasks = e.allTasks()
		}
		views := func(task int) (*view, bool) {
			v := &view{graph: e.graph, movers: 1 << task, cutTask: task, cutMark: Return | Slept}
			return v, e.graph.spinning>>task&1 != 0
		}
		f := &finding{kind: SpinKind, name: p.Name}
		if err := e.findCycles(f, tasks, 0, views); err != nil || e.watch.reason != "" {
			return err
		}
	}
	return nil
}

// findCycles looks, for each of the tasks, for cycles in a view of the graph
// that are fair to the tasks of fair, and adds the violation with the shortest
// prefix. The view's ok is false when there is nothing to look at.
func (e *explorer[S]) findCycles(f *finding, tasks, fair uint64, views func(task int) (v *view, ok bool)) error {
	var near nearest
	held := e.analysis
	defer func() { e.analysis = held }()
	for rest := tasks; rest != 0; rest &= rest - 1 {
		v, ok := views(bits.TrailingZeros64(rest))
		if !ok {
			continue
		}
		_, whole := e.fairComponents(f.name, v, fair, func(c *components) {
			for s := range c.members() {
				near.add(e.levelOf(uint64(s)), uint64(s))
			}
			e.analysis = held + 8*int64(cap(near.states))
		})
		if !whole {
			return nil
		}
	}
	if len(near.states) == 0 {
		return nil
	}
	f.states = near.sorted()
	return e.reportCycle(f, tasks, fair, views)
}

// fairComponents passes to emit the components of a view that contain a
// transition and are weakly fair. Every cycle that is fair lies in one, and a
// walk that visits all of one closes a fair cycle.
func (e *explorer[S]) fairComponents(phase string, v *view, fair uint64, emit func(c *components)) (c *components, whole bool) {
	c = e.components(v, v.turnsBack)
	whole = c.run(func(number uint32) {
		if c.isFair(number, fair) {
			emit(c)
		}
	}, e.poll(phase, func() int64 { return 0 }))
	return c, whole
}

// isFair says whether a component contains a transition and, for each task of
// fair, a transition of the task or a state in which the task is not enabled.
func (c *components) isFair(number uint32, fair uint64) bool {
	var moved, disabled uint64
	inside := false
	for s := range c.members() {
		enabled := c.view.cut[s]
		first, end := c.view.rowOf(s)
		for e := first; e < end; e++ {
			bit := uint64(1) << c.view.by.at(e).task
			enabled |= bit
			to := c.view.to.at(e)
			// A successor not numbered yet cannot be inside; neither can one
			// whose number is another component's.
			if c.number[to] == number && c.view.keeps(e) {
				inside = true
				moved |= bit
			}
		}
		disabled |= ^enabled
	}
	return inside && fair&^(moved|disabled) == 0
}

// reportCycle adds the violation made of the shortest prefix to one of the
// states of f, and a fair cycle through it of the first task that has one.
func (e *explorer[S]) reportCycle(f *finding, tasks, fair uint64, views func(int) (*view, bool)) error {
	tr, err := e.shortest(f)
	if err != nil {
		return err
	}
	for rest := tasks; rest != 0; rest &= rest - 1 {
		task := bits.TrailingZeros64(rest)
		v, ok := views(task)
		if !ok {
			continue
		}
		found := false
		c, whole := e.fairComponents(f.name, v, fair, func(c *components) {
			for s := range c.members() {
				found = found || s == uint32(tr.end)
			}
		})
		if !whole {
			return nil
		}
		if found {
			return e.lasso(f, task, tr, &loop{view: v, number: c.number, start: uint32(tr.end), fair: fair})
		}
	}
	return fmt.Errorf("%s: no cycle where there was one: the explorer is at fault", f.name)
}
