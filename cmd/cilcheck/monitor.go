package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"cilcheck/counterexamples/conform"
	"cilcheck/spec"
)

func newMonitor(a *app) *cobra.Command {
	var json bool
	c := &cobra.Command{
		Use:   "monitor TRACE|- [--json]",
		Short: "watch a stream of events for a violation",
		Long: `monitor reads a recording, or with - a live stream, and reports the first event
that breaks an order which recordings can decide: of pushes, of start and commit
records, of a force's return after the checkpoints it promises. Its memory is
bounded. It exits 0 when the stream ends without a violation, 1 with one.`,
		Example: `  cat /sys/kernel/tracing/trace_pipe | cilcheck monitor -
  cilcheck monitor my.trace.gz`,
		Args: oneFile,
		RunE: func(_ *cobra.Command, args []string) error { return a.monitor(args[0], json) },
	}
	jsonFlag(c, &json)
	return c
}

func (a *app) monitor(file string, json bool) error {
	r, err := conform.Open(file)
	if err != nil {
		return recordingError(err)
	}
	defer r.Close()
	var m conform.Monitor
	v, err := m.Watch(r)
	if err != nil {
		return recordingError(err)
	}
	if json {
		if err := writeJSON(a.out, map[string]any{"events": m.Events, "forgotten": m.Forgotten, "violation": v}); err != nil {
			return err
		}
	} else if v == nil {
		fmt.Fprintf(a.out, "%s: no violation in %s\n", r.Name(), spec.Count(m.Events, "event", "events"))
	} else {
		fmt.Fprintf(a.out, "%s:%d: %s: %s: %s\n  %s\n", r.Name(), v.Line, a.bad(v.Rule), v.Thread, v.What, strings.Join(v.Context, "\n  "))
	}
	if v != nil {
		return differs
	}
	return nil
}
