package mutate

import (
	"context"
	"fmt"
	"slices"
	"time"

	"cilcheck/properties/verdict"
)

// Options of a run.
type Options struct {
	// Large is the most states that a case of the current kernel may have,
	// Small that of any other; cases that have more are left out.
	Large, Small int
	// Time is the longest that one search may take: a limit that only a mutant
	// reaches that does not end.
	Time time.Duration
	// Finished is told of every mutant, in their order.
	Finished func(Result)
}

// A mutated search may have this many times the states of the original one, and
// at least so many, before it counts as Limited.
const (
	growth    = 4
	minStates = 20000
)

// A trial is a case with what the model gives.
type trial struct {
	number   int
	name     string
	original answer
}

// Run runs the mutants whose numbers are given on the cases that pass their
// code, smallest first, each up to the first verdict that differs. One that only
// exercises otherwise goes on, for a violation says more.
func Run(ctx context.Context, program string, mutants []Mutant, o Options) ([]Result, error) {
	trials, err := originals(ctx, program, o)
	if err != nil {
		return nil, err
	}
	var results []Result
	for _, m := range mutants {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		r, err := runMutant(program, m, trials, o)
		if err != nil {
			return nil, err
		}
		if m.Operator == splitOperator && r.Fate == Unreached {
			continue // no lock is held there: there is nothing to split
		}
		results = append(results, r)
		if o.Finished != nil {
			o.Finished(r)
		}
	}
	return results, nil
}

// originals searches every case with no mutant active, and returns those that
// are small enough, smallest first.
func originals(ctx context.Context, program string, o Options) ([]trial, error) {
	cases, err := Cases()
	if err != nil {
		return nil, err
	}
	p, err := start(program, 0)
	if err != nil {
		return nil, err
	}
	defer p.stop()
	var trials []trial
	for i, c := range cases {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		limit := o.Small
		if c.Variant.String() == "" {
			limit = o.Large
		}
		a := p.ask(request{i, limit}, time.Hour)
		if a.Fault != "" {
			return nil, fmt.Errorf("%s, not mutated: %s", c, a.Fault)
		}
		if a.States < limit {
			trials = append(trials, trial{i, caseName(c), a})
		}
	}
	slices.SortStableFunc(trials, func(a, b trial) int { return a.original.States - b.original.States })
	return trials, nil
}

// runMutant runs one mutant.
func runMutant(program string, m Mutant, trials []trial, o Options) (Result, error) {
	r := Result{Mutant: m, Fate: Unreached}
	p, err := start(program, m.Number)
	if err != nil {
		return r, err
	}
	defer p.stop()
	for _, t := range trials {
		if _, reached := slices.BinarySearch(t.original.Reached, m.Number); !reached {
			continue
		}
		limit := max(growth*t.original.States, minStates)
		fate, what := judge(t.original, p.ask(request{t.number, limit}, o.Time))
		r.Cases++
		if fate < r.Fate {
			r.Fate, r.What, r.Case = fate, what, t.name
		}
		if r.Fate < ByExercise {
			break
		}
	}
	return r, nil
}

// caseName names a case in a line of a table.
func caseName(c verdict.Case) string {
	name := c.Scenario.Name
	if v := c.Variant.String(); v != "" {
		name += " " + v
	}
	if c.Fine {
		name += " fine"
	}
	return name
}
