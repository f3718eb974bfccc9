package cil

// Label is a program counter: the next access of a task. Labels are grouped by
// the kernel function they belong to, in the order in which the function reads.
type Label = uint8

const (
	pcDone Label = iota // the script is finished
	pcIdle              // a kworker without work, an iclog without I/O

	pcNext   // script: choose the next operation
	pcReturn // script: the operation has returned

	pcCommitTest // xfs_trans_commit: is the log shut down?
	pcC2         // xlog_cil_commit
	pcC4a
	pcC4b
	pcC4d
	pcC4f
	pcC6
	pcCommitted
	pcB1 // xlog_cil_push_background
	pcB2pushSeq
	pcB2waiters
	pcB3
	pcB5
	pcB6woken

	pcN0 // xlog_cil_push_now
	pcN1
	pcN1ctx
	pcN1work
	pcN2
	pcN4
	pcN5

	pcF0 // xlog_cil_force_seq
	pcF1
	pcF2
	pcF2elem
	pcF3
	pcF3flush

	pcA1 // xlog_cil_flush
	pcA3

	pcG1 // xfs_log_force
	pcG2
	pcG3b
	pcG4

	pcFS1 // xfs_log_force_seq
	pcFS2
	pcFL1 // xlog_force_lsn
	pcFL4
	pcFL5

	pcFI1 // xlog_force_iclog
	pcWI1 // xlog_wait_on_iclog
	pcWI2

	pcFY2 // xfs_file_fsync
	pcFY3
	pcFY3recheck
	pcFY4

	pcW1 // xlog_cil_push_work
	pcW2
	pcW3
	pcW8empty
	pcW8current
	pcW8ctx
	pcW9
	pcW11
	pcW11ordered
	pcW12
	pcW12test
	pcW12ordered
	pcW12written
	pcW13
	pcW13waited
	pcW14
	pcW16
	pcSkip
	pcAbort
	pcAB3
	pcAB3released
	pcRetire

	pcO1 // xlog_cil_order_write
	pcO1elem

	pcX2 // xlog_write and xlog_state_get_iclog_space
	pcGI4released
	pcX3
	pcSF1
	pcSF2
	pcS1
	pcS2
	pcS3
	pcX4
	pcX4released

	pcRI1 // xlog_state_release_iclog
	pcRI3
	pcRI6sema // xlog_sync, xlog_write_iclog
	pcRI6test
	pcRI6issue
	pcRI6up
	pcRI6relock

	pcIO // xlog_ioend_work
	pcIE1
	pcIE2 // xlog_state_done_syncing
	pcIE4
	pcDC0 // xlog_state_do_callback
	pcDC1
	pcDC1c
	pcDC2

	pcPC1 // xlog_cil_process_committed
	pcK1  // xlog_cil_committed
	pcK2
	pcK3
	pcK5
	pcK6

	pcD1 // xlog_force_shutdown
	pcD3
	pcD6
	pcD7
	pcD8
	pcSC0 // xlog_state_shutdown_callbacks
	pcSC1
	pcSC2

	pcFreeze // freeze_workqueues_begin
	pcThaw   // thaw_workqueues

	// From here on labels of scenario options and historical variants, which a
	// state of another system has no room for.
	pcXW2force // xlog_wait, in three steps
	pcXW2order
	pcXW2space
	pcN5own // xlog_cil_push_now: the push in the caller's own context
	pcN5returned
	pcB6flush   // xlog_cil_push_background
	pcW7drain   // xlog_cil_push_work: the drain without xc_ctx_lock
	pcW12attach // the lock of the callbacks
	pcRI0       // xlog_state_release_iclog: the test without l_icloglock
	pcRI2
	pcD6unlocked // xlog_force_shutdown: the wake without xc_push_lock
	pcDC3        // xlog_state_do_callback: the wake without l_icloglock
	pcCPUOffline // a CPU leaves cpu_online_mask
	pcCPUDead    // xlog_cil_pcp_dead
	pcCPUDeadFold

	pcBufLock // xfs_buf_lock around an operation
	pcBufLocked
	pcBufUnlock
	pcK3buf // xfs_buf_item_unpin
	pcK3buffed
	pcDQ1 // xfs_qm_dqflush
	pcDQ2
	pcDQ3
	pcDQ4
	pcUM1 // xfs_unmountfs
	pcUM2
	pcUM2drain
	pcUM4
	pcUM4held
	pcUM6
	pcUM7
	pcUM7drain
	pcUM7free
	pcK3d
	pcK3a
	pcXAidle // xfsaild
	pcXApass
	pcXAsleep
	pcXApush
	pcPushAll // xfs_ail_push_all_sync
	pcDelwri  // xfs_buf_delwri_submit_buffers
	pcDelwriLock
	pcReserve      // xfs_log_reserve
	pcDelwriSubmit // xfs_buf_wait_unpin
	pcW16white     // xlog_cil_push_work: the whiteouts

	numLabels

	// baseLabels counts the labels of the current kernel without options.
	baseLabels = pcThaw + 1
)

// lock is a spinlock of the log.
type lock = uint8

const (
	noLock    lock = iota
	pushLock       // xc_push_lock
	iclogLock      // l_icloglock
)

// function is a kernel function: the unit of the call tree.
type function uint8

const (
	fnNone function = iota
	fnScript
	fnCommit
	fnPushNow
	fnForceSeq
	fnCilFlush
	fnLogForce
	fnLogForceSeq
	fnForceIclog
	fnWaitOnIclog
	fnFsync
	fnPushWork
	fnOrderWrite
	fnWrite
	fnRelease
	fnIOEnd
	fnDoneSyncing
	fnCommittedList
	fnShutdown
	fnShutdownCallbacks
	fnFreezer
	fnHotplug
	fnDqflush
	fnUnmount
	fnXfsaild
)

// labelInfo describes one label.
type labelInfo struct {
	fn   function
	name string // the kernel function, for traces
	lock lock   // taken, if not yet held, before the label runs
	// local: the label touches nothing that another task can see, so it runs as
	// part of the step before it, in the finer mode too.
	local bool
	// coarse: the same, but only in the coarse mode: what the label does can
	// change places with any step of another task between it and the step before
	// it, or showing it as early as possible shows most.
	coarse bool
	// apart: the label is a step of its own also when the task holds a spinlock.
	apart bool
	do    code
}

// labels is the table of the model: for every label its function, the spinlock
// it needs, and the code.
var labels [numLabels]labelInfo

func section(fn function, name string, l lock, do code, pcs ...Label) {
	for _, pc := range pcs {
		labels[pc] = labelInfo{fn: fn, name: name, lock: l, do: do}
	}
}

func local(fn function, name string, do code, pcs ...Label) {
	for _, pc := range pcs {
		labels[pc] = labelInfo{fn: fn, name: name, local: true, do: do}
	}
}

func coarseLocal(fn function, name string, do code, pcs ...Label) {
	for _, pc := range pcs {
		labels[pc] = labelInfo{fn: fn, name: name, coarse: true, do: do}
	}
}

func apart(fn function, name string, l lock, do code, pcs ...Label) {
	for _, pc := range pcs {
		labels[pc] = labelInfo{fn: fn, name: name, lock: l, apart: true, do: do}
	}
}

func init() {
	local(fnScript, "", doScript, pcNext, pcReturn)

	section(fnCommit, "xfs_trans_commit", noLock, doCommit, pcCommitTest)
	coarseLocal(fnCommit, "xlog_cil_commit", doCommit, pcC4a)
	section(fnCommit, "xlog_cil_commit", noLock, doCommit, pcC2, pcC4b, pcC4d, pcC6)
	local(fnCommit, "xlog_cil_commit", doCommit, pcC4f, pcCommitted)
	section(fnCommit, "xlog_cil_push_background", noLock, doPushBackground, pcB1, pcB2pushSeq, pcB2waiters, pcB6woken)
	section(fnCommit, "xlog_cil_push_background", pushLock, doPushBackground, pcB3, pcB5)

	local(fnPushNow, "xlog_cil_push_now", doPushNow, pcN0)
	section(fnPushNow, "xlog_cil_push_now", noLock, doPushNow, pcN1, pcN1work)
	section(fnPushNow, "xlog_cil_push_now", pushLock, doPushNow, pcN1ctx, pcN2, pcN4, pcN5)

	local(fnForceSeq, "xlog_cil_force_seq", doForceSeq, pcF0, pcF1)
	section(fnForceSeq, "xlog_cil_force_seq", pushLock, doForceSeq, pcF2, pcF2elem, pcF3)
	section(fnForceSeq, "xlog_cil_force_seq", noLock, doForceSeq, pcF3flush)

	section(fnCilFlush, "xlog_cil_flush", noLock, doCilFlush, pcA1, pcA3)

	section(fnLogForce, "xfs_log_force", noLock, doLogForce, pcG1)
	section(fnLogForce, "xfs_log_force", iclogLock, doLogForce, pcG2, pcG3b, pcG4)

	local(fnLogForceSeq, "xfs_log_force_seq", doLogForceSeq, pcFS1, pcFS2)
	section(fnLogForceSeq, "xlog_force_lsn", iclogLock, doForceLsn, pcFL1, pcFL4, pcFL5)

	section(fnForceIclog, "xlog_force_iclog", iclogLock, doForceIclog, pcFI1)
	section(fnWaitOnIclog, "xlog_wait_on_iclog", iclogLock, doWaitOnIclog, pcWI1)
	section(fnWaitOnIclog, "xlog_wait_on_iclog", noLock, doWaitOnIclog, pcWI2)

	section(fnFsync, "xfs_file_fsync", noLock, doFsync, pcFY2, pcFY3, pcFY3recheck, pcFY4)

	section(fnPushWork, "xlog_cil_push_work", noLock, doPushWork, pcW1, pcW2, pcW9, pcW12test, pcSkip, pcRetire)
	section(fnPushWork, "xlog_cil_push_work", pushLock, doPushWork, pcW3, pcW8empty, pcW8current, pcW8ctx)
	section(fnPushWork, "xlog_cil_push_work", iclogLock, doPushWorkCommit, pcW13, pcW13waited, pcW14, pcW16, pcAB3, pcAB3released)
	local(fnPushWork, "xlog_cil_push_work", doPushWorkWrite, pcW11, pcW11ordered, pcW12, pcW12ordered, pcW12written, pcAbort)

	section(fnOrderWrite, "xlog_cil_order_write", pushLock, doOrderWrite, pcO1, pcO1elem)

	section(fnWrite, "xlog_state_get_iclog_space", iclogLock, doGetIclogSpace, pcX2, pcGI4released)
	local(fnWrite, "xlog_write", doWrite, pcX3)
	section(fnWrite, "xlog_cil_set_ctx_write_state", pushLock, doSetCtxWriteState, pcSF1, pcS3)
	section(fnWrite, "xlog_cil_set_ctx_write_state", iclogLock, doSetCtxWriteState, pcSF2, pcS2)
	section(fnWrite, "xlog_cil_set_ctx_write_state", noLock, doSetCtxWriteState, pcS1)
	section(fnWrite, "xlog_write", iclogLock, doWrite, pcX4, pcX4released)

	section(fnRelease, "xlog_state_release_iclog", iclogLock, doRelease, pcRI1, pcRI3, pcRI6relock)
	section(fnRelease, "xlog_write_iclog", noLock, doWriteIclog, pcRI6sema, pcRI6test, pcRI6up)
	coarseLocal(fnRelease, "xlog_write_iclog", doWriteIclog, pcRI6issue)

	section(fnIOEnd, "xlog_ioend_work", iclogLock, doIoEnd, pcIO)
	section(fnIOEnd, "xlog_ioend_work", noLock, doIoEnd, pcIE4)
	local(fnIOEnd, "xlog_ioend_work", doIoEnd, pcIE1)
	section(fnDoneSyncing, "xlog_state_done_syncing", iclogLock, doDoneSyncing, pcIE2)
	section(fnDoneSyncing, "xlog_state_do_callback", iclogLock, doDoCallback, pcDC0, pcDC1, pcDC1c, pcDC2)

	local(fnCommittedList, "xlog_cil_process_committed", doProcessCommitted, pcPC1)
	section(fnCommittedList, "xlog_cil_committed", noLock, doCommitted, pcK1, pcK3)
	coarseLocal(fnCommittedList, "xlog_cil_committed", doCommitted, pcK6)
	section(fnCommittedList, "xlog_cil_committed", pushLock, doCommitted, pcK2, pcK5)

	section(fnShutdown, "xlog_force_shutdown", noLock, doShutdown, pcD1)
	section(fnShutdown, "xlog_force_shutdown", iclogLock, doShutdown, pcD3, pcD7, pcD8)
	section(fnShutdown, "xlog_force_shutdown", pushLock, doShutdown, pcD6)
	section(fnShutdownCallbacks, "xlog_state_shutdown_callbacks", iclogLock, doShutdownCallbacks, pcSC0, pcSC1, pcSC2)

	section(fnFreezer, "freeze_workqueues_begin", noLock, doFreezer, pcFreeze)
	section(fnFreezer, "thaw_workqueues", noLock, doFreezer, pcThaw)

	optionalLabels()
	historicalLabels()
	growTree()
}

// optionalLabels are those that only options of scenarios reach.
func optionalLabels() {
	section(fnHotplug, "cpu_down", noLock, doHotplug, pcCPUOffline)
	section(fnHotplug, "xlog_cil_pcp_dead", noLock, doHotplug, pcCPUDead, pcCPUDeadFold)
	section(fnScript, "xfs_buf_lock", noLock, doBuffer, pcBufLock)
	local(fnScript, "", doBuffer, pcBufLocked)
	section(fnScript, "xfs_buf_unlock", noLock, doBuffer, pcBufUnlock)
	section(fnCommittedList, "xfs_buf_item_unpin", noLock, doCommitted, pcK3buf, pcK3buffed)
	section(fnCommittedList, "xlog_cil_ail_insert", noLock, doCommitted, pcK3a, pcK3d)
	section(fnDqflush, "xfs_qm_dqunpin_wait", noLock, doBuffer, pcDQ1, pcDQ2)
	section(fnDqflush, "xfs_qm_dqflush", noLock, doBuffer, pcDQ3)
	local(fnDqflush, "xfs_qm_dqflush", doBuffer, pcDQ4)
	section(fnUnmount, "xfs_unmount_flush_inodes", noLock, doUnmount, pcUM1)
	section(fnUnmount, "xfs_log_unmount", noLock, doUnmount, pcUM2, pcUM2drain, pcUM4, pcUM4held)
	section(fnUnmount, "xfs_trans_ail_destroy", noLock, doUnmount, pcUM6)
	section(fnUnmount, "xlog_cil_destroy", noLock, doUnmount, pcUM7, pcUM7drain, pcUM7free)
	section(fnPushWork, "xlog_cil_push_work", noLock, doPushWorkCommit, pcW16white)
	section(fnCommit, "xfs_log_reserve", noLock, doReserve, pcReserve)
	section(fnXfsaild, "xfsaild", noLock, doXfsaild, pcXAidle, pcXAsleep)
	section(fnXfsaild, "xfsaild_push", noLock, doXfsaild, pcXApass)
	section(fnXfsaild, "xfsaild_push_item", noLock, doXfsaild, pcXApush)
	section(fnXfsaild, "xfs_ail_push_all_sync", noLock, doPushAll, pcPushAll)
	section(fnXfsaild, "xfs_buf_delwri_submit_buffers", noLock, doSubmitBuffer, pcDelwri, pcDelwriLock)
	section(fnXfsaild, "xfs_buf_wait_unpin", noLock, doSubmitBuffer, pcDelwriSubmit)
}

// historicalLabels are those that only historical variants reach.
func historicalLabels() {
	apart(fnForceSeq, "xlog_wait", pushLock, doForceSeq, pcXW2force)
	apart(fnOrderWrite, "xlog_wait", pushLock, doOrderWrite, pcXW2order)
	apart(fnWrite, "xlog_wait", iclogLock, doGetIclogSpace, pcXW2space)
	section(fnPushNow, "xlog_cil_push_foreground", noLock, doPushNow, pcN5own)
	local(fnPushNow, "xlog_cil_push_foreground", doPushNow, pcN5returned)
	section(fnCommit, "xlog_cil_push_background", noLock, doPushBackground, pcB6flush)
	section(fnPushWork, "xlog_cil_push_work", noLock, doPushWork, pcW7drain)
	section(fnPushWork, "xlog_cil_push_work", noLock, doPushWorkWrite, pcW12attach)
	section(fnRelease, "xlog_state_release_iclog", noLock, doRelease, pcRI0)
	section(fnRelease, "xlog_state_release_iclog", iclogLock, doRelease, pcRI2)
	section(fnDoneSyncing, "xlog_state_do_callback", noLock, doDoCallback, pcDC3)
	section(fnShutdown, "xlog_force_shutdown", noLock, doShutdown, pcD6unlocked)
}
