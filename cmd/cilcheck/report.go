package main

import (
	"io"

	"github.com/spf13/cobra"

	"cilcheck/counterexamples"
	"cilcheck/properties/verdict"
)

// A report is the flags that say where outcomes go.
type report struct {
	json   bool
	junit  string
	traces string
}

func (r *report) flags(c *cobra.Command, traces string) {
	f := c.Flags()
	jsonFlag(c, &r.json)
	f.StringVar(&r.junit, "junit", "", "also write JUnit XML to `FILE`")
	f.StringVar(&r.traces, "traces", traces, "save counterexamples in `DIR`; \"\" saves none")
}

func jsonFlag(c *cobra.Command, json *bool) {
	c.Flags().BoolVar(json, "json", false, "print JSON")
}

// check refuses files that cannot be written, before the work is done.
func (r *report) check() error {
	if r.junit == "" {
		return nil
	}
	return counterexamples.Writable(r.junit)
}

// write writes what is meant for machines. differ is nil if there is no record.
func (r *report) write(w io.Writer, name string, outcomes []*verdict.Outcome, traces *traceFolder, differ func(*verdict.Outcome) string) error {
	if r.junit != "" {
		j := verdict.JUnit{Name: name, Trace: traces.name, Differ: differ}
		err := counterexamples.WriteFile(r.junit, func(w io.Writer) error { return j.Write(w, outcomes) })
		if err != nil {
			return err
		}
	}
	if r.json {
		return writeJSON(w, verdict.NewReport(outcomes, traces.name))
	}
	return nil
}

// statusOf is the exit code of outcomes without a record: nil for 0.
func statusOf(outcomes []*verdict.Outcome) error {
	var worst error
	for _, o := range outcomes {
		if o.Count(verdict.Violated) > 0 {
			return differs
		}
		if o.Count(verdict.NotExhausted) > 0 {
			worst = notExhausted
		}
	}
	return worst
}
