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
type Mutant uint32

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
	Without       Mutant // historical fixes taken away
	Faults        Fault
}
