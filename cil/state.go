package cil

import "cilcheck/wq"

// Seq is a checkpoint sequence, relative to the oldest checkpoint that anything
// still refers to (so tasks may loop for ever in finitely many states): NoSeq is the 0 of the kernel, GoneSeq
// any sequence older than that checkpoint, FirstSeq that checkpoint itself. The
// same number names the context: Ctx[seq-FirstSeq].
//
// Saturating older sequences to GoneSeq changes no decision of the code: they
// are only compared, and with live sequences only. N4 and F2b ask whether a
// sequence is at most, F3 whether it equals, one that is live or is itself gone
// (xc_push_seq, at least current-1).
type Seq = uint8

const (
	NoSeq    Seq = 0 // no sequence: the kernel's 0
	GoneSeq  Seq = 1 // older than every checkpoint that anything refers to
	FirstSeq Seq = 2 // the oldest checkpoint
)

// LSN is the log sequence number of an iclog write, relative to the oldest one
// that an iclog holds or that is not known to be stable: NoLSN is "not known"
// (0 in the kernel), GoneLSN older than the oldest.
//
// FL2 looks for an iclog with exactly this LSN, W13 compares the LSNs of iclogs
// that still hold theirs: an older value can match neither.
type LSN = uint8

const (
	NoLSN    LSN = 0 // not known yet: the kernel's 0
	GoneLSN  LSN = 1 // older than every iclog, and stable on disk
	FirstLSN LSN = 2 // the oldest write that is held or not stable
)

// Life is the life of a context slot.
type Life = uint8

const (
	Unused Life = iota // no such checkpoint
	Live               // allocated
	Freed              // freed: poisoned, any touch is a violation
)

// Ctx is struct xfs_cil_ctx (xlog_chkpt in the development tree).
type Ctx struct {
	Life   Life
	Space  uint8 // space_used in units, saturating at the hard limit
	Start  LSN   // start_lsn
	Commit LSN   // commit_lsn
	Iclog  uint8 // commit_iclog, number+1
	Next   Seq   // committing link: the next older context on xc_committing
	CbNext Seq   // iclog_entry link: the next context on ic_callbacks
	Inodes uint8 // the inodes pinned by this checkpoint, one bit each
	Queued uint8 // ghost: push_work was queued once
	CPUs   uint8 // cil_pcpmask: the CPUs with items or space, one bit each
	Joined uint8 // ghost: units of the items that joined it, if CPUs have lists
	Bufs   uint8 // the buffers pinned by this checkpoint, one bit each
	Fail   uint8 // the buffers that its abort has still to lock, one bit each
	OnAIL  uint8 // its items are on the AIL
	White  uint8 // it has whiteouts: intents that are done, and not to be written
}

// Blank reports whether nothing was ever logged in the checkpoint.
func (c *Ctx) Blank() bool { return c.Space == 0 && c.Joined == 0 }

// CPU is what the CIL keeps for each CPU: struct xlog_cil_pcp.
type CPU struct {
	Space   uint8 // space_used not yet folded, in units
	Items   uint8 // log_items, in units
	Offline uint8 // it has left cpu_online_mask
}

// IclogState is ic_state.
type IclogState = uint8

const (
	Active    IclogState = iota // XLOG_STATE_ACTIVE
	WantSync                    // XLOG_STATE_WANT_SYNC
	Syncing                     // XLOG_STATE_SYNCING
	DoneSync                    // XLOG_STATE_DONE_SYNC
	Callback                    // XLOG_STATE_CALLBACK
	Dirty                       // XLOG_STATE_DIRTY
	IOError                     // XLOG_STATE_IOERROR, before 5.15
	numIclogs = iota
)

const (
	needFlush = 1 << iota // XLOG_ICL_NEED_FLUSH
	needFUA               // XLOG_ICL_NEED_FUA
)

// Iclog is struct xlog_in_core.
type Iclog struct {
	State  IclogState
	Ref    uint8 // ic_refcnt
	Offset uint8 // ic_offset in units
	Flags  uint8 // ic_flags: needFlush, needFUA
	Cb     Seq   // ic_callbacks: first context of the FIFO
	Lsn    LSN   // ic_header.h_lsn; NoLSN when reactivated
	Sema   uint8 // ic_sema is held
	FUA    uint8 // the write in flight carries FUA
	Late   uint8 // the device has put off the preflush of the write in flight
	Tail   Seq   // h_tail_lsn
	Early  uint8 // the write was done before the freeze, its completion is queued
}

// Stability says what a crash may leave of an iclog write.
type Stability = uint8

const (
	Unwritten Stability = iota // not issued: certainly lost
	InFlight                   // issued, not completed, or failed: may survive
	Cached                     // completed into the volatile cache: may survive
	Stable                     // on stable storage: survives
)

// Task is one task: program counter, call stack and the locals of the functions
// it is in. Locals are zero when no function on the stack uses them.
type Task struct {
	PC    Label
	Frame frame // the call stack: a node of the static call tree
	Wait  wait  // what the task sleeps on; 0 when it does not
	Rank  uint8 // place in the queue of the lock that it waits for, from 1
	OnCPU uint8 // the task has a CPU (scheduler cooperative only)
	Op    uint8 // index in the script
	Left  uint8 // turns of the script left; 0 for ever
	Seq   Seq   // sequence argument of push_now and force_seq
	Lsn   LSN   // result of force_seq; lsn argument of force_lsn; h_lsn remembered by log_force
	Iclog uint8 // iclog in hand, number+1
	Pos   uint8 // ring cursor of do_callback and shutdown_callbacks, number+1
	First uint8 // where the pass of do_callback started, number+1
	Ctx   Seq   // context in hand: list cursor, or the one being completed
	List  Seq   // the callbacks spliced off an iclog: first context
	Work  Seq   // context whose push_work the kworker runs
	White uint8 // push work: the context had whiteouts
	Rest  uint8 // units that xlog_write has still to place
	Space uint8 // what B1 read: 0 below soft, 1 below hard, 2 at or over hard
	Args  uint8 // arguments that are bits: argAsync, ...
	Local uint8 // locals that are bits: localSlept, ...
	Own   Seq   // ghost: newest checkpoint that the operation in progress promises to make durable
	Data  uint8 // ghost: the file data that an fsync wrote back (FY1) is only in the data device's cache
}

// Arguments that are bits.
const (
	argAsync   = 1 << iota // push_now: async
	argSync                // forces: XFS_LOG_SYNC
	argIOError             // force_shutdown: the reason is a log I/O error
	argStarted             // cil_flush: the push of the sequence had started by N2
	argRelogs              // cil_commit: the item is in the context already, and gets smaller

	// argUnissued, of an I/O completion, is argAsync of the others: the write was
	// never issued, for the flush before it failed.
	argUnissued = argAsync
)

// Locals that are bits.
const (
	localEIO     = 1 << iota // the function that just returned returned EIO
	localSlept               // force_lsn: already_slept
	localFlushed             // force_lsn: log_flushed
	localTurn                // force_seq: N1 slept in this turn (for metrics)
	localStable              // push work: the flag it sampled in W3
	localCommit              // push work: it writes the commit record, not the chain
	localRan                 // do_callback: callbacks ran in this pass
	localAbort               // cil_committed: K1 saw the shutdown
)

// State is everything the tasks share, and the tasks. It is a plain value:
// every field is one byte or an array of such, and a field that the scenario
// does not use is 0.
type State struct {
	Ctx        [MaxContexts]Ctx
	XcCtx      Seq   // xc_ctx
	Current    Seq   // xc_current_sequence
	PushSeq    Seq   // xc_push_seq
	Stable     uint8 // xc_push_commit_stable
	Empty      uint8 // XLOG_CIL_EMPTY of xc_flags
	Committing Seq   // xc_committing: newest context
	Readers    uint8 // xc_ctx_lock: readers inside
	Writer     uint8 // xc_ctx_lock: writer inside, task+1
	PushLock   uint8 // xc_push_lock: holder, task+1; between steps in the finer mode only
	IclogLock  uint8 // l_icloglock: likewise

	Iclog    [MaxIclogs]Iclog
	Head     uint8 // l_iclog
	NextLSN  LSN   // the LSN that the next iclog used will get
	Disk     [MaxLSNs]Stability
	DiskTail [MaxLSNs]Seq // the tail that each log write carries
	AILHead  Seq          // ail_head_lsn: the newest checkpoint that passed K3a
	Started  uint8        // XLOG_SHUTDOWN_STARTED
	Shutdown uint8        // XLOG_IO_ERROR: the log "is shut down"

	CPU      [MaxListCPUs]CPU
	Buf      [MaxBuffers]uint8 // b_sema: holder, task+1
	AIL      AIL
	Grant    uint8 // log space that is neither reserved nor in use, in units
	Torn     uint8 // what unmount has destroyed: TornAIL, ...
	PCPSpace uint8 // XLOG_CIL_PCP_SPACE of xc_flags

	Wq    wq.Queue       // xc_push_wq; work i belongs to context i
	Inode [MaxInodes]Seq // ili_commit_seq

	// Ghosts: what commits that have returned put where.
	Logged   [MaxInodes]Seq // newest checkpoint with a change of the inode
	Returned Seq            // newest checkpoint with any change
	Async    Seq            // ghost: newest checkpoint, not durable then, that a cil_flush found
	Task     [MaxTasks]Task
}

// context returns the context of seq, which must be FirstSeq or above.
func (s *State) context(seq Seq) *Ctx { return &s.Ctx[seq-FirstSeq] }

// Durable reports whether recovery is certain to replay checkpoint seq after a
// crash now: its commit record and every log write up to it are stable, so no
// surviving subset of the cache has a hole before it.
func (s *State) Durable(seq Seq) bool {
	if seq < FirstSeq {
		return true // dropped from the window only once durable, or empty
	}
	c := s.context(seq)
	if c.Blank() {
		return true // nothing in it to lose
	}
	if c.Commit == NoLSN {
		return false
	}
	for l := FirstLSN; l <= c.Commit; l++ {
		if s.Disk[l-FirstLSN] != Stable {
			return false
		}
	}
	return true
}
