package main

import (
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"cilcheck/counterexamples/conform"
)

func newStats(a *app) *cobra.Command {
	var json, csv bool
	var scale conform.Scale
	c := &cobra.Command{
		Use:   "stats TRACE... [--json | --csv]",
		Short: "measure recordings: restarts, flushes, pushes, times",
		Long: `stats measures what the forces, flushes and pushes of recordings did and how long
they took, side by side: restarts of forces that spun and that slept, flushes that
waited and that had nothing to wait for, pushes that overlapped, forces that were
back before their push, background pushes, and p50 and p99 of the time of a force
and of the delay from the queueing of a push to its start. One recording by itself
is shown in full. --csv prints a line for each force instead.`,
		Example: `  cilcheck stats counterexamples/conform/testdata/*.trace.gz
  cilcheck stats --csv my.trace > forces.csv`,
		Args: func(c *cobra.Command, args []string) error {
			if len(args) == 0 {
				return fmt.Errorf("no recording (see %s --help)", c.CommandPath())
			}
			return nil
		},
		RunE: func(_ *cobra.Command, files []string) error {
			if json && csv {
				return errors.New("--json and --csv exclude each other")
			}
			if scale.TicksPerMicrosecond < 0 {
				return fmt.Errorf("--ticks-per-us %g: expected a positive number", scale.TicksPerMicrosecond)
			}
			return a.stats(files, json, csv, scale)
		},
	}
	jsonFlag(c, &json)
	c.Flags().Float64Var(&scale.TicksPerMicrosecond, "ticks-per-us", 0, "show ticks of a raw clock as microseconds, `N` ticks each")
	c.Flags().BoolVar(&csv, "csv", false, "print a line of comma-separated values for each force")
	return c
}

func (a *app) stats(files []string, json, csv bool, scale conform.Scale) error {
	var each func(*conform.Force) error
	if csv {
		w := conform.NewForceCSV(a.out)
		defer w.Flush()
		each = w.Write
	}
	var all []*conform.Stats
	for _, file := range files {
		s, err := measure(file, each)
		if err != nil {
			return recordingError(err)
		}
		all = append(all, s)
	}
	switch {
	case csv:
		return nil
	case json:
		return writeJSON(a.out, map[string]any{"recordings": all})
	}
	if err := conform.WriteTable(a.out, all, scale); err != nil {
		return err
	}
	if len(all) > 1 {
		return warn(a.out, all)
	}
	fmt.Fprintln(a.out)
	if err := all[0].WriteDistributions(a.out, scale); err != nil {
		return err
	}
	fmt.Fprintln(a.out)
	return all[0].WriteHistograms(a.out)
}

// warn says what speaks against the recordings.
func warn(w io.Writer, all []*conform.Stats) error {
	for _, s := range all {
		for _, warning := range s.Warnings {
			if _, err := fmt.Fprintf(w, "%s: warning: %s\n", s.File, warning); err != nil {
				return err
			}
		}
	}
	return nil
}

func measure(file string, each func(*conform.Force) error) (*conform.Stats, error) {
	r, err := conform.Open(file)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return conform.Measure(r, each)
}
