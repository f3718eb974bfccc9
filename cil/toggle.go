package cil

import (
	"fmt"
	"strings"
)

// A Toggle is one change of the kernel code. A variant is a set of toggles;
// where each acts, the model says `r.m.Variant` beside the step it changes.
type Toggle struct {
	// Name is the spelling on the command line and in scenario files.
	Name string
	// Does says what the changed code does.
	Does string
	// Source is the tag, commit or mail that it stands for.
	Source string

	set func(*Variant)
	is  func(Variant) bool
}

// toggles are all toggles but the defaults, in the order in which a variant is
// spelled.
var toggles = []Toggle{
	{
		Name:   "flush=never",
		Does:   "xlog_cil_push_now does not flush xc_push_wq",
		Source: "the removal asked about on linux-xfs, 27 Aug 2026",
		set:    func(v *Variant) { v.Flush = FlushNever },
		is:     func(v Variant) bool { return v.Flush == FlushNever },
	},
	{
		Name:   "flush=on-restart",
		Does:   "R4: flush only in F3, after it has unlocked, before it jumps back",
		Source: "cil.md#R4",
		set:    func(v *Variant) { v.Flush = FlushOnRestart },
		is:     func(v Variant) bool { return v.Flush == FlushOnRestart },
	},
	{
		Name:   "flush=work",
		Does:   "R3: flush_work of the push_work of xc_ctx, read under xc_push_lock",
		Source: "cil.md#R3; 0020a190cf3e flushed a work",
		set:    func(v *Variant) { v.Flush = FlushWork },
		is:     func(v Variant) bool { return v.Flush == FlushWork },
	},
	{
		Name:   "wait=commit",
		Does:   "R1: F3 sleeps on xc_commit_wait instead of jumping back",
		Source: "cil.md#R1",
		set:    func(v *Variant) { v.Wait = WaitCommit },
		is:     func(v Variant) bool { return v.Wait == WaitCommit },
	},
	{
		Name:   "wait=commit-if-queued",
		Does:   "R2: as R1, but only if xc_push_seq >= sequence; otherwise it jumps back",
		Source: "cil.md#R2",
		set:    func(v *Variant) { v.Wait = WaitCommitIfQueued },
		is:     func(v Variant) bool { return v.Wait == WaitCommitIfQueued },
	},
	{
		Name:   "stable=or",
		Does:   "R5: N3 never stores false; only the push work clears the flag",
		Source: "cil.md#R5",
		set:    func(v *Variant) { v.StableOR = true },
		is:     func(v Variant) bool { return v.StableOR },
	},
	{
		Name:   "async=force-started",
		Does:   "A3 forces the log also if the push of the sequence had started by N2 (it is on xc_committing)",
		Source: "cilcheck: closes the window between W3 and W8 in which xfsaild's request is lost",
		set:    func(v *Variant) { v.ForceStarted = true },
		is:     func(v Variant) bool { return v.ForceStarted },
	},
	{
		Name:   "shutdown=recheck",
		Does:   "F4 and FY3 test for shutdown before they conclude that there is nothing to wait for",
		Source: "cilcheck: closes the fsync that returns success after its checkpoint was aborted",
		set:    func(v *Variant) { v.RecheckShutdown = true },
		is:     func(v Variant) bool { return v.RecheckShutdown },
	},
	{
		Name:   "ioerror=anyway",
		Does:   "a log I/O error goes on to D3 although another shutdown has passed D1",
		Source: "cilcheck: closes the failed log write that completes as a success (cil.md section 11, doubt 3)",
		set:    func(v *Variant) { v.IOErrorAnyway = true },
		is:     func(v Variant) bool { return v.IOErrorAnyway },
	},
	{
		Name:   "ring=newest",
		Does:   "xfs_log_force waits for the iclog before the head if the head is neither ACTIVE nor DIRTY (G3): the newest, for the ring is full then",
		Source: "cilcheck: closes the log force that returns before the newest iclog is written",
		set:    func(v *Variant) { v.RingNewest = true },
		is:     func(v Variant) bool { return v.RingNewest },
	},
	{
		Name:   "unmount=drain",
		Does:   "unmount flushes xc_push_wq, after its last force and before UM4",
		Source: "cilcheck: what N1 in the last force does, which UM6 relies on (cil.md#ASK7)",
		set:    func(v *Variant) { v.UnmountDrain = true },
		is:     func(v Variant) bool { return v.UnmountDrain },
	},
	{
		Name:   "tail=inserted",
		Does:   "the tail of an empty AIL moves when the items are inserted (K3b), not when the head does (K3a)",
		Source: "bugs.md#B49: a patch of 23 May 2025",
		set:    func(v *Variant) { v.TailInserted = true },
		is:     func(v Variant) bool { return v.TailInserted },
	},
	{
		Name:   "iclog=ioerror",
		Does:   "D3 stores XLOG_STATE_IOERROR into every iclog, in which it stays",
		Source: "kernels before 5.15; the base for bugs.md#B21 and bugs.md#B22",
		set:    func(v *Variant) { v.IclogErrors = true },
		is:     func(v Variant) bool { return v.IclogErrors },
	},
	mutant("late_committing_add", "W6 does not link the context; it looks empty before W8 links it", "B01, 8af3dcd3c89a", WithoutEarlyListing),
	mutant("no_restart_if_current_and_dirty", "F3 does not restart", "B02, f876e44603ad", WithoutRestart),
	mutant("push_seq_set_before_list_add_without_recheck", "a force pushes in its own context, waits for no other's push, and F3 does not restart", "B03, 3.4 to 3.13", WithoutSecondLook),
	mutant("wake_flush_wait_unlocked", "DC3 wakes l_flush_wait after it has dropped l_icloglock; XW1 and XW2 are two steps", "B05, cdea5459ce26", WithoutLockedSpaceWake),
	mutant("shutdown_wake_commit_unlocked", "D6 wakes xc_commit_wait without xc_push_lock; XW1 and XW2 are two steps", "B05, cdea5459ce26", WithoutLockedCommitWake),
	mutant("wake_throttle_iff_over_limit", "W4 wakes xc_push_wait only if the context is over the hard limit", "B06, 19f4e7cc8197", WithoutThrottleWake),
	mutant("throttle_wq_in_ctx", "xc_push_wait is part of the context", "B07, c7f87f3984cf", WithoutGlobalThrottle),
	mutant("separate_callback_lock", "the context is attached to its iclog behind the commit record, under a lock of the callbacks; SC1 does not skip a referenced iclog", "B10, a1bb8505e921", WithoutSharedCallbackLock),
	mutant("shutdown_ignores_refcnt", "SC1 does not skip a referenced iclog", "B11, 502a01fac098", WithoutRefcntSkip),
	mutant("release_on_shutdown_skips_callbacks", "RI3 does not run the callbacks", "B11, 502a01fac098", WithoutReleaseCallbacks),
	mutant("shutdown_wake_before_callbacks", "SC2 wakes the waiters of an iclog before its callbacks run", "B12, cd6f79d1fb32; M9", WithoutCallbacksFirst),
	mutant("no_wait_before_commit_iclog", "W13 does not wait for the iclog before", "B15, 5fd9256ce156", WithoutCommitWait),
	mutant("commit_without_preflush", "the commit record's iclog is written without a preflush", "B15, eef983ffeae7", WithoutCommitPreflush),
	mutant("no_start_order", "W11 does not wait for older start records", "B16, 68a74dcae673", WithoutStartOrder),
	mutant("stable_set_only_when_queueing", "N3 stores the stable flag only when N5 queues", "B18, 70447e0ad978", WithoutPendingStable),
	mutant("flush_no_force_when_empty", "A3 does not force the log", "B18, 70447e0ad978", WithoutEmptyForce),
	mutant("force_no_flags_active", "FI1 does not demand FLUSH and FUA", "B20, 2bf1ec0ff067", WithoutForceFlagsActive),
	mutant("force_no_flags_wantsync", "G4 and FL5 do not demand FLUSH and FUA", "B20, 2bf1ec0ff067", WithoutForceFlagsWantSync),
	mutant("release_checks_shutdown_unlocked", "RI3 tests for the shutdown before l_icloglock is taken", "B21, 6b789c337a59", WithoutLockedReleaseTest),
	mutant("shutdown_check_not_atomic", "D1 only reads the bit that D3 sets", "B22, b36d4651e165", WithoutAtomicShutdown),
	mutant("no_shutdown_started_bit", "D1 only looks whether the mount is shut down; D3 finds out whether the log is", "B23, a8581099604d", WithoutStartedBit),
	mutant("destroy_cil_before_iclog_wait", "UM7 comes before UM4", "B25, 7561cea5dbb9", WithoutIclogWaitBeforeCIL),
	mutant("no_iclog_wait_before_ail_destroy", "UM6 comes before UM4", "B26, 1eb52a6a7198", WithoutIclogWaitBeforeAIL),
	mutant("early_error_keeps_ic_sema", "a failed flush of the data device leaves ic_sema held", "B27, 471de20303dd", WithoutSemaRelease),
	mutant("log_worker_on_io_wq", "the log worker runs on the workqueue of the log I/O completions", "B28, 696a562072e3", WithoutLogWorkerQueue),
	mutant("unlock_items_after_ctx_lock", "C6 comes after xc_ctx_lock is dropped", "B29, d17c701ce6a5", WithoutLockedPublish),
	mutant("aggregate_online_only", "W4 gathers the lists of the online CPUs; those of a dead CPU are folded in by a callback", "B30, ecd49f7a36fb", WithoutContextMask),
	mutant("pcp_limit_hard", "C4d folds a CPU's space counter at the hard limit only, and looks at no other CPU's", "B31, 7c8ade212120", WithoutSoftFold),
	mutant("no_throttle", "B6 does not sleep", "B40, 0e7ab7efe774", WithoutThrottle),
	mutant("no_force_from_grant_wait", "who waits for log space does not force the log, and the log worker does not run", "B41, a9a4bc8c76d7", WithoutGrantForce),
	mutant("grant_push_at_sleep_only", "the target of xfsaild is raised when a commit begins to wait for log space, not when a checkpoint completes", "B42, 14e15f1bcd73", WithoutGrantPush),
	mutant("log_worker_off", "the log worker does not run", "B43, a9a4bc8c76d7", WithoutLogWorker),
	mutant("pin_check_before_lock", "xfsaild looks whether a buffer is pinned before it locks it, and not again", "B44, dbd0f5299302", WithoutLockedPinTest),
	mutant("push_all_target_sampled", "the target of a push-all is what was last on the AIL when it was called", "B45, 941fbdfd6dd0", WithoutPushAll),
	mutant("idle_state_after_test", "xfsaild sets its task state for the idle sleep after it has looked for work", "B46, 8375f922aaa6", WithoutIdleRecheck),
	mutant("dqflush_forces_locked", "the flush of a dquot locks the buffer before it forces the log and waits for the unpin", "B52, d62016b1a2df", WithoutUnlockedDqForce),
	mutant("async_without_switch", "W14 does not switch the iclog of a stable push", "M1, first version of 0020a190cf3e", WithoutStableSwitch),
	mutant("drain_outside_ctx_lock", "the push work takes the items off the lists after it has dropped xc_ctx_lock", "M6, a patch of Oct 2019", WithoutLockedDrain),
	mutant("throttle_by_flush", "B6 flushes xc_push_wq instead of sleeping on xc_push_wait", "M7, tried in Oct 2019", WithoutThrottleQueue),
	planted("skip-start-wake", "SF1 does not wake xc_start_wait", FaultSkipStartWake),
	planted("publish-before-attach", "S3 publishes commit_lsn before S1 and S2 attach the context", FaultPublishBeforeAttach),
	planted("no-ctx-lock", "commits do not take xc_ctx_lock", FaultNoCtxLock),
	planted("no-commit-order", "W12 does not wait for older commit records", FaultNoCommitOrder),
	planted("free-before-unlink", "K6 frees the context before K5 unlinks it", FaultFreeBeforeUnlink),
}

// mutant is the toggle that takes a historical fix away; bugs.md calls it so.
func mutant(name, does, fix string, m Mutant) Toggle {
	return Toggle{
		Name:   "without=" + name,
		Does:   does,
		Source: "bugs.md#" + fix,
		set:    func(v *Variant) { v.Without |= m },
		is:     func(v Variant) bool { return v.Without&m != 0 },
	}
}

// planted is the toggle of a fault that no kernel ever had.
func planted(name, does string, f Fault) Toggle {
	return Toggle{
		Name:   "fault=" + name,
		Does:   does,
		Source: "planted, to check the checks",
		set:    func(v *Variant) { v.Faults |= f },
		is:     func(v Variant) bool { return v.Faults&f != 0 },
	}
}

// defaultToggles may be spelled out, and mean the current kernel.
var defaultToggles = []string{"flush=always", "wait=jump", "stable=store", "async=force-empty", "shutdown=once", "ioerror=once", "unmount=force", "tail=head", "iclog=active"}

// DefaultToggles are the names that spell out the current kernel.
func DefaultToggles() []string { return defaultToggles }

// Toggles are the toggles that a variant may list.
func Toggles() []Toggle { return toggles }

// String spells a variant as a comma list; the current kernel is "".
func (v Variant) String() string {
	var names []string
	for _, t := range toggles {
		if t.is(v) {
			names = append(names, t.Name)
		}
	}
	return strings.Join(names, ",")
}

// ParseVariant reads a comma list of toggles; the empty list is the current
// kernel. The error names a toggle that is unknown or given twice, or two that
// exclude each other.
func ParseVariant(list string) (Variant, error) {
	var v Variant
	seen := map[string]string{}
	for _, name := range strings.Split(list, ",") {
		if name = strings.TrimSpace(name); name == "" && strings.TrimSpace(list) == "" {
			return v, nil
		}
		key, _, _ := strings.Cut(name, "=")
		if key == "fault" || key == "without" {
			key = name // they combine
		}
		switch other, dup := seen[key]; {
		case dup && other == name:
			return v, fmt.Errorf("variant %q: %s is given twice", list, name)
		case dup:
			return v, fmt.Errorf("variant %q: %s and %s exclude each other", list, other, name)
		}
		seen[key] = name
		if err := v.apply(name); err != nil {
			return v, fmt.Errorf("variant %q: %w", list, err)
		}
	}
	return v, v.validate()
}

func (v *Variant) apply(name string) error {
	for _, t := range toggles {
		if t.Name == name {
			t.set(v)
			return nil
		}
	}
	for _, d := range defaultToggles {
		if d == name {
			return nil
		}
	}
	return fmt.Errorf("unknown toggle %q (see cilcheck list)", name)
}

// validate says which toggles make no sense together.
func (v Variant) validate() error {
	if v.Flush == FlushOnRestart && v.Wait != WaitJump {
		return fmt.Errorf("variant %q: flush=on-restart and %s change the same jump", v, waitNames[v.Wait])
	}
	return nil
}

var waitNames = map[WaitPolicy]string{WaitCommit: "wait=commit", WaitCommitIfQueued: "wait=commit-if-queued"}

// In reports whether the variant has the toggle.
func (t Toggle) In(v Variant) bool { return t.is(v) }
