package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"cilcheck/cil"
	"cilcheck/properties"
	"cilcheck/properties/verdict"
	"cilcheck/spec"
	"cilcheck/statespace"
)

// huntFlags are the flags of cilcheck hunt.
type huntFlags struct {
	selection
	budget
	preemptions int
	bounded     bool // --preemptions was given
	seed        uint64
	traces      string
}

func newHunt(a *app) *cobra.Command {
	var f huntFlags
	c := &cobra.Command{
		Use:   "hunt [flags]",
		Short: "look for a violation where a search is too large",
		Long: `hunt looks for a violation of the chosen properties of states, steps and ends. A
breadth-first search, a search by preemptions, and walks with uniform and with PCT
choices run side by side, with a budget that grows, until one of them finds
something or a search is through. What is reported does not depend on timing.

With --preemptions N it looks at every behaviour with at most N preemptions
instead, fewest first: a step of another task than the last, while that could have
gone on. Most faults need few, and such a trace is easy to read.

Exit codes: 0 no violation, every case exhausted; 1 a violation; 2 bad usage or
input; 3 no violation, but not every behaviour was looked at.`,
		Example: `  cilcheck hunt --scenario three-forces --size soak --variant flush=on-restart --time 60s
  cilcheck hunt --scenario two-forces --variant flush=never --preemptions 2`,
		Args: noArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			f.bounded = c.Flags().Changed("preemptions")
			return a.hunt(c.Context(), &f)
		},
	}
	f.selection.flags(c)
	f.budget.limitFlags(c)
	fl := c.Flags()
	fl.IntVar(&f.preemptions, "preemptions", 0, "look at all behaviours with at most `N` preemptions")
	fl.Uint64Var(&f.seed, "seed", 1, "the seed `N` of the walks")
	fl.StringVar(&f.traces, "traces", "traces", "save violations in `DIR`; \"\" saves none")
	return c
}

func (a *app) hunt(ctx context.Context, f *huntFlags) error {
	chosen, err := f.resolve()
	if err != nil {
		return err
	}
	if err := f.budget.check(); err != nil {
		return err
	}
	if f.bounded && f.preemptions < 0 {
		return fmt.Errorf("--preemptions %d: expected a number of preemptions", f.preemptions)
	}
	if err := chosen.onlySafety("hunt", len(f.properties) > 0); err != nil {
		return err
	}
	cases, err := chosen.cases()
	if err != nil {
		return err
	}
	traces, err := newTraceFolder(f.traces, chosen.files)
	if err != nil {
		return err
	}
	traces.prefix = "hunt."
	memory := f.bytes()
	var worst error
	for _, c := range cases {
		q, err := f.quarry(ctx, c, chosen.properties, memory)
		if err != nil {
			return fmt.Errorf("%s: %w", c, err)
		}
		if err := a.hunted(c, q, traces); err != nil {
			return err
		}
		switch {
		case len(q.violations) > 0:
			worst = differs
		case !q.exhausted && worst == nil:
			worst = notExhausted
		}
	}
	return worst
}

// A quarry is what the hunt in one case found.
type quarry struct {
	system     *spec.System
	violations []statespace.Violation
	how        func(*statespace.Violation) string // it was found
	exhausted  bool
	extent     string // what was looked at
}

// quarry hunts in one case.
func (f *huntFlags) quarry(ctx context.Context, c verdict.Case, props []*properties.Property, memory int64) (*quarry, error) {
	sys, err := c.System()
	if err != nil {
		return nil, err
	}
	o := properties.Options(sys, props)
	o.Context = ctx
	o.Limits = statespace.Limits{States: f.states, Memory: memory, Time: f.time}
	q := &quarry{system: sys}
	if f.bounded {
		return q, q.byPreemptions(o, f.preemptions)
	}
	return q, q.byPortfolio(o, f.seed)
}

func (q *quarry) byPreemptions(o statespace.Options[cil.State], most int) error {
	r, err := statespace.HuntPreemptions[cil.State](q.system, o, most)
	if err != nil {
		return err
	}
	q.violations, q.exhausted = r.Violations, r.Exhausted
	q.how = func(x *statespace.Violation) string {
		return spec.Count(r.Preemptions[x.Property], "preemption", "preemptions")
	}
	q.extent = spec.Count(r.States, "state", "states")
	switch {
	case r.Exhausted:
		q.extent += ", every behaviour"
	case r.Bound >= 0:
		q.extent += ", every behaviour with at most " + spec.Count(r.Bound, "preemption", "preemptions")
	}
	if !r.Exhausted && r.Reason != statespace.PreemptionLimit {
		q.extent += ", ended by " + r.Reason
	}
	return nil
}

func (q *quarry) byPortfolio(o statespace.Options[cil.State], seed uint64) error {
	r, err := statespace.HuntPortfolio[cil.State](q.system, o, statespace.PortfolioOptions{Seed: seed})
	if err != nil {
		return err
	}
	q.violations, q.exhausted = r.Violations, r.Exhausted
	q.how = func(*statespace.Violation) string { return "found by " + r.Finder }
	q.extent = fmt.Sprintf("round %d, searches of up to %s", r.Rounds, spec.Count(r.States, "state", "states"))
	switch {
	case r.Exhausted:
		q.extent += ", every behaviour"
	case r.Finder == "":
		q.extent += ", ended by " + r.Reason
	}
	return nil
}

// hunted reports what the hunt in one case found, and saves it.
func (a *app) hunted(c verdict.Case, q *quarry, traces *traceFolder) error {
	fmt.Fprintf(a.out, "%s: %s\n", c, q.extent)
	for i := range q.violations {
		x := &q.violations[i]
		if err := traces.save(c, q.system, x); err != nil {
			return err
		}
		claim := properties.Lookup(x.Property).Claim
		fmt.Fprintf(a.out, "  %s: not so that %s (%s, %s)\n", a.bad("violated "+x.Property), claim, spec.Count(len(x.Path), "step", "steps"), q.how(x))
		if file := traces.saved[traceKey{c, x.Property}]; file != "" {
			fmt.Fprintf(a.out, "  cilcheck replay %s\n", file)
		}
	}
	switch {
	case len(q.violations) > 0:
	case q.exhausted:
		fmt.Fprintln(a.out, "  no state, step or end violates a property (paths without end are for check)")
	default:
		fmt.Fprintln(a.out, "  nothing found, which proves nothing")
	}
	return a.out.Flush()
}
