package statespace

import "iter"

// components finds the strongly connected components of a view, with Pearce's
// space-efficient form of Tarjan's algorithm: one word per state serves as
// visit number while the state is open and as component number afterwards. No
// recursion, so depth is bounded by memory only.
type components struct {
	view *view
	// starts says from which states to look. It is asked about states of the view.
	starts func(s uint32) bool
	// number is 0 for a state not visited, below next while it is open, and
	// last its component's: components are numbered downwards from the number
	// of states as they are finished, so a component's successors have larger
	// numbers than its own.
	number []uint32
	stale  bool           // number is of another view
	open   vector[uint32] // finished states whose component is not
	path   vector[frame]
	next   uint32
	last   uint32
	first  int // in open, of the component that is emitted
}

// A frame is a state on the depth-first path: how far its row is done, and
// whether it may still be the root of a component.
type frame struct {
	state uint32
	done  uint32 // twice the transitions done, and one unless it may be the root
}

func (f *frame) isRoot() bool { return f.done&1 == 0 }

// components prepares the search for the components of a view. It takes the
// memory of the one before, which must be done with.
func (e *explorer[S]) components(v *view, starts func(s uint32) bool) *components {
	c := &e.found
	c.view, c.starts, c.stale = v, starts, true
	c.next, c.last = 1, uint32(v.states)+1
	return c
}

// bytes is the memory the search holds.
func (c *components) bytes() int64 {
	return 4*int64(len(c.number)) + c.open.bytes() + c.path.bytes()
}

// run visits every state of the view that can be reached from where it starts,
// and passes the number of each component to emit when it is complete, successors
// first. It stops when poll, called now and then, returns false, and reports
// whether it finished.
func (c *components) run(emit func(number uint32), poll func() bool) bool {
	for s := 0; s < c.view.states; s++ {
		if s&0xfff == 0 && !poll() {
			return false
		}
		if !c.startsAt(uint32(s)) {
			continue
		}
		c.enter(uint32(s))
		for steps := 1; c.path.n > 0; steps++ {
			if steps&0xffff == 0 && !poll() {
				return false
			}
			if c.advance() {
				continue
			}
			c.leave(c.path.pop(), emit)
		}
	}
	return true
}

// startsAt says whether to look from a state. The numbers are cleared when there
// is one: often there is none.
func (c *components) startsAt(s uint32) bool {
	if !c.stale && c.number[s] != 0 || !c.view.has(s) || !c.starts(s) {
		return false
	}
	if c.stale {
		if c.number == nil {
			c.number = make([]uint32, c.view.states)
		}
		clear(c.number)
		c.stale = false
	}
	return true
}

func (c *components) enter(s uint32) {
	c.number[s] = c.next
	c.next++
	c.path.push(frame{state: s})
}

// advance follows the transitions of the state on top of the path until one
// leads to a state not visited; it reports false at the end of the row.
func (c *components) advance() bool {
	top := c.path.ptr(c.path.n - 1)
	first, end := c.view.rowOf(top.state)
	for e := first + int(top.done>>1); e < end; e++ {
		if !c.view.keeps(e) {
			continue
		}
		to := c.view.to.at(e)
		if c.number[to] == 0 {
			top.done = uint32(e-first)<<1 | top.done&1 // look again when it is finished
			c.enter(to)
			return true
		}
		if c.number[to] < c.number[top.state] {
			c.number[top.state] = c.number[to]
			top.done |= 1
		}
	}
	return false
}

// leave finishes a state: the root of a component takes its members off the
// open list.
func (c *components) leave(top frame, emit func(number uint32)) {
	s := top.state
	if !top.isRoot() {
		c.open.push(s)
		return
	}
	c.last--
	c.next--
	c.first = c.open.n
	for c.first > 0 && c.number[c.open.at(c.first-1)] >= c.number[s] {
		c.first--
		c.number[c.open.at(c.first)] = c.last
		c.next--
	}
	c.open.push(s)
	c.number[s] = c.last
	emit(c.last)
	for c.open.n > c.first {
		c.open.pop()
	}
}

// members is the states of the component that is emitted.
func (c *components) members() iter.Seq[uint32] {
	return func(yield func(uint32) bool) {
		for i := c.first; i < c.open.n; i++ {
			if !yield(c.open.at(i)) {
				return
			}
		}
	}
}
