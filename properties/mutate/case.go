package mutate

import (
	"embed"
	"io/fs"

	"cilcheck/cil"
	"cilcheck/properties/verdict"
	"cilcheck/spec"
)

// fineScenarios are small enough for the finer mode, in which spinlocks are
// taken and queued for.
var fineScenarios = []string{
	"one-force", "empty-cil-race", "xfsaild-alone", "background-push-shutdown", "io-error-force",
	"body-in-one-iclog", "two-background-pushes",
}

// own has scenarios of the mutants' own: what they do is in the library or in
// the tests of package wq, but in nothing small enough to be run for every
// mutant.
//
//go:embed scenarios/*.yaml
var own embed.FS

// smallVariants are what small scenarios are run with: the current kernel, the
// repair R2, and the cures, with which what the current kernel violates by
// itself cannot hide a mutant.
var smallVariants = []string{
	"",
	"flush=never,wait=commit-if-queued",
	"stable=or,async=force-started,shutdown=recheck,ioerror=anyway,ring=newest,unmount=drain,tail=inserted",
}

// planted are the faults that the checks of the checks plant, each with a
// scenario that shows it.
var planted = []struct{ fault, scenario string }{
	{"fault=skip-start-wake", "two-background-pushes"},
	{"fault=publish-before-attach", "throttled-committers"},
	{"fault=no-ctx-lock", "empty-cil-race"},
	{"fault=no-ctx-lock", "relog-beside-throttled"},
	{"fault=no-commit-order", "two-background-pushes"},
	{"fault=free-before-unlink", "one-force"},
}

// Cases are what the mutants are run on: every scenario of the library at check
// size with every variant that its records have, the scenarios of the track
// record with and without the fix, these and small ones of our own with some
// variants, some in the finer mode, and the planted faults.
func Cases() ([]verdict.Case, error) {
	var cases []verdict.Case
	for _, sc := range spec.Library() {
		records, err := verdict.ParseRecords(spec.RecordsFile(sc.Name), spec.Records(sc.Name))
		if err != nil {
			return nil, err
		}
		var variants []cil.Variant
		for _, rec := range records {
			if rec.Scheduler != sc.Schedulers[0].String() {
				continue
			}
			v, err := cil.ParseVariant(rec.Variant)
			if err != nil {
				return nil, err
			}
			variants = append(variants, v)
		}
		cases = append(cases, verdict.Cases([]*spec.Scenario{sc}, spec.Check, variants, nil)...)
	}
	for _, m := range verdict.Mutants() {
		if m.Shown() {
			mutated, fixed, err := m.Cases("")
			if err != nil {
				return nil, err
			}
			cases = append(cases, mutated, fixed)
		}
	}
	small, err := smallScenarios()
	if err != nil {
		return nil, err
	}
	for _, list := range smallVariants {
		v, err := cil.ParseVariant(list)
		if err != nil {
			return nil, err
		}
		cases = append(cases, verdict.Cases(small, spec.Check, []cil.Variant{v}, nil)...)
	}
	return appendOthers(cases)
}

// smallScenarios are our own scenarios and those of the track record.
func smallScenarios() ([]*spec.Scenario, error) {
	files, err := fs.Glob(own, "scenarios/*.yaml")
	if err != nil {
		return nil, err
	}
	scenarios := spec.History()
	for _, file := range files {
		text, err := own.ReadFile(file)
		if err != nil {
			return nil, err
		}
		sc, err := spec.Parse(file, text, nil)
		if err != nil {
			return nil, err
		}
		scenarios = append(scenarios, sc)
	}
	return scenarios, nil
}

// appendOthers appends the finer mode and the planted faults.
func appendOthers(cases []verdict.Case) ([]verdict.Case, error) {
	add := func(scenario, variant string, fine bool) error {
		sc, err := spec.Lookup(scenario)
		if err != nil {
			return err
		}
		v, err := cil.ParseVariant(variant)
		if err != nil {
			return err
		}
		cases = append(cases, verdict.Case{Scenario: sc, Size: spec.Check, Variant: v, Scheduler: sc.Schedulers[0], Fine: fine})
		return nil
	}
	for _, name := range fineScenarios {
		for _, variant := range []string{"", "flush=never,wait=commit-if-queued"} {
			if err := add(name, variant, true); err != nil {
				return nil, err
			}
		}
	}
	for _, p := range planted {
		if err := add(p.scenario, p.fault, false); err != nil {
			return nil, err
		}
	}
	return unique(cases), nil
}

// unique drops cases that are there already.
func unique(cases []verdict.Case) []verdict.Case {
	var kept []verdict.Case
	seen := map[string]bool{}
	for _, c := range cases {
		if !seen[c.String()] {
			seen[c.String()] = true
			kept = append(kept, c)
		}
	}
	return kept
}
