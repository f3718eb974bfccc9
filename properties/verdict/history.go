package verdict

import (
	"context"
	_ "embed"
	"fmt"
	"slices"
	"strings"
	"sync"

	"cilcheck/cil"
	"cilcheck/properties"
	"cilcheck/spec"
	"cilcheck/statespace"
)

// A Mutant is a bug that the kernel code had, or a proposal that was wrong, and
// what shows it. The keys of history.yaml say what each field means.
type Mutant struct {
	Bug, Name, Fix, Subject, Kernel, Seen string
	Missing                               string
	// Clear says why the mutant shows nothing: then its search has to find no
	// violation. Cure is, for a bug that is open, the change that clears it.
	Clear, Cure string

	Property *properties.Property
	Scenario *spec.Scenario
	Base     string

	line int
}

//go:embed history.yaml
var historyFile []byte

// Mutants are the rows of history.yaml, in its order.
func Mutants() []*Mutant {
	mutants, err := loadMutants()
	if err != nil {
		panic(err) // a test loads the file
	}
	return mutants
}

var loadMutants = sync.OnceValues(func() ([]*Mutant, error) {
	return ParseMutants("properties/verdict/history.yaml", historyFile)
})

// Shown reports whether the model can show the bug.
func (m *Mutant) Shown() bool { return m.Missing == "" }

// Open reports whether the current kernel has the bug.
func (m *Mutant) Open() bool { return m.Cure != "" }

// Toggle is the toggle that makes the mutant; "" if the current kernel is it.
func (m *Mutant) Toggle() string {
	if m.Open() {
		return ""
	}
	return "without=" + m.Name
}

// Load says whether the pushes of the scenario come from synchronous forces only
// ("sync"), which never overlap with the flush (cil.md#P16), or not ("mixed").
func (m *Mutant) Load() string {
	size := m.Scenario.Sizes[0]
	units := 0
	for _, t := range m.Scenario.Tasks {
		for _, op := range t.Do {
			switch op.Kind {
			case cil.OpCilFlush, cil.OpDelwriSubmit, cil.OpLogForceAsync, cil.OpLogWorker:
				return "mixed"
			case cil.OpCommit, cil.OpSyncCommit:
				units += op.Size[size] * t.Count[size] * max(t.Times[size], 1)
			}
		}
		if t.Start != cil.StartClean {
			units += t.Size[size] * t.Count[size]
		}
	}
	if units >= m.Scenario.Soft[size] {
		return "mixed" // the commits start background pushes
	}
	return "sync"
}

// Cases are the scenario with the mutant and with the fix, both on top of the
// mutant's base and of the variant on.
func (m *Mutant) Cases(on string) (mutated, fixed Case, err error) {
	fixed = Case{Scenario: m.Scenario, Size: spec.Check, Scheduler: m.Scenario.Schedulers[0]}
	mutated = fixed
	if fixed.Variant, err = cil.ParseVariant(list(m.Base, on, m.Cure)); err != nil {
		return mutated, fixed, err
	}
	mutated.Variant, err = cil.ParseVariant(list(m.Base, on, m.Toggle()))
	return mutated, fixed, err
}

// list joins comma lists of which some are empty, each toggle once.
func list(parts ...string) string {
	var all []string
	for _, p := range parts {
		for _, toggle := range strings.Split(p, ",") {
			if toggle != "" && !slices.Contains(all, toggle) {
				all = append(all, toggle)
			}
		}
	}
	return strings.Join(all, ",")
}

// A Trial is a mutant that has been searched for.
type Trial struct {
	Mutant *Mutant
	// Mutated and Fixed are the outcomes without and with the fix.
	Mutated, Fixed *Outcome
}

// RunHistory searches for every mutant that can be shown, with the fix and
// without it, on top of the variant on. The plan has no cases of its own.
func RunHistory(ctx context.Context, plan Plan, memory int64, mutants []*Mutant, on string) ([]*Trial, error) {
	var trials []*Trial
	for _, m := range mutants {
		if !m.Shown() {
			continue
		}
		mutated, fixed, err := m.Cases(on)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", m.Name, err)
		}
		plan.Cases = append(plan.Cases, mutated, fixed)
		trials = append(trials, &Trial{Mutant: m})
	}
	outcomes, err := plan.RunWithin(ctx, memory)
	if err != nil {
		return nil, err
	}
	for i, t := range trials {
		t.Mutated, t.Fixed = outcomes[2*i], outcomes[2*i+1]
	}
	return trials, nil
}

// With is the verdict on the mutant's property without the fix, Cleared that
// with the fix.
func (t *Trial) With() Verdict    { return t.Mutated.Of(t.Mutant.Property) }
func (t *Trial) Cleared() Verdict { return t.Fixed.Of(t.Mutant.Property) }

// Found reports whether the mutant violates its property and the fix clears it:
// with the fix every state was searched and the property holds.
func (t *Trial) Found() bool { return t.With() == Violated && t.Cleared() == Holds }

// AsExpected reports whether the mutant is found or, if it is said not to violate
// its property, does not: all states were searched.
func (t *Trial) AsExpected() bool {
	if t.Mutant.Clear == "" {
		return t.Found()
	}
	return t.With() == Holds && t.Cleared() == Holds
}

// Unfinished reports whether a limit kept one of the two searches from its end.
func (t *Trial) Unfinished() bool {
	return t.With() == NotExhausted || t.Cleared() == NotExhausted
}

// Violation is the shortest way in which the mutant violates its property, or
// nil.
func (t *Trial) Violation() *statespace.Violation {
	return t.Mutated.Search.Violation(t.Mutant.Property.Name)
}

// Steps is the length of the shortest violation; 0 if there is none.
func (t *Trial) Steps() int {
	if x := t.Violation(); x != nil {
		return len(x.Path)
	}
	return 0
}

// Also are the other properties that the mutant violates and the fix clears.
func (t *Trial) Also() []string {
	var also []string
	for _, p := range t.Mutated.Properties {
		if p != t.Mutant.Property && t.Mutated.Of(p) == Violated && t.Fixed.Of(p) != Violated {
			also = append(also, p.Name)
		}
	}
	return also
}

// States and Seconds are those of both searches.
func (t *Trial) States() int      { return t.Mutated.Search.States + t.Fixed.Search.States }
func (t *Trial) Seconds() float64 { return t.Mutated.Seconds + t.Fixed.Seconds }

// Visible says on which of two variants a mutant is found: the current kernel,
// and another that on spells.
func Visible(current, other *Trial, on string) string {
	first, second := "on the current kernel", "on the variant"
	if on == "flush=never" {
		first, second = "with the flush", "without the flush"
	}
	switch {
	case current.Unfinished() || other.Unfinished():
		return "not decided"
	case other.Cleared() == Violated:
		return "-: the variant violates it by itself"
	case current.Found() && other.Found():
		return "both"
	case current.Found():
		return "only " + first
	case other.Found():
		return "only " + second
	}
	return "neither"
}
