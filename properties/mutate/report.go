package mutate

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"cilcheck/properties"
	"cilcheck/spec"
)

// A Report sums up a run.
type Report struct {
	results []Result
	groups  []group
	// Unexplained are the survivors without an explanation.
	Unexplained []Result
}

// A group is the survivors that share an explanation.
type group struct {
	Explanation
	results []Result
}

// NewReport puts the survivors among results beside their explanations.
func NewReport(results []Result, all []Explanation) *Report {
	r := &Report{results: results}
	survived := map[string]Result{}
	for _, res := range results {
		if !res.Fate.Killed() {
			survived[res.Mutant.Key()] = res
		}
	}
	for _, e := range all {
		g := group{Explanation: e}
		for _, key := range e.Mutants {
			if res, ok := survived[key]; ok {
				g.results = append(g.results, res)
				delete(survived, key)
			}
		}
		if g.results != nil {
			slices.SortFunc(g.results, func(a, b Result) int { return cmp.Compare(a.Mutant.Number, b.Mutant.Number) })
			r.groups = append(r.groups, g)
		}
	}
	for _, res := range results {
		if _, left := survived[res.Mutant.Key()]; left {
			r.Unexplained = append(r.Unexplained, res)
		}
	}
	return r
}

// Current are the results of mutants that there are, with the numbers of now.
func Current(results []Result, mutants []Mutant) []Result {
	now := map[string]Mutant{}
	for _, m := range mutants {
		now[m.Key()] = m
	}
	var kept []Result
	for _, r := range results {
		if m, ok := now[r.Mutant.Key()]; ok {
			r.Mutant = m
			kept = append(kept, r)
		}
	}
	return kept
}

// Merge puts results into older ones, in the place of those of the same mutants.
func Merge(old, results []Result) []Result {
	again := map[string]bool{}
	for _, r := range results {
		again[r.Mutant.Key()] = true
	}
	merged := slices.Clone(results)
	for _, r := range old {
		if !again[r.Mutant.Key()] {
			merged = append(merged, r)
		}
	}
	slices.SortStableFunc(merged, func(a, b Result) int { return cmp.Compare(a.Mutant.Number, b.Mutant.Number) })
	return merged
}

// count counts the results that pass.
func count(results []Result, pass func(Result) bool) int {
	n := 0
	for _, r := range results {
		if pass(r) {
			n++
		}
	}
	return n
}

// equivalents is the set of mutants that are explained as equivalent.
func (r *Report) equivalents() map[int]bool {
	set := map[int]bool{}
	for _, g := range r.groups {
		for _, res := range g.results {
			set[res.Mutant.Number] = g.Class == Equivalent
		}
	}
	return set
}

// Write prints the report. It depends on the results only.
func (r *Report) Write(w io.Writer) error {
	killed := count(r.results, func(x Result) bool { return x.Fate.Killed() })
	equivalent := r.equivalents()
	n := count(r.results, func(x Result) bool { return equivalent[x.Mutant.Number] })
	fmt.Fprintf(w, "%s: %d killed, %d equivalent, %d survive. Score: %s of those that are not equivalent.\n\n",
		spec.Count(len(r.results), "mutant", "mutants"), killed, n, len(r.results)-killed-n, percent(killed, len(r.results)-n))
	if err := r.writeOperators(w, equivalent); err != nil {
		return err
	}
	if err := r.writeProperties(w); err != nil {
		return err
	}
	r.writeSurvivors(w)
	return nil
}

func percent(part, all int) string {
	if all == 0 {
		return "-"
	}
	return fmt.Sprintf("%.1f %%", 100*float64(part)/float64(all))
}

// writeOperators prints a row for every operator.
func (r *Report) writeOperators(w io.Writer, equivalent map[int]bool) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "\tmutants\tviolates\tclears\tfault\texercises\tequivalent\tsurvives\t ")
	for _, op := range Operators {
		of := func(pass func(Result) bool) int {
			return count(r.results, func(x Result) bool { return x.Mutant.Operator == op.Name && pass(x) })
		}
		fmt.Fprintf(t, "%s\t%d\t", op.Name, of(func(Result) bool { return true }))
		for f := ByViolation; f <= ByExercise; f++ {
			fmt.Fprintf(t, "%d\t", of(func(x Result) bool { return x.Fate == f }))
		}
		fmt.Fprintf(t, "%d\t%d\t  %s\n",
			of(func(x Result) bool { return equivalent[x.Mutant.Number] }),
			of(func(x Result) bool { return !x.Fate.Killed() && !equivalent[x.Mutant.Number] }), op.Does)
	}
	return t.Flush()
}

// writeProperties prints how many mutants each property is the first to kill.
func (r *Report) writeProperties(w io.Writer) error {
	fmt.Fprintln(w, "\nMutants that violate a property in the first case that tells them from the model:")
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, p := range properties.All() {
		n := count(r.results, func(x Result) bool {
			return x.Fate == ByViolation && slices.Contains(strings.Fields(x.What), p.Name)
		})
		fmt.Fprintf(t, "  %s\t%d\n", p.Name, n)
	}
	return t.Flush()
}

// writeSurvivors prints every survivor with its reason.
func (r *Report) writeSurvivors(w io.Writer) {
	for _, class := range []Class{Unseen, Equivalent} {
		for _, g := range r.groups {
			if g.Class == class {
				fmt.Fprintf(w, "\n%s (%d): %s\n", class, len(g.results), g.Reason)
				writeResults(w, g.results)
			}
		}
	}
	if r.Unexplained != nil {
		fmt.Fprintf(w, "\nunexplained (%d): no reason in %s\n", len(r.Unexplained), survivorsFile)
		writeResults(w, r.Unexplained)
	}
}

func writeResults(w io.Writer, results []Result) {
	for _, x := range results {
		note := strings.TrimPrefix(x.Fate.String(), "survived: ")
		if x.What != "" {
			note += ": " + x.What
		}
		if x.Case != "" {
			note += " in " + x.Case
		}
		fmt.Fprintf(w, "  %s (%s)\n", x.Mutant.Key(), note)
	}
}
