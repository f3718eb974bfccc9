package verdict

import (
	"slices"

	"cilcheck/cil"
	"cilcheck/properties"
	"cilcheck/spec"
	"cilcheck/statespace"
)

// A Family is a kind of scheduler, whatever its number of CPUs.
type Family = spec.Policy

// A Row is a line of the verdict table: a property, and for liveness the family
// of schedulers that it was checked under.
type Row struct {
	Property *properties.Property
	Family   Family
	// Split says that the row is about Family only.
	Split bool
}

// covers reports whether an outcome counts for the row.
func (r Row) covers(o *Outcome) bool {
	return !r.Split || o.Case.Scheduler.Policy == r.Family
}

// String names the row.
func (r Row) String() string {
	if !r.Split {
		return r.Property.Name
	}
	return r.Property.Name + " (" + familyName(r.Family) + ")"
}

func familyName(f Family) string {
	return map[Family]string{spec.Any: "any", spec.Cooperative: "cooperative", spec.Priority: "priority"}[f]
}

// A Summary is what many outcomes say together.
type Summary struct {
	Outcomes   []*Outcome
	Variants   []cil.Variant // in the order in which they first occur
	Properties []*properties.Property
	Rows       []Row
}

// Summarise collects outcomes. Liveness depends on the scheduler, so it has a
// row for each family that occurs.
func Summarise(outcomes []*Outcome) *Summary {
	s := &Summary{Outcomes: outcomes}
	seen := map[cil.Variant]bool{}
	type familyOf struct {
		p *properties.Property
		f Family
	}
	families := map[familyOf]bool{}
	var checked []*properties.Property
	for _, o := range outcomes {
		if v := o.Case.Variant; !seen[v] {
			seen[v] = true
			s.Variants = append(s.Variants, v)
		}
		for _, p := range o.Properties {
			families[familyOf{p, o.Case.Scheduler.Policy}] = true
		}
		checked = append(checked, o.Properties...)
	}
	for _, p := range properties.All() {
		if slices.Contains(checked, p) {
			s.Properties = append(s.Properties, p)
		}
	}
	for _, p := range s.Properties {
		if p.Kind != properties.LivenessKind {
			s.Rows = append(s.Rows, Row{Property: p})
			continue
		}
		for _, f := range []Family{spec.Any, spec.Cooperative, spec.Priority} {
			if families[familyOf{p, f}] {
				s.Rows = append(s.Rows, Row{Property: p, Family: f, Split: true})
			}
		}
	}
	return s
}

// of are the outcomes of a variant that count for a row.
func (s *Summary) of(r Row, v cil.Variant) []*Outcome {
	var of []*Outcome
	for _, o := range s.Outcomes {
		if o.Case.Variant == v && r.covers(o) && slices.Contains(o.Properties, r.Property) {
			of = append(of, o)
		}
	}
	return of
}

// Verdict is the verdict of a row on a variant, over all scenarios: violated if
// one violates it, not-exhausted if one search was not finished, holds if one
// exercised it.
func (s *Summary) Verdict(r Row, v cil.Variant) Verdict {
	worst := NotExercised
	rank := map[Verdict]int{NotExercised: 0, Holds: 1, NotExhausted: 2, Violated: 3}
	for _, o := range s.of(r, v) {
		if now := o.Of(r.Property); rank[now] > rank[worst] {
			worst = now
		}
	}
	return worst
}

// Shortest is the outcome with the shortest counterexample of a row on a
// variant, and that counterexample; nil if there is none.
func (s *Summary) Shortest(r Row, v cil.Variant) (*Outcome, *statespace.Violation) {
	var best *Outcome
	var path *statespace.Violation
	for _, o := range s.of(r, v) {
		x := o.Search.Violation(r.Property.Name)
		if x != nil && (path == nil || len(x.Path) < len(path.Path)) {
			best, path = o, x
		}
	}
	return best, path
}

// Metric is the largest value of a metric on a variant under a family of
// schedulers, over all scenarios.
func (s *Summary) Metric(name string, v cil.Variant, f Family) Metric {
	most := Metric{Known: true}
	for _, o := range s.Outcomes {
		if o.Case.Variant != v || o.Case.Scheduler.Policy != f {
			continue
		}
		switch m := o.Metric(name); {
		case !m.Known:
			most.Known = false
		case m.Unbounded:
			most.Unbounded = true
		default:
			most.Value = max(most.Value, m.Value)
		}
	}
	return most
}

// Tags is the set of tags that the scenarios pass on a variant.
func (s *Summary) Tags(v cil.Variant) map[statespace.Tag]bool {
	tags := map[statespace.Tag]bool{}
	for _, o := range s.Outcomes {
		if o.Case.Variant != v {
			continue
		}
		for t := range cil.NumTags {
			if o.Search.Coverage[t] > 0 {
				tags[t] = true
			}
		}
	}
	return tags
}

// States and Transitions are totals over all searches.
func (s *Summary) States() (states, transitions int) {
	for _, o := range s.Outcomes {
		states += o.Search.States
		transitions += o.Search.Transitions
	}
	return states, transitions
}

// Exhausted counts the searches that saw every state.
func (s *Summary) Exhausted() int {
	n := 0
	for _, o := range s.Outcomes {
		if o.Search.Exhausted {
			n++
		}
	}
	return n
}
