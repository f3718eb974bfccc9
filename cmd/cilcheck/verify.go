package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"cilcheck/properties/verdict"
	"cilcheck/spec"
)

func newVerify(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "verify-run CERTIFICATE...",
		Short: "confirm a certificate of a search without the explorer",
		Long: `verify-run confirms certificates that check --certificates has written: that the
states in one are exactly those that its scenario can reach, and that its
properties are true of all of them. It shares nothing with the explorer but the
model: package statespace/certify, which is small enough to be read.

Exit codes: 0 every certificate is confirmed; 2 one is not, or cannot be read.`,
		Example: `  cilcheck check --scenario two-forces --certificates runs
  cilcheck verify-run runs/two-forces.any.current.certificate`,
		Args: cobra.MinimumNArgs(1),
		RunE: func(_ *cobra.Command, files []string) error {
			for _, file := range files {
				if err := a.verify(file); err != nil {
					return err
				}
			}
			return nil
		},
	}
}

func (a *app) verify(file string) error {
	v, err := verdict.Verify(file)
	if err != nil {
		return err
	}
	var names []string
	for _, p := range v.Properties {
		names = append(names, p.Name)
	}
	fmt.Fprintf(a.out, "%s: %s: confirmed: %s, %s, %s\n", file, v.Case,
		spec.Count(v.Report.States, "state", "states"), spec.Count(v.Report.Transitions, "transition", "transitions"),
		spec.Count(v.Report.Terminals, "end", "ends"))
	if names == nil {
		fmt.Fprintln(a.out, "  that is all it says: of no property")
	} else {
		fmt.Fprintf(a.out, "  no state, step or end of them violates %s\n", strings.Join(names, ", "))
	}
	fmt.Fprintln(a.out, "  not in a certificate: paths without end (no-stuck and the like), and what the search found violated")
	return a.out.Flush()
}
