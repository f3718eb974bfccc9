package properties

import (
	"cilcheck/cil"
	"cilcheck/spec"
	"cilcheck/statespace"
)

// Kind is what a property speaks of.
type Kind string

const (
	StateKind    Kind = "state"    // every reachable state
	StepKind     Kind = "step"     // every step
	EndKind      Kind = "end"      // every state in which nothing can move
	LivenessKind Kind = "liveness" // paths without end
)

// A Property is a claim about the system under check.
type Property struct {
	// Name is what the command line and JSON call it.
	Name string
	// Claim is one sentence that is true when the property holds.
	Claim string
	// Reason is why it ought to hold: a tag of cil.md, a commit or a mail.
	Reason string
	// Antecedent is the situation that must arise for the property to count as
	// exercised.
	Antecedent string
	Kind       Kind

	// Enabled says that it asks which tasks can move.
	Enabled bool

	// applies says whether a machine has what the property speaks of; nil is
	// always.
	applies func(m *cil.Machine) bool

	// Exactly one of these decides it.
	state func(sys *spec.System) func(*cil.State) bool
	step  func(sys *spec.System) func(before, after *cil.State, mv *statespace.Move) bool
	end   func(sys *spec.System) func(*cil.State) bool
	// liveness adds its question to the search's options.
	liveness func(sys *spec.System, o *statespace.Options[cil.State])

	// Exactly one of these says that the antecedent is met.
	met      func(sys *spec.System) func(before, after *cil.State, mv *statespace.Move) bool
	metState func(sys *spec.System) func(*cil.State) bool
}

// All are the properties, in the order of tables.
func All() []*Property {
	var all []*Property
	all = append(all, order...)
	all = append(all, queueing...)
	all = append(all, lifetime...)
	all = append(all, durability...)
	all = append(all, liveness...)
	all = append(all, gathering...)
	return all
}

// Applicable are those of the properties that a scenario has a meaning for: one
// about lists of CPUs says nothing where there are none.
func Applicable(sys *spec.System, props []*Property) []*Property {
	var some []*Property
	for _, p := range props {
		if p.applies == nil || p.applies(sys.Machine) {
			some = append(some, p)
		}
	}
	return some
}

// Lookup returns the property of a name, or nil.
func Lookup(name string) *Property {
	for _, p := range All() {
		if p.Name == name {
			return p
		}
	}
	return nil
}

// Options returns what the explorer has to check for the properties on a system.
func Options(sys *spec.System, props []*Property) statespace.Options[cil.State] {
	var o statespace.Options[cil.State]
	for _, p := range props {
		switch {
		case p.state != nil:
			o.Invariants = append(o.Invariants, statespace.Invariant[cil.State]{Name: p.Name, Holds: p.state(sys)})
		case p.step != nil:
			o.StepInvariants = append(o.StepInvariants, statespace.StepInvariant[cil.State]{Name: p.Name, Holds: p.step(sys)})
		case p.end != nil:
			o.Terminal = append(o.Terminal, statespace.Invariant[cil.State]{Name: p.Name, Holds: p.end(sys)})
		default:
			p.liveness(sys, &o)
		}
		a := statespace.Antecedent[cil.State]{Name: p.Name}
		if p.met != nil {
			a.Met = p.met(sys)
		} else {
			a.State = p.metState(sys)
		}
		o.Antecedents = append(o.Antecedents, a)
	}
	return o
}

// passed is the antecedent that some step passes a tag.
func passed(tag statespace.Tag) func(*spec.System) func(_, _ *cil.State, mv *statespace.Move) bool {
	return func(*spec.System) func(_, _ *cil.State, mv *statespace.Move) bool {
		return func(_, _ *cil.State, mv *statespace.Move) bool { return hasTag(mv, tag) }
	}
}

func hasTag(mv *statespace.Move, tag statespace.Tag) bool {
	for _, t := range mv.Tags() {
		if t == tag {
			return true
		}
	}
	return false
}

// noNote is the step property that no step makes a note of a kind.
func noNote(kind cil.NoteKind) func(*spec.System) func(_, _ *cil.State, mv *statespace.Move) bool {
	return func(*spec.System) func(_, _ *cil.State, mv *statespace.Move) bool {
		return func(_, _ *cil.State, mv *statespace.Move) bool {
			for _, n := range mv.Notes() {
				if n.Kind == kind {
					return false
				}
			}
			return true
		}
	}
}
