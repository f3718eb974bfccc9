// Package mutate measures what the verdicts see: it makes small changes of the
// model's source, one at a time, and asks whether some verdict tells the changed
// model from the model. A change that none does is a survivor: either it changes
// nothing, or it is something that the properties do not look at. survivors.yaml
// says which, and why, for each.
//
// # How
//
// Generate reads the Go files of cil and wq and puts every mutant into them,
// each behind a guard (package schemata), so that the changed copy of the module
// is compiled once (Build). Run then starts the program of the copy for every
// mutant, a process each, and asks it for one case after the other, smallest
// first. A case that does not pass the guard of the mutant, when the model runs
// it, is left out.
//
// # When a mutant is killed
//
// A mutant is killed by a verdict that differs from the model's: a property that
// is violated, or is not any more, or whose situation does not arise any more.
// It is killed, too, when the model is at fault: a panic, a step that does not
// end, a state out of range, or a search that runs out of context or LSN slots
// where the model's does not.
//
// Another number of states is no verdict, although make check compares the
// numbers: such a mutant survives. So does one whose search reaches the limit of
// four times the model's states without a violation, for nothing is known of it.
//
// # What is not mutated
//
// Files and functions that hold no step of the model (generate.go lists them
// with a reason), what only reports a step (tags, ASSERTs, notes, marks), and
// the program counter: a step that is not left never ends.
//
// # What to open next
//
// generate.go walks the source, expression.go, statement.go and step.go are the
// operators, judge.go compares two searches.
package mutate
