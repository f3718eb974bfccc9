package statespace

import (
	"math/bits"
	"unsafe"
)

// findStuck looks for states in which a task is blocked and can move in no
// state reachable from there.
func (e *explorer[S]) findStuck() error {
	switch {
	case len(e.o.Stuck) == 0:
		return nil
	case e.tasks <= 8:
		return findStuck[uint8](e)
	case e.tasks <= 16:
		return findStuck[uint16](e)
	case e.tasks <= 32:
		return findStuck[uint32](e)
	}
	return findStuck[uint64](e)
}

// A taskMask is a set of tasks in no more memory than that many tasks need.
type taskMask interface {
	uint8 | uint16 | uint32 | uint64
}

func findStuck[M taskMask, S any](e *explorer[S]) error {
	size := int64(e.states()) * int64(unsafe.Sizeof(M(0)))
	poll := e.poll("stuck", func() int64 { return size })
	if !poll() {
		return nil
	}
	moving := make([]M, e.states())
	for s := range e.graph.cut { // it may have gone anywhere
		moving[s] = M(e.allTasks())
	}
	if !spreadBack(e.graph, moving, M(e.allTasks()), poll) {
		return nil
	}
	lost := func(s uint32) uint64 { return e.graph.blocked.at(int(s)) &^ uint64(moving[s]) }
	for i := range e.o.Stuck {
		if err := e.reportStuck(&e.o.Stuck[i], lost, poll); err != nil {
			return err
		}
	}
	return nil
}

// spreadBack adds to the set of each state the tasks that move in it and what is
// in the sets of its successors, until nothing is added any more. It goes from the
// last state to the first, for most transitions lead to a state that was found
// later, and back, for the others: so often as the way from a state to a task's move
// has to turn, which is a few times. It reports whether poll let it finish.
func spreadBack[M taskMask](g *graph, moving []M, all M, poll func() bool) bool {
	for changed, back := true, true; changed; back = !back {
		changed = false
		for i := range moving {
			if i&0xfff == 0 && !poll() {
				return false
			}
			s := i
			if back {
				s = len(moving) - 1 - i
			}
			was := moving[s]
			if was == all {
				continue
			}
			mask := was
			first, end := g.rowOf(uint32(s))
			for k := first; k < end; k++ {
				mask |= 1<<g.by.at(k).task | moving[g.to.at(k)]
			}
			if mask != was {
				moving[s], changed = mask, true
			}
		}
	}
	return true
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
