package verdict

import (
	"context"

	"cilcheck/cil"
	"cilcheck/statespace"
)

// RunWithin is Run with an amount of memory for all searches together, so
// Limits.Memory is not used; 0 is no limit. Searches that run side by side have
// equal shares; one that its share does not suffice for is searched again, alone
// and with all of it, so that the number of workers does not decide which
// searches are exhausted.
func (p *Plan) RunWithin(ctx context.Context, memory int64) ([]*Outcome, error) {
	workers := int64(max(1, min(p.Workers, len(p.Cases))))
	shared := *p
	shared.Limits.Memory = memory / workers
	tooSmall := func(o *Outcome) bool {
		return workers > 1 && o.Search.Reason == statespace.MemoryLimit
	}
	if p.Finished != nil {
		shared.Finished = func(i int, o *Outcome) {
			if !tooSmall(o) {
				p.Finished(i, o)
			}
		}
	}
	outcomes, err := shared.Run(ctx)
	if err != nil {
		return nil, err
	}
	for i, o := range outcomes {
		if !tooSmall(o) {
			continue
		}
		if outcomes[i], err = p.again(ctx, i, memory); err != nil {
			return nil, err
		}
	}
	return outcomes, nil
}

// again searches one case alone.
func (p *Plan) again(ctx context.Context, i int, memory int64) (*Outcome, error) {
	alone := *p
	alone.Cases = p.Cases[i : i+1]
	alone.Limits.Memory = memory
	if p.Started != nil {
		alone.Started = func(_ int, c Case) { p.Started(i, c) }
	}
	if p.Progress != nil {
		alone.Progress = func(_ int, c Case, at statespace.Progress) { p.Progress(i, c, at) }
	}
	if p.Finished != nil {
		alone.Finished = func(_ int, o *Outcome) { p.Finished(i, o) }
	}
	outcomes, err := alone.Run(ctx)
	if err != nil {
		return nil, err
	}
	return outcomes[0], nil
}

// forget is a result without the states that the search saw: many outcomes are
// kept at once, and none of them is asked for its states.
func forget(r *statespace.Result[cil.State]) *statespace.Result[cil.State] {
	return &statespace.Result[cil.State]{
		Exhausted: r.Exhausted, Reason: r.Reason,
		States: r.States, Transitions: r.Transitions, Depth: r.Depth, Terminals: r.Terminals,
		Violations: r.Violations, Exercised: r.Exercised, Maxima: r.Maxima, Longest: r.Longest,
		Coverage: r.Coverage, Memory: r.Memory,
	}
}
