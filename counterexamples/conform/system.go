package conform

import (
	"fmt"

	"cilcheck/cil"
)

// The scenario that stands for a recorded machine. Sizes are the recording's:
// whether a write fits an iclog is read from it, not computed, so a unit means
// nothing here; see resize.
const (
	iclogs     = cil.MaxIclogs // the kernel's default and largest ring
	iclogUnits = 4
	softUnits  = 4
	hardUnits  = 8
	workers    = 2 // see Options.Workers
)

// The operations that a thread may begin, in the order of every script.
const (
	opFsync = iota
	opLogForce
	opCilFlush
	opPushCommit // a commit that queues the push of its checkpoint
	opCommit     // one that does not
)

// untracked is an inode that no fsync of the scenario reads.
const untracked = cil.MaxInodes - 1

// committers is the script that stands for every thread that commits without an
// event: a commit is hidden, and all that others can see of it is that EMPTY is
// clear after it.
const committers = 0

// newMachine is the machine of a recording: the committers, as many force
// callers as there is room for, kworkers, and one I/O completion an iclog.
func newMachine(v cil.Variant, kworkers int, previous bool) (*cil.Machine, error) {
	c := cil.Config{
		Iclogs: iclogs, IclogUnits: iclogUnits,
		Contexts: cil.MaxContexts, LSNs: cil.MaxLSNs,
		Soft: softUnits, Hard: hardUnits,
		MaxActive: 4, Workers: uint8(kworkers),
	}
	for i := range cil.MaxTasks - kworkers - iclogs {
		s := cil.Script{Name: fmt.Sprintf("slot%d", i), Ops: []cil.Op{
			opFsync:      {Kind: cil.OpFsync, Inode: inodeOf(i)},
			opLogForce:   {Kind: cil.OpLogForce},
			opCilFlush:   {Kind: cil.OpCilFlush},
			opPushCommit: {Kind: cil.OpCommit, Inode: untracked, Size: softUnits},
			opCommit:     {Kind: cil.OpCommit, Inode: untracked, Size: 1},
		}}
		if i == committers && previous {
			s.Start, s.Size, s.Inode = cil.StartPrevious, 1, untracked
		}
		c.Scripts = append(c.Scripts, s)
	}
	return cil.New(c, v, false)
}

// inodeOf is the inode that a slot's fsync reads. Its commit sequence is set
// from the recording right before it is read.
func inodeOf(slot int) uint8 { return uint8(slot % untracked) }

// initialStates are the states in which a recording may begin: no thread is in
// a function that is modelled, no I/O is in flight; the CIL is empty or not;
// the last checkpoint is done, or lies whole in the head iclog that nobody has
// written yet. xc_push_commit_stable is clear, as the last push left it.
func initialStates(v cil.Variant, kworkers int) ([]cil.State, error) {
	var states []cil.State
	for _, previous := range []bool{false, true} {
		m, err := newMachine(v, kworkers, previous)
		if err != nil {
			return nil, fmt.Errorf("scenario of a recording: %w", err)
		}
		for _, empty := range []uint8{1, 0} {
			s := m.Init()
			if s.Empty = empty; empty == 0 {
				s.Ctx[s.XcCtx-cil.FirstSeq].Space = 1
			}
			states = append(states, s)
		}
	}
	return states, nil
}

// resize keeps what nothing in a recording shows from growing: the space of
// iclogs and checkpoints is reduced to "some", and a log write in the volatile
// cache counts as stable. No step of the code asks for more: the one question,
// whether a write fits, is answered by the recording (see space), and what a
// crash would leave on disk no event shows. What only properties read is cleared.
func resize(s *cil.State) {
	for i := range s.Iclog {
		s.Iclog[i].Offset = min(s.Iclog[i].Offset, 1)
	}
	if s.Readers == 0 { // else a commit is about to look at it
		for i := range s.Ctx {
			if c := &s.Ctx[i]; c.Life == cil.Live {
				c.Space = 1
			}
			s.Ctx[i].Inodes = 0 // see foresee
		}
		s.Ctx[s.XcCtx-cil.FirstSeq].Space = 1 - s.Empty
	}
	for i := range s.Disk {
		if s.Disk[i] == cil.Cached {
			s.Disk[i] = cil.Stable
		}
	}
	s.DropGhosts()
}

// ways appends to list the states that a task may take its next step from, if they
// are not just that of the node: what they differ in is not known before.
func (n *node) ways(task int, list []cil.State) []cil.State {
	t := &n.s.Task[task]
	switch {
	case t.Wait != 0:
	case t.PC == cil.PlaceSpace:
		return append(list, space(&n.s, task)...)
	case t.PC == cil.PlaceLogForce && t.Op == opLogForce:
		list = append(list, n.s, n.s)
		list[len(list)-1].Task[task].DropSync()
	}
	return list
}

// space gives the ways in which xlog_state_get_iclog_space may find the head
// iclog: with room for all, with room for a part, without room for a header.
func space(s *cil.State, task int) []cil.State {
	fits, part, full := *s, *s, *s
	fits.Task[task].Rest = 1
	part.Task[task].Rest = iclogUnits + 1
	full.Task[task].Rest = 1
	full.Iclog[full.Head].Offset = iclogUnits
	if s.Iclog[s.Head].Offset == 0 {
		return []cil.State{fits, part}
	}
	return []cil.State{fits, part, full}
}
