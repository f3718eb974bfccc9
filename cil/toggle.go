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
	mutant("late_committing_add", "W6 does not link the context; it looks empty before W8 links it", "B01, 8af3dcd3c89a", WithoutEarlyListing),
	mutant("no_restart_if_current_and_dirty", "F3 does not restart", "B02, f876e44603ad", WithoutRestart),
	mutant("wake_throttle_iff_over_limit", "W4 wakes xc_push_wait only if the context is over the hard limit", "B06, 19f4e7cc8197", WithoutThrottleWake),
	mutant("throttle_wq_in_ctx", "xc_push_wait is part of the context", "B07, c7f87f3984cf", WithoutGlobalThrottle),
	mutant("shutdown_ignores_refcnt", "SC1 does not skip a referenced iclog", "B11, 502a01fac098", WithoutRefcntSkip),
	mutant("release_on_shutdown_skips_callbacks", "RI3 does not run the callbacks", "B11, 502a01fac098", WithoutReleaseCallbacks),
	mutant("no_wait_before_commit_iclog", "W13 does not wait for the iclog before", "B15, 5fd9256ce156", WithoutCommitWait),
	mutant("commit_without_preflush", "the commit record's iclog is written without a preflush", "B15, eef983ffeae7", WithoutCommitPreflush),
	mutant("no_start_order", "W11 does not wait for older start records", "B16, 68a74dcae673", WithoutStartOrder),
	mutant("stable_set_only_when_queueing", "N3 stores the stable flag only when N5 queues", "B18, 70447e0ad978", WithoutPendingStable),
	mutant("flush_no_force_when_empty", "A3 does not force the log", "B18, 70447e0ad978", WithoutEmptyForce),
	mutant("force_no_flags_active", "FI1 does not demand FLUSH and FUA", "B20, 2bf1ec0ff067", WithoutForceFlagsActive),
	mutant("force_no_flags_wantsync", "G4 and FL5 do not demand FLUSH and FUA", "B20, 2bf1ec0ff067", WithoutForceFlagsWantSync),
	mutant("unlock_items_after_ctx_lock", "C6 comes after xc_ctx_lock is dropped", "B29, d17c701ce6a5", WithoutLockedPublish),
	mutant("async_without_switch", "W14 does not switch the iclog of a stable push", "M1, first version of 0020a190cf3e", WithoutStableSwitch),
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
var defaultToggles = []string{"flush=always", "wait=jump", "stable=store", "async=force-empty", "shutdown=once", "ioerror=once"}

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
		if other, dup := seen[key]; dup {
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
