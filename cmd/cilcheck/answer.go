package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"cilcheck/counterexamples"
	"cilcheck/properties"
	"cilcheck/properties/verdict"
	"cilcheck/spec"
)

// answerFlags are the flags of cilcheck answer.
type answerFlags struct {
	selection
	budget
	report
	record       bool
	writeRecords string
}

const theQuestion = `Can flush_workqueue() be removed from xlog_cil_push_now(), or does it hide a
correctness bug?
`

func newAnswer(a *app) *cobra.Command {
	var f answerFlags
	c := &cobra.Command{
		Use:   "answer [flags]",
		Short: "answer the question: may the flush go from xlog_cil_push_now()?",
		Long: `answer searches every scenario of the library at check size, for the current
kernel, for the removal of the flush, and for each proposed repair. It prints
what follows from that: a conclusion, the verdicts, the metrics, and a trace
file for the shortest violation of each property on each variant.

Exit codes: 0 every verdict is as recorded beside its scenario; 1 something
differs; 2 bad usage or input; 3 nothing differs, but a search was not exhausted.`,
		Example: `  cilcheck answer
  cilcheck answer --json --traces "" > answer.json
  cilcheck answer --scenario two-forces
  cilcheck answer --write-records spec/library`,
		Args: noArguments,
		RunE: func(c *cobra.Command, _ []string) error { return a.answer(c.Context(), &f) },
	}
	f.scenarioFlag(c)
	f.budget.flags(c)
	f.report.flags(c, "traces")
	c.Flags().BoolVar(&f.record, "record", true, "compare with the recorded verdicts; false: exit as check does")
	c.Flags().StringVar(&f.writeRecords, "write-records", "", "write the verdicts as records into `DIR` instead of comparing")
	return c
}

func (a *app) answer(ctx context.Context, f *answerFlags) error {
	chosen, err := f.resolve()
	if err != nil {
		return err
	}
	if err := errors.Join(f.budget.check(), f.report.check()); err != nil {
		return err
	}
	chosen.variants = verdict.AnswerVariants()
	cases, err := chosen.cases()
	if err != nil {
		return err
	}
	recorded, err := readRecords(chosen)
	if err != nil {
		return err
	}
	traces, err := newTraceFolder(f.traces, chosen.files)
	if err != nil {
		return err
	}
	if f.writeRecords != "" {
		if err := os.MkdirAll(f.writeRecords, 0o777); err != nil {
			return err
		}
	}
	plan := &verdict.Plan{Cases: cases, Properties: properties.All(), Limits: f.limits(), Workers: f.workers}
	progress := a.newProgress(len(cases))
	progress.watch(plan)
	plan.Finished = func(int, *verdict.Outcome) { progress.done++ }
	outcomes, err := plan.RunWithin(ctx, f.bytes())
	progress.clear()
	if err != nil {
		return err
	}
	return a.answered(f, outcomes, recorded, traces)
}

// answered reports, and compares or records.
func (a *app) answered(f *answerFlags, outcomes []*verdict.Outcome, recorded *verdict.Recorded, traces *traceFolder) error {
	s := verdict.Summarise(outcomes)
	if err := saveShortest(s, traces); err != nil {
		return err
	}
	compare := f.record && f.writeRecords == ""
	differ := recorded.Differ
	if !compare {
		differ = nil
	}
	if !f.json {
		a.writeAnswer(s, traces)
	}
	if err := f.write(a.out, "cilcheck answer", outcomes, traces, differ); err != nil {
		return err
	}
	switch {
	case f.writeRecords != "":
		return writeRecords(f.writeRecords, outcomes)
	case !compare:
		return statusOf(outcomes)
	}
	return a.compareRecords(f, outcomes, recorded)
}

// writeAnswer prints the answer. The essential comes last: it is what stays on
// the screen.
func (a *app) writeAnswer(s *verdict.Summary, traces *traceFolder) {
	w := a.out
	fmt.Fprintln(w, "The shortest violation of each (cilcheck replay FILE shows it):")
	s.WriteViolations(w, traces.name)
	fmt.Fprintln(w, "\nMetrics, exact over all schedules:")
	s.WriteMetrics(w)
	fmt.Fprintln(w, "\nThe questions of spec/reference/cil.md, section 9.3:")
	s.WriteQuestions(w)
	fmt.Fprintln(w, "\nTasks that a buffer lock stops for ever (ASK5):")
	s.WriteHangs(w)
	fmt.Fprintln(w, "\nTags that not every variant passes:")
	s.WriteTags(w)
	fmt.Fprintln(w)
	s.WriteTable(w, a.style)
	fmt.Fprintf(w, "\n%s\n", theQuestion)
	s.WriteConclusion(w)
	fmt.Fprintln(w)
}

// saveShortest saves the traces that the answer lists.
func saveShortest(s *verdict.Summary, traces *traceFolder) error {
	for _, r := range s.Rows {
		for _, v := range s.Variants {
			o, x := s.Shortest(r, v)
			if x == nil {
				continue
			}
			if err := traces.save(o.Case, o.System, x); err != nil {
				return err
			}
		}
	}
	return nil
}

// readRecords reads the records of scenarios: embedded for the library, beside
// the file for others.
func readRecords(c *chosen) (*verdict.Recorded, error) {
	recorded := &verdict.Recorded{}
	for _, sc := range c.scenarios {
		file, content := spec.RecordsFile(sc.Name), spec.Records(sc.Name)
		if own := c.files[sc]; own != "" {
			file = filepath.Join(filepath.Dir(own), sc.Name+".expected")
			data, err := os.ReadFile(file)
			if err != nil && !errors.Is(err, os.ErrNotExist) {
				return nil, err
			}
			content = data
		}
		if err := recorded.Add(sc, file, content); err != nil {
			return nil, inputError{err}
		}
	}
	return recorded, nil
}

// compareRecords says what differs. With JSON that goes to standard error: the
// JSON has the verdicts, not the comparison.
func (a *app) compareRecords(f *answerFlags, outcomes []*verdict.Outcome, recorded *verdict.Recorded) error {
	differences := recorded.Differences(outcomes)
	var w io.Writer = a.out
	if f.json {
		w = a.err
	} else {
		fmt.Fprintln(w)
	}
	for _, d := range differences {
		fmt.Fprintln(w, "differs:", d)
	}
	if len(differences) > 0 {
		fmt.Fprintf(w, "%s from the records.\n", spec.Count(len(differences), "difference", "differences"))
		return differs
	}
	for _, o := range outcomes {
		if verdict.CutShort(o) {
			return a.unfinished(f)
		}
	}
	if !f.json {
		fmt.Fprintln(w, "Every verdict and count is as recorded.")
	}
	return nil
}

func (a *app) unfinished(f *answerFlags) error {
	if !f.json {
		fmt.Fprintln(a.out, "Nothing differs from the records, but not every search was exhausted.")
	}
	return notExhausted
}

// writeRecords writes the file of records of every scenario into a directory. Searches that a
// limit ended are not recorded: nothing is written then.
func writeRecords(dir string, outcomes []*verdict.Outcome) error {
	lines := map[string][]verdict.Record{}
	var names []string
	for _, o := range outcomes {
		if verdict.CutShort(o) {
			return fmt.Errorf("no records written: %s: not exhausted: %s", o.Case, o.Search.Reason)
		}
		name := o.Case.Scenario.Name
		if lines[name] == nil {
			names = append(names, name)
		}
		lines[name] = append(lines[name], verdict.RecordOf(o))
	}
	for _, name := range names {
		err := counterexamples.WriteFile(filepath.Join(dir, name+".expected"), func(w io.Writer) error {
			_, err := w.Write(verdict.FormatRecords(name, lines[name]))
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}
