package conform

// Kind says what an event is. The zero Kind is an event that this package has
// no use for.
type Kind uint8

// The kinds of events, in the groups of the recordings' own list: kprobes on the
// forces, on the push work and on completion, workqueue tracepoints, iclog
// tracepoints.
const (
	Other Kind = iota
	Fsync
	FsyncRet
	LogForce // the tracepoint xfs_log_force
	LogForceSeq
	LogForceSeqRet
	CilForceSeq
	CilForceSeqRet
	CilFlush
	PushNow
	PushNowRet
	FlushWq
	FlushPrepRet
	FlushWqRet
	RestartCur
	RestartWait

	PushWork
	PushWorkRet
	CtxSwitch
	OrderWrite
	OrderWriteRet
	SetCtxWriteState
	ProcessCommitted
	CilCommitted

	QueueWork
	ActivateWork
	ExecuteStart
	ExecuteEnd

	IclogGetSpace
	IclogSwitch
	IclogRelease
	IclogSyncing
	IclogSync
	IclogWrite
	IclogSyncDone
	IclogCallback
	IclogCallbacksStart
	IclogCallbacksDone
	IclogClean
	IclogActivate
	IclogForce
	IclogForceLsn
	IclogWaitOn

	numKinds
)

var _ [64 - numKinds]struct{} // a KindSet holds them all

// fieldSet says which fields an event must have.
type fieldSet uint32

const (
	hasSeq fieldSet = 1 << iota
	hasCur
	hasPushSeq
	hasFlags
	hasAsync
	hasOnSeq
	hasRec
	hasRet
	hasLsn
	hasStartLsn
	hasCommitLsn
	hasWait
	hasState
	hasRefcnt
	hasOffset
	hasName     // the name of a workqueue
	hasFunction // the function of a work

	ofIclog = hasState | hasRefcnt | hasOffset | hasLsn
)

// kindInfo is the name of a kind in recordings and the fields that it needs.
type kindInfo struct {
	name  string
	needs fieldSet
}

var kinds = [numKinds]kindInfo{
	Other:          {name: "other"},
	Fsync:          {name: "fsync"},
	FsyncRet:       {name: "fsync_ret", needs: hasRet},
	LogForce:       {name: "xfs_log_force", needs: hasLsn},
	LogForceSeq:    {name: "log_force_seq", needs: hasSeq},
	LogForceSeqRet: {name: "log_force_seq_ret", needs: hasRet},
	CilForceSeq:    {name: "cil_force_seq", needs: hasSeq},
	CilForceSeqRet: {name: "cil_force_seq_ret", needs: hasLsn},
	CilFlush:       {name: "cil_flush"},
	PushNow:        {name: "push_now", needs: hasSeq | hasAsync | hasCur | hasPushSeq | hasFlags},
	PushNowRet:     {name: "push_now_ret"},
	FlushWq:        {name: "flush_wq", needs: hasName},
	FlushPrepRet:   {name: "flush_prep_ret", needs: hasWait},
	FlushWqRet:     {name: "flush_wq_ret"},
	RestartCur:     {name: "restart_cur", needs: hasSeq | hasCur | hasPushSeq | hasFlags},
	RestartWait:    {name: "restart_wait", needs: hasSeq | hasOnSeq | hasCur},

	PushWork:         {name: "push_work", needs: hasSeq},
	PushWorkRet:      {name: "push_work_ret"},
	CtxSwitch:        {name: "ctx_switch"},
	OrderWrite:       {name: "order_write", needs: hasSeq | hasRec},
	OrderWriteRet:    {name: "order_write_ret", needs: hasRet},
	SetCtxWriteState: {name: "set_ctx_write_state", needs: hasSeq | hasStartLsn | hasCommitLsn},
	ProcessCommitted: {name: "process_committed"},
	CilCommitted:     {name: "cil_committed", needs: hasSeq | hasCommitLsn},

	QueueWork:    {name: "workqueue_queue_work", needs: hasFunction},
	ActivateWork: {name: "workqueue_activate_work"},
	ExecuteStart: {name: "workqueue_execute_start", needs: hasFunction},
	ExecuteEnd:   {name: "workqueue_execute_end"},

	IclogGetSpace:       {name: "xlog_iclog_get_space", needs: ofIclog},
	IclogSwitch:         {name: "xlog_iclog_switch", needs: ofIclog},
	IclogRelease:        {name: "xlog_iclog_release", needs: ofIclog},
	IclogSyncing:        {name: "xlog_iclog_syncing", needs: ofIclog},
	IclogSync:           {name: "xlog_iclog_sync", needs: ofIclog},
	IclogWrite:          {name: "xlog_iclog_write", needs: ofIclog},
	IclogSyncDone:       {name: "xlog_iclog_sync_done", needs: ofIclog},
	IclogCallback:       {name: "xlog_iclog_callback", needs: ofIclog},
	IclogCallbacksStart: {name: "xlog_iclog_callbacks_start", needs: ofIclog},
	IclogCallbacksDone:  {name: "xlog_iclog_callbacks_done", needs: ofIclog},
	IclogClean:          {name: "xlog_iclog_clean", needs: ofIclog},
	IclogActivate:       {name: "xlog_iclog_activate", needs: ofIclog},
	IclogForce:          {name: "xlog_iclog_force", needs: ofIclog},
	IclogForceLsn:       {name: "xlog_iclog_force_lsn", needs: ofIclog},
	IclogWaitOn:         {name: "xlog_iclog_wait_on", needs: ofIclog},
}

// String is the name of the kind in recordings.
func (k Kind) String() string {
	if k < numKinds {
		return kinds[k].name
	}
	return "unknown"
}

var kindByName = func() map[string]Kind {
	m := make(map[string]Kind, numKinds)
	for k := Other + 1; k < numKinds; k++ {
		m[kinds[k].name] = k
	}
	return m
}()

// returnOf is the return event of an entry event, or Other.
func returnOf(k Kind) Kind {
	switch k {
	case Fsync, LogForceSeq, CilForceSeq, PushNow, PushWork, OrderWrite:
		return k + 1
	case FlushWq:
		return FlushWqRet
	}
	return Other
}

// entryOf is the entry event of a return event, or Other.
func entryOf(k Kind) Kind {
	switch k {
	case FsyncRet, LogForceSeqRet, CilForceSeqRet, PushNowRet, PushWorkRet, OrderWriteRet:
		return k - 1
	case FlushWqRet:
		return FlushWq
	}
	return Other
}
