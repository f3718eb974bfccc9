package counterexamples

import (
	"embed"
	"fmt"
	"io/fs"

	"cilcheck/cil"
	"cilcheck/spec"
)

//go:embed *.trace
var keptFiles embed.FS

// Kept returns the kept traces, sorted by file name: one for each fault that the
// checker is known to find. A line repaired-by of the header lists the variants
// that claim to repair it.
func Kept() ([]*Trace, error) {
	files, err := fs.Glob(keptFiles, "*.trace")
	if err != nil {
		return nil, err
	}
	return parseAll(keptFiles, files)
}

// parseAll reads embedded traces.
func parseAll(from embed.FS, files []string) ([]*Trace, error) {
	var traces []*Trace
	for _, file := range files {
		data, err := from.ReadFile(file)
		if err != nil {
			return nil, err
		}
		t, err := Parse(file, data)
		if err != nil {
			return nil, err
		}
		traces = append(traces, t)
	}
	return traces, nil
}

// Source is the file that the trace was parsed from.
func (t *Trace) Source() string { return t.source }

// A KeptResult is what became of a kept trace on one variant.
type KeptResult struct {
	File    string
	Variant string // "" for the current kernel
	// Repaired says that the variant claims to repair the trace.
	Repaired bool
	Report   *Report
	// OK says that the trace violates its property on its own variant, or does
	// not on one that claims to repair it.
	OK bool
}

func (r KeptResult) String() string {
	word, role := "ok", "its own variant"
	if !r.OK {
		word = "WRONG"
	}
	if r.Repaired {
		role = "a repair"
	}
	return fmt.Sprintf("%-5s %s on %s (%s): %s", word, r.File, spellVariant(r.Variant), role, r.Report)
}

// CheckKept replays traces: each must still violate its property on its own
// variant, step by step as recorded, and its schedule must be refused or end
// well on every variant that claims to repair it.
func CheckKept(traces []*Trace) ([]KeptResult, error) {
	var results []KeptResult
	for _, t := range traces {
		own, err := t.check(t.Variant, Replay)
		if err != nil {
			return nil, err
		}
		own.OK = own.Report.Outcome == Violated
		results = append(results, own)
		for _, variant := range t.RepairedBy {
			r, err := t.check(variant, Follow)
			if err != nil {
				return nil, err
			}
			r.Repaired = true
			r.OK = r.Report.Outcome == Refused || r.Report.Outcome == NotViolated
			results = append(results, r)
		}
	}
	return results, nil
}

// check replays the trace on a variant.
func (t *Trace) check(variant string, how func(*Trace, *spec.System) (*Report, error)) (KeptResult, error) {
	r := KeptResult{File: t.source, Variant: variant}
	v, err := cil.ParseVariant(variant)
	if err != nil {
		return r, t.wrong("variant", err)
	}
	sys, err := t.SystemWith(v)
	if err != nil {
		return r, err
	}
	r.Report, err = how(t, sys)
	return r, err
}
