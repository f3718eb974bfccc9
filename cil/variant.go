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
	Faults        Fault
}
