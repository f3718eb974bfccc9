package statespace

import (
	"context"
	"math"
	"time"
)

// The reasons for which a search is not exhausted, besides those of
// Move.Truncate.
const (
	StateLimit     = "state limit"
	MemoryLimit    = "memory limit"
	DepthLimit     = "depth limit" // no space of fewer states is so deep
	TimeLimit      = "time limit"
	Interrupted    = "interrupted"
	FirstViolation = "stopped at the first violation"
)

// Of a limit of memory that is large enough to care, programMemory is set aside
// for what is not counted: the program, its stacks, batches of states, and what
// the collector has not freed yet.
const (
	largeLimit    = 64 << 20
	programMemory = 32 << 20
)

const progressInterval = 100 * time.Millisecond

// A watch keeps a search within its limits.
type watch struct {
	limits   Limits
	ctx      context.Context
	progress func(Progress)

	start    time.Time
	reported time.Time
	last     Progress // as reported
	peak     int64
	reason   string // why the search ended early; "" while it goes on
}

func newWatch(ctx context.Context, l Limits, progress func(Progress)) *watch {
	if l.States <= 0 {
		l.States = math.MaxInt
	}
	if l.Memory >= largeLimit {
		l.Memory -= programMemory
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

// mayHold says whether the limit allows so many bytes.
func (w *watch) mayHold(bytes int64) bool {
	return w.limits.Memory <= 0 || bytes <= w.limits.Memory
}

// hold says that the search is about to hold a number of bytes, and reports
// whether it may.
func (w *watch) hold(bytes int64) bool {
	if !w.mayHold(bytes) {
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
		w.rates(&p)
		w.progress(p)
	}
	return true
}

// rates adds to p how fast the search has been since the last report, and
// roughly how long it will take.
func (w *watch) rates(p *Progress) {
	if dt := (p.Elapsed - w.last.Elapsed).Seconds(); dt > 0 && p.Phase == w.last.Phase {
		p.StatesPerSecond = max(0, float64(p.States-w.last.States)/dt)
		p.TransitionsPerSecond = max(0, float64(p.Transitions-w.last.Transitions)/dt)
	}
	if p.States > 0 {
		p.BytesPerState = float64(p.Memory) / float64(p.States)
	}
	w.last = *p
}

// minGrowth is the growth of levels above which nothing is said about the end.
const minGrowth = 0.99

// remaining estimates the states still to be expanded: the levels to come are
// taken to go on shrinking as the last two did, or, while they grow, to grow
// less and less. It is 0 when that says nothing.
func remaining(levels []int, end, states int) int {
	n := len(levels)
	if n < 3 {
		return 0
	}
	last, before, earlier := float64(end-levels[n-1]), float64(levels[n-1]-levels[n-2]), float64(levels[n-2]-levels[n-3])
	if before == 0 || earlier == 0 {
		return 0
	}
	growth := last / before
	slowing := growth / (before / earlier) // growth shrinks by this per level
	if slowing >= 1 && growth >= minGrowth {
		return 0
	}
	total := 0.0
	for size := last * growth; size >= 1 && total < 1e18; size *= growth {
		total += size
		growth *= min(slowing, 1)
	}
	return max(0, int(total)-(states-end))
}
