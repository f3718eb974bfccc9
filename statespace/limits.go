package statespace

import (
	"context"
	"time"
)

// The reasons for which a search is not exhausted, besides those of
// Move.Truncate.
const (
	StateLimit     = "state limit"
	MemoryLimit    = "memory limit"
	TimeLimit      = "time limit"
	Interrupted    = "interrupted"
	FirstViolation = "stopped at the first violation"
)

const progressInterval = 100 * time.Millisecond

// A watch keeps a search within its limits.
type watch struct {
	limits   Limits
	ctx      context.Context
	progress func(Progress)

	start    time.Time
	reported time.Time
	peak     int64
	reason   string // why the search ended early; "" while it goes on
}

func newWatch(ctx context.Context, l Limits, progress func(Progress)) *watch {
	if l.States <= 0 || l.States > maxStates {
		l.States = maxStates
	}
	now := time.Now()
	return &watch{limits: l, ctx: ctx, progress: progress, start: now, reported: now}
}

// stop ends the search; the first reason counts.
func (w *watch) stop(reason string) {
	if w.reason == "" {
		w.reason = reason
	}
}

// hold says that the search is about to hold a number of bytes, and reports
// whether it may.
func (w *watch) hold(bytes int64) bool {
	if w.limits.Memory > 0 && bytes > w.limits.Memory {
		w.stop(MemoryLimit)
		return false
	}
	w.peak = max(w.peak, bytes)
	return true
}

// tick looks at the clock and the context, and reports whether to go on.
func (w *watch) tick(fill func(*Progress)) bool {
	if w.ctx != nil && w.ctx.Err() != nil {
		w.stop(Interrupted)
		return false
	}
	if w.limits.Time == 0 && w.progress == nil {
		return true
	}
	now := time.Now()
	if w.limits.Time > 0 && now.Sub(w.start) >= w.limits.Time {
		w.stop(TimeLimit)
		return false
	}
	if w.progress != nil && now.Sub(w.reported) >= progressInterval {
		w.reported = now
		p := Progress{Elapsed: now.Sub(w.start)}
		fill(&p)
		w.progress(p)
	}
	return true
}
