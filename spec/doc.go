// Package spec is the system under check: a scenario, a variant of the kernel
// code and a scheduler together give a model that package statespace explores.
//
//	scenario  which tasks run, what each does and how often, how large the log
//	          is, which faults happen: data, a YAML file   (Scenario)
//	variant   what the kernel code does: the current kernel, the removal of the
//	          flush, a proposed repair                     (package cil)
//	scheduler which of the enabled tasks may go next       (Scheduler)
//
// NewSystem puts the three together.
//
// # Scenario files
//
// A scenario is a file, so that a question about the kernel can be asked
// without touching the checker. This is a complete one:
//
//	name: two-forces
//	title: two fsync callers of one checkpoint
//	tasks:
//	  - name: fsync
//	    count: {check: 2, soak: 3}
//	    do: [commit, fsync]
//
// Every key that it leaves out has a default that fits a small scenario; the
// documentation of Scenario, Task and Op lists all keys and their defaults.
// Any number may be a map with one number for each Size.
//
// Sizes are abstract units of log space. They are chosen so small that the
// limits that matter (one iclog, the soft and the hard limit of the CIL) are
// crossed by one or two transactions; nothing in the code under check depends
// on their absolute value.
//
// Load and Parse read a file strictly: whatever they do not understand, and
// every combination that no kernel could be in, is an error of the form
//
//	file:line: what is wrong: what was expected
//
// All errors of a file are reported at once, in file order. Format writes a
// scenario back; a file of the library is exactly what Format writes, so tuning
// a number never changes another line.
//
// # The library
//
// Library returns the named scenarios that are part of the program. Their
// stories say which situation each is for. A scenario has up to two sizes: the
// check size is small enough to be exhausted for every variant in the minutes
// of "make check"; the soak size is for machines with time.
//
// History returns those of the folder history: each is the smallest situation
// that shows one bug of reference/bugs.md, and is searched by "cilcheck history"
// only.
//
// # What to open next
//
// library/two-forces.yaml is the situation that the question about the flush
// is about. cil.Config is what a scenario becomes, and reference/cil.md is the
// step reference whose tags (C4, N1, F3, W6, ...) everything cites.
package spec
