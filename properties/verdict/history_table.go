package verdict

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"cilcheck/cil"
	"cilcheck/spec"
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
	found, clear := 0, 0
	for _, t := range trials {
		switch {
		case t.Mutant.Clear != "" && t.AsExpected():
			clear++
		case t.Found():
			found++
		}
	}
	fmt.Fprintf(w, "\n%s: %d found by their property and cleared by their fix, %d searched with nothing to see.\n",
		spec.Count(len(trials), "bug", "bugs"), found, clear)
	for _, t := range trials {
		if !t.AsExpected() {
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

// WriteClear writes which mutants show nothing, and why.
func WriteClear(w io.Writer, mutants []*Mutant) {
	for _, m := range mutants {
		if m.Clear != "" {
			wrap(w, fmt.Sprintf("  %-4s", m.Bug), m.Name+": "+m.Clear)
		}
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

// Describe writes what is known of a mutant, but for what it shares with before,
// a mutant of the same bug; nil is none.
func (m *Mutant) Describe(w io.Writer, before *Mutant) {
	line := func(key, text string) {
		if text != "" {
			wrap(w, fmt.Sprintf("%-10s", key), text)
		}
	}
	if before == nil {
		before = &Mutant{}
	}
	for _, of := range []struct{ key, text, before string }{
		{"bug", m.bugLine(), before.bugLine()}, {"subject", m.Subject, before.Subject},
		{"fix", m.fixLine(), before.fixLine()}, {"seen", m.Seen, before.Seen},
	} {
		if of.text != of.before {
			line(of.key, of.text)
		}
	}
	switch {
	case m.Open():
		line("open", "nobody has fixed it; "+m.Cure+" clears it here")
	case m.Name != "":
		line("mutant", m.Toggle()+": "+doesOf(m.Toggle()))
	}
	line("missing", m.Missing)
	if !m.Shown() {
		return
	}
	line("clear", m.Clear)
	line("base", m.Base)
	line("property", m.Property.Name+": "+m.Property.Claim)
	line("scenario", m.Scenario.Name+": "+m.Scenario.Title)
	line("", m.Scenario.Story)
}

func (m *Mutant) bugLine() string { return m.Bug + " of spec/reference/bugs.md" }

func (m *Mutant) fixLine() string {
	if m.Fix == "" {
		return ""
	}
	return m.Fix + ", " + m.Kernel
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
	fmt.Fprintln(tw, "without the fix\tproperty\tload\ticlogs\tcurrent kernel\tsteps\tthe variant\tsteps\tfound")
	var kinds []string
	names := map[string][]string{}
	for i, c := range current {
		o := other[i]
		found := Visible(c, o, on)
		fmt.Fprintf(tw, "%s\t%s\t%s\t%d\t%s\t%d\t%s\t%d\t%s\n", c.Mutant.Name, c.Mutant.Property.Name,
			c.Mutant.Load(), c.Mutant.Scenario.Iclogs[spec.Check], c.pair(), c.Steps(), o.pair(), o.Steps(), found)
		kind := found + ", " + c.Mutant.Load() + " load"
		if names[kind] == nil {
			kinds = append(kinds, kind)
		}
		names[kind] = append(names[kind], c.Mutant.Name)
	}
	tw.Flush() // to w, which keeps its error
	fmt.Fprintln(w)
	slices.Sort(kinds)
	for _, kind := range kinds {
		wrap(w, "  ", fmt.Sprintf("%s: %d: %s", kind, len(names[kind]), strings.Join(names[kind], ", ")))
	}
}

func (t *Trial) pair() string {
	return strings.Join([]string{cellWords[t.With()], cellWords[t.Cleared()]}, " / ")
}
