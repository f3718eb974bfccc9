package verdict

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"cilcheck/cil"
)

// WriteHistory writes what came of the trials.
func WriteHistory(w io.Writer, trials []*Trial, st Style) {
	tw := tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
	fmt.Fprintln(tw, "bug\twithout the fix\tfix\tproperty\tscenario\twithout it\twith it\tsteps\tstates\ttime")
	for _, t := range trials {
		m := t.Mutant
		fmt.Fprintf(tw, "%s\t%s\t%s\t%s\t%s\t%s\t%s\t%d\t%d\t%.1fs\n", m.Bug, m.Name, orDash(m.Fix), m.Property.Name,
			m.Scenario.Name, cellWords[t.With()], cellWords[t.Cleared()], t.Steps(), t.States(), t.Seconds())
	}
	tw.Flush() // to w, which keeps its error
	found := 0
	for _, t := range trials {
		if t.Found() {
			found++
		}
	}
	fmt.Fprintf(w, "\n%d bugs, %d found by their property and cleared by their fix.\n", len(trials), found)
	for _, t := range trials {
		if !t.Found() {
			fmt.Fprintf(w, "%s %s: %s without the fix, %s with it\n", st.bad("not so:"), t.Mutant.Name, t.With(), t.Cleared())
		}
	}
}

func orDash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}

// WriteSeen writes what users saw of the bugs.
func WriteSeen(w io.Writer, trials []*Trial) {
	for _, t := range trials {
		wrap(w, fmt.Sprintf("  %-4s", t.Mutant.Bug), t.Mutant.Name+": "+t.Mutant.Seen)
	}
}

// WriteMissing writes which bugs the model cannot show, and why.
func WriteMissing(w io.Writer, mutants []*Mutant) {
	for _, m := range mutants {
		if m.Shown() {
			continue
		}
		name := m.Name
		if name == "" {
			name = m.Subject
		}
		wrap(w, fmt.Sprintf("  %-4s", m.Bug), name+": "+m.Missing)
	}
}

// Describe writes what is known of a mutant.
func (m *Mutant) Describe(w io.Writer) {
	line := func(key, text string) {
		if text != "" {
			wrap(w, fmt.Sprintf("%-10s", key), text)
		}
	}
	line("bug", m.Bug+" of spec/reference/bugs.md")
	line("subject", m.Subject)
	if m.Fix != "" {
		line("fix", m.Fix+", "+m.Kernel)
	}
	line("seen", m.Seen)
	line("missing", m.Missing)
	if !m.Shown() {
		return
	}
	line("mutant", m.Toggle()+": "+doesOf(m.Toggle()))
	line("base", m.Base)
	line("property", m.Property.Name+": "+m.Property.Claim)
	line("scenario", m.Scenario.Name+": "+m.Scenario.Title)
	line("", m.Scenario.Story)
}

// doesOf says what a toggle does.
func doesOf(name string) string {
	for _, t := range cil.Toggles() {
		if t.Name == name {
			return t.Does
		}
	}
	return ""
}

// WriteComparison writes on which of two variants each mutant is found: the
// trials of the current kernel, and those of the variant called on.
func WriteComparison(w io.Writer, current, other []*Trial, on string) {
	fmt.Fprintf(w, "The same on top of %s (without the fix / with it):\n\n", on)
	tw := tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
	fmt.Fprintln(tw, "without the fix\tproperty\tcurrent kernel\tsteps\tthe variant\tsteps\tfound")
	for i, c := range current {
		o := other[i]
		fmt.Fprintf(tw, "%s\t%s\t%s\t%d\t%s\t%d\t%s\n", c.Mutant.Name, c.Mutant.Property.Name,
			c.pair(), c.Steps(), o.pair(), o.Steps(), Visible(c, o, on))
	}
	tw.Flush() // to w, which keeps its error
}

func (t *Trial) pair() string {
	return strings.Join([]string{cellWords[t.With()], cellWords[t.Cleared()]}, " / ")
}
