package mutate

import "fmt"

// A Mutant is one small change of the model's source.
type Mutant struct {
	// Number is its place in the copy, from 1.
	Number int
	// File and Line are where it is, Func the function, with the label of the
	// case if there is one.
	File string
	Line int
	Func string
	// Operator is what was done, Text to what.
	Operator, Text string
	// Nth counts the mutants that would be called the same, from 1.
	Nth int
}

// Key names a mutant without its line, so that it stays the same when other
// code changes.
func (m Mutant) Key() string {
	key := fmt.Sprintf("%s %s: %s: %s", m.File, m.Func, m.Operator, m.Text)
	if m.Nth > 1 {
		key += fmt.Sprintf(" #%d", m.Nth)
	}
	return key
}

// Operators are the kinds of changes, in the order of the report, and what each
// does.
var Operators = []struct{ Name, Does string }{
	{"condition-true", "a condition is always true"},
	{"condition-false", "a condition is always false"},
	{"drop-operand", "one operand of && or || is dropped"},
	{"compare", "one comparison is weakened or strengthened by equality"},
	{"drop-wake", "one wake-up is dropped"},
	{"drop-call", "one call is dropped"},
	{"skip-call", "one called function is skipped, one sleep not slept, one lock not taken: the caller goes on"},
	{"drop-assign", "one assignment is dropped"},
	{"drop-flag", "one of several flags is dropped"},
	{"swap", "two neighbouring statements that depend on each other change places"},
	{"swap-steps", "two neighbouring steps change places"},
	{"split", "a spinlock is dropped and taken again between two labels of a section"},
}
