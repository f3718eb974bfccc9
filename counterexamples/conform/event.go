package conform

import "fmt"

// NullCommitLSN is what xlog_cil_force_seq returns when the sequence is not on
// xc_committing.
const NullCommitLSN = ^uint64(0)

// Bits of xc_flags as recordings show them.
const (
	FlagEmpty    = 1 << 1 // XLOG_CIL_EMPTY
	FlagPcpSpace = 1 << 2 // XLOG_CIL_PCP_SPACE
)

// IclogState is ic_state as a recording shows it, in the kernel's order.
type IclogState uint8

// The states of an iclog.
const (
	IclogActive IclogState = iota
	IclogWantSync
	IclogSyncingState
	IclogDoneSync
	IclogCallbackState
	IclogDirty
)

var iclogStateNames = []string{
	"XLOG_STATE_ACTIVE", "XLOG_STATE_WANT_SYNC", "XLOG_STATE_SYNCING",
	"XLOG_STATE_DONE_SYNC", "XLOG_STATE_CALLBACK", "XLOG_STATE_DIRTY",
}

// Event is one line of a recording. Which fields mean something depends on its
// Kind; a strict parser has made sure that those are there.
type Event struct {
	Kind Kind
	Line int    // line of the file, from 1
	Time uint64 // nanoseconds, or ticks: see Reader.Unit
	CPU  int
	PID  int
	Comm string // the thread's name, which the kernel may cut

	Seq, OnSeq   uint64 // seq: the argument, or the sequence of the ctx; on_seq
	Cur, PushSeq uint64 // xc_current_sequence, xc_push_seq
	Flags        uint64 // xc_flags
	Async, Wait  bool
	Rec          uint8 // order_write: 0 start record, 1 commit record
	Ret          int64
	Lsn          uint64 // of an iclog, or as returned; of xfs_log_force: a sequence
	StartLsn     uint64
	CommitLsn    uint64
	State        IclogState
	Refcnt       int
	Offset       int
}

// Thread names the thread of the event as the recording does.
func (e *Event) Thread() string { return fmt.Sprintf("%s-%d", e.Comm, e.PID) }

// String shows the event with the fields that its kind has.
func (e *Event) String() string {
	s := e.Kind.String()
	needs := kinds[e.Kind].needs
	show := func(f fieldSet, format string, v any) {
		if needs&f != 0 {
			s += fmt.Sprintf(format, v)
		}
	}
	show(hasSeq, " seq=%d", e.Seq)
	show(hasOnSeq, " on_seq=%d", e.OnSeq)
	show(hasAsync, " async=%t", e.Async)
	show(hasCur, " cur=%d", e.Cur)
	show(hasPushSeq, " push_seq=%d", e.PushSeq)
	show(hasFlags, " flags=%#x", e.Flags)
	show(hasRec, " rec=%d", e.Rec)
	show(hasRet, " ret=%d", e.Ret)
	show(hasWait, " wait=%t", e.Wait)
	if needs&hasState != 0 {
		s += " " + iclogStateNames[e.State]
	}
	show(hasRefcnt, " refcnt=%d", e.Refcnt)
	show(hasLsn, " lsn=%#x", e.Lsn)
	show(hasStartLsn, " start_lsn=%#x", e.StartLsn)
	show(hasCommitLsn, " commit_lsn=%#x", e.CommitLsn)
	return s
}
