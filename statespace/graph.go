package statespace

// rowBlock is how many states share one 64-bit base of the row offsets.
const rowBlockBits = 16

// A mover is the task that takes a transition, and what is to be known of its step.
type mover struct {
	task  uint8
	marks Mark
}

// A graph is the state graph in compressed rows: the transitions of state 0, of
// state 1, and so on, in the order in which they were taken (by task, then by
// outcome). A transition costs six bytes: target, task, marks. The outcome is
// found again by taking the step again.
type graph struct {
	base   []uint64       // first transition of each block of 1<<rowBlockBits states
	row    vector[uint32] // end of each state's row, relative to its block's base
	to     vector[uint32]
	by     vector[mover]
	states int

	// back is the states from which a transition leads to themselves or to an
	// earlier one: every cycle has such a transition. spinning is the tasks that
	// have one among them without Return and Slept. Empty until findBack.
	back     bitset
	spinning uint64

	// blocked is, per state, the tasks that had more to do but could not move.
	blocked maskVector
	// cut is, for the few states that have some, the tasks that moved beyond a
	// bound of the model: enabled, but without a transition here.
	cut map[uint32]uint64
}

func newGraph(tasks int) *graph {
	return &graph{blocked: newMaskVector(tasks), cut: map[uint32]uint64{}}
}

// addEdge adds a transition to the row that the next endRow ends.
func (g *graph) addEdge(to uint32, task uint8, marks Mark) {
	g.to.push(to)
	g.by.push(mover{task, marks})
}

// endRow ends the row of the next state.
func (g *graph) endRow(blocked, cut uint64) {
	if g.states&(1<<rowBlockBits-1) == 0 {
		first := 0
		if g.states > 0 {
			_, first = g.rowOf(uint32(g.states - 1))
		}
		g.base = append(g.base, uint64(first))
	}
	base := g.base[g.states>>rowBlockBits]
	g.row.push(uint32(uint64(g.to.n) - base))
	g.blocked.push(blocked)
	if cut != 0 {
		g.cut[uint32(g.states)] = cut
	}
	g.states++
}

// findBack finds back and spinning. All rows must be in.
func (g *graph) findBack() {
	g.back = newBitset(g.states)
	for s := range uint32(g.states) {
		first, end := g.rowOf(s)
		for e := first; e < end; e++ {
			if g.to.at(e) > s {
				continue
			}
			g.back.add(s)
			if g.by.at(e).marks&(Return|Slept) == 0 {
				g.spinning |= 1 << g.by.at(e).task
			}
		}
	}
}

// rowOf is the range of the transitions of state s.
func (g *graph) rowOf(s uint32) (first, end int) {
	base := int(g.base[s>>rowBlockBits])
	end = base + int(g.row.at(int(s)))
	if s&(1<<rowBlockBits-1) == 0 {
		return base, end
	}
	return base + int(g.row.at(int(s)-1)), end
}

// enabled is the set of tasks that can move in state s.
func (g *graph) enabled(s uint32) uint64 {
	mask := g.cut[s]
	first, end := g.rowOf(s)
	for e := first; e < end; e++ {
		mask |= 1 << g.by.at(e).task
	}
	return mask
}

// bytes is the memory the graph holds.
func (g *graph) bytes() int64 {
	return 8*int64(cap(g.base)) + g.row.bytes() + g.to.bytes() + g.by.bytes() +
		8*int64(len(g.back)) + g.blocked.bytes.bytes() + 40*int64(len(g.cut))
}

// growth bounds the memory that more rows and transitions add.
func (g *graph) growth(states, edges int) int64 {
	return g.row.growth(states) + g.to.growth(edges) + g.by.growth(edges) +
		g.blocked.bytes.growth(states*g.blocked.width)
}

// A view is the part of a graph that an analysis looks at.
type view struct {
	*graph
	within  bitset // the states; nil: all
	movers  uint64 // the tasks whose transitions count
	cutTask int    // transitions of this task with a mark in cutMarks do not
	cutMark Mark
}

// keeps says whether the view has transition e, given that it starts inside.
func (v *view) keeps(e int) bool {
	by := v.by.at(e)
	if v.movers>>by.task&1 == 0 || int(by.task) == v.cutTask && by.marks&v.cutMark != 0 {
		return false
	}
	return v.within == nil || v.within.has(v.to.at(e))
}

func (v *view) has(s uint32) bool { return v.within == nil || v.within.has(s) }

// turnsBack says whether a transition of the view does.
func (v *view) turnsBack(s uint32) bool {
	if !v.back.has(s) {
		return false
	}
	first, end := v.rowOf(s)
	for e := first; e < end; e++ {
		if v.to.at(e) <= s && v.keeps(e) {
			return true
		}
	}
	return false
}
