package conform

import (
	"context"
	"errors"
	"fmt"
	"io"

	"cilcheck/cil"
)

// Verdict is what a check of a recording found.
type Verdict uint8

const (
	// Conforms: the model has an execution that shows exactly these events in
	// this order.
	Conforms Verdict = iota
	// Rejected: it has none.
	Rejected
	// LimitReached: a bound of the search or of the model ended it; nothing is
	// claimed.
	LimitReached
)

// String is the verdict in words.
func (v Verdict) String() string {
	return [...]string{"conforms", "rejected", "limit reached"}[v]
}

// MarshalText is String, for JSON.
func (v Verdict) MarshalText() ([]byte, error) { return []byte(v.String()), nil }

// Options say what to check a recording against, and within which bounds.
type Options struct {
	// Variant is the kernel code that the recording is compared with.
	Variant cil.Variant
	// Skew is the largest difference between the clocks of two CPUs, in the
	// recording's unit; 0 is 10 microseconds of a 3 GHz clock, or in nanoseconds.
	Skew uint64
	// Limit is the largest number of states looked at for one event; 0 is 20,000.
	Limit int

	unreduced bool // take all hidden steps in all orders for every event
}

// Result is the outcome of a check.
type Result struct {
	Verdict  Verdict  `json:"verdict"`
	File     string   `json:"file"`
	Variant  string   `json:"variant"` // "" is the current kernel
	Events   int      `json:"events"`  // of the whole file, of kinds that are known
	Warnings []string `json:"warnings,omitempty"`
	Survey   *Survey  `json:"-"` // of the whole file

	Matched int `json:"matched"` // events that the model has shown
	Unused  int `json:"unused"`  // events that the check makes no use of
	Skipped int `json:"skipped"` // events of forces that began before the recording
	Hidden  int `json:"hidden"`  // steps tried that show no event
	Largest int `json:"largest"` // states that fit at once, at most
	// Late counts events whose values were read after their timestamp (a stopped
	// CPU), Full those that needed the steps of all threads in all orders, and
	// Skewed those that fit only with another CPU's event before them.
	Late   int `json:"late"`
	Full   int `json:"full"`
	Skewed int `json:"skewed"`

	// When not all conforms: the line that does not fit, what it says, why, what
	// the model could have shown instead, and where its threads are then.
	Line   int      `json:"line,omitempty"`
	Thread string   `json:"thread,omitempty"`
	Event  string   `json:"event,omitempty"`
	Why    string   `json:"why,omitempty"`
	Could  []string `json:"could,omitempty"`
	States []string `json:"states,omitempty"`
}

// maxSkew is the default of Options.Skew.
var maxSkew = map[Unit]uint64{Ticks: 30_000, Nanoseconds: 10_000}

const defaultLimit = 20_000

// returnInstances is how many calls of a function a return probe can follow at
// once, at least (the kernel takes the larger of 10 and twice the CPUs). Only a
// recording with as many threads can miss a return; in any other a missing
// return is a fault.
const returnInstances = 10

// Check reads a recording and reports whether the variant's model has an
// execution that shows exactly its events in its order. The error is about
// reading it: a *SyntaxError, or the file's. The file is read twice.
func Check(ctx context.Context, name string, opt Options) (*Result, error) {
	sv, err := Look(name)
	if err != nil {
		return nil, err
	}
	for k := Other + 1; k < numKinds; k++ {
		if k.Essential() && sv.Absent.Has(k) {
			return nil, fmt.Errorf("%s: it says that %s was not recorded, without which nothing can be checked", name, k)
		}
	}
	c, err := newChecker(sv, opt)
	if err != nil {
		return nil, err
	}
	r, err := Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = r.Close() }()
	res := &Result{File: name, Variant: opt.Variant.String(), Survey: sv, Events: sv.Events, Warnings: sv.Warnings()}
	return res, c.run(ctx, r, res)
}

// newChecker is a checker that stands before the first event.
func newChecker(sv *Survey, opt Options) (*checker, error) {
	kworkers := max(workers, sv.Works)
	m, err := newMachine(opt.Variant, kworkers, false)
	if err != nil {
		return nil, fmt.Errorf("scenario of a recording: %w", err)
	}
	states, err := initialStates(opt.Variant, kworkers)
	if err != nil {
		return nil, err
	}
	c := &checker{m: m, least: lazy, absent: sv.Absent, skew: opt.Skew, limit: opt.Limit}
	if sv.Kinds[CtxSwitch] == 0 {
		c.absent |= 1 << CtxSwitch // not a function of its own in every kernel
	}
	if c.skew == 0 {
		c.skew = maxSkew[sv.Unit]
	}
	if c.limit == 0 {
		c.limit = defaultLimit
	}
	if opt.unreduced {
		c.least = full
	}
	if sv.Threads >= returnInstances {
		c.missing = sv.missing
	}
	for _, a := range []*arena{&c.kept, &c.spare, &c.scratch} {
		a.tasks = m.Tasks()
	}
	for i := range states {
		c.cur = append(c.cur, c.kept.copy(&node{s: states[i]}))
	}
	return c, nil
}

// run takes the checker through the events.
func (c *checker) run(ctx context.Context, r *Reader, res *Result) error {
	known := map[int]bool{}
	q := queue{r: r}
	c.peek = q.peek
	for n := 0; ; n++ {
		e, err := q.next()
		if errors.Is(err, io.EOF) {
			res.Hidden = c.hidden
			return nil
		}
		if err != nil {
			return err
		}
		if n%1024 == 0 && ctx.Err() != nil {
			c.stop(res, &e, LimitReached, ctx.Err().Error())
			return nil
		}
		switch {
		case unused(&e):
			res.Unused++
			continue
		case !known[e.PID] && inForce(e.Kind):
			res.Skipped++
			continue
		}
		known[e.PID] = true
		if !c.next(&e) {
			c.fail(res, &e)
			return nil
		}
		res.count(c)
	}
}

// unused reports whether an event says nothing that the check needs: that a
// force with a sequence began, which its own probes show.
func unused(e *Event) bool { return e.Kind == LogForce && e.Lsn != 0 }

// inForce reports whether an event can be the first of a thread that was in a
// force, or in an fsync, when the recording began: that force is not checked.
func inForce(k Kind) bool {
	switch k {
	case FsyncRet, LogForceSeqRet, CilForceSeqRet, PushNow, PushNowRet, FlushWq, FlushPrepRet,
		FlushWqRet, RestartCur, RestartWait, IclogForce, IclogWaitOn:
		return true
	}
	return false
}

// count notes how an event was matched.
func (res *Result) count(c *checker) {
	res.Matched++
	res.Largest = max(res.Largest, len(c.cur))
	switch c.how {
	case late:
		res.Late++
	case full:
		res.Full++
	case skewed:
		res.Skewed++
	}
}

// fail ends the check at an event that no state fits.
func (c *checker) fail(res *Result, e *Event) {
	switch {
	case c.noRoom:
		c.stop(res, e, LimitReached, fmt.Sprintf("the recording has %d threads in forces at once, "+
			"the model room for %d beside %d kworkers and %d iclogs (cil.MaxTasks is %d)",
			res.Survey.Threads, c.m.FirstWorker()-1, c.m.FirstIO()-c.m.FirstWorker(), iclogs, cil.MaxTasks))
	case c.overflow:
		c.stop(res, e, LimitReached, fmt.Sprintf("more than %d states for one event", c.limit))
	case c.uncertain(e):
		c.stop(res, e, LimitReached, "this can be a flush that is passed on to one whose own events the probes missed")
	case c.beyond != "":
		c.stop(res, e, LimitReached, "the model ran out of "+c.beyond)
	default:
		c.stop(res, e, Rejected, "no state of the model can show this event")
		c.explain(res, e)
	}
}

// uncertain reports whether an event can be due to a flush that waits behind this
// one and whose own events were missed, which the search does not follow in full.
func (c *checker) uncertain(e *Event) bool {
	if e.Kind != FlushPrepRet || e.Wait {
		return false
	}
	for line, missing := range c.missing {
		if line < e.Line && missing.Has(FlushPrepRet) {
			return true
		}
	}
	return false
}

func (c *checker) stop(res *Result, e *Event, v Verdict, why string) {
	res.Verdict, res.Why, res.Hidden = v, why, c.hidden
	res.Line, res.Thread, res.Event = e.Line, e.Thread(), e.String()
}
