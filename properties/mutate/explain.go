package mutate

import (
	_ "embed"
	"errors"
	"fmt"

	"go.yaml.in/yaml/v3"

	"cilcheck/spec"
)

// A Class says what a mutant that survives is.
type Class string

const (
	// Equivalent: it does what the model does, or differs only in what nobody
	// looks at.
	Equivalent Class = "equivalent"
	// Unseen: it does something else, and no property of ours sees it.
	Unseen Class = "unseen"
)

// An Explanation is why mutants survive. The keys of survivors.yaml say what
// each field means.
type Explanation struct {
	Class   Class
	Reason  string
	Mutants []string // keys
	lines   []int    // where they stand
}

//go:embed survivors.yaml
var survivors []byte

// survivorsFile is where the explanations stand in the repository.
const survivorsFile = "properties/mutate/survivors.yaml"

// Explanations are those of survivors.yaml, in its order.
func Explanations() ([]Explanation, error) { return ParseExplanations(survivorsFile, survivors) }

// ParseExplanations reads the contents of the named file, which has the form of
// survivors.yaml. The error joins a *spec.Error for everything that is wrong.
func ParseExplanations(file string, data []byte) ([]Explanation, error) {
	var rows []struct {
		Class   yaml.Node
		Reason  yaml.Node
		Mutants []yaml.Node
	}
	if err := yaml.Unmarshal(data, &rows); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	var errs []error
	errorf := func(line int, format string, args ...any) {
		errs = append(errs, &spec.Error{File: file, Line: line, Msg: fmt.Sprintf(format, args...)})
	}
	var all []Explanation
	first := map[string]int{}
	for _, row := range rows {
		e := Explanation{Class: Class(row.Class.Value), Reason: oneLine(row.Reason.Value)}
		line := row.Class.Line
		if e.Class != Equivalent && e.Class != Unseen {
			errorf(line, "class: expected %s or %s, found %q", Equivalent, Unseen, e.Class)
		}
		if e.Reason == "" || len(row.Mutants) == 0 {
			errorf(line, "expected a reason and mutants")
		}
		for _, n := range row.Mutants {
			if first[n.Value] != 0 {
				errorf(n.Line, "the same mutant as line %d", first[n.Value])
			}
			first[n.Value] = n.Line
			e.Mutants, e.lines = append(e.Mutants, n.Value), append(e.lines, n.Line)
		}
		all = append(all, e)
	}
	return all, errors.Join(errs...)
}

// Stale is an error for every explained mutant that does not exist or was
// killed. Mutants that were not run are taken to survive.
func Stale(all []Explanation, mutants []Mutant, results []Result) error {
	exists, killed := map[string]bool{}, map[string]bool{}
	for _, m := range mutants {
		exists[m.Key()] = true
	}
	for _, r := range results {
		killed[r.Mutant.Key()] = r.Fate.Killed()
	}
	var errs []error
	for _, e := range all {
		for i, key := range e.Mutants {
			switch {
			case !exists[key]:
				errs = append(errs, &spec.Error{File: survivorsFile, Line: e.lines[i], Msg: "no such mutant: " + key})
			case killed[key]:
				errs = append(errs, &spec.Error{File: survivorsFile, Line: e.lines[i], Msg: "killed, not a survivor: " + key})
			}
		}
	}
	return errors.Join(errs...)
}
