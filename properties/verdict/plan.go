package verdict

import (
	"context"
	"sync"

	"cilcheck/cil"
	"cilcheck/properties"
	"cilcheck/spec"
	"cilcheck/statespace"
)

// A Plan is a set of cases to search.
type Plan struct {
	Cases      []Case
	Properties []*properties.Property
	Limits     Limits
	// How is how each search goes about it, but for How.Workers, which follows from
	// Workers. A reduced search does not ask.
	How How
	// Reduction makes searches visit fewer states; see RunReduced.
	Reduction statespace.Reduction
	// Workers is how many searches run side by side, at least 1, and, where there
	// are fewer cases, how many goroutines they have together. It changes nothing
	// but the time.
	Workers int
	// Started, Progress and Finished are told what happens, from several
	// goroutines but one at a time; each may be nil.
	Started  func(i int, c Case)
	Progress func(i int, c Case, p statespace.Progress)
	Finished func(i int, o *Outcome)
}

// Cases are the cases of scenarios at a size: every scheduler of the scenario,
// every variant that it allows. A non-nil scheduler replaces the scenario's.
func Cases(scenarios []*spec.Scenario, size spec.Size, variants []cil.Variant, sched *spec.Scheduler) []Case {
	var cases []Case
	for _, sc := range scenarios {
		if !sc.Has(size) {
			continue
		}
		scheds := sc.Schedulers
		if sched != nil {
			scheds = []spec.Scheduler{*sched}
		}
		for _, s := range scheds {
			for _, v := range variants {
				if allows(sc, v) {
					cases = append(cases, Case{Scenario: sc, Size: size, Variant: v, Scheduler: s})
				}
			}
		}
	}
	return cases
}

// allows reports whether a scenario is meant for a variant.
func allows(sc *spec.Scenario, v cil.Variant) bool {
	for _, name := range sc.Variants {
		if name == v.String() {
			return true
		}
	}
	return sc.Variants == nil
}

// Run searches the cases and returns their outcomes in the order of the cases,
// without the states that they saw.
// It ends at the first error, which is a fault of the model. A cancelled context
// leaves the cases not yet searched as not exhausted.
func (p *Plan) Run(ctx context.Context) ([]*Outcome, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	outcomes := make([]*Outcome, len(p.Cases))
	errs := make([]error, len(p.Cases))
	next := make(chan int)
	var told sync.Mutex
	var wg sync.WaitGroup
	side := max(1, min(p.Workers, len(p.Cases)))
	how := p.How
	how.Workers = max(1, p.Workers/side)
	for range side {
		wg.Go(func() {
			for i := range next {
				outcomes[i], errs[i] = p.run(ctx, i, how, &told)
				if errs[i] != nil {
					cancel()
				}
			}
		})
	}
	for i := range p.Cases {
		next <- i
	}
	close(next)
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	return outcomes, nil
}

func (p *Plan) run(ctx context.Context, i int, how How, told *sync.Mutex) (*Outcome, error) {
	tell := func(f func()) {
		told.Lock()
		defer told.Unlock()
		f()
	}
	c := p.Cases[i]
	if p.Started != nil {
		tell(func() { p.Started(i, c) })
	}
	var progress func(statespace.Progress)
	if p.Progress != nil {
		progress = func(at statespace.Progress) { tell(func() { p.Progress(i, c, at) }) }
	}
	o, err := p.search(ctx, c, how, progress)
	if err != nil {
		return nil, err
	}
	o.Search = forget(o.Search)
	if p.Finished != nil {
		tell(func() { p.Finished(i, o) })
	}
	return o, nil
}
