package verdict

import (
	"bufio"
	"bytes"
	"fmt"
	"strings"
)

// A Record is what a case gave when it was last looked at: the counts, which
// are exact, and every verdict that is not "holds". Records stand beside their
// scenario, in a file of lines that people read and git diffs.
type Record struct {
	Scheduler string
	Variant   string
	States    int
	Transits  int
	Depth     int
	// Violated, NotExercised and NotExhausted are names of properties.
	Violated, NotExercised, NotExhausted []string
}

// RecordOf is the record of an outcome.
func RecordOf(o *Outcome) Record {
	r := Record{
		Scheduler: o.Case.Scheduler.String(),
		Variant:   o.Case.Variant.String(),
		States:    o.Search.States,
		Transits:  o.Search.Transitions,
		Depth:     o.Search.Depth,
	}
	for _, p := range o.Properties {
		switch o.Of(p) {
		case Violated:
			r.Violated = append(r.Violated, p.Name)
		case NotExercised:
			r.NotExercised = append(r.NotExercised, p.Name)
		case NotExhausted:
			r.NotExhausted = append(r.NotExhausted, p.Name)
		}
	}
	return r
}

// key is what a record is found by.
func (r Record) key() string { return r.Scheduler + "|" + r.Variant }

// String is the record as a line.
func (r Record) String() string {
	variant := r.Variant
	if variant == "" {
		variant = "-"
	}
	line := fmt.Sprintf("%s | %s | %d states, %d transitions, depth %d", r.Scheduler, variant, r.States, r.Transits, r.Depth)
	for _, l := range []struct {
		word  Verdict
		names []string
	}{{Violated, r.Violated}, {NotExercised, r.NotExercised}, {NotExhausted, r.NotExhausted}} {
		if len(l.names) > 0 {
			line += fmt.Sprintf(" | %s: %s", l.word, strings.Join(l.names, " "))
		}
	}
	return line
}

// FormatRecords is the content of a scenario's file of records.
func FormatRecords(scenario string, records []Record) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "# Recorded verdicts of %s at check size: scheduler | variant (- is the\n", scenario)
	b.WriteString("# current kernel) | counts | every property whose verdict is not \"holds\".\n")
	for _, r := range records {
		fmt.Fprintln(&b, r)
	}
	return b.Bytes()
}

// ParseRecords is the inverse of FormatRecords. The error says file:line.
func ParseRecords(file string, text []byte) ([]Record, error) {
	var records []Record
	seen := map[string]int{}
	sc := bufio.NewScanner(bytes.NewReader(text))
	for n := 1; sc.Scan(); n++ {
		line := strings.TrimSpace(sc.Text())
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		r, err := parseRecord(line)
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", file, n, err)
		}
		if first, dup := seen[r.key()]; dup {
			return nil, fmt.Errorf("%s:%d: the same scheduler and variant as line %d", file, n, first)
		}
		seen[r.key()] = n
		records = append(records, r)
	}
	return records, sc.Err()
}

func parseRecord(line string) (Record, error) {
	parts := strings.Split(line, " | ")
	if len(parts) < 3 {
		return Record{}, fmt.Errorf("expected \"scheduler | variant | counts\", found %q", line)
	}
	r := Record{Scheduler: parts[0], Variant: parts[1]}
	if r.Variant == "-" {
		r.Variant = ""
	}
	if _, err := fmt.Sscanf(parts[2], "%d states, %d transitions, depth %d", &r.States, &r.Transits, &r.Depth); err != nil {
		return r, fmt.Errorf("expected \"N states, N transitions, depth N\", found %q", parts[2])
	}
	for _, part := range parts[3:] {
		word, names, ok := strings.Cut(part, ": ")
		list := strings.Fields(names)
		switch Verdict(word) {
		case Violated:
			r.Violated = list
		case NotExercised:
			r.NotExercised = list
		case NotExhausted:
			r.NotExhausted = list
		default:
			ok = false
		}
		if !ok {
			return r, fmt.Errorf("expected \"violated: ...\", \"not-exercised: ...\" or \"not-exhausted: ...\", found %q", part)
		}
	}
	return r, nil
}

// Differ says how an outcome differs from the records of its scenario; "" when
// it does not.
func Differ(o *Outcome, records []Record) string {
	now := RecordOf(o)
	for _, r := range records {
		if r.key() != now.key() {
			continue
		}
		if was, is := r.String(), now.String(); was != is {
			return fmt.Sprintf("%s:\n  recorded %s\n  found    %s", o.Case, was, is)
		}
		return ""
	}
	return fmt.Sprintf("%s: no record; found %s", o.Case, now)
}
