package spec

import (
	"fmt"
	"slices"
	"strings"

	"cilcheck/cil"
)

// A Number is one number of a scenario, for each size. A file gives it as a
// plain number or as a map, {check: 2, soak: 3}. For a size that the scenario
// does not have it repeats that of one that it has.
type Number [NumSizes]int

// N is the Number that is n at every size.
func N(n int) Number {
	var num Number
	for size := range num {
		num[size] = n
	}
	return num
}

// Forever is the Times of a task that repeats its operations for ever.
const Forever = 0

// MaxTimes bounds how often a task repeats its operations when it does end.
const MaxTimes = 15

// NoBuffer is the Buffer of an operation that locks none; buffer n of a file is
// Buffer n+1.
const NoBuffer = 0

// Own is the Inode of a task whose every instance has an inode of its own.
const Own = -1

// A Scenario is a situation to be checked: how many of each task, what each
// does, the size of the log, the faults. It is data; Load reads it from a file.
//
// The key of a field in a file is given first, then its default. Only name,
// title and tasks have none.
type Scenario struct {
	// Name (name) is lower-case words with hyphens between them.
	Name string
	// Title (title) says on one line what it is.
	Title string
	// Story (story, empty) says in a few lines what it is for.
	Story string
	// Sizes (sizes, [check, soak]) are the sizes that exist, in order.
	Sizes []Size
	// Iclogs (iclogs, 2) is the number of iclogs in the ring. The kernel allows
	// 2 to 8; see NotKernel.
	Iclogs Number
	// IclogUnits (iclog_units, 4) is the log space of one iclog. A checkpoint
	// takes the units of its transactions and 1 for its commit record.
	IclogUnits Number
	// Contexts (contexts, 4) is the number of checkpoints alive at once.
	// Running out of them ends in not-exhausted, never in a verdict.
	Contexts Number
	// LSNs (lsns, 6) is the number of log writes that are not yet stable at
	// once. Running out of them ends in not-exhausted.
	LSNs Number
	// Soft (soft, 8) and Hard (hard, twice soft as in the kernel, but no more
	// than cil.MaxUnits) are the space limits of the CIL in units.
	Soft, Hard Number
	// MaxActive (max_active, 4 as in the kernel) is the max_active of
	// xc_push_wq.
	MaxActive Number
	// Workers (workers, 2) is the number of kworkers that run push works.
	Workers Number
	// CPUs (cpus, 0) gives each of that many CPUs, up to cil.MaxListCPUs, lists
	// of items of its own, as the kernel has since 6.0. With 0 a commit adds to
	// the context: then how the lists are gathered cannot be seen.
	CPUs Number
	// Tail (tail, false) keeps the log tail that every log write carries. Then no
	// checkpoint is ever forgotten, so no task may repeat for ever.
	Tail bool
	// LogUnits (log_units, 0) is the space of the whole log, which commits reserve
	// and wait for; it needs a task that does xfsaild. 0 is as much as anybody
	// wants.
	LogUnits Number
	// IOEndWorkers (ioend_workers, 0) is how many log I/O completions run at
	// once; 0 is all. It is 1 when memory is short: then only the rescuer of
	// their workqueue runs.
	IOEndWorkers Number
	// LogIOError (faults: [log_io_error], none) lets log writes fail.
	LogIOError bool
	// DataFlushError (faults: [data_flush_error], none) lets the flush of the data
	// device fail that comes before a write to an external log.
	DataFlushError bool
	// ExternalLog (external_log, false) puts the log on a device of its own, so
	// that the device flush at the end of an fsync does not reach it.
	ExternalLog bool
	// Schedulers (schedulers, [any]) are those it is checked under.
	Schedulers []Scheduler
	// Variants (variants, all) restricts the variants it is checked with. Each
	// is a comma list of toggles as on the command line; "" is the current
	// kernel. nil means all variants.
	Variants []string
	// Ends (end, [done]) are the allowed end states.
	Ends []End
	// Tasks (tasks) are the tasks that call into XFS. Kworkers and I/O
	// completions come by themselves.
	Tasks []Task
}

// A Task is a number of equal tasks of a scenario.
type Task struct {
	// Name (name) is what traces call it; with a count above 1 the instances
	// are Name0, Name1, and so on.
	Name string
	// Count (count, 1) is the number of instances. It may be 0 at one of the
	// sizes.
	Count Number
	// Start (start, clean) says where the first transaction of each instance is
	// in the initial state: clean (it has none), current or previous. Such a
	// transaction logged the inode of the task.
	Start cil.Start
	// Size (size, 1) is the log space of that first transaction; it means
	// nothing when Start is clean.
	Size Number
	// Inode (inode, own) is the inode that operations and the first transaction
	// use unless they name one themselves: Own, or a number that is shared by
	// all tasks that name it.
	Inode int
	// CPU (cpu, 0) is the CPU it runs on, if the scenario has cpus.
	CPU int
	// Buffer (buffer, none) is the buffer that the first transaction of each
	// instance logged.
	Buffer int
	// Do (do) are the operations of each instance, in order.
	Do []Op
	// Times (times, 1) is how often they are done, or Forever (forever).
	Times Number
	// FIFO (fifo, false) gives it a real-time priority under the scheduler
	// priority.
	FIFO bool
}

// An Op is one operation of a task. In a file it is a name, such as commit, or
// a map from the name to parameters, such as {commit: {size: 2, overrun: true}}.
type Op struct {
	// Kind is the operation.
	Kind cil.OpKind
	// Inode (inode, that of the task) is what a commit logs and an fsync reads;
	// Own for the other operations.
	Inode int
	// Size (size, 1) is the log space of a commit; zero for the others.
	Size Number
	// Shrink (shrink, 0) is by how many units a commit shortens what its inode
	// took in the current checkpoint; one that has not logged the inode takes
	// size.
	Shrink Number
	// Overrun (overrun, false) makes a commit overrun its reservation.
	Overrun bool
	// Buffer (buffer, none) is a buffer whose lock the operation takes first. A
	// commit logs it, and unlocks it with its items (C6); the others unlock it at
	// their end.
	Buffer int
	// Hold (hold, false) makes a commit keep the lock until its end.
	Hold bool
	// Whiteout (whiteout, false) makes a commit cancel an intent that the same
	// checkpoint has logged.
	Whiteout bool
	// CPU (cpu, 1) is the one that cpu_offline takes away; 0 for the others.
	CPU int
}

// defaults is the scenario that a file with no keys would mean.
func defaults() *Scenario {
	return &Scenario{
		Sizes:      []Size{Check, Soak},
		Iclogs:     N(2),
		IclogUnits: N(4),
		Contexts:   N(4),
		LSNs:       N(6),
		Soft:       N(8),
		Hard:       N(16),
		MaxActive:  N(4),
		Workers:    N(2),
		Schedulers: []Scheduler{{}},
		Ends:       []End{EndDone},
	}
}

// defaultHard is the hard limit that goes with a soft one: in the kernel
// XLOG_CIL_BLOCKING_SPACE_LIMIT is twice XLOG_CIL_SPACE_LIMIT.
func defaultHard(soft Number) (hard Number) {
	for size, n := range soft {
		hard[size] = min(2*n, cil.MaxUnits)
	}
	return hard
}

// Has reports whether the scenario exists at the size.
func (sc *Scenario) Has(size Size) bool { return slices.Contains(sc.Sizes, size) }

// MayEnd reports whether the scenario allows the end.
func (sc *Scenario) MayEnd(end End) bool { return slices.Contains(sc.Ends, end) }

// NotKernel says why no kernel can be configured as the scenario is, or returns
// "". Such a scenario can be checked, but a violation need not concern anyone.
func (sc *Scenario) NotKernel() string {
	for _, size := range sc.Sizes {
		if n := sc.Iclogs[size]; n < 2 {
			return fmt.Sprintf("not a kernel configuration: %d iclog, the kernel allows 2 to %d", n, cil.MaxIclogs)
		}
	}
	return ""
}

// Config is the scenario in plain numbers at a size that it Has. The scenario
// must be valid.
func (sc *Scenario) Config(size Size) cil.Config {
	return cil.Config{
		Iclogs:         uint8(sc.Iclogs[size]),
		IclogUnits:     uint8(sc.IclogUnits[size]),
		Contexts:       uint8(sc.Contexts[size]),
		LSNs:           uint8(sc.LSNs[size]),
		Soft:           uint8(sc.Soft[size]),
		Hard:           uint8(sc.Hard[size]),
		MaxActive:      uint8(sc.MaxActive[size]),
		Workers:        uint8(sc.Workers[size]),
		CPUs:           uint8(sc.CPUs[size]),
		IOEndWorkers:   uint8(sc.IOEndWorkers[size]),
		Tail:           sc.Tail,
		LogUnits:       uint8(sc.LogUnits[size]),
		DataFlushError: sc.DataFlushError,
		LogIOError:     sc.LogIOError,
		ExternalLog:    sc.ExternalLog,
		Scripts:        sc.scripts(size),
	}
}

// scripts expands the tasks into their instances. Own inodes are numbered after
// the shared ones, in the order of the instances that use them.
func (sc *Scenario) scripts(size Size) []cil.Script {
	var scripts []cil.Script
	own := sc.sharedInodes()
	for i := range sc.Tasks {
		t := &sc.Tasks[i]
		for instance := range t.Count[size] {
			s := t.script(size, own)
			if t.Count[size] > 1 {
				s.Name = fmt.Sprint(t.Name, instance)
			}
			scripts = append(scripts, s)
			if t.usesOwn() {
				own++
			}
		}
	}
	return scripts
}

// script is one instance of the task, with the number of its own inode.
func (t *Task) script(size Size, own int) cil.Script {
	number := func(inode int) uint8 {
		if inode == Own {
			return uint8(own)
		}
		return uint8(inode)
	}
	s := cil.Script{
		Name:  t.Name,
		Times: uint8(t.Times[size]),
		Start: t.Start,
		CPU:   uint8(t.CPU),
		FIFO:  t.FIFO,
	}
	if t.Start != cil.StartClean {
		s.Inode, s.Size = number(t.Inode), uint8(t.Size[size])
		s.Buffer = uint8(t.Buffer)
	}
	for _, op := range t.Do {
		o := cil.Op{Kind: op.Kind, Size: uint8(op.Size[size]), Shrink: uint8(op.Shrink[size]), Overrun: op.Overrun, CPU: uint8(op.CPU),
			Buffer: uint8(op.Buffer), Hold: op.Hold, Whiteout: op.Whiteout}
		if usesInode(op.Kind) {
			o.Inode = number(op.Inode)
		}
		s.Ops = append(s.Ops, o)
	}
	return s
}

// sharedInodes is the number of inodes that are named by number anywhere,
// counting the gaps. Tasks that a size leaves out count too, so that an inode
// has the same number at every size.
func (sc *Scenario) sharedInodes() int {
	n := 0
	for _, t := range sc.Tasks {
		for _, inode := range t.inodes() {
			n = max(n, inode+1)
		}
	}
	return n
}

// inodes are the inodes that an instance uses, Own included.
func (t *Task) inodes() (inodes []int) {
	if t.Start != cil.StartClean {
		inodes = append(inodes, t.Inode)
	}
	for _, op := range t.Do {
		if usesInode(op.Kind) {
			inodes = append(inodes, op.Inode)
		}
	}
	return inodes
}

func (t *Task) usesOwn() bool { return slices.Contains(t.inodes(), Own) }

// does reports whether the operations of the task include the kind.
func (t *Task) does(kinds ...cil.OpKind) bool {
	return slices.ContainsFunc(t.Do, func(op Op) bool { return slices.Contains(kinds, op.Kind) })
}

// commits reports whether the operation commits a transaction.
func commits(k cil.OpKind) bool { return k == cil.OpCommit || k == cil.OpSyncCommit }

// forces reports whether the operation forces the log: it may do so with a buffer
// locked.
func forces(k cil.OpKind) bool {
	switch k {
	case cil.OpLogForce, cil.OpLogForceAsync, cil.OpShutdown, cil.OpShutdownIO, cil.OpDqflush, cil.OpDelwriSubmit:
		return true
	}
	return false
}

// usesInode reports whether the operation names an inode.
func usesInode(k cil.OpKind) bool { return commits(k) || k == cil.OpFsync }

// opNames are the names of all operations.
func opNames() []string {
	names := make([]string, cil.NumOps)
	for k := range names {
		names[k] = cil.OpKind(k).String()
	}
	return names
}

// startNames are the spellings of scenario files, in the order of cil.Start.
var startNames = []string{"clean", "current", "previous"}

// faultNames are the faults that a file may list.
var faultNames = []string{"log_io_error", "data_flush_error"}

// words joins values for a message or a file.
func words[T fmt.Stringer](values []T) string {
	s := make([]string, len(values))
	for i, v := range values {
		s[i] = v.String()
	}
	return strings.Join(s, ", ")
}
