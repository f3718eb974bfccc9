package verdict

import (
	"context"
	"fmt"
	"time"

	"cilcheck/cil"
	"cilcheck/properties"
	"cilcheck/spec"
	"cilcheck/statespace"
)

// A Verdict is what a search says about a property: one of four words.
type Verdict string

const (
	// Holds: searched exhaustively, no violation, and the situation that the
	// property speaks of arose.
	Holds Verdict = "holds"
	// Violated: there is a counterexample.
	Violated Verdict = "violated"
	// NotExhausted: a limit was reached; nothing is claimed.
	NotExhausted Verdict = "not-exhausted"
	// NotExercised: searched exhaustively, but the antecedent was never true.
	NotExercised Verdict = "not-exercised"
)

// A Case is one system to check.
type Case struct {
	Scenario  *spec.Scenario
	Size      spec.Size
	Variant   cil.Variant
	Scheduler spec.Scheduler
	Fine      bool
}

// System builds the system of the case.
func (c Case) System() (*spec.System, error) {
	if c.Fine {
		return spec.NewFineSystem(c.Scenario, c.Size, c.Variant, c.Scheduler)
	}
	return spec.NewSystem(c.Scenario, c.Size, c.Variant, c.Scheduler)
}

// String names the case.
func (c Case) String() string {
	name := fmt.Sprintf("%s, variant %s, %s", c.Scenario.Name, VariantName(c.Variant), c.Scheduler)
	if c.Size != spec.Check {
		name += ", " + c.Size.String()
	}
	if c.Fine {
		name += ", fine"
	}
	return name
}

// VariantName is the spelling of a variant, in words when that is empty.
func VariantName(v cil.Variant) string {
	if s := v.String(); s != "" {
		return s
	}
	return "current kernel"
}

// Limits bound one search; zero is no limit.
type Limits struct {
	States int
	Memory int64
	Time   time.Duration
}

// An Outcome is what the search of one case found.
type Outcome struct {
	Case   Case
	System *spec.System
	Search *statespace.Result[cil.State]
	// Reduction is how the search was reduced; the zero value if it was not.
	Reduction statespace.Reduction
	// Properties are those that were checked, in the order of tables.
	Properties []*properties.Property
	// Certificate is the file of the certificate, or "".
	Certificate string
	Seconds     float64
}

// Run searches one case. The error is a fault of the model or of the case, never
// a verdict.
func Run(ctx context.Context, c Case, props []*properties.Property, l Limits, how How, progress func(statespace.Progress)) (*Outcome, error) {
	sys, err := c.System()
	if err != nil {
		return nil, err
	}
	props = properties.Applicable(sys, props)
	o := properties.Options(sys, props)
	properties.AddMetrics(sys, &o)
	if how.Safety {
		o.Longest = nil
	}
	if err := how.options(c, props, &o); err != nil {
		return nil, err
	}
	o.Limits = statespace.Limits{States: l.States, Memory: l.Memory, Time: l.Time}
	o.Context = ctx
	o.Progress = progress
	start := time.Now()
	res, err := statespace.Explore[cil.State](sys, o)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", c, err)
	}
	found := &Outcome{Case: c, System: sys, Search: res, Properties: props, Seconds: time.Since(start).Seconds()}
	return found, found.certify(how.Certificates)
}

// Of is the verdict on one property.
func (o *Outcome) Of(p *properties.Property) Verdict {
	switch {
	case o.Search.Violation(p.Name) != nil:
		return Violated
	case !o.Search.Exhausted:
		return NotExhausted
	case !o.Search.Exercised[p.Name]:
		return NotExercised
	}
	return Holds
}

// Count is how many properties have a verdict.
func (o *Outcome) Count(v Verdict) int {
	n := 0
	for _, p := range o.Properties {
		if o.Of(p) == v {
			n++
		}
	}
	return n
}

// Metric is a metric's value.
type Metric struct {
	Value     int
	Unbounded bool
	Known     bool // false when the search ended before it could be decided
}

func (m Metric) String() string {
	switch {
	case !m.Known:
		return "?"
	case m.Unbounded:
		return "unbounded"
	}
	return fmt.Sprint(m.Value)
}

// MetricNames are the metrics, in the order of tables.
var MetricNames = []string{
	properties.MaxRunningPushes, properties.MaxRestartsSleeping, properties.MaxRestartsSpinning,
	properties.MaxBehindUnstarted, properties.MaxCallbacksHeld,
}

// Metric is the exact value of a metric over all schedules.
func (o *Outcome) Metric(name string) Metric {
	if !o.Search.Exhausted {
		return Metric{}
	}
	for _, p := range o.Search.Maxima {
		if p.Name == name {
			return Metric{Value: p.Value, Known: true}
		}
	}
	for _, l := range o.Search.Longest {
		if l.Name == name {
			return Metric{Value: l.Value, Unbounded: l.Unbounded, Known: true}
		}
	}
	return Metric{}
}
