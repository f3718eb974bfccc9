package cil

// FlushPolicy is when a synchronous force flushes xc_push_wq.
type FlushPolicy uint8

const (
	FlushAlways    FlushPolicy = iota // N1 in every turn: the current kernel
	FlushNever                        // the removal under discussion
	FlushOnRestart                    // R4: only after F3 found the push not started
	FlushWork                         // R3: flush_work of the current context's push_work
)

// WaitPolicy is what F3 does when the push of the sequence has not started.
type WaitPolicy uint8

const (
	WaitJump           WaitPolicy = iota // jump back to F1: the current kernel
	WaitCommit                           // R1: sleep on xc_commit_wait
	WaitCommitIfQueued                   // R2: R1 if the push is queued, else jump
)

// Fault is a set of faults planted in the model, for checking the checks. None
// of them was ever in a kernel.
type Fault uint8

const (
	// FaultSkipStartWake: SF1 does not wake xc_start_wait.
	FaultSkipStartWake Fault = 1 << iota
	// FaultPublishBeforeAttach: S3 comes before S1 and S2.
	FaultPublishBeforeAttach
	// FaultNoCtxLock: commits do not take xc_ctx_lock (C2, B5).
	FaultNoCtxLock
	// FaultNoCommitOrder: W12 does not wait for older commit records.
	FaultNoCommitOrder
	// FaultFreeBeforeUnlink: K6 comes before K5.
	FaultFreeBeforeUnlink
)

// Mutant is a set of historical fixes taken away: spec/reference/bugs.md tells
// the story of each under the number in the comment.
type Mutant uint64

const (
	// WithoutEarlyListing (B01, 8af3dcd3c89a): W6 does not link the context; the
	// CIL looks empty before W8 links it and goes on to the next sequence.
	WithoutEarlyListing Mutant = 1 << iota
	// WithoutRestart (B02, f876e44603ad): F3 does not look whether the push of
	// the current sequence has started.
	WithoutRestart
	// WithoutThrottleWake (B06, 19f4e7cc8197): W4 wakes xc_push_wait only if the
	// context is still over the hard limit.
	WithoutThrottleWake
	// WithoutGlobalThrottle (B07, c7f87f3984cf): xc_push_wait lives in the
	// context, so a woken committer touches it.
	WithoutGlobalThrottle
	// WithoutRefcntSkip (B11a, 502a01fac098): SC1 does not skip an iclog that is
	// referenced.
	WithoutRefcntSkip
	// WithoutReleaseCallbacks (B11b, 502a01fac098): RI3 does not run the
	// callbacks at the last release.
	WithoutReleaseCallbacks
	// WithoutCommitWait (B15, 5fd9256ce156): W13 does not wait for the iclogs
	// before the commit record's.
	WithoutCommitWait
	// WithoutCommitPreflush (B15, eef983ffeae7): the commit record's iclog is
	// written without a preflush.
	WithoutCommitPreflush
	// WithoutStartOrder (B16, 68a74dcae673): W11 does not wait for older start
	// records.
	WithoutStartOrder
	// WithoutPendingStable (B18, 70447e0ad978): N3 stores only when N5 queues.
	WithoutPendingStable
	// WithoutEmptyForce (B18, 70447e0ad978): A3 does not force the log.
	WithoutEmptyForce
	// WithoutForceFlagsActive (B20, 2bf1ec0ff067): FI1 demands no FLUSH and FUA.
	WithoutForceFlagsActive
	// WithoutForceFlagsWantSync (B20, 2bf1ec0ff067): G4 and FL5 demand none.
	WithoutForceFlagsWantSync
	// WithoutLockedPublish (B29, d17c701ce6a5): C6 comes after B5 has dropped
	// xc_ctx_lock.
	WithoutLockedPublish
	// WithoutStableSwitch (M1, first version of 0020a190cf3e): W14 does not
	// switch the commit record's iclog for an asynchronous flush.
	WithoutStableSwitch
	// WithoutSecondLook (B03, 3.4 to 3.13): a force pushes in its own context
	// and looks at the list once; another force of the sequence finds nothing to
	// wait for.
	WithoutSecondLook
	// WithoutLockedSpaceWake (B05, cdea5459ce26): DC3 wakes l_flush_wait after it
	// has dropped l_icloglock.
	WithoutLockedSpaceWake
	// WithoutLockedCommitWake (B05, cdea5459ce26): D6 wakes xc_commit_wait without
	// xc_push_lock.
	WithoutLockedCommitWake
	// WithoutSharedCallbackLock (B10, a1bb8505e921): ic_callbacks has a lock of
	// its own, under which the work attaches its context behind the commit record,
	// and SC1 does not skip a referenced iclog.
	WithoutSharedCallbackLock
	// WithoutCallbacksFirst (B12, cd6f79d1fb32; M9): SC2 wakes the waiters of an
	// iclog before its callbacks run.
	WithoutCallbacksFirst
	// WithoutLockedReleaseTest (B21, 6b789c337a59): RI3 tests for the shutdown
	// before l_icloglock is taken.
	WithoutLockedReleaseTest
	// WithoutAtomicShutdown (B22, b36d4651e165): D1 only reads what D3 sets.
	WithoutAtomicShutdown
	// WithoutLogWorkerQueue (B28, 696a562072e3): the log worker runs on the
	// workqueue of the log I/O completions.
	WithoutLogWorkerQueue
	// WithoutContextMask (B30, ecd49f7a36fb): W4 gathers the lists of the CPUs
	// that are online; what a dying CPU has is folded in when it is dead.
	WithoutContextMask
	// WithoutSoftFold (B31, 7c8ade212120): C4d folds the space counter of a CPU
	// only at the hard limit, and does not look at those of the others.
	WithoutSoftFold
	// WithoutLockedDrain (M6): the push work takes the items off the lists after
	// it has dropped xc_ctx_lock.
	WithoutLockedDrain
	// WithoutThrottleQueue (M7): B6 flushes xc_push_wq instead of sleeping on
	// xc_push_wait.
	WithoutThrottleQueue
	// WithoutStartedBit (B23, a8581099604d): D1 only looks whether the mount is
	// shut down; D3 finds out whether the log is.
	WithoutStartedBit
	// WithoutIclogWaitBeforeCIL (B25, 7561cea5dbb9): UM7 comes before UM4.
	WithoutIclogWaitBeforeCIL
	// WithoutIclogWaitBeforeAIL (B26, 1eb52a6a7198): UM6 comes before UM4.
	WithoutIclogWaitBeforeAIL
	// WithoutSemaRelease (B27, 471de20303dd): the failed flush of the data device
	// leaves ic_sema held.
	WithoutSemaRelease
	// WithoutUnlockedDqForce (B52, d62016b1a2df): the flush of a dquot locks the
	// buffer before it waits for the unpin.
	WithoutUnlockedDqForce
	// WithoutLogWorker (B43, a9a4bc8c76d7): the log worker does not run yet.
	WithoutLogWorker
	// WithoutLockedPinTest (B44, dbd0f5299302): xfsaild looks whether a buffer is
	// pinned before it locks it.
	WithoutLockedPinTest
	// WithoutPushAll (B45, 941fbdfd6dd0): the target of a push-all is what was
	// last when it was called.
	WithoutPushAll
	// WithoutIdleRecheck (B46, 8375f922aaa6): xfsaild sets its task state for the
	// idle sleep after it has looked for work.
	WithoutIdleRecheck
	// WithoutGrantPush (B42, 14e15f1bcd73): the target of xfsaild is not raised
	// for waiters when a checkpoint completes.
	WithoutGrantPush
	// WithoutGrantForce (B41): nobody forces the log for who waits for log space,
	// and the log worker does not run.
	WithoutGrantForce
	// WithoutThrottle (B40, 0e7ab7efe774): B6 does not sleep.
	WithoutThrottle
)

// Variant is what the kernel code does. The zero value is the current kernel.
type Variant struct {
	Flush    FlushPolicy
	Wait     WaitPolicy
	StableOR bool // R5: N3 never stores false
	// ForceStarted: A3 also forces the log when the push of the sequence had
	// started by N2, too late for its stable flag.
	ForceStarted bool
	// RecheckShutdown: F4 and FY3 look for a shutdown before they conclude that
	// there is nothing to wait for.
	RecheckShutdown bool
	// IOErrorAnyway: a log I/O error does not leave at D1 when another shutdown
	// has begun, but goes on to D3.
	IOErrorAnyway bool
	// RingNewest: a log force that finds every iclog busy waits for the newest.
	RingNewest bool
	// TailInserted: the tail of an empty AIL follows the insertion of the items,
	// not the head.
	TailInserted bool
	// UnmountDrain: unmount flushes xc_push_wq before UM4.
	UnmountDrain bool
	// IclogErrors: a shutdown stores XLOG_STATE_IOERROR into every iclog, as
	// kernels before 5.15 did.
	IclogErrors bool
	Without     Mutant // historical fixes taken away
	Faults      Fault
}
