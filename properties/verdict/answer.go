package verdict

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"cilcheck/cil"
	"cilcheck/properties"
	"cilcheck/spec"
)

// AnswerVariants are the variants that the question is about: the current
// kernel first, the removal second, then each proposed repair, and last the
// current kernel and the repaired removal with cures for what even the current
// kernel violates.
func AnswerVariants() []cil.Variant {
	return []cil.Variant{
		{},
		{Flush: cil.FlushNever},
		{Flush: cil.FlushNever, Wait: cil.WaitCommit},
		{Flush: cil.FlushNever, Wait: cil.WaitCommitIfQueued},
		{Flush: cil.FlushWork},
		{Flush: cil.FlushOnRestart},
		{StableOR: true},
		{StableOR: true, ForceStarted: true, RecheckShutdown: true, IOErrorAnyway: true, RingNewest: true},
		{Flush: cil.FlushNever, Wait: cil.WaitCommitIfQueued, StableOR: true, ForceStarted: true, RecheckShutdown: true, IOErrorAnyway: true, RingNewest: true, UnmountDrain: true},
	}
}

// A question of cil.md section 9.3, with the rows that answer it.
type question struct {
	name, text string
	properties []string
	metrics    []string
	// where says for each answer in which scenarios the properties are violated.
	where bool
}

var questions = []question{
	{"ASK1", "does a force restart only a bounded number of times without sleeping (P15)?",
		[]string{"no-spin", "force-returns"}, []string{properties.MaxRestartsSpinning}, false},
	{"ASK2", "is an asynchronous flush honoured (P14)?", []string{"async-honoured"}, nil, false},
	{"ASK3", "can a push_work be queued twice, or be touched after its context was freed (P4, P12)?",
		[]string{"queued-once", "no-use-after-free"}, nil, false},
	{"ASK4", "does the order of start and commit records depend on the flush (P7, P8, P16)?",
		[]string{"start-order", "commit-order", "callback-order"}, []string{properties.MaxRunningPushes}, false},
	{"ASK5", "which wait cycles go through the buffer lock of a forcer (P17)?",
		[]string{"no-deadlock-with-locks"}, nil, true},
	{"ASK6", "is a successful force durable (P13)?", []string{"force-durable", "crash-prefix"}, nil, false},
	{"ASK7", "do freeze, throttle or iclog references rely on the flush?",
		[]string{"no-stuck", "asserts", "shutdown-callbacks"}, nil, false},
	{"ASK7", "does unmount rely on the flush?", []string{"teardown"}, nil, true},
}

// WriteQuestions answers the questions of cil.md section 9.3, out of the
// verdicts; variants with the same answer share a line.
func (s *Summary) WriteQuestions(w io.Writer) {
	for _, q := range questions {
		fmt.Fprintf(w, "%s %s\n", q.name, q.text)
		var answers []string
		letters := map[string][]string{}
		for i, v := range s.Variants {
			a := s.answerTo(q, v)
			if letters[a] == nil {
				answers = append(answers, a)
			}
			letters[a] = append(letters[a], letter(i))
		}
		for _, a := range answers {
			wrap(w, fmt.Sprintf("  %-*s  ", 2*len(s.Variants)-1, strings.Join(letters[a], " ")), a)
		}
	}
}

func (s *Summary) answerTo(q question, v cil.Variant) string {
	var parts []string
	for _, name := range q.properties {
		for _, verdict := range []Verdict{Violated, NotExhausted, Holds, NotExercised} {
			if under, ok := s.rowsWith(name, v, verdict); ok {
				parts = append(parts, fmt.Sprintf("%s %s%s", name, verdict, under))
			}
		}
	}
	for _, name := range q.metrics {
		for _, f := range s.families() {
			parts = append(parts, fmt.Sprintf("%s (%s) %s", name, familyName(f), s.Metric(name, v, f)))
		}
	}
	if q.where {
		parts = append(parts, s.whereOf(q, v)...)
	}
	return strings.Join(parts, "; ")
}

// whereOf says in which scenarios the properties of a question are violated on a
// variant, and in which they hold.
func (s *Summary) whereOf(q question, v cil.Variant) []string {
	var parts []string
	for _, verdict := range []Verdict{Violated, Holds} {
		var names []string
		for _, o := range s.Outcomes {
			for _, p := range o.Properties {
				if o.Case.Variant == v && slices.Contains(q.properties, p.Name) && o.Of(p) == verdict {
					names = append(names, o.Case.Scenario.Name)
				}
			}
		}
		if names != nil {
			parts = append(parts, fmt.Sprintf("%s in %s", verdict, strings.Join(names, ", ")))
		}
	}
	return parts
}

// WriteHangs says which scenarios have a task that a buffer lock stops for ever
// with the flush, without it, or with both.
func (s *Summary) WriteHangs(w io.Writer) {
	with, without := s.hangs(cil.Variant{}), s.hangs(cil.Variant{Flush: cil.FlushNever})
	minus := func(a, b []string) []string {
		return slices.DeleteFunc(slices.Clone(a), func(name string) bool { return slices.Contains(b, name) })
	}
	for _, part := range []struct {
		head  string
		names []string
	}{
		{"only with the flush", minus(with, without)},
		{"only without it", minus(without, with)},
		{"with it and without it", minus(with, minus(with, without))},
	} {
		if len(part.names) == 0 {
			part.names = []string{"none"}
		}
		wrap(w, "  ", part.head+": "+strings.Join(part.names, ", "))
	}
}

// hangs are the scenarios that violate no-deadlock-with-locks on a variant.
func (s *Summary) hangs(v cil.Variant) []string {
	var names []string
	for _, o := range s.Outcomes {
		for _, p := range o.Properties {
			if o.Case.Variant == v && p.Name == "no-deadlock-with-locks" && o.Of(p) == Violated &&
				!slices.Contains(names, o.Case.Scenario.Name) {
				names = append(names, o.Case.Scenario.Name)
			}
		}
	}
	return names
}

// rowsWith says under which schedulers a property has a verdict; ok is false if
// under none.
func (s *Summary) rowsWith(name string, v cil.Variant, verdict Verdict) (under string, ok bool) {
	var families []string
	for _, r := range s.Rows {
		if r.Property.Name != name || s.Verdict(r, v) != verdict {
			continue
		}
		if !r.Split {
			return "", true
		}
		families = append(families, familyName(r.Family))
	}
	if families == nil {
		return "", false
	}
	return " (" + strings.Join(families, ", ") + ")", true
}

// kernels says what a family of schedulers stands for.
var kernels = map[Family]string{
	spec.Any:         "any: preemptible kernels (PREEMPT_FULL and LAZY), every interleaving",
	spec.Cooperative: "cooperative: PREEMPT_NONE, and VOLUNTARY where there is no preemption point (before 7.0)",
	spec.Priority:    "priority: a SCHED_FIFO caller on one CPU, any kernel",
}

// WriteConclusion writes, in plain words computed from the verdicts, whether the
// removal breaks anything and which repair does not. Of what was not exhausted
// it claims nothing.
func (s *Summary) WriteConclusion(w io.Writer) {
	base := s.Variants[0]
	known := s.with(base, Violated)
	undecided := s.with(base, NotExhausted)
	if removal := (cil.Variant{Flush: cil.FlushNever}); slices.Contains(s.Variants, removal) && s.Variants[0] == (cil.Variant{}) {
		wrap(w, "", s.removal(removal, known))
	}
	switch {
	case known != nil:
		wrap(w, "", "The current kernel itself violates "+rowNames(known)+undecidedToo(undecided)+".")
	case undecided != nil:
		wrap(w, "", "No violation found in the current kernel"+undecidedToo(undecided)+".")
	default:
		fmt.Fprintln(w, "The current kernel violates no property.")
	}
	s.writeOpen(w, known)
	for _, v := range s.Variants[1:] {
		wrap(w, "  ", VariantName(v)+": "+s.comparison(v, known)+undecidedToo(s.with(v, NotExhausted))+".")
	}
	if n := len(s.Outcomes) - s.Exhausted(); n > 0 {
		fmt.Fprintf(w, "Not exhausted: %d of %s; there nothing is claimed.\n", n, spec.Count(len(s.Outcomes), "search", "searches"))
	}
	fmt.Fprintln(w, "These verdicts are for the scenarios listed and hold for:")
	for _, f := range s.families() {
		fmt.Fprintf(w, "  %s\n", kernels[f])
	}
}

// writeOpen says which of the violations of the current kernel are bugs that
// bugs.md knows as open.
func (s *Summary) writeOpen(w io.Writer, known []Row) {
	for _, m := range Mutants() {
		if m.Open() && slices.ContainsFunc(known, func(r Row) bool { return r.Property == m.Property }) {
			wrap(w, "  ", fmt.Sprintf("known open: %s %s (%s), see cilcheck history %s", m.Bug, m.Name, m.Property.Name, m.Bug))
		}
	}
}

// removal answers the question itself, out of what the removal adds to the
// violations of the current kernel.
func (s *Summary) removal(v cil.Variant, known []Row) string {
	added := without(s.with(v, Violated), known)
	safety, progress := byKind(added)
	clean := s.cleanRepairs(known)
	switch {
	case safety != nil && clean != nil:
		return "Not alone: without the flush the kernel violates " + s.rowsIn(v, safety) + alsoProgress(progress) +
			". Changes that remove it and violate nothing new: " + strings.Join(clean, "; ") + "."
	case safety != nil:
		return "No: without the flush the kernel violates " + s.rowsIn(v, safety) + alsoProgress(progress) + "."
	case s.with(v, NotExhausted) != nil:
		return "Not decided: searches without the flush were not exhausted."
	case progress == nil:
		return "Yes: without the flush the kernel violates nothing that it does not violate with it."
	case clean == nil:
		return "Not alone: no ordering, lifetime or durability property depends on the flush, but progress does (" + rowNames(progress) + ")."
	}
	return "Not alone: no ordering, lifetime or durability property depends on the flush, but progress does (" +
		s.rowsIn(v, progress) + "). Changes that remove it and violate nothing new: " + strings.Join(clean, "; ") + "."
}

// alsoProgress ends a list of violated rows with those about progress.
func alsoProgress(rows []Row) string {
	if rows == nil {
		return ""
	}
	return ", and of progress " + rowNames(rows)
}

// cleanRepairs are the variants without the flush at the top of push_now that
// violate nothing that the current kernel does not, all searches exhausted.
func (s *Summary) cleanRepairs(known []Row) []string {
	var clean []string
	for _, v := range s.Variants {
		if v.Flush != cil.FlushAlways && s.with(v, NotExhausted) == nil && without(s.with(v, Violated), known) == nil {
			clean = append(clean, v.String())
		}
	}
	return clean
}

// comparison says what a variant adds to, and removes from, the violations of
// the current kernel.
func (s *Summary) comparison(v cil.Variant, known []Row) string {
	now, undecided := s.with(v, Violated), s.with(v, NotExhausted)
	added := without(now, known)
	cured := without(known, append(now, undecided...))
	safety, progress := byKind(added)
	undecidedSafety, _ := byKind(undecided)
	var parts []string
	switch {
	case safety != nil:
		parts = append(parts, "BREAKS SAFETY: "+rowNames(safety))
	case progress != nil && undecidedSafety == nil:
		parts = append(parts, "breaks no ordering, lifetime or durability property")
	case progress == nil && undecided == nil:
		parts = append(parts, "violates nothing that the current kernel does not")
	default:
		parts = append(parts, "no ordering, lifetime or durability property found broken")
	}
	if progress != nil {
		parts = append(parts, "breaks progress: "+s.rowsIn(v, progress))
	}
	if cured != nil {
		parts = append(parts, "cures "+rowNames(cured))
	}
	for _, r := range without(known, cured) {
		parts = append(parts, s.elsewhere(r, v)...)
	}
	return strings.Join(parts, "; ")
}

// elsewhere says in which scenarios a row that the current kernel violates too is
// violated on the variant only, or on the current kernel only.
func (s *Summary) elsewhere(r Row, v cil.Variant) []string {
	base, now := s.scenarios(r, s.Variants[0]), s.scenarios(r, v)
	only := func(a, b []string) string {
		return strings.Join(slices.DeleteFunc(slices.Clone(a), func(name string) bool { return slices.Contains(b, name) }), ", ")
	}
	var parts []string
	if more := only(now, base); more != "" {
		parts = append(parts, fmt.Sprintf("violates %s also in %s", r, more))
	}
	if fewer := only(base, now); fewer != "" {
		parts = append(parts, fmt.Sprintf("cures %s in %s", r, fewer))
	}
	return parts
}

// scenarios are those in which a row is violated on a variant.
func (s *Summary) scenarios(r Row, v cil.Variant) []string {
	var names []string
	for _, o := range s.of(r, v) {
		if o.Of(r.Property) == Violated && !slices.Contains(names, o.Case.Scenario.Name) {
			names = append(names, o.Case.Scenario.Name)
		}
	}
	return names
}

// undecidedToo ends a sentence about rows of which some are undecided.
func undecidedToo(rows []Row) string {
	switch {
	case rows == nil:
		return ""
	case len(rows) > 4:
		return fmt.Sprintf("; %d rows of the table are undecided", len(rows))
	}
	return "; undecided: " + rowNames(rows)
}

// byKind parts rows into those about states and steps and those about progress.
func byKind(rows []Row) (safety, progress []Row) {
	for _, r := range rows {
		if r.Property.Kind == properties.LivenessKind {
			progress = append(progress, r)
		} else {
			safety = append(safety, r)
		}
	}
	return safety, progress
}

// with are the rows that have a verdict on a variant.
func (s *Summary) with(v cil.Variant, verdict Verdict) []Row {
	var rows []Row
	for _, r := range s.Rows {
		if s.Verdict(r, v) == verdict {
			rows = append(rows, r)
		}
	}
	return rows
}

// without is a minus b.
func without(a, b []Row) []Row {
	in := map[Row]bool{}
	for _, r := range b {
		in[r] = true
	}
	var rest []Row
	for _, r := range a {
		if !in[r] {
			rest = append(rest, r)
		}
	}
	return rest
}

// rowNames lists rows; those of one property share its name.
func rowNames(rows []Row) string {
	return nameRows(rows, func(Row) string { return "" })
}

// rowsIn lists the rows that a variant violates, and for those violated in few of
// the many scenarios of a family, in which.
func (s *Summary) rowsIn(v cil.Variant, rows []Row) string {
	return nameRows(rows, func(r Row) string {
		names := s.scenarios(r, v)
		if len(names) > 2 || len(s.of(r, v)) <= 2 {
			return ""
		}
		return " in " + strings.Join(names, " and ")
	})
}

// nameRows lists rows, with a remark on each family of a property.
func nameRows(rows []Row, remark func(Row) string) string {
	var names []string
	for i := 0; i < len(rows); {
		p := rows[i].Property
		var families []string
		for ; i < len(rows) && rows[i].Property == p; i++ {
			if rows[i].Split {
				families = append(families, familyName(rows[i].Family)+remark(rows[i]))
			}
		}
		name := p.Name
		if families != nil {
			name += " (" + strings.Join(families, ", ") + ")"
		}
		names = append(names, name)
	}
	return strings.Join(names, ", ")
}

// wrap writes a text in lines of at most 100 bytes, indented as its head is long.
func wrap(w io.Writer, head, text string) {
	const width = 100
	line := head
	for i, word := range strings.Fields(text) {
		if i > 0 && len(line)+1+len(word) > width {
			fmt.Fprintln(w, line)
			line = strings.Repeat(" ", max(len(head), 4)) + word
			continue
		}
		if i > 0 {
			line += " "
		}
		line += word
	}
	fmt.Fprintln(w, line)
}
