package main

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/spf13/cobra"

	"cilcheck/cil"
	"cilcheck/counterexamples/conform"
	"cilcheck/properties/verdict"
	"cilcheck/spec"
)

func newValidate(a *app) *cobra.Command {
	var variant string
	var limit int
	var json bool
	c := &cobra.Command{
		Use:   "validate TRACE [flags]",
		Short: "is a recording of a real kernel a behaviour of the model?",
		Long: `validate reads a recording (ftrace, trace-cmd, perf or bpftrace text, plain, gzip
or zstd) and searches the model for an execution that shows exactly its events
in their order. It exits 0 if there is one, 1 if not (with the line that does
not fit, and what could have come instead), 2 if the file cannot be read, and 3
if a limit was reached.`,
		Example: `  cilcheck validate counterexamples/conform/testdata/6.12-stock-full-smp1-t1.trace.gz
  cilcheck validate --variant flush=never my.trace`,
		Args: oneFile,
		RunE: func(c *cobra.Command, args []string) error {
			v, err := parseVariant(variant)
			if err != nil {
				return err
			}
			if limit < 0 {
				return fmt.Errorf("--limit %d: expected a number of states", limit)
			}
			r, err := conform.Check(c.Context(), args[0], conform.Options{Variant: v, Limit: limit})
			if err != nil {
				return recordingError(err)
			}
			return a.writeValidation(r, v, json)
		},
	}
	c.Flags().StringVar(&variant, "variant", "", "compare with the variant `LIST` instead of the current kernel")
	c.Flags().IntVar(&limit, "limit", 0, "look at no more than `N` states for one event (default 20000)")
	jsonFlag(c, &json)
	return c
}

// oneFile refuses anything but one argument.
func oneFile(c *cobra.Command, args []string) error {
	if len(args) != 1 {
		return fmt.Errorf("%s: expected one recording (see %s --help)", spec.Count(len(args), "argument", "arguments"), c.CommandPath())
	}
	return nil
}

// recordingError makes an error of a file's content or name one about input.
func recordingError(err error) error {
	var syntax *conform.SyntaxError
	var path *fs.PathError
	if errors.As(err, &syntax) || errors.As(err, &path) {
		return inputError{err}
	}
	return err
}

func (a *app) writeValidation(r *conform.Result, v cil.Variant, json bool) error {
	if json {
		if err := writeJSON(a.out, r); err != nil {
			return err
		}
	} else {
		a.tellValidation(r, v)
	}
	switch r.Verdict {
	case conform.Rejected:
		return differs
	case conform.LimitReached:
		return notExhausted
	}
	return nil
}

func (a *app) tellValidation(r *conform.Result, v cil.Variant) {
	word := r.Verdict.String()
	if r.Verdict == conform.Rejected {
		word = a.bad(word)
	}
	fmt.Fprintf(a.out, "%s: %s, variant %s: %d of %s matched, %s, at most %s at once\n",
		r.File, word, verdict.VariantName(v), r.Matched, spec.Count(r.Events, "event", "events"),
		spec.Count(r.Hidden, "hidden step", "hidden steps"), spec.Count(r.Largest, "state", "states"))
	for _, w := range r.Warnings {
		fmt.Fprintf(a.out, "  %s\n", w)
	}
	if r.Line == 0 {
		return
	}
	fmt.Fprintf(a.out, "%s:%d: %s: %s: %s\n", r.File, r.Line, r.Thread, r.Event, r.Why)
	for _, part := range []struct {
		head  string
		lines []string
	}{{"could have come instead", r.Could}, {"the model is here", r.States}} {
		if len(part.lines) > 0 {
			fmt.Fprintf(a.out, "  %s:\n    %s\n", part.head, strings.Join(part.lines, "\n    "))
		}
	}
}
