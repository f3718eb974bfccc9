package verdict

import (
	"fmt"
	"slices"
	"strings"

	"cilcheck/spec"
	"cilcheck/statespace"
)

// Recorded are the records that outcomes are compared with.
type Recorded struct {
	files map[*spec.Scenario]string
	lines map[*spec.Scenario][]Record
}

// Add reads the records of a scenario from the content of a file; an empty one
// has none. The error says file:line.
func (r *Recorded) Add(sc *spec.Scenario, file string, content []byte) error {
	records, err := ParseRecords(file, content)
	if err != nil {
		return err
	}
	if r.lines == nil {
		r.files, r.lines = map[*spec.Scenario]string{}, map[*spec.Scenario][]Record{}
	}
	r.files[sc], r.lines[sc] = file, records
	return nil
}

// Differ says how an outcome differs from its record; "" when it does not. A
// search that a limit or an interruption ended has no counts to compare; it
// differs if it found what the record does not have.
func (r *Recorded) Differ(o *Outcome) string {
	if o.Reduced() {
		return fmt.Sprintf("%s: reduced by %s: not to be compared with a record", o.Case, o.Reduction)
	}
	records := r.lines[o.Case.Scenario]
	if !CutShort(o) {
		return Differ(o, records)
	}
	var known []string
	for _, rec := range records {
		if rec.key() == RecordOf(o).key() {
			known = rec.Violated
		}
	}
	var news []string
	for _, name := range RecordOf(o).Violated {
		if !slices.Contains(known, name) {
			news = append(news, name)
		}
	}
	if news == nil {
		return ""
	}
	return fmt.Sprintf("%s: not recorded as violated: %s", o.Case, strings.Join(news, " "))
}

// Differences are all that differs between outcomes and their records, in the
// order of the outcomes; a record of a case that was not searched is one, and so
// is a scenario without any record.
func (r *Recorded) Differences(outcomes []*Outcome) []string {
	var all []string
	searched := map[*spec.Scenario]map[string]bool{}
	var order []*spec.Scenario
	for _, o := range outcomes {
		sc := o.Case.Scenario
		if searched[sc] == nil {
			searched[sc] = map[string]bool{}
			order = append(order, sc)
			if len(r.lines[sc]) == 0 {
				all = append(all, fmt.Sprintf("%s: no records; expected them in %s", sc.Name, r.files[sc]))
			}
		}
		searched[sc][RecordOf(o).key()] = true
		if d := r.Differ(o); d != "" && len(r.lines[sc]) > 0 {
			all = append(all, d)
		}
	}
	for _, sc := range order {
		for _, rec := range r.lines[sc] {
			if !searched[sc][rec.key()] {
				all = append(all, fmt.Sprintf("%s: recorded but not searched: %s", r.files[sc], rec))
			}
		}
	}
	return all
}

// CutShort reports whether a limit or an interruption ended a search, so that
// its counts depend on more than the case.
func CutShort(o *Outcome) bool {
	switch o.Search.Reason {
	case statespace.StateLimit, statespace.MemoryLimit, statespace.TimeLimit, statespace.Interrupted:
		return !o.Search.Exhausted
	}
	return false
}
