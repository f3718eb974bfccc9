package main

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"cilcheck/counterexamples"
	"cilcheck/properties/verdict"
	"cilcheck/spec"
	"cilcheck/statespace"
)

// replayFlags are the flags of cilcheck replay.
type replayFlags struct {
	variant string
	other   bool // a variant is given
	state   int
	stated  bool // a state is asked for
	kept    bool
	json    bool
}

func newReplay(a *app) *cobra.Command {
	var f replayFlags
	c := &cobra.Command{
		Use:   "replay (FILE | --kept) [flags]",
		Short: "take the steps of a trace again",
		Long: `replay takes the steps of a trace again in the model and compares each with what
the trace says of it: tags, changed fields, who was woken. The first line that the
model does otherwise is refused. At the end it judges the property anew.

With --variant it takes the same schedule on another variant, whatever the steps
do there, and says whether that still violates the property.

Exit codes: 0 violated as recorded (--variant: not violated, or refused); 1
otherwise; 2 bad usage or input; 3 a stuck task could not be confirmed.`,
		Example: `  cilcheck replay traces/one-force.any.flush=never.no-spin.trace
  cilcheck replay traces/one-force.any.flush=never.no-spin.trace --state 9
  cilcheck replay traces/one-force.any.flush=never.no-spin.trace --variant flush=never,wait=commit
  cilcheck replay --kept`,
		Args: func(c *cobra.Command, args []string) error {
			switch {
			case f.kept && len(args) > 0:
				return fmt.Errorf("unexpected argument %q: --kept replays all kept traces", args[0])
			case !f.kept && len(args) != 1:
				return fmt.Errorf("%s: expected one trace file or --kept (see cilcheck replay --help)", spec.Count(len(args), "argument", "arguments"))
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			f.other = c.Flags().Changed("variant")
			f.stated = c.Flags().Changed("state")
			if f.state < 0 {
				return fmt.Errorf("--state %d: expected the number of a step", f.state)
			}
			if f.kept && (f.other || f.stated) {
				return fmt.Errorf("--kept replays every kept trace as it is: --variant and --state go with one trace file")
			}
			if f.kept {
				return a.replayKept(&f)
			}
			return traceError(a.replay(args[0], &f))
		},
	}
	c.Flags().StringVar(&f.variant, "variant", "", "take the schedule on the variant `LIST`")
	c.Flags().IntVar(&f.state, "state", 0, "show the whole state after step `N` instead of the steps")
	c.Flags().BoolVar(&f.kept, "kept", false, "replay all kept traces on their variants and their repairs")
	jsonFlag(c, &f.json)
	return c
}

// traceError marks errors that begin with the line of a trace file.
func traceError(err error) error {
	if bad := new(counterexamples.Error); errors.As(err, &bad) {
		return inputError{err}
	}
	return err
}

// A replayed is what JSON says of a replay.
type replayed struct {
	File      string         `json:"file"`
	Scenario  string         `json:"scenario"`
	Scheduler string         `json:"scheduler"`
	Variant   string         `json:"variant"`
	Property  string         `json:"property"`
	Outcome   string         `json:"outcome"`
	Step      int            `json:"step"`
	Line      int            `json:"line"`
	Reason    string         `json:"reason"`
	Differs   *difference    `json:"differs"` // where the variant first does otherwise
	Steps     []replayedStep `json:"steps"`
	State     []stateField   `json:"state,omitempty"`
}

type difference struct {
	Step   int    `json:"step"`
	Line   int    `json:"line"`
	Reason string `json:"reason"`
}

type replayedStep struct {
	Number   int      `json:"number"`
	Task     string   `json:"task"`
	Function string   `json:"function"`
	Tags     []string `json:"tags"`
	Effects  []string `json:"effects"`
}

type stateField struct {
	Object string `json:"object"`
	Field  string `json:"field"`
	Value  string `json:"value"`
}

func (a *app) replay(file string, f *replayFlags) error {
	t, err := counterexamples.Load(file)
	if err != nil {
		return err
	}
	sys, err := t.System()
	if err != nil {
		return err
	}
	play := counterexamples.Replay
	if f.other {
		v, err := parseVariant(f.variant)
		if err != nil {
			return err
		}
		f.other = v != sys.Variant
		if f.other {
			play = counterexamples.Follow
		}
		if sys, err = t.SystemWith(v); err != nil {
			return err
		}
	}
	report, err := play(t, sys)
	if err != nil {
		return err
	}
	if err := a.writeReplay(t, sys, report, f); err != nil {
		return err
	}
	return replayStatus(report.Outcome, f.other)
}

// replayStatus is the exit code of a replay: nil for 0.
func replayStatus(o counterexamples.Outcome, other bool) error {
	switch {
	case o == counterexamples.Unconfirmed:
		return notExhausted
	case (o == counterexamples.Violated) == other:
		return differs
	}
	return nil
}

func (a *app) writeReplay(t *counterexamples.Trace, sys *spec.System, report *counterexamples.Report, f *replayFlags) error {
	taken, err := retell(t, sys, report)
	if err != nil {
		return err
	}
	var state []counterexamples.FieldValue
	if f.stated {
		if state, err = counterexamples.StateAfter(t, sys, f.state); err != nil {
			return err
		}
	}
	if f.json {
		return writeJSON(a.out, replayJSON(t, sys, report, taken, state))
	}
	fmt.Fprintf(a.out, "%s: %s, variant %s, %s: %s, kind %s\n\n", t.Source(), t.Scenario,
		verdict.VariantName(sys.Variant), t.Scheduler, t.Property, t.Kind)
	if t.Comment != "" {
		fmt.Fprintf(a.out, "%s\n\n", strings.TrimSpace(t.Comment))
	}
	if f.stated {
		fmt.Fprintf(a.out, "State after step %d:\n%s\n", f.state, counterexamples.FormatState(state))
	} else {
		fmt.Fprintf(a.out, "%s\n", stepsOf(taken))
	}
	text := report.String()
	if report.Outcome == counterexamples.Violated {
		text = a.bad(text)
	}
	fmt.Fprintln(a.out, text)
	return nil
}

// retell tells the steps that could be taken as the system takes them.
func retell(t *counterexamples.Trace, sys *spec.System, report *counterexamples.Report) (*counterexamples.Trace, error) {
	v, err := t.Violation(sys)
	if err != nil {
		return nil, err
	}
	if report.Outcome == counterexamples.Refused {
		v.Path = v.Path[:report.Step-1]
	}
	loop := v.Loop
	taken, err := counterexamples.Record(sys, statespace.Violation{
		Property: v.Property, Kind: statespace.StateKind, Task: -1, Path: v.Path, Loop: -1,
	}, t.File)
	if err == nil && loop < len(v.Path) {
		taken.Loop = loop
	}
	return taken, err
}

// stepsOf is the text of the steps, without the header.
func stepsOf(t *counterexamples.Trace) string {
	_, steps, _ := strings.Cut(string(t.Format()), "\n\n")
	return steps
}

func replayJSON(t *counterexamples.Trace, sys *spec.System, report *counterexamples.Report, taken *counterexamples.Trace, state []counterexamples.FieldValue) replayed {
	r := replayed{
		File: t.Source(), Scenario: t.Scenario, Scheduler: t.Scheduler.String(), Variant: sys.Variant.String(),
		Property: t.Property, Outcome: report.Outcome.String(), Step: report.Step, Line: report.Line,
		Reason: report.Reason, Steps: []replayedStep{},
	}
	if d := report.Differs; d != nil {
		r.Differs = &difference{d.Step, d.Line, d.Reason}
	}
	for i := range taken.Steps {
		st := &taken.Steps[i]
		r.Steps = append(r.Steps, replayedStep{
			Number: st.Number, Task: st.Task, Function: st.Function,
			Tags: append([]string{}, st.Tags...), Effects: append([]string{}, st.Effects()...),
		})
	}
	for _, v := range state {
		r.State = append(r.State, stateField{v.Object, v.Field, v.Value})
	}
	return r
}

// A keptJSON is what JSON says of a kept trace on one variant.
type keptJSON struct {
	File     string `json:"file"`
	Variant  string `json:"variant"`
	Repaired bool   `json:"repaired"` // the variant claims to repair it
	OK       bool   `json:"ok"`
	Outcome  string `json:"outcome"`
	Step     int    `json:"step"`
	Line     int    `json:"line"`
	Reason   string `json:"reason"`
}

// replayKept replays the traces that are part of the program.
func (a *app) replayKept(f *replayFlags) error {
	traces, err := counterexamples.Kept()
	if err != nil {
		return traceError(err)
	}
	results, err := counterexamples.CheckKept(traces)
	if err != nil {
		return traceError(err)
	}
	wrong := 0
	list := []keptJSON{}
	for _, r := range results {
		if !r.OK {
			wrong++
		}
		if !f.json {
			fmt.Fprintln(a.out, r)
		}
		list = append(list, keptJSON{r.File, r.Variant, r.Repaired, r.OK, r.Report.Outcome.String(), r.Report.Step, r.Report.Line, r.Report.Reason})
	}
	if f.json {
		if err := writeJSON(a.out, map[string]any{"kept": list}); err != nil {
			return err
		}
	} else {
		fmt.Fprintf(a.out, "%s, %s, %d wrong\n", spec.Count(len(traces), "kept trace", "kept traces"),
			spec.Count(len(results), "replay", "replays"), wrong)
	}
	if wrong > 0 {
		return differs
	}
	return nil
}
