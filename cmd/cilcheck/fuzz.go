package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"cilcheck/counterexamples"
	"cilcheck/properties/verdict"
	"cilcheck/spec"
	"cilcheck/statespace"
)

// fuzzFlags are the flags of cilcheck fuzz.
type fuzzFlags struct {
	selection
	seed       uint64
	time       time.Duration
	runs       int
	steps      int
	policy     string
	depth      int
	depthGiven bool
	workers    int
	traces     string
	json       bool
}

// defaultFuzzTime is for how long to walk when nothing is said.
const defaultFuzzTime = 30 * time.Second

func newFuzz(a *app) *cobra.Command {
	var f fuzzFlags
	c := &cobra.Command{
		Use:   "fuzz [flags]",
		Short: "walk at random through scenarios, from a seed",
		Long: `fuzz takes random walks through the chosen scenarios, variants and schedulers and
checks the properties on the way. The shortest violation of each property on each
variant is minimised if its kind allows it, printed as a trace, and saved.

Walks prove nothing when they find nothing, and never see that a force is starved.
With --runs the result depends only on the flags.

Exit codes: 0 no violation; 1 a violation; 2 bad usage or input; 3 interrupted
without one.`,
		Example: `  cilcheck fuzz --time 60s
  cilcheck fuzz --scenario three-forces --size soak --variant flush=never --runs 10000 --seed 7
  cilcheck fuzz --policy pct --depth 3 --runs 1000`,
		Args: noArguments,
		RunE: func(c *cobra.Command, _ []string) error {
			f.depthGiven = c.Flags().Changed("depth")
			return a.fuzz(c.Context(), &f)
		},
	}
	f.selection.flags(c)
	fl := c.Flags()
	fl.Uint64Var(&f.seed, "seed", 1, "the seed `N`: the same seed gives the same walks")
	fl.DurationVar(&f.time, "time", 0, "walk for a `DURATION` (default: 30s without --runs)")
	fl.IntVar(&f.runs, "runs", 0, "take `N` walks through each case (default: until the time is over)")
	fl.IntVar(&f.steps, "steps", 2000, "take at most `N` steps in a walk")
	fl.StringVar(&f.policy, "policy", "uniform", "uniform: any enabled task is next; pct: by random priorities")
	fl.IntVar(&f.depth, "depth", 3, "let pct change priorities at `D` points of a walk")
	fl.StringVar(&f.traces, "traces", "traces", "save violations in `DIR`; \"\" saves none")
	jsonFlag(c, &f.json)
	workersFlag(c, &f.workers)
	return c
}

// A fuzzReport is what JSON says of a fuzz.
type fuzzReport struct {
	Seed       uint64     `json:"seed"`
	Policy     string     `json:"policy"`
	Runs       int        `json:"runs"`
	Steps      int        `json:"steps"`
	Reason     string     `json:"reason"` // why it ended before all runs, or ""
	Violations []fuzzCell `json:"violations"`
}

type fuzzCell struct {
	Variant   string `json:"variant"`
	Scenario  string `json:"scenario"`
	Scheduler string `json:"scheduler"`
	Property  string `json:"property"`
	Kind      string `json:"kind"`
	Steps     int    `json:"steps"`
	Minimised bool   `json:"minimised"`
	Trace     string `json:"trace"`

	text []byte
}

func (a *app) fuzz(ctx context.Context, f *fuzzFlags) error {
	walks, err := f.walks()
	if err != nil {
		return err
	}
	chosen, err := f.resolve()
	if err != nil {
		return err
	}
	if walks.Cases, err = chosen.cases(); err != nil {
		return err
	}
	walks.Properties = chosen.properties
	traces, err := newTraceFolder(f.traces, chosen.files)
	if err != nil {
		return err
	}
	traces.prefix = "fuzz."
	progress := a.newProgress(len(walks.Cases))
	walks.Progress = func(runs, steps int) {
		progress.draw(fmt.Sprintf("fuzz: %s walks, %s steps, %.0fs", short(float64(runs)), short(float64(steps)), time.Since(progress.start).Seconds()))
	}
	res, err := walks.Run(ctx)
	progress.clear()
	if err != nil {
		return err
	}
	return a.fuzzed(f, len(walks.Cases), res, traces)
}

// walks is the fuzz that the flags describe, without its cases.
func (f *fuzzFlags) walks() (*verdict.Fuzz, error) {
	err := errors.Join(checkTime(f.time), atLeastOne("workers", f.workers), atLeastOne("steps", f.steps))
	switch {
	case err != nil:
		return nil, err
	case f.runs < 0:
		return nil, fmt.Errorf("--runs %d: expected a number of walks", f.runs)
	case f.depthGiven && f.policy != "pct":
		return nil, fmt.Errorf("--depth goes with --policy pct")
	case f.depth < 0 || f.depth > f.steps:
		return nil, fmt.Errorf("--depth %d: expected 0 to the number of --steps, %d", f.depth, f.steps)
	}
	walks := &verdict.Fuzz{Seed: f.seed, Runs: f.runs, Steps: f.steps, Time: f.time, Workers: f.workers}
	if f.runs == 0 && f.time == 0 {
		walks.Time = defaultFuzzTime
	}
	switch f.policy {
	case "uniform":
		walks.Policy = statespace.Uniform{}
	case "pct":
		walks.Policy = statespace.PCT{Depth: f.depth}
	default:
		return nil, fmt.Errorf("unknown policy %q%s", f.policy, near(f.policy, []string{"uniform", "pct"}, ""))
	}
	return walks, nil
}

// fuzzed reports what was found.
func (a *app) fuzzed(f *fuzzFlags, cases int, res *verdict.FuzzResult, traces *traceFolder) error {
	report := fuzzReport{
		Seed: f.seed, Policy: f.policy, Runs: res.Runs, Steps: res.Steps, Reason: res.Reason, Violations: []fuzzCell{},
	}
	for _, found := range res.Shortest() {
		cell, err := minimised(found, traces)
		if err != nil {
			return err
		}
		report.Violations = append(report.Violations, cell)
	}
	if f.json {
		if err := writeJSON(a.out, report); err != nil {
			return err
		}
	} else {
		a.writeFuzz(&report, cases)
	}
	switch {
	case len(report.Violations) > 0:
		return differs
	case res.Reason == statespace.Interrupted:
		return notExhausted
	}
	return nil
}

// minimised shortens a finding if its kind allows it, and saves it.
func minimised(found verdict.Finding, traces *traceFolder) (fuzzCell, error) {
	x := found.Violation
	cell := fuzzCell{
		Variant: found.Case.Variant.String(), Scenario: found.Case.Scenario.Name,
		Scheduler: found.Case.Scheduler.String(), Property: x.Property, Kind: x.Kind.String(),
	}
	if x.Kind <= statespace.TerminalKind {
		var err error
		if x, err = counterexamples.Minimise(found.System, x); err != nil {
			return cell, err
		}
		cell.Minimised = true
	}
	cell.Steps = len(x.Path)
	t, err := counterexamples.Record(found.System, x, traces.files[found.Case.Scenario])
	if err != nil {
		return cell, err
	}
	cell.text = t.Format()
	if err := traces.save(found.Case, found.System, &x); err != nil {
		return cell, err
	}
	cell.Trace = traces.saved[traceKey{found.Case, x.Property}]
	return cell, nil
}

func (a *app) writeFuzz(r *fuzzReport, cases int) {
	for _, v := range r.Violations {
		how := "not minimised"
		if v.Minimised {
			how = "minimised"
		}
		fmt.Fprintf(a.out, "%s, found by a walk, %s (%s):\n\n%s\n", a.bad("violated "+v.Property), spec.Count(v.Steps, "step", "steps"), how, v.text)
		if v.Trace != "" {
			fmt.Fprintf(a.out, "cilcheck replay %s\n\n", v.Trace)
		}
	}
	fmt.Fprintf(a.out, "%s of %s in all, %s, seed %d, %s", spec.Count(r.Runs, "walk", "walks"),
		spec.Count(r.Steps, "step", "steps"), spec.Count(cases, "case", "cases"), r.Seed, r.Policy)
	if r.Reason != "" {
		fmt.Fprintf(a.out, ", ended by %s", r.Reason)
	}
	fmt.Fprintf(a.out, ": %s\n", spec.Count(len(r.Violations), "violation", "violations"))
}
