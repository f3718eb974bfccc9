package statespace

// components finds the strongly connected components of a view, with Pearce's
// space-efficient form of Tarjan's algorithm: one word per state serves as
// visit number while the state is open and as component number afterwards. No
// recursion, so depth is bounded by memory only.
type components struct {
	view *view
	// starts says from which states to look; nil: from all. It is asked about
	// states of the view.
	starts func(s uint32) bool
	// number is 0 for a state not visited, below next while it is open, and
	// last its component's: components are numbered downwards from the number
	// of states as they are finished, so a component's successors have larger
	// numbers than its own.
	number []uint32
	open   vector[uint32] // finished states whose component is not
	path   vector[frame]
	next   uint32
	last   uint32

	members []uint32 // of the component passed to emit
}

// A frame is a state on the depth-first path: how far its row is done, and
// whether it may still be the root of a component.
type frame struct {
	state  uint32
	done   uint32
	isRoot bool
}

func newComponents(v *view, starts func(s uint32) bool) *components {
	return &components{view: v, starts: starts, next: 1, last: uint32(v.states) + 1}
}

// bytes is the memory the search holds.
func (c *components) bytes() int64 {
	return 4*int64(len(c.number)+cap(c.members)) + c.open.bytes() + c.path.bytes()
}

// run visits every state of the view that can be reached from where it starts,
// and passes each component to emit when it is complete, successors first: its
// number and its members, which are valid during the call. It stops when poll,
// called now and then, returns false, and reports whether it finished.
func (c *components) run(emit func(number uint32, members []uint32), poll func() bool) bool {
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

// startsAt says whether to look from a state. The numbers are made when there is
// one: often there is none.
func (c *components) startsAt(s uint32) bool {
	if c.number != nil && c.number[s] != 0 || !c.view.has(s) || c.starts != nil && !c.starts(s) {
		return false
	}
	if c.number == nil {
		c.number = make([]uint32, c.view.states)
	}
	return true
}

func (c *components) enter(s uint32) {
	c.number[s] = c.next
	c.next++
	c.path.push(frame{state: s, isRoot: true})
}

// advance follows the transitions of the state on top of the path until one
// leads to a state not visited; it reports false at the end of the row.
func (c *components) advance() bool {
	top := c.path.ptr(c.path.n - 1)
	first, end := c.view.rowOf(top.state)
	for e := first + int(top.done); e < end; e++ {
		if !c.view.keeps(e) {
			continue
		}
		to := c.view.to.at(e)
		if c.number[to] == 0 {
			top.done = uint32(e - first) // look again when it is finished
			c.enter(to)
			return true
		}
		if c.number[to] < c.number[top.state] {
			c.number[top.state] = c.number[to]
			top.isRoot = false
		}
	}
	return false
}

// leave finishes a state: the root of a component takes its members off the
// open list.
func (c *components) leave(top frame, emit func(uint32, []uint32)) {
	s := top.state
	if !top.isRoot {
		c.open.push(s)
		return
	}
	c.last--
	c.next--
	c.members = append(c.members[:0], s)
	for c.open.n > 0 && c.number[c.open.at(c.open.n-1)] >= c.number[s] {
		w := c.open.pop()
		c.number[w] = c.last
		c.next--
		c.members = append(c.members, w)
	}
	c.number[s] = c.last
	emit(c.last, c.members)
}
