package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"cilcheck/properties/verdict"
	"cilcheck/spec"
)

// checkFlags are the flags of cilcheck check.
type checkFlags struct {
	selection
	budget
	report
	method
	progressFlag
	everyGiven bool
}

func newCheck(a *app) *cobra.Command {
	var f checkFlags
	c := &cobra.Command{
		Use:   "check [flags]",
		Short: "search scenarios exhaustively and report every verdict",
		Long: `check searches every reachable state of the chosen scenarios, variants and
schedulers, and says of every property whether it holds, is violated, was not
exercised, or could not be decided because a limit was reached.

A search that is too large for the memory: --safety and --compact need a fraction
of it. One that takes long: --checkpoint saves it, and the same command goes on
after a kill. --certificates writes what verify-run confirms.

--reduce visits fewer states. It decides state, step and end properties only, as
an unreduced search does; metrics are not known, and por finds paths that need
not be the shortest. Nothing is gained by por under cooperative and priority.

Exit codes: 0 no violation; 1 a violation; 2 bad usage or input; 3 no violation,
but a search was not exhausted.`,
		Example: `  cilcheck check
  cilcheck check --scenario two-forces --variant flush=never --traces traces
  cilcheck check --scenario my.yaml --variant "" --variant flush=never,wait=commit
  cilcheck check --scenario three-forces --reduce all --property force-durable,crash-prefix
  cilcheck check --scenario three-forces --size soak --mem 8G --time 10m --json
  cilcheck check --scenario three-forces --size soak --safety --compact --checkpoint runs`,
		Args: noArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			f.everyGiven = c.Flags().Changed("every")
			return a.check(c.Context(), &f)
		},
	}
	f.selection.flags(c)
	f.budget.flags(c)
	f.report.flags(c, "")
	f.method.flags(c)
	f.progressFlag.flags(c)
	return c
}

func (a *app) check(ctx context.Context, f *checkFlags) error {
	chosen, err := f.resolve()
	if err != nil {
		return err
	}
	if err := errors.Join(f.budget.check(), f.report.check()); err != nil {
		return err
	}
	by, err := f.method.reduction(chosen, len(f.properties) > 0, f.everyGiven)
	if err != nil {
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
	plan := &verdict.Plan{Cases: cases, Properties: chosen.properties, Limits: f.limits(), How: f.how, Reduction: by, Workers: f.workers}
	outcomes, err := a.checkAll(ctx, plan, f, traces)
	if err != nil {
		return err
	}
	if err := f.write(a.out, "cilcheck check", outcomes, traces, nil); err != nil {
		return err
	}
	return statusOf(outcomes)
}

// checkAll searches, and prints outcomes in the order of the cases as soon as
// they are known.
func (a *app) checkAll(ctx context.Context, plan *verdict.Plan, f *checkFlags, traces *traceFolder) ([]*verdict.Outcome, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	progress, err := a.newProgressIn(f.progressFlag, len(plan.Cases))
	if err != nil {
		return nil, err
	}
	progress.watch(plan)
	ready := make([]*verdict.Outcome, len(plan.Cases))
	printed := 0
	var failed error
	plan.Finished = func(i int, o *verdict.Outcome) {
		progress.clear()
		progress.done++
		ready[i] = o
		for ; failed == nil && printed < len(ready) && ready[printed] != nil; printed++ {
			if failed = a.checked(ready[printed], f, traces); failed != nil {
				cancel()
			}
		}
	}
	outcomes, err := plan.RunWithin(ctx, f.bytes())
	progress.clear()
	if err != nil {
		return nil, err
	}
	if failed == nil && !f.json {
		writeTotal(a.out, outcomes)
	}
	return outcomes, failed
}

// checked saves and prints one outcome.
func (a *app) checked(o *verdict.Outcome, f *checkFlags, traces *traceFolder) error {
	if err := traces.saveAll(o); err != nil {
		return err
	}
	if f.json {
		return nil
	}
	verdict.WriteOutcome(a.out, o, a.style)
	for i := range o.Search.Violations {
		x := &o.Search.Violations[i]
		if file := traces.name(o, x); file != "" {
			fmt.Fprintf(a.out, "  trace of %s: %s\n", x.Property, file)
		}
	}
	return a.out.Flush()
}

// writeTotal sums up.
func writeTotal(w io.Writer, outcomes []*verdict.Outcome) {
	violated, unfinished := 0, 0
	for _, o := range outcomes {
		if o.Count(verdict.Violated) > 0 {
			violated++
		}
		if !o.Search.Exhausted {
			unfinished++
		}
	}
	fmt.Fprintf(w, "%s: %d with a violation, %d not exhausted\n", spec.Count(len(outcomes), "search", "searches"), violated, unfinished)
}
