package cil

import (
	"bytes"
	"cmp"
	"fmt"
)

// What is alike in a scenario, so that which of them is which does not matter:
//
//   - tasks whose scripts are equal but for the inodes that only they name; the
//     inodes change places with them;
//   - the kworkers;
//   - the places of the ring: the code goes from an iclog to the next or the one
//     before, from the head or from an LSN, and never asks for a number. So a
//     state may be turned until the head is iclog 0.
//
// Contexts and log writes are not alike: they have an order.
type alike struct {
	// classes are sets of two or more scripts that are alike.
	classes [][]int
	// own are the inodes that change places with a script, in the order in which
	// it first names them.
	own [][]uint8
}

// newAlike finds what is alike.
func (m *Machine) newAlike() alike {
	var a alike
	at := map[string]int{}
	for i := range m.Scripts {
		own := m.ownInodes(i)
		a.own = append(a.own, own)
		key := m.scriptKey(i, own)
		k, known := at[key]
		if !known {
			k = len(a.classes)
			at[key] = k
			a.classes = append(a.classes, nil)
		}
		a.classes[k] = append(a.classes[k], i)
	}
	several := a.classes[:0]
	for _, class := range a.classes {
		if len(class) > 1 {
			several = append(several, class)
		}
	}
	a.classes = several
	return a
}

// inodes are the tracked inodes that a script names, in order, repetitions
// included. The others leave no trace in a state.
func (m *Machine) inodes(script int) []uint8 {
	sc := &m.Scripts[script]
	var all []uint8
	if sc.Start != StartClean && m.inodeBit(sc.Inode) != 0 {
		all = append(all, sc.Inode)
	}
	for _, op := range sc.Ops {
		if op.Kind.namesInode() && m.inodeBit(op.Inode) != 0 {
			all = append(all, op.Inode)
		}
	}
	return all
}

func (k OpKind) namesInode() bool { return k == OpCommit || k == OpSyncCommit || k == OpFsync }

// ownInodes are the tracked inodes that no other script names.
func (m *Machine) ownInodes(script int) []uint8 {
	var own []uint8
	for _, inode := range m.inodes(script) {
		if bytes.IndexByte(own, inode) < 0 && !m.namedByOther(inode, script) {
			own = append(own, inode)
		}
	}
	return own
}

func (m *Machine) namedByOther(inode uint8, script int) bool {
	for i := range m.Scripts {
		if i != script && bytes.IndexByte(m.inodes(i), inode) >= 0 {
			return true
		}
	}
	return false
}

// scriptKey is the same for scripts that are alike. It has every field of a
// script but the name, with inodes replaced by what matters of them.
func (m *Machine) scriptKey(script int, own []uint8) string {
	sc := m.Scripts[script]
	sc.Name = ""
	sc.Ops = append([]Op(nil), sc.Ops...)
	if sc.Start == StartClean {
		sc.Inode, sc.Size = 0, 0
	} else {
		sc.Inode = m.inodeKey(sc.Inode, own)
	}
	for i := range sc.Ops {
		if op := &sc.Ops[i]; op.Kind.namesInode() {
			op.Inode = m.inodeKey(op.Inode, own)
		}
	}
	return fmt.Sprintf("%#v", sc)
}

func (m *Machine) inodeKey(inode uint8, own []uint8) uint8 {
	if m.inodeBit(inode) == 0 {
		return 2 * MaxInodes
	}
	if i := bytes.IndexByte(own, inode); i >= 0 {
		return MaxInodes + uint8(i)
	}
	return inode
}

// Canonical maps a state to the representative of all that differ from it only
// in which of the parts that are alike is which.
func (m *Machine) Canonical(s *State) {
	if m.optional() {
		return // what the options add to a state has not been looked at
	}
	if s.Head != 0 {
		m.turn(s, int(s.Head))
	}
	m.sortWorkers(s)
	if m.anyTwins(s) {
		m.orderTwins(s)
		return
	}
	m.sortScripts(s)
}

// turn renumbers the iclogs so that iclog by becomes iclog 0, and the tasks that
// complete their I/O with them.
func (m *Machine) turn(s *State, by int) {
	old := *s
	for i := range int(m.Iclogs) {
		to := m.turned(i, by)
		s.Iclog[to] = old.Iclog[i]
		s.Task[m.firstIO+to] = old.Task[m.firstIO+i]
	}
	s.Head = uint8(m.turned(int(s.Head), by))
	for _, ref := range [...]*uint8{&s.Writer, &s.PushLock, &s.IclogLock} {
		if int(*ref) > m.firstIO {
			*ref = uint8(m.firstIO + m.turned(int(*ref)-1-m.firstIO, by) + 1)
		}
	}
	for i := range s.Ctx[:m.Contexts] {
		m.turnRef(&s.Ctx[i].Iclog, by)
	}
	for i := range s.Task[:m.tasks] {
		t := &s.Task[i]
		m.turnRef(&t.Iclog, by)
		m.turnRef(&t.Pos, by)
		m.turnRef(&t.First, by)
		if t.Wait >= waitForce {
			queue, iclog := (t.Wait-waitForce)/MaxIclogs, (t.Wait-waitForce)%MaxIclogs
			t.Wait = waitForce + queue*MaxIclogs + wait(m.turned(int(iclog), by))
		}
	}
}

// turned is the new number of an iclog.
func (m *Machine) turned(i, by int) int { return (i + int(m.Iclogs) - by) % int(m.Iclogs) }

// turnRef renumbers a number+1; 0 is none.
func (m *Machine) turnRef(ref *uint8, by int) {
	if *ref != 0 {
		*ref = uint8(m.turned(int(*ref-1), by)) + 1
	}
}

// sortWorkers sorts the kworkers by all but which flushes wait for them.
func (m *Machine) sortWorkers(s *State) {
	for i := 1; i < int(m.Workers); i++ {
		for k := i; k > 0 && m.compareWorkers(s, k, k-1) < 0; k-- {
			m.swapWorkers(s, k, k-1)
		}
	}
}

// compareWorkers compares kworkers a and b.
func (m *Machine) compareWorkers(s *State, a, b int) int {
	ta, tb := m.firstWorker+a, m.firstWorker+b
	return cmp.Or(
		cmp.Compare(s.Wq.Worker[a], s.Wq.Worker[b]),
		compareTasks(&s.Task[ta], &s.Task[tb]),
		cmp.Compare(s.held(ta), s.held(tb)),
	)
}

// compareTasks compares what the tasks themselves hold.
func compareTasks(a, b *Task) int { return bytes.Compare(taskBytes(a)[:], taskBytes(b)[:]) }

// held is the set of locks that name a task as their holder.
func (s *State) held(task int) int {
	set := 0
	for i, holder := range [...]uint8{s.Writer, s.PushLock, s.IclogLock} {
		if int(holder) == task+1 {
			set |= 1 << i
		}
	}
	return set
}

// swapTasks exchanges two tasks and what names them.
func (s *State) swapTasks(a, b int) {
	s.Task[a], s.Task[b] = s.Task[b], s.Task[a]
	q := &s.Wq
	q.FlushWorks[a], q.FlushWorks[b] = q.FlushWorks[b], q.FlushWorks[a]
	q.FlushRuns[a], q.FlushRuns[b] = q.FlushRuns[b], q.FlushRuns[a]
	for _, holder := range [...]*uint8{&s.Writer, &s.PushLock, &s.IclogLock} {
		switch int(*holder) {
		case a + 1:
			*holder = uint8(b) + 1
		case b + 1:
			*holder = uint8(a) + 1
		}
	}
}

func (m *Machine) swapWorkers(s *State, a, b int) {
	s.swapTasks(m.firstWorker+a, m.firstWorker+b)
	q := &s.Wq
	q.Worker[a], q.Worker[b] = q.Worker[b], q.Worker[a]
	for f := range q.FlushRuns[:m.firstWorker] {
		swapBits(&q.FlushRuns[f], a, b)
	}
}

func swapBits(set *uint8, a, b int) {
	if differ := (*set>>a ^ *set>>b) & 1; differ != 0 {
		*set ^= 1<<a | 1<<b
	}
}

// sortScripts sorts the scripts of each class; kworkers keep their numbers.
func (m *Machine) sortScripts(s *State) {
	for _, class := range m.alike.classes {
		for i := 1; i < len(class); i++ {
			for k := i; k > 0 && m.compareScripts(s, class[k], class[k-1]) < 0; k-- {
				m.swapScripts(s, class[k], class[k-1])
			}
		}
	}
}

// compareScripts compares two tasks of a class by all that changes places with
// them.
func (m *Machine) compareScripts(s *State, a, b int) int {
	q := &s.Wq
	if c := cmp.Or(
		compareTasks(&s.Task[a], &s.Task[b]),
		cmp.Compare(q.FlushWorks[a], q.FlushWorks[b]),
		cmp.Compare(q.FlushRuns[a], q.FlushRuns[b]),
		cmp.Compare(s.held(a), s.held(b)),
	); c != 0 {
		return c
	}
	for i, inode := range m.alike.own[a] {
		if c := m.compareInodes(s, inode, m.alike.own[b][i]); c != 0 {
			return c
		}
	}
	return 0
}

func (m *Machine) compareInodes(s *State, a, b uint8) int {
	if c := cmp.Or(cmp.Compare(s.Inode[a], s.Inode[b]), cmp.Compare(s.Logged[a], s.Logged[b])); c != 0 {
		return c
	}
	for i := range s.Ctx[:m.Contexts] {
		if pins := s.Ctx[i].Inodes; pins>>a&1 != pins>>b&1 {
			return cmp.Compare(pins>>a&1, pins>>b&1)
		}
	}
	return 0
}

func (m *Machine) swapScripts(s *State, a, b int) {
	s.swapTasks(a, b)
	for i, x := range m.alike.own[a] {
		y := m.alike.own[b][i]
		s.Inode[x], s.Inode[y] = s.Inode[y], s.Inode[x]
		s.Logged[x], s.Logged[y] = s.Logged[y], s.Logged[x]
		for c := range s.Ctx[:m.Contexts] {
			swapBits(&s.Ctx[c].Inodes, int(x), int(y))
		}
	}
}

// twins reports whether sorting cannot tell two kworkers, next to each other,
// apart, although different flushes wait for them. Both have then done their
// work, whose contexts are forgotten: others execute different works.
func (m *Machine) twins(s *State, a, b int) bool {
	if m.compareWorkers(s, a, b) != 0 {
		return false
	}
	for _, runs := range s.Wq.FlushRuns[:m.firstWorker] {
		if runs>>a&1 != runs>>b&1 {
			return true
		}
	}
	return false
}

func (m *Machine) anyTwins(s *State) bool {
	for w := 1; w < int(m.Workers); w++ {
		if m.twins(s, w-1, w) {
			return true
		}
	}
	return false
}

// orderTwins tries the twins in every order, sorts the scripts each time, and
// takes the least state.
func (m *Machine) orderTwins(s *State) {
	best, first := State{}, true
	var try func(s State, w int)
	try = func(s State, w int) {
		if w == int(m.Workers) {
			m.sortScripts(&s)
			if first || bytes.Compare(asBytes(&s)[:], asBytes(&best)[:]) < 0 {
				best, first = s, false
			}
			return
		}
		try(s, w+1)
		for v := w + 1; v < int(m.Workers) && m.compareWorkers(&s, w, v) == 0; v++ {
			other := s
			m.swapWorkers(&other, w, v)
			try(other, w+1)
		}
	}
	try(*s, 0)
	*s = best
}
