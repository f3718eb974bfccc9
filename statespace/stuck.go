package statespace

import "math/bits"

// findStuck looks for states in which a task is blocked and can move in no
// state reachable from there. Components come successors first, so the tasks
// that still move are known for all successors of a component when it comes.
func (e *explorer[S]) findStuck() error {
	if len(e.o.Stuck) == 0 {
		return nil
	}
	v := &view{graph: e.graph, whole: true}
	c := e.components(v, nil)
	moving := newMaskVector(e.tasks) // by component, in the order of completion
	poll := e.poll("stuck", moving.bytes.bytes)
	whole := c.run(func(number uint32) {
		moving.push(e.stillMoving(c, &moving, number))
	}, poll)
	if !whole {
		return nil
	}
	lost := func(s uint32) uint64 {
		order := e.states() - int(c.number[s])
		return e.graph.blocked.at(int(s)) &^ moving.at(order)
	}
	for i := range e.o.Stuck {
		if err := e.reportStuck(&e.o.Stuck[i], lost, poll); err != nil {
			return err
		}
	}
	return nil
}

// stillMoving is the set of tasks that move in a component or in one reachable
// from it. A task that moved beyond a bound of the model may have gone anywhere.
func (e *explorer[S]) stillMoving(c *components, moving *maskVector, number uint32) uint64 {
	var mask uint64
	for s := range c.members() {
		if e.graph.cut[s] != 0 {
			return e.allTasks()
		}
		first, end := e.graph.rowOf(s)
		for i := first; i < end; i++ {
			mask |= 1 << e.graph.by.at(i).task
			if to := e.graph.to.at(i); c.number[to] != number {
				mask |= moving.at(e.states() - int(c.number[to]))
			}
		}
	}
	return mask
}

// reportStuck adds the violation of one property, if there is one.
func (e *explorer[S]) reportStuck(p *Stuck[S], lost func(uint32) uint64, poll func() bool) error {
	f := finding{kind: StuckKind, name: p.Name}
	level := 0
	for s := 0; s < e.states() && (!f.violated() || s < e.levelEnd(level)); s++ {
		if s&0xfff == 0 && !poll() {
			return nil
		}
		if mask := lost(uint32(s)); mask != 0 && e.unexcused(p, uint32(s), mask) >= 0 {
			f.states = append(f.states, uint64(s))
			level = e.levelOf(uint64(s))
		}
	}
	if !f.violated() {
		return nil
	}
	tr, err := e.shortest(&f)
	if err != nil {
		return err
	}
	e.analysed = append(e.analysed, Violation{
		Property: p.Name, Kind: StuckKind, Init: tr.init, Path: tr.path, Loop: -1,
		Task: e.unexcused(p, uint32(tr.end), lost(uint32(tr.end))),
	})
	return nil
}

// unexcused is the first task of mask that is not excused in state s, or -1.
func (e *explorer[S]) unexcused(p *Stuck[S], s uint32, mask uint64) int {
	e.at = place{property: p.Name, state: uint64(s)}
	if p.Excused != nil {
		e.unpack(uint64(s), &e.probe)
	}
	for ; mask != 0; mask &= mask - 1 {
		t := bits.TrailingZeros64(mask)
		if p.Excused == nil || !p.Excused(&e.probe, t) {
			return t
		}
	}
	return -1
}
