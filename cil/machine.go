package cil

import "fmt"

// Machine is the system of one scenario and one variant. It is read-only once
// made, and safe for use by several goroutines.
type Machine struct {
	Config
	Variant
	// Fine makes every access a step of its own, and taking a spinlock another;
	// otherwise a lock section is one step.
	Fine bool

	tasks       int // scripts, then kworkers, then one I/O completion an iclog
	firstWorker int
	firstIO     int
	nullLSN     LSN   // NULLCOMMITLSN
	tracked     uint8 // inodes that some fsync reads, or some commit shrinks
	forcesAll   bool  // some task calls xfs_log_force(SYNC)
	shrinks     bool  // some commit makes an item smaller
	freezes     bool  // some task freezes the workqueues
	shutsDown   bool  // something can shut the log down
	buffers     int   // buffers that operations name
	whitens     bool  // some commit leaves a whiteout
	unmounts    bool  // some task unmounts
	ails        bool  // xfsaild writes back what is on the AIL
	splits      bool  // a spinlock may be held between two steps
	layout      layout
	alike       alike
}

// New returns the machine of a scenario and a variant. The error says what is
// out of range or impossible.
func New(c Config, v Variant, fine bool) (*Machine, error) {
	if err := c.Validate(); err != nil {
		return nil, err
	}
	if err := v.validate(); err != nil {
		return nil, err
	}
	m := &Machine{Config: c, Variant: v, Fine: fine}
	m.firstWorker = len(c.Scripts)
	m.firstIO = m.firstWorker + int(c.Workers)
	m.tasks = m.firstIO + int(c.Iclogs)
	m.nullLSN = FirstLSN + c.LSNs
	m.shutsDown = c.LogIOError
	for _, sc := range c.Scripts {
		m.buffers = max(m.buffers, int(sc.Buffer))
		for _, op := range sc.Ops {
			m.buffers = max(m.buffers, int(op.Buffer))
			m.whitens = m.whitens || op.Whiteout
			if op.Shrink > 0 {
				m.shrinks = true
				m.tracked |= 1 << op.Inode
			}
			m.shutsDown = m.shutsDown || op.Overrun || op.Kind == OpShutdown || op.Kind == OpShutdownIO
			switch op.Kind {
			case OpFsync:
				m.tracked |= 1 << op.Inode
			case OpLogForce:
				m.forcesAll = true
			case OpFreeze:
				m.freezes = true
			case OpUnmount:
				m.unmounts = true
			case OpXfsaild:
				m.ails = true
			}
		}
	}
	m.splits = fine || v.Without&(WithoutLockedSpaceWake|WithoutLockedCommitWake) != 0
	m.layout = m.newLayout()
	m.alike = m.newAlike()
	return m, nil
}

// Validate says what of a scenario the model cannot represent.
func (c *Config) Validate() error {
	for _, lim := range []struct {
		name        string
		v, min, max uint8
	}{
		{"iclogs", c.Iclogs, 1, MaxIclogs},
		{"iclog units", c.IclogUnits, 1, MaxUnits},
		{"contexts", c.Contexts, 2, MaxContexts},
		{"lsns", c.LSNs, 2, MaxLSNs},
		{"soft limit", c.Soft, 1, MaxUnits},
		{"hard limit", c.Hard, c.Soft, MaxUnits},
		{"max_active", c.MaxActive, 1, MaxTasks},
		{"workers", c.Workers, 1, MaxWorkers},
		{"cpus", c.CPUs, 0, MaxListCPUs},
		{"log units", c.LogUnits, 0, MaxUnits},
		{"ioend workers", c.IOEndWorkers, 0, MaxIclogs},
	} {
		if lim.v < lim.min || lim.v > lim.max {
			return fmt.Errorf("%s %d is not in %d..%d", lim.name, lim.v, lim.min, lim.max)
		}
	}
	if n := len(c.Scripts) + int(c.Workers) + int(c.Iclogs); n > MaxTasks || len(c.Scripts) == 0 {
		return fmt.Errorf("%d tasks with kworkers and iclogs, not 1 script to %d in all", n, MaxTasks)
	}
	for _, sc := range c.Scripts {
		if err := sc.validate(); err != nil {
			return fmt.Errorf("task %s: %w", sc.Name, err)
		}
		if sc.CPU >= max(c.CPUs, 1) {
			return fmt.Errorf("task %s: no CPU %d", sc.Name, sc.CPU)
		}
		for _, op := range sc.Ops {
			if op.Kind == OpCPUOffline && (op.CPU == 0 || op.CPU >= c.CPUs) {
				return fmt.Errorf("task %s: CPU %d cannot go away", sc.Name, op.CPU)
			}
		}
	}
	return nil
}

// fsyncs reports whether the task calls fsync.
func (sc *Script) fsyncs() bool {
	for _, op := range sc.Ops {
		if op.Kind == OpFsync {
			return true
		}
	}
	return false
}

func (sc *Script) validate() error {
	if len(sc.Ops) == 0 || len(sc.Ops) > MaxScript {
		return fmt.Errorf("%d operations, not 1 to %d", len(sc.Ops), MaxScript)
	}
	for _, op := range sc.Ops {
		commits := op.Kind == OpCommit || op.Kind == OpSyncCommit
		switch {
		case op.Kind >= NumOps:
			return fmt.Errorf("unknown operation %d", op.Kind)
		case op.Inode >= MaxInodes:
			return fmt.Errorf("inode %d is not below %d", op.Inode, MaxInodes)
		case commits && (op.Size < 1 || op.Size > MaxUnits):
			return fmt.Errorf("commit of %d units, not 1 to %d", op.Size, MaxUnits)
		case op.Shrink > 0 && !commits:
			return fmt.Errorf("only a commit can shrink what it logs")
		case op.Buffer > MaxBuffers || sc.Buffer > MaxBuffers:
			return fmt.Errorf("buffer %d is not below %d", max(op.Buffer, sc.Buffer)-1, MaxBuffers)
		case (op.Whiteout || op.Hold) && !commits:
			return fmt.Errorf("only a commit can hold a buffer or cancel an intent")
		case (op.Kind == OpDqflush || op.Kind == OpDelwriSubmit) && op.Buffer == 0:
			return fmt.Errorf("%v needs a buffer", op.Kind)
		case op.Overrun && !commits:
			return fmt.Errorf("only a commit can overrun its reservation")
		}
	}
	if sc.Start != StartClean && (sc.Size < 1 || sc.Inode >= MaxInodes) {
		return fmt.Errorf("a first transaction needs a size and an inode")
	}
	return nil
}

// Init returns the initial state: nothing runs, and the transactions that
// Script.Start puts in the current context or the previous checkpoint are there.
func (m *Machine) Init() State {
	var s State
	s.Current = FirstSeq
	s.Ctx[0].Life = Live
	s.Empty = 1
	s.NextLSN = FirstLSN
	if m.CPUs > 0 {
		s.PCPSpace = 1
	}
	if m.ails {
		s.AIL.Awake = 1
	}
	s.Grant = m.LogUnits
	for _, sc := range m.Scripts {
		if sc.Start == StartPrevious {
			m.initPrevious(&s)
			break
		}
	}
	s.XcCtx, s.PushSeq = s.Current, s.Current-1
	for i, sc := range m.Scripts {
		t := &s.Task[i]
		t.Left = sc.Times
		if sc.Start != StartClean {
			m.initTransaction(&s, sc)
		}
		t.PC = pcNext
		r := run{m: m, s: &s, t: t, id: i}
		r.script() // to the first access of the first operation
	}
	for i := m.firstWorker; i < m.tasks; i++ {
		s.Task[i].PC = pcIdle
	}
	return s
}

// initPrevious makes the state that a finished background push leaves: its
// checkpoint is whole in the head iclog, which is ACTIVE and not referenced.
func (m *Machine) initPrevious(s *State) {
	s.Ctx[0] = Ctx{Life: Live, Start: FirstLSN, Commit: FirstLSN, Iclog: 1, Queued: 1}
	s.Ctx[1] = Ctx{Life: Live}
	s.Committing = FirstSeq
	s.Current = FirstSeq + 1
	s.NextLSN = FirstLSN + 1
	s.Iclog[0] = Iclog{Cb: FirstSeq, Lsn: FirstLSN, Offset: 1, Flags: needFlush | needFUA}
}

// initTransaction puts a task's first transaction where it starts.
func (m *Machine) initTransaction(s *State, sc Script) {
	seq := s.Current
	if sc.Start == StartPrevious {
		seq = FirstSeq
		s.Iclog[0].Offset = min(s.Iclog[0].Offset+sc.Size, m.IclogUnits)
	} else {
		s.Empty = 0
	}
	c := s.context(seq)
	s.Grant -= min(s.Grant, sc.Size)
	if m.CPUs > 0 && sc.Start == StartCurrent {
		s.CPU[sc.CPU].Items += sc.Size
		c.CPUs |= 1 << sc.CPU
	}
	if m.CPUs > 0 {
		c.Joined += sc.Size
	}
	c.Space = min(c.Space+sc.Size, m.Hard)
	if sc.Buffer > 0 {
		c.Bufs |= 1 << (sc.Buffer - 1)
	}
	if bit := m.inodeBit(sc.Inode); bit != 0 {
		c.Inodes |= bit
		s.Inode[sc.Inode] = seq
		s.Logged[sc.Inode] = max(s.Logged[sc.Inode], seq)
	}
	if m.forcesAll {
		s.Returned = max(s.Returned, seq)
	}
}

// Tasks is the number of tasks.
func (m *Machine) Tasks() int { return m.tasks }

// TaskName is the name of a task in traces.
func (m *Machine) TaskName(id int) string {
	switch {
	case id < m.firstWorker:
		return m.Scripts[id].Name
	case id < m.firstIO:
		return fmt.Sprintf("kworker%d", id-m.firstWorker)
	}
	return fmt.Sprintf("io%d", id-m.firstIO)
}

// inodeBit is the bit of an inode in Ctx.Inodes; inodes that no fsync reads are
// not tracked.
func (m *Machine) inodeBit(inode uint8) uint8 { return 1 << inode & m.tracked }

func (m *Machine) next(i uint8) uint8 {
	if i++; i == m.Iclogs {
		return 0
	}
	return i
}

func (m *Machine) prev(i uint8) uint8 {
	if i == 0 {
		i = m.Iclogs
	}
	return i - 1
}

// findLSN returns the iclog that holds an LSN, or -1.
func (m *Machine) findLSN(s *State, lsn LSN) int {
	for i := range s.Iclog[:m.Iclogs] {
		if lsn != NoLSN && s.Iclog[i].Lsn == lsn {
			return i
		}
	}
	return -1
}

// lowestLSN is the lowest LSN of the iclogs that are neither ACTIVE nor DIRTY.
func (m *Machine) lowestLSN(s *State) LSN {
	lowest := m.nullLSN
	for i := range s.Iclog[:m.Iclogs] {
		c := &s.Iclog[i]
		if c.State != Active && c.State != Dirty && c.Lsn != NoLSN {
			lowest = min(lowest, c.Lsn)
		}
	}
	return lowest
}
