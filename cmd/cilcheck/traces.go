package main

import (
	"os"
	"path/filepath"

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
	file := filepath.Join(f.dir, f.prefix+verdict.FileName(c, x.Property)+".trace")
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
