package conform

import (
	"encoding/csv"
	"fmt"
	"io"
)

// Force is one call of xlog_cil_force_seq, from its entry to the return of the
// force that made it, or to its own when that is not recorded.
type Force struct {
	Line   int    `json:"line"` // of its entry
	Thread string `json:"thread"`
	Seq    uint64 `json:"seq"`
	Turns  int    `json:"turns"` // calls of xlog_cil_push_now
	// Restarts of xlog_cil_force_seq: Spun follow a turn without a sleep, and do
	// not sleep themselves; Slept are all others.
	Spun  int `json:"spun"`
	Slept int `json:"slept"`
	// Calls of flush_workqueue that found something in flight, and that did not.
	FlushWaited int  `json:"flush_waited"`
	FlushIdle   int  `json:"flush_idle"`
	Queued      bool `json:"queued"` // it queued the push itself

	Time      uint64 `json:"time"`        // in the whole force
	InFlush   uint64 `json:"in_flush"`    // in flush_workqueue
	InWait    uint64 `json:"in_wait"`     // asleep on xc_commit_wait
	InTurns   uint64 `json:"in_turns"`    // in xlog_cil_force_seq otherwise
	InIclog   uint64 `json:"in_iclog"`    // after it: writing and waiting for the iclog
	NullLsn   bool   `json:"null_lsn"`    // it returned NULLCOMMITLSN
	BeginTime uint64 `json:"begin_time"`  // timestamp of the entry
	SeenToEnd bool   `json:"seen_to_end"` // its return is in the recording

	turnSlept  bool // the turn in progress slept in a flush
	restarting bool // restart_cur was the last event: its flush, if any, is R4's
	flushAt    uint64
	waitAt     uint64
	leftAt     uint64
}

// observe follows a force through an event of its thread; inFlight says whether
// a push work is queued or running.
func (f *Force) observe(e *Event, inFlight bool) {
	if f.waitAt != 0 && e.Kind != RestartWait {
		f.InWait += since(f.waitAt, e.Time)
		f.waitAt = 0
	}
	switch e.Kind {
	case PushNow:
		f.endRestart()
		f.Turns++
		f.turnSlept = false
	case QueueWork:
		f.Queued = true
	case FlushWq:
		f.flushAt = e.Time
	case FlushPrepRet:
		if f.flushAt == 0 {
			return
		}
		if e.Wait || inFlight {
			f.FlushWaited++
			f.turnSlept = true
		} else {
			f.FlushIdle++
		}
	case FlushWqRet:
		if f.flushAt != 0 {
			f.InFlush += since(f.flushAt, e.Time)
			f.flushAt = 0
		}
	case RestartCur:
		f.restarting = true
	case RestartWait:
		f.Slept++
		f.waitAt = e.Time
	case CilForceSeqRet:
		f.leftAt = e.Time
		f.NullLsn = e.Lsn == NullCommitLSN
	}
}

// endRestart counts a restart of F3 when the next turn begins: by then it is
// known whether a flush slept, before it or (R4) after it.
func (f *Force) endRestart() {
	switch {
	case !f.restarting:
	case f.turnSlept:
		f.Slept++
	default:
		f.Spun++
	}
	f.restarting = false
}

// end closes the force at a time.
func (f *Force) end(t uint64, seen bool) {
	f.endRestart()
	f.SeenToEnd = seen
	f.Time = since(f.BeginTime, t)
	inCil := f.Time
	if f.leftAt != 0 {
		f.InIclog = since(f.leftAt, t)
		inCil = since(f.BeginTime, f.leftAt)
	}
	f.InTurns = inCil - min(inCil, f.InFlush+f.InWait)
}

// since is b-a, or 0 if clocks of two CPUs disagree.
func since(a, b uint64) uint64 { return b - min(a, b) }

// ForceCSV writes forces as comma-separated values, the first time with a
// header.
type ForceCSV struct {
	w       *csv.Writer
	started bool
}

// NewForceCSV writes to w.
func NewForceCSV(w io.Writer) *ForceCSV { return &ForceCSV{w: csv.NewWriter(w)} }

// Write writes one force.
func (c *ForceCSV) Write(f *Force) error {
	if !c.started {
		c.started = true
		if err := c.w.Write([]string{"line", "thread", "seq", "turns", "spun", "slept", "flush_waited",
			"flush_idle", "queued", "time", "in_flush", "in_wait", "in_turns", "in_iclog", "null_lsn"}); err != nil {
			return err
		}
	}
	row := []any{f.Line, f.Thread, f.Seq, f.Turns, f.Spun, f.Slept, f.FlushWaited, f.FlushIdle, f.Queued,
		f.Time, f.InFlush, f.InWait, f.InTurns, f.InIclog, f.NullLsn}
	text := make([]string, len(row))
	for i, v := range row {
		text[i] = fmt.Sprint(v)
	}
	return c.w.Write(text)
}

// Flush writes out what is buffered.
func (c *ForceCSV) Flush() error {
	c.w.Flush()
	return c.w.Error()
}
