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

// Preserved reports whether a reduced search decides a property as Run does. It
// does not decide what is about paths without end, or about who else can move.
func Preserved(p *properties.Property, by statespace.Reduction) bool {
	return by == (statespace.Reduction{}) || p.Kind != properties.LivenessKind && !p.Enabled
}

// RunReduced searches a case as Run does, but visits fewer states. The counts
// are of what it visited, and metrics are not known. All properties must be
// Preserved.
func RunReduced(ctx context.Context, c Case, props []*properties.Property, l Limits, by statespace.Reduction, progress func(statespace.Progress)) (*Outcome, error) {
	sys, err := c.System()
	if err != nil {
		return nil, err
	}
	props = properties.Applicable(sys, props)
	o := properties.Options(sys, props)
	o.Limits = statespace.Limits{States: l.States, Memory: l.Memory, Time: l.Time}
	o.Context = ctx
	o.Progress = progress
	start := time.Now()
	res, err := statespace.ExploreReduced[cil.State](sys, o, by)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", c, err)
	}
	return &Outcome{
		Case: c, System: sys, Search: asResult(res), Reduction: by,
		Properties: props, Seconds: time.Since(start).Seconds(),
	}, nil
}

// asResult is what a reduced search found in the form of a full one.
func asResult(r *statespace.ReducedResult) *statespace.Result[cil.State] {
	return &statespace.Result[cil.State]{
		Exhausted: r.Exhausted, Reason: r.Reason,
		States: r.States, Transitions: r.Transitions, Depth: r.Depth, Terminals: r.Terminals,
		Violations: r.Violations, Exercised: r.Exercised, Coverage: r.Coverage, Memory: r.Memory,
	}
}

// Reduced reports whether an outcome is that of a reduced search.
func (o *Outcome) Reduced() bool { return o.Reduction != statespace.Reduction{} }

// search searches a case of the plan, reduced or not.
func (p *Plan) search(ctx context.Context, c Case, how How, progress func(statespace.Progress)) (*Outcome, error) {
	if p.Reduction == (statespace.Reduction{}) {
		return Run(ctx, c, p.Properties, p.Limits, how, progress)
	}
	return RunReduced(ctx, c, p.Properties, p.Limits, p.Reduction, progress)
}

// steps says how long the path of a violation is.
func (o *Outcome) steps(x *statespace.Violation) string {
	if o.Reduction.PartialOrder {
		return spec.Count(len(x.Path), "step", "steps") + ", perhaps not the fewest"
	}
	return spec.Count(len(x.Path), "step", "steps")
}
