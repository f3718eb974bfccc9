package mutate

import (
	"fmt"
	"slices"
	"strings"

	"cilcheck/properties"
	"cilcheck/properties/verdict"
	"cilcheck/statespace"
)

// A Fate is what became of a mutant, weakest evidence last.
type Fate int

const (
	// ByViolation: it violates a property that the model does not.
	ByViolation Fate = iota
	// ByClearing: it does not violate a property that the model does.
	ByClearing
	// ByFault: the model is at fault: a panic, a step that does not end, a state
	// out of range, or a search that leaves the model where the original's does
	// not.
	ByFault
	// ByExercise: the situation of a property does not arise any more, or arises
	// where it did not.
	ByExercise
	// Counts: every verdict is the same, the state space is not. The recorded
	// counts differ, the properties see nothing.
	Counts
	// Limited: as Counts, but a search reached the state limit, so its verdicts
	// are not known.
	Limited
	// Same: no difference at all.
	Same
	// Unreached: no case passes the changed code.
	Unreached
)

var fateNames = []string{
	"killed: violates", "killed: clears", "killed: fault", "killed: exercises",
	"survived: other counts", "survived: state limit", "survived: no difference", "survived: not reached",
}

func (f Fate) String() string { return fateNames[f] }

// Killed reports whether some verdict told the mutant from the model.
func (f Fate) Killed() bool { return f <= ByExercise }

// A Result is a mutant's fate, with the case and the properties, or the fault,
// that showed it.
type Result struct {
	Mutant Mutant
	Fate   Fate
	Case   string
	What   string
	// Cases is how many cases passed the changed code and were searched.
	Cases int
}

// judge compares the search of a mutant with that of the model.
func judge(original, mutated answer) (Fate, string) {
	if mutated.Fault != "" {
		return ByFault, mutated.Fault
	}
	limited := mutated.Reason == statespace.StateLimit
	violated := differing(original, mutated, func(_, now verdict.Verdict) bool { return now == verdict.Violated })
	cleared := differing(original, mutated, func(was, now verdict.Verdict) bool {
		return was == verdict.Violated && now != verdict.NotExhausted
	})
	exercise := differing(original, mutated, func(_, now verdict.Verdict) bool { return now != verdict.NotExhausted })
	same := original
	same.Reached, mutated.Reached = nil, nil
	switch {
	case violated != "":
		return ByViolation, violated
	case limited:
		return Limited, ""
	case mutated.Reason != original.Reason:
		return ByFault, "leaves the model: " + mutated.Reason
	case cleared != "":
		return ByClearing, cleared
	case exercise != "":
		return ByExercise, exercise
	case !equal(same, mutated):
		return Counts, fmt.Sprintf("%d states, not %d", mutated.States, original.States)
	}
	return Same, ""
}

// differing are the properties whose verdict differs in the way asked for.
func differing(original, mutated answer, way func(was, now verdict.Verdict) bool) string {
	var names []string
	for i, p := range properties.All() {
		if was, now := original.Verdicts[i], mutated.Verdicts[i]; was != now && way(was, now) {
			names = append(names, p.Name)
		}
	}
	return strings.Join(names, " ")
}

func equal(a, b answer) bool {
	return a.States == b.States && a.Transitions == b.Transitions && a.Depth == b.Depth &&
		a.Coverage == b.Coverage && slices.Equal(a.Verdicts, b.Verdicts)
}
