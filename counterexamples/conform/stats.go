package conform

import (
	"errors"
	"io"
)

// Stats is what a recording measures. Times are in the recording's unit.
type Stats struct {
	File     string   `json:"file"`
	Unit     string   `json:"unit"`
	Warnings []string `json:"warnings,omitempty"`
	Events   int      `json:"events"`

	Forces       int `json:"forces"`
	Unfinished   int `json:"unfinished"` // forces whose return is not in the recording
	TotalSpun    int `json:"restarts_spun"`
	TotalSlept   int `json:"restarts_slept"`
	TotalWaited  int `json:"flushes_waited"`
	TotalIdle    int `json:"flushes_idle"`
	Pushes       int `json:"pushes"`
	Background   int `json:"pushes_not_by_a_force"`
	MostRunning  int `json:"most_pushes_running"`
	Overlapping  int `json:"pushes_overlapping"` // that began while another ran
	StartOrder   int `json:"starts_out_of_order"`
	CommitOrder  int `json:"commits_out_of_order"`
	ReturnOrder  int `json:"returns_out_of_order"` // of push works
	ReturnFirst  int `json:"forces_back_before_their_push_work"`
	CommitsInAll int `json:"checkpoints_committed"`

	// Per force: restarts without and with a sleep, flushes that waited, times.
	Spun        Dist `json:"spun_per_force"`
	Slept       Dist `json:"slept_per_force"`
	FlushWaited Dist `json:"flush_waited_per_force"`
	Time        Dist `json:"time"`
	InFlush     Dist `json:"in_flush"`
	InWait      Dist `json:"in_wait"`
	InTurns     Dist `json:"in_turns"`
	InIclog     Dist `json:"in_iclog"`
	// Per push: from queue_work to its start, and how long it ran.
	QueueDelay Dist `json:"queue_delay"`
	PushTime   Dist `json:"push_time"`
}

// Measure reads a recording to its end. each, if not nil, is called with every
// force when it ends, and keeps none of it.
func Measure(r *Reader, each func(*Force) error) (*Stats, error) {
	g := gauge{stats: &Stats{File: r.Name()}, each: each,
		forces: map[int]*Force{}, runs: map[int]*pushRun{}}
	var e Event
	for {
		err := r.Next(&e)
		if errors.Is(err, io.EOF) {
			break
		}
		if err == nil {
			g.last = max(g.last, e.Time)
			g.stats.Events++
			err = g.force(&e)
			g.push(&e)
		}
		if err != nil {
			return nil, err
		}
	}
	for pid := range g.forces {
		if err := g.end(pid, g.last, false); err != nil {
			return nil, err
		}
	}
	g.stats.Unit, g.stats.Warnings = r.Unit.String(), r.Warnings()
	return g.stats, nil
}

// gauge measures. Its memory is bounded by the threads that are in a force or
// run a push work at once.
type gauge struct {
	stats  *Stats
	each   func(*Force) error
	forces map[int]*Force
	runs   map[int]*pushRun
	queued []uint64 // when the works that have not started were queued, oldest first
	last   uint64

	started, committed, returned uint64 // the newest sequence each
}

// pushRun is a push work that runs.
type pushRun struct{ seq, at uint64 }

// force follows the forces.
func (g *gauge) force(e *Event) error {
	if e.Kind == CilForceSeq {
		if err := g.end(e.PID, e.Time, false); err != nil { // its return was not recorded
			return err
		}
		g.forces[e.PID] = &Force{Line: e.Line, Thread: e.Thread(), Seq: e.Seq, BeginTime: e.Time}
		return nil
	}
	f := g.forces[e.PID]
	if f == nil {
		return nil
	}
	f.observe(e, len(g.queued)+len(g.runs) > 0)
	switch {
	case e.Kind == LogForceSeqRet, e.Kind == FsyncRet, e.Kind == PushWork:
		return g.end(e.PID, e.Time, true)
	case f.leftAt != 0 && (e.Kind == Fsync || e.Kind == LogForceSeq):
		return g.end(e.PID, f.leftAt, true) // an xfs_log_force, which has no return event
	}
	return nil
}

// end closes the force of a thread, if it is in one.
func (g *gauge) end(pid int, t uint64, seen bool) error {
	f := g.forces[pid]
	if f == nil {
		return nil
	}
	delete(g.forces, pid)
	if !seen && f.leftAt != 0 {
		t, seen = f.leftAt, true
	}
	f.end(t, seen)
	s := g.stats
	s.Forces++
	s.TotalSpun += f.Spun
	s.TotalSlept += f.Slept
	s.TotalWaited += f.FlushWaited
	s.TotalIdle += f.FlushIdle
	if !seen {
		s.Unfinished++
	} else {
		s.Spun.Add(uint64(f.Spun))
		s.Slept.Add(uint64(f.Slept))
		s.FlushWaited.Add(uint64(f.FlushWaited))
		s.Time.Add(f.Time)
		s.InFlush.Add(f.InFlush)
		s.InWait.Add(f.InWait)
		s.InTurns.Add(f.InTurns)
		s.InIclog.Add(f.InIclog)
	}
	if g.each != nil {
		return g.each(f)
	}
	return nil
}

// push follows the push works.
func (g *gauge) push(e *Event) {
	s := g.stats
	switch e.Kind {
	case QueueWork:
		s.Pushes++
		if g.forces[e.PID] == nil {
			s.Background++
		}
		g.queued = append(g.queued, e.Time)
	case ExecuteStart:
		if len(g.queued) > 0 { // at most one is pending, so it is the oldest
			s.QueueDelay.Add(since(g.queued[0], e.Time))
			g.queued = g.queued[1:]
		}
		if len(g.runs) > 0 {
			s.Overlapping++
		}
		g.runs[e.PID] = &pushRun{at: e.Time}
		s.MostRunning = max(s.MostRunning, len(g.runs))
	case PushWork:
		if run := g.runs[e.PID]; run != nil {
			run.seq = e.Seq
		}
	case ExecuteEnd:
		if run := g.runs[e.PID]; run != nil {
			s.PushTime.Add(since(run.at, e.Time))
			outOfOrder(&g.returned, run.seq, &s.ReturnOrder)
			delete(g.runs, e.PID)
		}
	case SetCtxWriteState:
		if e.StartLsn == 0 {
			outOfOrder(&g.started, e.Seq, &s.StartOrder)
		} else {
			outOfOrder(&g.committed, e.Seq, &s.CommitOrder)
		}
	case CilCommitted:
		s.CommitsInAll++
	case CilForceSeqRet:
		g.returnedFirst(e)
	}
}

// returnedFirst counts a force that is back while the work that pushed its
// sequence still runs.
func (g *gauge) returnedFirst(e *Event) {
	f := g.forces[e.PID]
	if f == nil {
		return
	}
	for _, run := range g.runs {
		if run.seq == f.Seq {
			g.stats.ReturnFirst++
		}
	}
}

// outOfOrder counts a sequence that is below one seen before.
func outOfOrder(newest *uint64, seq uint64, count *int) {
	if seq < *newest {
		*count++
	}
	*newest = max(*newest, seq)
}
