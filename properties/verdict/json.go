package verdict

import (
	"cilcheck/statespace"
)

// Cell is one verdict, as `--json` prints it.
type Cell struct {
	Variant     string  `json:"variant"`
	Scenario    string  `json:"scenario"`
	Scheduler   string  `json:"scheduler"`
	Property    string  `json:"property"`
	Verdict     Verdict `json:"verdict"`
	States      int     `json:"states"`
	Transitions int     `json:"transitions"`
	Seconds     float64 `json:"seconds"`
	// Trace is the file of the counterexample, or "".
	Trace string `json:"trace"`
	// Reduction is por, symmetry or all if the search was reduced: then States and
	// Transitions count what it visited.
	Reduction string `json:"reduction,omitempty"`
}

// Metrics are the metrics of one case, as `--json` prints them; a restart count
// that is null is unbounded, and all are null when the search was not exhausted.
type Metrics struct {
	Variant                  string `json:"variant"`
	Scenario                 string `json:"scenario"`
	Scheduler                string `json:"scheduler"`
	MaxRunningPushes         *int   `json:"max_running_pushes"`
	MaxRestartsSleeping      *int   `json:"max_restarts_sleeping"`
	MaxRestartsSpinning      *int   `json:"max_restarts_spinning"`
	MaxForcesBehindUnstarted *int   `json:"max_forces_behind_unstarted_push"`
	MaxCallbacksHeld         *int   `json:"max_callbacks_held"`
}

// Report is what `--json` prints.
type Report struct {
	Cells   []Cell    `json:"cells"`
	Metrics []Metrics `json:"metrics"`
}

// NewReport collects outcomes; trace names the file of a counterexample, or "".
func NewReport(outcomes []*Outcome, trace func(*Outcome, *statespace.Violation) string) Report {
	r := Report{Cells: []Cell{}, Metrics: []Metrics{}}
	for _, o := range outcomes {
		for _, p := range o.Properties {
			c := Cell{
				Variant: o.Case.Variant.String(), Scenario: o.Case.Scenario.Name, Scheduler: o.Case.Scheduler.String(),
				Property: p.Name, Verdict: o.Of(p),
				States: o.Search.States, Transitions: o.Search.Transitions, Seconds: o.Seconds,
			}
			if o.Reduced() {
				c.Reduction = o.Reduction.String()
			}
			if x := o.Search.Violation(p.Name); x != nil {
				c.Trace = trace(o, x)
			}
			r.Cells = append(r.Cells, c)
		}
		r.Metrics = append(r.Metrics, metricsOf(o))
	}
	return r
}

func metricsOf(o *Outcome) Metrics {
	value := func(i int) *int {
		m := o.Metric(MetricNames[i])
		if m.Unbounded || !m.Known {
			return nil
		}
		return &m.Value
	}
	return Metrics{
		Variant: o.Case.Variant.String(), Scenario: o.Case.Scenario.Name, Scheduler: o.Case.Scheduler.String(),
		MaxRunningPushes: value(0), MaxRestartsSleeping: value(1), MaxRestartsSpinning: value(2),
		MaxForcesBehindUnstarted: value(3), MaxCallbacksHeld: value(4),
	}
}
