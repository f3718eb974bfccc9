package statespace

import (
	"context"
	"errors"
	"sync"
)

// PortfolioOptions say how a portfolio hunts; the zero value is sensible.
type PortfolioOptions struct {
	// Seed decides the random walks.
	Seed uint64
	// Budget is how many states a search may hold in the first round, and an
	// eighth of the steps that a kind of walk takes; 0 is 4096. Each round has
	// four times that of the one before.
	Budget int
	// Rounds is the most rounds; 0 is 12.
	Rounds int
	// Steps is the most steps of one walk; 0 is 1000.
	Steps int
	// Depth is that of PCT; 0 is 3.
	Depth int
}

const (
	firstBudget   = 4096
	largestBudget = maxStates
	budgetGrowth  = 4
	mostRounds    = 12
	walkSteps     = 1000
	changePoints  = 3
	stepsPerState = 8 // a step of a walk costs about an eighth of a state of a search
	searches      = 2 // that share the limit of memory
)

// The members of a portfolio, in their order: a violation found by an earlier
// one is preferred.
const (
	BreadthFirst = "breadth-first" // Explore: the shortest path
	Preempting   = "preemptions"   // HuntPreemptions: the fewest preemptions
	PriorityWalk = "pct"           // Walk with PCT
	UniformWalk  = "uniform"       // Walk with Uniform
)

// RoundLimit is the reason of a portfolio that found nothing in all its rounds.
const RoundLimit = "round limit"

// A PortfolioResult is what a portfolio found.
type PortfolioResult struct {
	// Finder is the member that found Violations, "" if none did.
	Finder     string
	Violations []Violation
	// Exhausted says that a search saw everything, and found nothing. Otherwise
	// Reason says why the hunt ended: it is FirstViolation if there is a Finder.
	Exhausted bool
	Reason    string
	Rounds    int // begun
	States    int // the most that one search held
}

// HuntPortfolio runs a breadth-first search, a search by preemptions, and walks
// with PCT and uniform walks side by side, until one of them finds a violation or
// a search is through, or both searches have met a limit. It judges what they judge: all of them Invariants,
// StepInvariants and Terminal. The functions in o are called from several
// goroutines at once. Limits.Memory is shared out between the two searches.
//
// What is reported does not depend on timing. The members run in rounds, each
// with a budget of states or steps that is fixed beforehand. Of all members that
// find something within their budget of the first round in which one does, the
// result is that of the first by order; whoever comes behind it is stopped. Only
// a cancelled context, or Limits.Time, makes the result depend on the moment; a
// violation reported is real even so.
func HuntPortfolio[S any](m Model[S], o Options[S], p PortfolioOptions) (*PortfolioResult, error) {
	ctx := o.Context
	if ctx == nil {
		ctx = context.Background()
	}
	if o.Limits.Time > 0 {
		limited, cancel := context.WithTimeoutCause(ctx, o.Limits.Time, errTime)
		defer cancel()
		ctx = limited
	}
	h := newPortfolio(m, o, p)
	for h.result.Rounds < h.p.Rounds && ctx.Err() == nil {
		h.result.Rounds++
		if done, err := h.round(ctx); done || err != nil {
			return &h.result, err
		}
		h.budget = min(budgetGrowth*h.budget, largestBudget)
	}
	switch {
	case ctx.Err() == nil:
		h.result.Reason = RoundLimit
	case errors.Is(context.Cause(ctx), errTime):
		h.result.Reason = TimeLimit
	default:
		h.result.Reason = Interrupted
	}
	return &h.result, nil
}

var errTime = errors.New(TimeLimit)

// A portfolio is a hunt by several members.
type portfolio[S any] struct {
	m       Model[S]
	o       Options[S]
	p       PortfolioOptions
	budget  int
	members []member[S]
	result  PortfolioResult
	report  sync.Mutex // over Progress
}

// A member is one way to hunt.
type member[S any] struct {
	name string
	hunt func(o Options[S]) (catch, error)
	out  bool // it can do no more
}

// A catch is what a member brings from one round.
type catch struct {
	violations []Violation
	states     int
	// complete says that there is nothing left for anybody to see; reason is why
	// that is not all, or why the member stopped.
	complete bool
	reason   string
}

func newPortfolio[S any](m Model[S], o Options[S], p PortfolioOptions) *portfolio[S] {
	def := func(value *int, n int) {
		if *value <= 0 {
			*value = n
		}
	}
	def(&p.Budget, firstBudget)
	def(&p.Rounds, mostRounds)
	def(&p.Steps, walkSteps)
	def(&p.Depth, changePoints)
	h := &portfolio[S]{m: m, o: o, p: p, budget: p.Budget}
	h.members = []member[S]{
		{name: BreadthFirst, hunt: h.breadthFirst},
		{name: Preempting, hunt: h.preempting},
		{name: PriorityWalk, hunt: func(o Options[S]) (catch, error) { return h.walk(o, PCT{Depth: p.Depth}) }},
		{name: UniformWalk, hunt: func(o Options[S]) (catch, error) { return h.walk(o, Uniform{}) }},
	}
	return h
}

// round lets all members hunt once, and reports whether that decides the hunt.
func (h *portfolio[S]) round(ctx context.Context) (done bool, err error) {
	n := len(h.members)
	catches, faults := make([]catch, n), make([]error, n)
	cancels := make([]context.CancelFunc, n)
	contexts := make([]context.Context, n)
	for i := range h.members {
		contexts[i], cancels[i] = context.WithCancel(ctx)
		defer cancels[i]()
	}
	var all sync.WaitGroup
	for i := range h.members {
		if h.members[i].out {
			continue
		}
		all.Go(func() {
			catches[i], faults[i] = h.members[i].hunt(h.options(contexts[i], h.members[i].name))
			switch {
			case catches[i].complete: // nobody can find anything
				for _, cancel := range cancels {
					cancel()
				}
			case len(catches[i].violations) > 0 || faults[i] != nil:
				for _, cancel := range cancels[i+1:] {
					cancel()
				}
			}
		})
	}
	all.Wait()
	return h.decide(catches, faults)
}

// options are those of one member in this round.
func (h *portfolio[S]) options(ctx context.Context, name string) Options[S] {
	o := h.o
	o.Context, o.StopAtFirst = ctx, true
	o.Longest, o.Maxima = nil, nil
	o.Limits.Time = 0 // the context has it
	o.Limits.Memory = (o.Limits.Memory + searches - 1) / searches
	if o.Limits.States <= 0 || o.Limits.States > h.budget {
		o.Limits.States = h.budget
	}
	if h.o.Progress != nil {
		o.Progress = func(p Progress) {
			h.report.Lock()
			defer h.report.Unlock()
			p.Phase = name
			h.o.Progress(p)
		}
	}
	return o
}

// decide takes the first catch by order, if there is one.
func (h *portfolio[S]) decide(catches []catch, faults []error) (done bool, err error) {
	r := &h.result
	for i, c := range catches {
		r.States = max(r.States, c.states)
		if faults[i] != nil {
			return true, faults[i]
		}
		if len(c.violations) > 0 {
			r.Finder, r.Violations, r.Reason = h.members[i].name, c.violations, FirstViolation
			return true, nil
		}
	}
	for i, c := range catches {
		if c.complete {
			r.Exhausted, r.Reason = c.reason == "", c.reason
			return true, nil
		}
		spent := c.reason == StateLimit && h.o.Limits.States > 0 && h.budget >= h.o.Limits.States
		if spent || c.reason == MemoryLimit {
			h.members[i].out, r.Reason = true, c.reason
		}
	}
	return h.members[0].out && h.members[1].out, nil // walks alone would go on for ever
}

// through says that a search ended because there was no more to see, except
// perhaps beyond a bound of the model.
func through(exhausted bool, reason string) bool {
	switch reason {
	case StateLimit, MemoryLimit, TimeLimit, Interrupted, FirstViolation:
		return false
	}
	return exhausted || reason != ""
}

func (h *portfolio[S]) breadthFirst(o Options[S]) (catch, error) {
	r, err := Explore(h.m, o)
	if err != nil {
		return catch{}, err
	}
	complete := through(r.Exhausted, r.Reason) && len(r.Violations) == 0
	return catch{r.Violations, r.States, complete, r.Reason}, nil
}

// preempting is complete only if nothing is asked that it does not judge.
func (h *portfolio[S]) preempting(o Options[S]) (catch, error) {
	r, err := HuntPreemptions(h.m, o, Unbounded)
	if err != nil {
		return catch{}, err
	}
	complete := through(r.Exhausted, r.Reason) && len(r.Violations) == 0 && !h.o.needsGraph()
	return catch{r.Violations, r.States, complete, r.Reason}, nil
}

func (h *portfolio[S]) walk(o Options[S], policy Policy) (catch, error) {
	steps := stepsPerState * h.budget
	r, err := Walk(h.m, o, WalkOptions{
		Seed:   h.p.Seed + uint64(h.result.Rounds),
		Runs:   (steps + h.p.Steps - 1) / h.p.Steps,
		Steps:  min(h.p.Steps, steps),
		Policy: policy,
	})
	if err != nil {
		return catch{}, err
	}
	return catch{violations: r.Violations, reason: r.Reason}, nil
}
