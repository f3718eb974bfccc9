package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"cilcheck/counterexamples"
	"cilcheck/properties"
	"cilcheck/properties/verdict"
	"cilcheck/spec"
)

// historyFlags are the flags of cilcheck history.
type historyFlags struct {
	budget
	variant string
	json    bool
	traces  string
	named   bool // a bug is named
}

func newHistory(a *app) *cobra.Command {
	var f historyFlags
	c := &cobra.Command{
		Use:   "history [NAME] [flags]",
		Short: "find the bugs that this code had, and clear them by their fixes",
		Long: `history takes the fix of every known bug away (--variant without=NAME), searches
the smallest scenario that shows the bug, and then searches it with the fix. With
a NAME, of a toggle or a bug, it explains that bug and replays its kept trace; it
searches only if another flag asks for that.

With --variant it does the same on top of another variant, and says on which of
the two each bug is found.

Exit codes: 0 every bug violates its property and its fix clears it, by a trace
as kept, and those that are said to show nothing show nothing; 1 otherwise; 2 bad usage or input; 3 nothing worse than searches that
are not exhausted.`,
		Example: `  cilcheck history
  cilcheck history late_committing_add
  cilcheck history --variant flush=never
  cilcheck history --json`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 {
				return fmt.Errorf("%s: expected one name (see cilcheck history --help)", spec.Count(len(args), "argument", "arguments"))
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			mutants, err := chosenMutants(args)
			if err != nil {
				return err
			}
			f.named = len(args) > 0
			if f.named && !f.json {
				searches := c.Flags().NFlag() > 0 && slices.ContainsFunc(mutants, (*verdict.Mutant).Shown)
				if err := a.explain(mutants); err != nil || !searches {
					return traceError(err)
				}
				fmt.Fprintln(a.out)
			}
			return traceError(a.history(c.Context(), mutants, &f))
		},
	}
	f.budget.flags(c)
	c.Flags().StringVar(&f.variant, "variant", "", "compare with the bugs on top of the variant `LIST`")
	c.Flags().StringVar(&f.traces, "traces", "", "write the traces into `DIR` instead of comparing them with the kept ones")
	jsonFlag(c, &f.json)
	return c
}

// chosenMutants are those that an argument names, or all.
func chosenMutants(args []string) ([]*verdict.Mutant, error) {
	all := verdict.Mutants()
	if len(args) == 0 {
		return all, nil
	}
	var chosen []*verdict.Mutant
	var names []string
	for _, m := range all {
		if m.Name == args[0] || m.Bug == args[0] {
			chosen = append(chosen, m)
		}
		for _, name := range []string{m.Bug, m.Name} {
			if name != "" && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	if chosen != nil {
		return chosen, nil
	}
	return nil, fmt.Errorf("unknown bug %q%s", args[0], near(args[0], names, "cilcheck history"))
}

func (a *app) history(ctx context.Context, mutants []*verdict.Mutant, f *historyFlags) error {
	if err := f.budget.check(); err != nil {
		return err
	}
	if _, err := parseVariant(f.variant); err != nil {
		return err
	}
	if f.traces != "" {
		if err := os.MkdirAll(f.traces, 0o777); err != nil {
			return err
		}
	}
	bytes := f.bytes()
	trials, err := a.trials(ctx, mutants, f, bytes, "")
	if err != nil {
		return err
	}
	if f.variant != "" {
		return a.compareHistory(ctx, mutants, trials, f, bytes)
	}
	if f.json {
		err = writeJSON(a.out, map[string]any{"history": verdict.NewHistoryReport(mutants, trials)})
	} else {
		a.writeHistory(mutants, trials, f.named)
	}
	if err != nil {
		return err
	}
	different, err := a.historyTraces(trials, f)
	if err != nil {
		return err
	}
	return historyStatus(trials, different)
}

// trials searches for the mutants on top of a variant.
func (a *app) trials(ctx context.Context, mutants []*verdict.Mutant, f *historyFlags, bytes int64, on string) ([]*verdict.Trial, error) {
	plan := verdict.Plan{Properties: properties.All(), Limits: f.limits(), Workers: f.workers}
	progress := a.newProgress(2 * len(mutants))
	progress.watch(&plan)
	plan.Finished = func(int, *verdict.Outcome) { progress.done++ }
	trials, err := verdict.RunHistory(ctx, plan, bytes, mutants, on)
	progress.clear()
	return trials, err
}

// writeHistory prints the table last: it is what stays on the screen. A bug that
// is named has been explained.
func (a *app) writeHistory(mutants []*verdict.Mutant, trials []*verdict.Trial, named bool) {
	if named {
		verdict.WriteHistory(a.out, trials, a.style)
		return
	}
	fmt.Fprintln(a.out, "Not shown, and what part of the model it would take:")
	verdict.WriteMissing(a.out, mutants)
	fmt.Fprintln(a.out, "\nSearched, and nothing to see:")
	verdict.WriteClear(a.out, mutants)
	fmt.Fprintln(a.out, "\nWhat users saw of the others:")
	verdict.WriteSeen(a.out, trials)
	fmt.Fprintln(a.out)
	verdict.WriteHistory(a.out, trials, a.style)
}

// historyTraces writes the traces of the mutants that are found, or compares
// them with the kept ones and says which differ.
func (a *app) historyTraces(trials []*verdict.Trial, f *historyFlags) (different int, err error) {
	kept, err := keptHistory()
	if err != nil {
		return 0, err
	}
	for _, t := range trials {
		if !t.Found() {
			continue
		}
		trace, err := historyTrace(t)
		if err != nil {
			return different, err
		}
		name := counterexamples.HistoryFile(t.Mutant.Name)
		if f.traces != "" {
			if err := trace.Save(filepath.Join(f.traces, filepath.Base(name))); err != nil {
				return different, err
			}
		} else if old := kept[name]; old == nil || !bytes.Equal(old.Format(), trace.Format()) {
			different++
			fmt.Fprintf(a.err, "differs: the trace of %s is not as kept in counterexamples/%s\n", t.Mutant.Name, name)
		}
	}
	return different, nil
}

// historyTrace is the trace of a mutant as it is kept.
func historyTrace(t *verdict.Trial) (*counterexamples.Trace, error) {
	trace, err := counterexamples.RecordToRest(t.Mutated.System, *t.Violation(), "")
	if err != nil {
		return nil, err
	}
	m := t.Mutant
	trace.Comment = m.Bug + ": " + m.Subject
	trace.RepairedBy = []string{t.Fixed.Case.Variant.String()}
	return trace, nil
}

func keptHistory() (map[string]*counterexamples.Trace, error) {
	traces, err := counterexamples.History()
	kept := map[string]*counterexamples.Trace{}
	for _, t := range traces {
		kept[t.Source()] = t
	}
	return kept, err
}

// historyStatus is the exit code of trials: nil for 0.
func historyStatus(trials []*verdict.Trial, different int) error {
	var worst error
	for _, t := range trials {
		switch {
		case t.AsExpected():
		case !t.Unfinished():
			return differs
		default:
			worst = notExhausted
		}
	}
	if different > 0 {
		return differs
	}
	return worst
}

// A compared is a bug on two variants, as JSON prints it.
type compared struct {
	Name    string               `json:"name"`
	Current verdict.MutantReport `json:"current"`
	Variant verdict.MutantReport `json:"variant"`
	Found   string               `json:"found"`
}

// compareHistory searches again on top of a variant and compares.
func (a *app) compareHistory(ctx context.Context, mutants []*verdict.Mutant, current []*verdict.Trial, f *historyFlags, bytes int64) error {
	other, err := a.trials(ctx, mutants, f, bytes, f.variant)
	if err != nil {
		return err
	}
	if f.json {
		list := []compared{}
		for i, t := range current {
			one := []*verdict.Mutant{t.Mutant}
			list = append(list, compared{
				t.Mutant.Name, verdict.NewHistoryReport(one, current[i:])[0],
				verdict.NewHistoryReport(one, other[i:])[0], verdict.Visible(t, other[i], f.variant),
			})
		}
		err = writeJSON(a.out, map[string]any{"variant": f.variant, "history": list})
	} else {
		verdict.WriteComparison(a.out, current, other, f.variant)
	}
	if err != nil {
		return err
	}
	for _, t := range other {
		if t.Unfinished() {
			return historyStatus(append(current, t), 0)
		}
	}
	return historyStatus(current, 0)
}

// explain says what is known of bugs, and replays their kept traces.
func (a *app) explain(mutants []*verdict.Mutant) error {
	kept, err := keptHistory()
	if err != nil {
		return err
	}
	var results []counterexamples.KeptResult
	var before *verdict.Mutant
	for _, m := range mutants {
		if before != nil {
			fmt.Fprintln(a.out)
		}
		m.Describe(a.out, before)
		before = m
		if !m.Shown() || m.Clear != "" {
			continue
		}
		t := kept[counterexamples.HistoryFile(m.Name)]
		if t == nil {
			return fmt.Errorf("%s: no trace is kept", m.Name)
		}
		r, err := a.explainTrace(t)
		if err != nil {
			return err
		}
		results = append(results, r...)
	}
	return keptStatus(results)
}

// explainTrace replays a trace without the fix, and its schedule with the fix.
func (a *app) explainTrace(t *counterexamples.Trace) ([]counterexamples.KeptResult, error) {
	results, err := counterexamples.CheckKept([]*counterexamples.Trace{t})
	if err != nil {
		return nil, err
	}
	fmt.Fprintf(a.out, "\n%s\n", stepsOf(t))
	for _, r := range results {
		head := "without the fix: "
		if r.Repaired {
			head = "with the fix:    "
		}
		fmt.Fprintln(a.out, head+r.Report.String())
	}
	return results, nil
}

// keptStatus is the exit code of replays of kept traces: nil for 0.
func keptStatus(results []counterexamples.KeptResult) error {
	var worst error
	for _, r := range results {
		switch {
		case r.OK:
		case r.Report.Outcome == counterexamples.Unconfirmed:
			worst = notExhausted
		default:
			return differs
		}
	}
	return worst
}
