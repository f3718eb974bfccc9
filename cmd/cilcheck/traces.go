package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"cilcheck/counterexamples"
	"cilcheck/properties/verdict"
	"cilcheck/spec"
	"cilcheck/statespace"
)

// A traceFolder saves counterexamples as files. Without a directory it saves
// none.
type traceFolder struct {
	dir    string
	prefix string                    // of file names
	files  map[*spec.Scenario]string // of scenarios that are not of the library
	saved  map[traceKey]string
}

type traceKey struct {
	c        verdict.Case
	property string
}

func newTraceFolder(dir string, files map[*spec.Scenario]string) (*traceFolder, error) {
	if dir != "" {
		if err := os.MkdirAll(dir, 0o777); err != nil {
			return nil, err
		}
	}
	return &traceFolder{dir: dir, files: files, saved: map[traceKey]string{}}, nil
}

// save records a counterexample and writes it to its file.
func (f *traceFolder) save(c verdict.Case, sys *spec.System, x *statespace.Violation) error {
	key := traceKey{c, x.Property}
	if f.dir == "" || f.saved[key] != "" {
		return nil
	}
	t, err := counterexamples.Record(sys, *x, f.files[c.Scenario])
	if err != nil {
		return err
	}
	file := filepath.Join(f.dir, f.prefix+traceName(c, x.Property))
	if err := t.Save(file); err != nil {
		return err
	}
	f.saved[key] = file
	return nil
}

// saveAll saves every counterexample of an outcome.
func (f *traceFolder) saveAll(o *verdict.Outcome) error {
	for i := range o.Search.Violations {
		if err := f.save(o.Case, o.System, &o.Search.Violations[i]); err != nil {
			return err
		}
	}
	return nil
}

// name is the file of a counterexample, or "" if it was not saved.
func (f *traceFolder) name(o *verdict.Outcome, x *statespace.Violation) string {
	return f.saved[traceKey{o.Case, x.Property}]
}

// traceName is a name that needs no quoting in a shell and is the same in every
// run.
func traceName(c verdict.Case, property string) string {
	variant := c.Variant.String()
	if variant == "" {
		variant = "current"
	}
	parts := []string{c.Scenario.Name}
	if c.Size != spec.Check {
		parts = append(parts, c.Size.String())
	}
	parts = append(parts, schedulerName(c.Scheduler), variant, property)
	if c.Fine {
		parts = append(parts, "fine")
	}
	return strings.Join(parts, ".") + ".trace"
}

// schedulerName is the scheduler without parentheses.
func schedulerName(s spec.Scheduler) string {
	if s.Policy == spec.Cooperative {
		return fmt.Sprint("cooperative-", s.CPUs)
	}
	return s.String()
}
