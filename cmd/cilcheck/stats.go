package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"cilcheck/counterexamples/conform"
)

func newStats(a *app) *cobra.Command {
	var json, csv bool
	c := &cobra.Command{
		Use:   "stats TRACE... [--json | --csv]",
		Short: "measure recordings: restarts, flushes, pushes, times",
		Long: `stats measures what the forces, flushes and pushes of recordings did and how long
they took, side by side. --csv prints a line for each force instead.`,
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
			return a.stats(files, json, csv)
		},
	}
	jsonFlag(c, &json)
	c.Flags().BoolVar(&csv, "csv", false, "print a line of comma-separated values for each force")
	return c
}

func (a *app) stats(files []string, json, csv bool) error {
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
	if err := conform.WriteTable(a.out, all); err != nil || len(all) > 1 {
		return err
	}
	fmt.Fprintln(a.out)
	return all[0].WriteHistograms(a.out)
}

func measure(file string, each func(*conform.Force) error) (*conform.Stats, error) {
	r, err := conform.Open(file)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return conform.Measure(r, each)
}
