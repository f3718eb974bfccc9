package cil

import (
	"fmt"
	"unsafe"

	"cilcheck/wq"
)

// Kind says how a field's value reads.
type Kind uint8

const (
	KindNumber Kind = iota
	KindFlag
	KindSeq        // a relative sequence
	KindLSN        // a relative LSN
	KindIclogState // an IclogState
	KindStability  // a Stability
	KindLife       // a Life
	KindIclogFlags // ic_flags
	KindLabel      // a program counter
	KindWait       // what a task sleeps on
	KindIclogRef   // an iclog number+1, or 0
	KindCtxRef     // a context by its relative sequence, or none
	KindCPUs       // CPUs, one bit each
	KindBufs       // buffers, one bit each
	KindTaskRef    // a task number+1, or 0
	KindArgs       // argument bits of a task
	KindLocals     // local bits of a task
	KindHidden     // bookkeeping of the model that traces do not show
)

// Group says which object a field belongs to.
type Group uint8

const (
	GroupLog Group = iota // the CIL and the log as a whole
	GroupCtx              // context Index, whose sequence is FirstSeq+Index
	GroupIclog
	GroupDisk // the log write whose LSN is FirstLSN+Index
	GroupWork // the push_work of context Index
	GroupTask
	GroupInode
	GroupCPU
)

// Field describes one byte of the state that the scenario uses.
type Field struct {
	Name  string // the kernel's name
	Kind  Kind
	Group Group
	Index int
	Max   uint8 // largest value

	offset uintptr
}

// Value is the field's value in a state.
func (f *Field) Value(s *State) uint8 { return asBytes(s)[f.offset] }

// layout is the used bytes of the state, and where they go in a packed state.
type layout struct {
	fields []Field
	packing
}

// stateSize is the size of a state in bytes; every field is one byte.
const stateSize = unsafe.Sizeof(State{})

// asBytes is the state as the bytes it consists of.
func asBytes(s *State) *[stateSize]uint8 { return (*[stateSize]uint8)(unsafe.Pointer(s)) }

// taskBytes is a task as the bytes it consists of.
func taskBytes(t *Task) *[unsafe.Sizeof(Task{})]uint8 {
	return (*[unsafe.Sizeof(Task{})]uint8)(unsafe.Pointer(t))
}

// newLayout derives the layout from the scenario's ranges.
func (m *Machine) newLayout() layout {
	var l layout
	var s State
	base := uintptr(unsafe.Pointer(&s))
	group, index := GroupLog, 0
	add := func(p *uint8, limit int, kind Kind, name string) {
		if limit > 0 {
			l.fields = append(l.fields, Field{Name: name, Kind: kind, Group: group, Index: index,
				Max: uint8(limit), offset: uintptr(unsafe.Pointer(p)) - base})
		}
	}
	m.logFields(&s, add)
	group = GroupCPU
	for index = range int(m.CPUs) {
		m.cpuFields(&s.CPU[index], add)
	}
	for index = range int(m.Contexts) {
		group = GroupCtx
		m.ctxFields(&s.Ctx[index], add)
		group = GroupWork
		m.workFields(&s, index, add)
	}
	for index = range int(m.Iclogs) {
		group = GroupIclog
		m.iclogFields(&s.Iclog[index], add)
	}
	group = GroupDisk
	for index = range int(m.LSNs) {
		add(&s.Disk[index], int(Stable), KindStability, "on disk")
		add(&s.DiskTail[index], m.when(m.Tail, m.maxSeq()+1), KindSeq, "tail of ctx")
	}
	group = GroupInode
	for index = range MaxInodes {
		if m.tracked&(1<<index) != 0 {
			add(&s.Inode[index], m.maxSeq(), KindSeq, "ili_commit_seq")
			add(&s.Logged[index], m.maxSeq(), KindHidden, "newest change")
		}
	}
	group = GroupTask
	for index = range m.tasks {
		m.taskFields(&s, index, add)
	}
	l.packing = newPacking(l.fields)
	return l
}

// addField tells the layout of one byte and its largest value; 0 means that the
// scenario never uses it.
type addField func(p *uint8, limit int, kind Kind, name string)

func (m *Machine) maxSeq() int { return int(FirstSeq) + int(m.Contexts) - 1 }
func (m *Machine) maxLSN() int { return int(FirstLSN) + int(m.LSNs) - 1 }

// when is the limit of a field that exists only if the scenario has something.
func (m *Machine) when(has bool, limit int) int {
	if has {
		return limit
	}
	return 0
}

func (m *Machine) logFields(s *State, add addField) {
	add(&s.XcCtx, m.maxSeq(), KindCtxRef, "xc_ctx")
	add(&s.Current, m.maxSeq(), KindSeq, "xc_current_sequence")
	add(&s.PushSeq, m.maxSeq(), KindSeq, "xc_push_seq")
	add(&s.Stable, 1, KindFlag, "xc_push_commit_stable")
	add(&s.Empty, 1, KindFlag, "XLOG_CIL_EMPTY")
	add(&s.Committing, m.maxSeq(), KindCtxRef, "xc_committing")
	add(&s.Readers, m.firstWorker, KindNumber, "xc_ctx_lock readers")
	add(&s.Writer, m.tasks, KindTaskRef, "xc_ctx_lock writer")
	add(&s.PushLock, m.when(m.splits, m.tasks), KindTaskRef, "xc_push_lock")
	add(&s.IclogLock, m.when(m.splits, m.tasks), KindTaskRef, "l_icloglock")
	add(&s.Head, int(m.Iclogs)-1, KindNumber, "l_iclog")
	add(&s.NextLSN, m.maxLSN()+1, KindHidden, "next LSN")
	add(&s.Started, 1, KindFlag, "XLOG_SHUTDOWN_STARTED")
	add(&s.Shutdown, 1, KindFlag, "XLOG_IO_ERROR")
	add(&s.Wq.Frozen, m.when(m.freezes, 1), KindFlag, "workqueues frozen")
	for i := range m.buffers {
		add(&s.Buf[i], m.tasks, KindTaskRef, fmt.Sprintf("buffer%d locked by", i))
	}
	items := m.when(m.ails, MaxUnits)
	add(&s.AIL.Below, items, KindNumber, "AIL up to ail_target")
	add(&s.AIL.Above, items, KindNumber, "AIL above ail_target")
	add(&s.AIL.PushAll, m.when(m.ails, 1), KindFlag, "XFS_AIL_OPSTATE_PUSH_ALL")
	add(&s.AIL.Awake, m.when(m.ails, 1), KindFlag, "xfsaild woken")
	add(&s.AILHead, m.when(m.Tail, m.maxSeq()), KindSeq, "ail_head_lsn of ctx")
	add(&s.Grant, int(m.LogUnits), KindNumber, "log space left")
	add(&s.Torn, m.when(m.unmounts, TornWorker|TornAIL|TornCIL), KindHidden, "destroyed")
	add(&s.PCPSpace, m.when(m.CPUs > 0, 1), KindFlag, "XLOG_CIL_PCP_SPACE")
	add(&s.Async, m.maxSeq(), KindHidden, "newest checkpoint a cil_flush found")
	add(&s.Returned, m.when(m.forcesAll, m.maxSeq()), KindHidden, "newest change")
}

func (m *Machine) ctxFields(c *Ctx, add addField) {
	add(&c.Life, int(Freed), KindLife, "")
	add(&c.Space, int(m.Hard), KindNumber, "space_used")
	add(&c.Start, m.maxLSN(), KindLSN, "start_lsn")
	add(&c.Commit, m.maxLSN(), KindLSN, "commit_lsn")
	add(&c.Iclog, int(m.Iclogs), KindIclogRef, "commit_iclog")
	add(&c.Next, m.maxSeq(), KindCtxRef, "next on xc_committing")
	add(&c.CbNext, m.maxSeq(), KindCtxRef, "next on ic_callbacks")
	add(&c.Inodes, int(m.tracked), KindHidden, "pinned inodes")
	add(&c.Queued, 1, KindHidden, "push_work queued before")
	add(&c.Bufs, 1<<m.buffers-1, KindBufs, "pins")
	add(&c.Fail, 1<<m.buffers-1, KindHidden, "buffers to fail")
	add(&c.OnAIL, m.when(m.Tail, 1), KindFlag, "items on the AIL")
	add(&c.White, m.when(m.whitens, 1), KindFlag, "whiteouts")
	add(&c.CPUs, 1<<m.CPUs-1, KindCPUs, "cil_pcpmask")
	add(&c.Joined, m.when(m.CPUs > 0, MaxUnits), KindNumber, "logged")
}

func (m *Machine) cpuFields(c *CPU, add addField) {
	add(&c.Space, int(m.Hard), KindNumber, "space_used")
	add(&c.Items, MaxUnits, KindNumber, "log_items")
	add(&c.Offline, 1, KindFlag, "offline")
}

func (m *Machine) workFields(s *State, i int, add addField) {
	w := &s.Wq.Work[i]
	add(&w.Pending, 1, KindFlag, "PENDING")
	add(&w.Place, 2, KindHidden, "place")
	add(&w.Rank, int(m.Contexts), KindHidden, "inactive rank")
}

func (m *Machine) iclogFields(c *Iclog, add addField) {
	add(&c.State, int(Dirty)+m.when(m.IclogErrors, 1), KindIclogState, "ic_state")
	add(&c.Ref, min(2*m.tasks, 31), KindNumber, "ic_refcnt")
	add(&c.Offset, int(m.IclogUnits), KindNumber, "ic_offset")
	add(&c.Flags, needFlush|needFUA, KindIclogFlags, "ic_flags")
	add(&c.Cb, m.maxSeq(), KindCtxRef, "ic_callbacks")
	add(&c.Lsn, m.maxLSN(), KindLSN, "h_lsn")
	add(&c.Sema, 1, KindFlag, "ic_sema held")
	add(&c.FUA, 1, KindHidden, "FUA write in flight")
	add(&c.Late, 1, KindHidden, "preflush put off")
	add(&c.Tail, m.when(m.Tail, m.maxSeq()+1), KindSeq, "h_tail_lsn of ctx")
	add(&c.Early, m.when(m.freezes, 1), KindHidden, "completion queued before the freeze")
}

// lastLabel is the last label that the system can reach.
func (m *Machine) lastLabel() int {
	if m.extended() {
		return int(numLabels) - 1
	}
	return int(baseLabels) - 1
}

// lastFrame is the last stack that the system can reach.
func (m *Machine) lastFrame() int {
	if m.extended() {
		return len(tree) - 1
	}
	return baseFrames - 1
}

// extended reports whether the system has options or historical changes that
// have labels of their own.
func (m *Machine) extended() bool {
	return m.optional() || m.Without != 0
}

// optional reports whether the scenario has what most do not, and pay nothing for.
func (m *Machine) optional() bool {
	return m.CPUs > 0 || m.buffers > 0 || m.unmounts || m.ails || m.whitens || m.Tail ||
		m.LogUnits > 0 || m.IOEndWorkers > 0 || m.DataFlushError
}

func (m *Machine) taskFields(s *State, id int, add addField) {
	t := &s.Task[id]
	add(&t.PC, m.lastLabel(), KindLabel, "at")
	add(&t.Frame, m.lastFrame(), KindHidden, "stack")
	add(&t.Wait, int(numWaits)-1, KindWait, "waits for")
	add(&t.Rank, m.tasks, KindHidden, "rank")
	add(&t.OnCPU, 1, KindHidden, "on a CPU")
	add(&t.Iclog, int(m.Iclogs), KindIclogRef, "iclog")
	add(&t.Pos, int(m.Iclogs), KindHidden, "ring cursor")
	add(&t.First, int(m.Iclogs), KindHidden, "ring start")
	add(&t.Ctx, m.maxSeq(), KindSeq, "ctx")
	add(&t.List, m.maxSeq(), KindSeq, "list")
	add(&t.Local, 255, KindLocals, "locals")
	if id >= m.firstIO {
		add(&t.Args, argIOError|m.when(m.DataFlushError, argUnissued), KindArgs, "args")
		return
	}
	add(&t.Args, argIOError|argSync|argAsync|m.when(m.ForceStarted, argStarted)|m.when(m.shrinks, argRelogs), KindArgs, "args")
	if id >= m.firstWorker {
		add(&s.Wq.Worker[id-m.firstWorker], wq.Gone, KindHidden, "executes")
		add(&t.Work, m.maxSeq(), KindSeq, "work")
		add(&t.White, m.when(m.whitens, 1), KindHidden, "whiteouts")
		add(&t.Rest, int(m.Hard), KindNumber, "units left")
		return
	}
	sc := &m.Scripts[id]
	add(&t.Op, len(sc.Ops)-1, KindHidden, "operation")
	add(&t.Left, int(sc.Times), KindHidden, "turns left")
	add(&t.Seq, m.maxSeq(), KindSeq, "sequence")
	add(&t.Lsn, int(m.nullLSN), KindLSN, "lsn")
	add(&t.Space, 2, KindHidden, "space class")
	add(&t.Own, m.maxSeq(), KindHidden, "promised checkpoint")
	add(&t.Data, m.when(sc.fsyncs(), 1), KindHidden, "data only cached")
	add(&s.Wq.FlushWorks[id], 1<<m.Contexts-1, KindHidden, "flush waits for works")
	add(&s.Wq.FlushRuns[id], 1<<m.Workers-1, KindHidden, "flush waits for kworkers")
}

// Words is the number of words of a packed state.
func (m *Machine) Words() int { return m.layout.words() }

// Fields describes the bytes of the state that the scenario uses.
func (m *Machine) Fields() []Field { return m.layout.fields }

// Pack writes a state into words; the error names a value out of its range.
func (m *Machine) Pack(s *State, words []uint64) error {
	if !m.layout.pack(asBytes(s), words) {
		return m.outOfRange(s)
	}
	return nil
}

// outOfRange names the first value of a state that is out of its range.
func (m *Machine) outOfRange(s *State) error {
	for i := range m.layout.fields {
		if f := &m.layout.fields[i]; f.Value(s) > f.Max {
			return fmt.Errorf("%s %s is %d, over its range of %d", m.ObjectName(f, Base{}), f.Name, f.Value(s), f.Max)
		}
	}
	return nil
}

// Unpack reads a state back from words.
func (m *Machine) Unpack(words []uint64, s *State) {
	*s = State{}
	m.layout.unpack(words, asBytes(s))
}
