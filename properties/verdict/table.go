package verdict

import (
	"fmt"
	"io"
	"strings"

	"cilcheck/cil"
	"cilcheck/spec"
	"cilcheck/statespace"
)

// Style colours the words of a table; the zero Style leaves them plain.
type Style struct {
	Bad, Dim func(string) string
}

func (st Style) bad(s string) string {
	if st.Bad == nil {
		return s
	}
	return st.Bad(s)
}

func (st Style) dim(s string) string {
	if st.Dim == nil {
		return s
	}
	return st.Dim(s)
}

// letter is the column of variant i.
func letter(i int) string { return string(rune('A' + i)) }

// cellWords are the words of the table; the long verdicts are cut.
var cellWords = map[Verdict]string{
	Holds: "holds", Violated: "VIOLATED", NotExhausted: "not-exh.", NotExercised: "-",
}

// WriteTable writes the verdict table, variants x properties.
func (s *Summary) WriteTable(w io.Writer, st Style) {
	for i, v := range s.Variants {
		fmt.Fprintf(w, "  %s  %s\n", letter(i), describe(v))
	}
	fmt.Fprintln(w)
	s.writeColumns(w, 28)
	for _, r := range s.Rows {
		fmt.Fprintf(w, "%-30s", r)
		for i, v := range s.Variants {
			verdict := s.Verdict(r, v)
			word := s.column(i, cellWords[verdict])
			switch verdict {
			case Violated, NotExhausted:
				word = st.bad(word)
			case NotExercised:
				word = st.dim(word)
			}
			fmt.Fprint(w, word)
		}
		fmt.Fprintln(w)
	}
	states, transitions := s.States()
	fmt.Fprintf(w, "\nholds: every reachable state searched; VIOLATED: a shortest trace exists; not-exh.: a limit\n"+
		"was reached, nothing is claimed; -: the situation never arose. %s, %d exhausted,\n"+
		"%s, %s in all.\n", spec.Count(len(s.Outcomes), "search", "searches"), s.Exhausted(),
		spec.Count(states, "state", "states"), spec.Count(transitions, "transition", "transitions"))
}

// writeColumns heads a table whose first column has a width.
func (s *Summary) writeColumns(w io.Writer, width int) {
	fmt.Fprint(w, strings.Repeat(" ", width))
	for i := range s.Variants {
		fmt.Fprint(w, s.column(i, letter(i)))
	}
	fmt.Fprintln(w)
}

// column is a word in the column of variant i; the last one is not filled up.
func (s *Summary) column(i int, word string) string {
	if i == len(s.Variants)-1 {
		return word
	}
	return fmt.Sprintf("%-10s", word)
}

// describe is a variant with what its toggles do.
func describe(v cil.Variant) string {
	name := fmt.Sprintf("%-33s", VariantName(v))
	var does []string
	for _, t := range cil.Toggles() {
		if t.In(v) && (t.Name != "flush=never" || v == (cil.Variant{Flush: cil.FlushNever})) {
			does = append(does, t.Does)
		}
	}
	if does == nil {
		return name + " N1 flushes xc_push_wq in every turn of a synchronous force"
	}
	if len(does) > 1 {
		return strings.TrimRight(name, " ")
	}
	return name + " " + does[0]
}

// WriteMetrics writes the metrics of every variant and family of schedulers.
func (s *Summary) WriteMetrics(w io.Writer) {
	s.writeColumns(w, 48)
	for _, name := range MetricNames {
		for _, f := range s.families() {
			fmt.Fprintf(w, "%-48s", fmt.Sprintf("%s (%s)", name, familyName(f)))
			for i, v := range s.Variants {
				fmt.Fprint(w, s.column(i, s.Metric(name, v, f).String()))
			}
			fmt.Fprintln(w)
		}
	}
}

func (s *Summary) families() []Family {
	var families []Family
	for _, f := range []Family{spec.Any, spec.Cooperative, spec.Priority} {
		for _, o := range s.Outcomes {
			if o.Case.Scheduler.Policy == f {
				families = append(families, f)
				break
			}
		}
	}
	return families
}

// WriteTags writes which tags only some variants pass, and which none does.
func (s *Summary) WriteTags(w io.Writer) {
	var never []string
	for t := range cil.NumTags {
		var with, without []string
		for i, v := range s.Variants {
			if s.Tags(v)[t] {
				with = append(with, letter(i))
			} else {
				without = append(without, letter(i))
			}
		}
		switch {
		case with == nil:
			never = append(never, cil.TagName(t))
		case without != nil:
			fmt.Fprintf(w, "  %-6s passed by %s, never by %s\n", cil.TagName(t), strings.Join(with, " "), strings.Join(without, " "))
		}
	}
	if never != nil {
		wrap(w, "  never passed in any search: ", strings.Join(never, " "))
	}
}

// WriteViolations lists the shortest counterexample of every violated row and
// variant; trace names its file, or "".
func (s *Summary) WriteViolations(w io.Writer, trace func(*Outcome, *statespace.Violation) string) {
	for _, r := range s.Rows {
		for i, v := range s.Variants {
			o, x := s.Shortest(r, v)
			if x == nil {
				continue
			}
			fmt.Fprintf(w, "  %s  %-30s %-28s %3d steps  %s\n", letter(i), r, o.Case.Scenario.Name, len(x.Path), trace(o, x))
		}
	}
}

// WriteOutcome writes what one search found, for `cilcheck check`.
func WriteOutcome(w io.Writer, o *Outcome, st Style) {
	res := o.Search
	fmt.Fprintf(w, "%s: %s, %s, depth %d, %.1fs", o.Case, spec.Count(res.States, "state", "states"),
		spec.Count(res.Transitions, "transition", "transitions"), res.Depth, o.Seconds)
	if o.Reduced() {
		fmt.Fprintf(w, ", reduced by %s", o.Reduction)
	}
	if !res.Exhausted {
		fmt.Fprintf(w, ", %s", st.bad("not exhausted: "+res.Reason))
	}
	fmt.Fprintln(w)
	for _, p := range o.Properties {
		switch o.Of(p) {
		case Violated:
			x := res.Violation(p.Name)
			fmt.Fprintf(w, "  %s %s: not so that %s (%s)\n", st.bad("violated"), p.Name, p.Claim, o.steps(x))
		case NotExercised:
			fmt.Fprintf(w, "  %s %s: it never arose that %s\n", st.dim("not-exercised"), p.Name, p.Antecedent)
		}
	}
	if names := namesWith(o, Holds); names != nil {
		fmt.Fprintf(w, "  holds: %s\n", strings.Join(names, " "))
	}
	if o.Reduced() {
		return
	}
	var metrics []string
	for _, name := range MetricNames {
		metrics = append(metrics, fmt.Sprintf("%s %s", name, o.Metric(name)))
	}
	fmt.Fprintf(w, "  metrics: %s\n", strings.Join(metrics, ", "))
}

func namesWith(o *Outcome, v Verdict) []string {
	var names []string
	for _, p := range o.Properties {
		if o.Of(p) == v {
			names = append(names, p.Name)
		}
	}
	return names
}
