package cil

import (
	"fmt"

	"cilcheck/wq"
)

// Bounds of the fixed-size state. A scenario stays below them; Config.Validate
// says so when it does not.
const (
	// MaxTasks bounds all tasks: scripts, kworkers and one I/O completion for
	// each iclog. A packed state has only those that there are.
	MaxTasks = 32
	// MaxWorkers bounds the kworkers that run push works.
	MaxWorkers = wq.MaxWorkers
	// MaxIclogs is the kernel's own limit for the ring.
	MaxIclogs = 8
	// MaxContexts bounds the checkpoints alive at once.
	MaxContexts = 8
	// MaxLSNs bounds the iclog writes that are not yet stable at once.
	MaxLSNs = 14
	// MaxInodes bounds the inodes that operations name.
	MaxInodes = 8
	// MaxScript bounds the operations of one task.
	MaxScript = 8
	// MaxUnits bounds sizes and limits of log space.
	MaxUnits = 30
)

// OpKind is what an operation of a task does: one call into XFS.
type OpKind uint8

const (
	// OpCommit is a transaction commit: xfs_trans_commit -> xlog_cil_commit.
	OpCommit OpKind = iota
	// OpSyncCommit is a synchronous transaction: commit, then
	// xfs_log_force_seq(commit_seq, SYNC), whose result is the commit's.
	OpSyncCommit
	// OpFsync is xfs_file_fsync, from the shutdown test FY2 on.
	OpFsync
	// OpLogForce is xfs_log_force(mp, XFS_LOG_SYNC).
	OpLogForce
	// OpLogForceAsync is xfs_log_force(mp, 0), for example for a pinned buffer.
	OpLogForceAsync
	// OpLogWorker is the same as the log worker does it: on a freezable queue.
	OpLogWorker
	// OpCilFlush is xlog_cil_flush, as xfsaild calls it.
	OpCilFlush
	// OpShutdown is xlog_force_shutdown for a reason other than a log I/O error
	// (so D2 forces the log first).
	OpShutdown
	// OpShutdownIO is xlog_force_shutdown(SHUTDOWN_LOG_IO_ERROR).
	OpShutdownIO
	// OpFreeze freezes the freezable workqueues.
	OpFreeze
	// OpThaw thaws them. It is never owed: a freezer may stay frozen for ever.
	OpThaw
	// OpCPUOffline takes a CPU away, for ever.
	OpCPUOffline
	// OpDqflush is xfs_qm_dqflush of a pinned dquot: it waits for the unpin, and
	// locks the dquot's buffer.
	OpDqflush
	// OpUnmount is the end of the mount; it begins when the scripts of other tasks
	// are done, but for those of xfsaild and the log worker.
	OpUnmount
	// OpXfsaild is the thread of xfsaild that writes back what is on the AIL.
	OpXfsaild
	// OpPushAll is xfs_ail_push_all_sync, as unmount and freeze call it.
	OpPushAll
	// OpDelwriSubmit is xfsaild submitting a buffer that it has to write.
	OpDelwriSubmit
	// NumOps counts the kinds.
	NumOps
)

// opNames are the spellings of scenario files, in the order of the constants.
var opNames = [NumOps]string{
	"commit", "sync_commit", "fsync", "log_force", "log_force_async",
	"log_worker", "cil_flush", "shutdown", "shutdown_io", "freeze", "thaw",
	"cpu_offline", "dqflush", "unmount",
	"xfsaild", "ail_push_all", "delwri_submit",
}

func (k OpKind) String() string {
	if k < NumOps {
		return opNames[k]
	}
	return fmt.Sprintf("OpKind(%d)", uint8(k))
}

// ParseOp is the inverse of OpKind.String.
func ParseOp(s string) (OpKind, error) {
	for k, name := range opNames {
		if name == s {
			return OpKind(k), nil
		}
	}
	return 0, fmt.Errorf("unknown operation %q", s)
}

// Op is one operation of a script.
type Op struct {
	Kind OpKind
	// Inode is what a commit logs and an fsync reads, 0 to MaxInodes-1. Tasks
	// that name the same inode share it.
	Inode uint8
	// Size is the log space that a commit takes, in units, at least 1.
	Size uint8
	// Shrink is by how many units a commit shortens what its inode took in the
	// current checkpoint, if that has logged the inode; otherwise the commit
	// takes Size. 0 always takes Size.
	Shrink uint8
	// Overrun makes the commit overrun its reservation: C4f shuts the log down
	// while xc_ctx_lock is held for read.
	Overrun bool
	// Buffer is the buffer that is locked when the operation begins, number+1, or
	// 0. A commit logs it, and unlocks it in C6 unless it holds it (Hold); the
	// others unlock it at their end.
	Buffer uint8
	Hold   bool
	// Whiteout makes a commit cancel an intent of the same checkpoint (C3).
	Whiteout bool
	// CPU is the one that goes away, from 1.
	CPU uint8
}

// Start says where a task's own first transaction is in the initial state.
type Start uint8

const (
	// StartClean: the task has committed nothing yet.
	StartClean Start = iota
	// StartCurrent: its transaction is in the current, not yet pushed context.
	StartCurrent
	// StartPrevious: its transaction is in the previous checkpoint, which a
	// background push wrote to the head iclog: commit record in memory, iclog
	// ACTIVE, no I/O issued.
	StartPrevious
)

// Script is a task that calls into XFS.
type Script struct {
	// Name is what traces call it, unique in the scenario.
	Name string
	// Ops are done in order.
	Ops []Op
	// Times is how often the whole list is done; 0 is for ever.
	Times uint8
	// Start is where its first transaction is in the initial state, Inode and
	// Size which inode it logged and how much it takes.
	Start       Start
	Inode, Size uint8
	// Buffer is the buffer that it logged, number+1, or 0.
	Buffer uint8
	// CPU is the CPU that the task runs on, below Config.CPUs if that is set.
	CPU uint8
	// FIFO gives the task a real-time priority under the scheduler priority.
	FIFO bool
}

// Config is a scenario in plain numbers: everything that a model needs to know.
type Config struct {
	// Iclogs is the number of iclogs in the ring, 1 to MaxIclogs (the kernel
	// allows 2 to 8), and IclogUnits the space of each.
	Iclogs, IclogUnits uint8
	// Contexts and LSNs are the slots for checkpoints and log writes that are
	// alive at once. Running out ends in not-exhausted, never in a verdict.
	Contexts, LSNs uint8
	// Soft and Hard are the space limits of the CIL in units.
	Soft, Hard uint8
	// MaxActive is the max_active of xc_push_wq and Workers the number of
	// kworkers that may run push works.
	MaxActive, Workers uint8
	// CPUs is the number of CPUs with lists of their own, 0 (commits add to the
	// context) to MaxListCPUs.
	CPUs uint8
	// Tail keeps the log tail that each log write carries.
	Tail bool
	// LogUnits is the space of the whole log in units, which commits reserve and
	// the AIL frees; 0 is as much as anybody wants.
	LogUnits uint8
	// IOEndWorkers is how many works of the completion workqueue run at once; 0 is
	// one for each iclog. It is 1 under memory pressure, when only the rescuer
	// runs.
	IOEndWorkers uint8
	// LogIOError lets log writes fail.
	LogIOError bool
	// DataFlushError lets the flush of the data device fail that an iclog write
	// with a preflush makes if the log is external.
	DataFlushError bool
	// ExternalLog puts the log on a device of its own, which the flush of FY4
	// does not reach.
	ExternalLog bool
	// Scripts are the tasks that call into XFS.
	Scripts []Script
}
