package verdict_test

import (
	"context"
	"encoding/binary"
	"flag"
	"testing"

	"github.com/google/go-cmp/cmp"

	"cilcheck/cil"
	"cilcheck/properties"
	"cilcheck/properties/verdict"
	"cilcheck/spec"
	"cilcheck/statespace"
)

var whole = flag.Bool("whole", false, "compare reduced searches with full ones in every case, not only in small ones")

// Of cases with more states nothing is compared, unless -whole is given, and the
// steps that are early are not proved.
const (
	mostCompared    = 8000
	mostProved      = 2000
	mostProvedWhole = 100_000
)

// reducedCases are the cases of make check, of the table and of the history, some
// of the finer mode, and those of the history without preemption.
func reducedCases(t *testing.T) []verdict.Case {
	t.Helper()
	cases := verdict.Cases(spec.Library(), spec.Check, verdict.AnswerVariants(), nil)
	fine := verdict.Cases(spec.Library(), spec.Check, []cil.Variant{{}}, &spec.Scheduler{})
	for i := range fine {
		fine[i].Fine = true
	}
	cases = append(cases, fine...)
	two := spec.Scheduler{Policy: spec.Cooperative, CPUs: 2}
	cases = append(cases, verdict.Cases(spec.History(), spec.Check, verdict.AnswerVariants(), &two)...)
	for _, m := range verdict.Mutants() {
		if !m.Shown() {
			continue
		}
		for _, on := range []string{"", "flush=never"} {
			mutated, fixed, err := m.Cases(on)
			if err != nil {
				t.Fatal(err)
			}
			cases = append(cases, mutated, fixed)
		}
	}
	return cases
}

// preserved are the properties of a system that every reduction preserves.
func preserved(sys *spec.System) []*properties.Property {
	var all []*properties.Property
	for _, p := range properties.Applicable(sys, properties.All()) {
		if verdict.Preserved(p, statespace.Reduction{PartialOrder: true}) {
			all = append(all, p)
		}
	}
	return all
}

var reductions = []statespace.Reduction{{PartialOrder: true}, {Symmetry: true}, {Symmetry: true, PartialOrder: true}}

// Every reduction gives the verdicts, and covers the tags, of a full search.
// Symmetry visits exactly one state of each orbit; every step that is said to be
// early is, in every reachable state.
func TestReducedVerdicts(t *testing.T) {
	compared, proved, provable := 0, 0, mostProved
	if *whole {
		provable = mostProvedWhole
	}
	for _, c := range reducedCases(t) {
		sys, err := c.System()
		if err != nil {
			t.Fatal(err)
		}
		o := properties.Options(sys, preserved(sys))
		if !*whole {
			o.Limits.States = mostCompared
		}
		full, err := statespace.Explore[cil.State](sys, o)
		if err != nil {
			t.Fatal(err)
		}
		if full.Reason == statespace.StateLimit {
			continue
		}
		compared++
		sizes := compareReduced(t, c, sys, full)
		if n := orbits(sys, full); n != sizes[1] {
			t.Errorf("%s: %d orbits, %d states visited", c, n, sizes[1])
		}
		if full.States <= provable {
			proved++
			proveEarly(t, c, sys, o, full)
		}
		t.Logf("%s: %d states, por %d, symmetry %d, all %d", c, full.States, sizes[0], sizes[1], sizes[2])
	}
	t.Logf("%d cases compared, %d of them proved", compared, proved)
	if compared < 150 || proved < 90 {
		t.Errorf("only %d cases compared, %d proved", compared, proved)
	}
}

// compareReduced compares the reduced searches of a case with the full one and
// returns the number of states of each.
func compareReduced(t *testing.T, c verdict.Case, sys *spec.System, full *statespace.Result[cil.State]) []int {
	t.Helper()
	want := verdict.Outcome{Case: c, Search: full, Properties: preserved(sys)}
	var sizes []int
	for _, by := range reductions {
		got, err := verdict.RunReduced(context.Background(), c, preserved(sys), verdict.Limits{}, by, nil)
		if err != nil {
			t.Errorf("%s: %s: %v", c, by, err)
			return []int{0, 0, 0}
		}
		if diff := cmp.Diff(verdicts(&want), verdicts(got)); diff != "" {
			t.Errorf("%s: %s (-full +reduced):\n%s", c, by, diff)
		}
		for tag := range cil.NumTags {
			if (full.Coverage[tag] > 0) != (got.Search.Coverage[tag] > 0) {
				t.Errorf("%s: %s: tag %s passed %d times, and %d in a full search",
					c, by, cil.TagName(tag), got.Search.Coverage[tag], full.Coverage[tag])
			}
		}
		sizes = append(sizes, got.Search.States)
	}
	return sizes
}

func verdicts(o *verdict.Outcome) map[string]verdict.Verdict {
	all := map[string]verdict.Verdict{}
	for _, p := range o.Properties {
		all[p.Name] = o.Of(p)
	}
	return all
}

// orbits counts the representatives of the states of a full search.
func orbits(sys *spec.System, full *statespace.Result[cil.State]) int {
	seen := map[string]bool{}
	words := make([]uint64, sys.Words())
	var key []byte
	for i := range full.States {
		s := full.State(i)
		sys.Canonical(&s)
		if err := sys.Pack(&s, words); err != nil {
			panic(err)
		}
		key = key[:0]
		for _, w := range words {
			key = binary.LittleEndian.AppendUint64(key, w)
		}
		seen[string(key)] = true
	}
	return len(seen)
}

// proveEarly checks every step that is said to be early, from every reachable
// state and from its representative.
func proveEarly(t *testing.T, c verdict.Case, sys *spec.System, o statespace.Options[cil.State], full *statespace.Result[cil.State]) {
	t.Helper()
	for i := range full.States {
		s := full.State(i)
		err := statespace.CheckEarlyIn[cil.State](sys, o, &s)
		rep := s
		if sys.Canonical(&rep); err == nil && rep != s {
			err = statespace.CheckEarlyIn[cil.State](sys, o, &rep)
		}
		if err != nil {
			t.Errorf("%s: state %d: %v", c, i, err)
			return
		}
	}
}

// What the model declares for the reductions is right in states met on random
// walks, in every scenario, size, mode and scheduler, and with every toggle.
func TestReducedDeclarations(t *testing.T) {
	variants := verdict.AnswerVariants()
	for _, toggle := range cil.Toggles() {
		v, err := cil.ParseVariant(toggle.Name)
		if err != nil {
			t.Fatal(err)
		}
		variants = append(variants, v)
	}
	walks := statespace.CheckOptions{Seed: 1, Runs: 1, Steps: 80}
	if *whole {
		walks.Runs = 50
	}
	for _, size := range []spec.Size{spec.Check, spec.Soak} {
		for _, c := range verdict.Cases(append(spec.Library(), spec.History()...), size, variants, nil) {
			checkDeclared(t, c, walks)
			if c.Scheduler.Policy == spec.Any {
				c.Fine = true
				checkDeclared(t, c, walks)
			}
			walks.Seed++
		}
	}
}

func checkDeclared(t *testing.T, c verdict.Case, walks statespace.CheckOptions) {
	t.Helper()
	sys, err := c.System()
	if err != nil {
		t.Fatal(err)
	}
	o := properties.Options(sys, preserved(sys))
	if err := statespace.CheckSymmetry[cil.State](sys, o, walks); err != nil {
		t.Errorf("%s: %v", c, err)
	}
	if err := statespace.CheckEarly[cil.State](sys, o, walks); err != nil {
		t.Errorf("%s: %v", c, err)
	}
}

// tooEarly says of the flush of xc_push_wq, too, that it is early.
type tooEarly struct{ *spec.System }

func (sys tooEarly) Early(s *cil.State, task int) bool {
	return s.Task[task].PC == cil.PlaceFlush || sys.System.Early(s, task)
}

// tooAlike exchanges the first two tasks, but not their inodes.
type tooAlike struct{ *spec.System }

func (sys tooAlike) Canonical(s *cil.State) {
	if s.Task[0].PC > s.Task[1].PC {
		s.Task[0], s.Task[1] = s.Task[1], s.Task[0]
	}
}

// A wrong declaration is found.
func TestReducedDeclarationsCanFail(t *testing.T) {
	sc, err := spec.Lookup("two-forces")
	if err != nil {
		t.Fatal(err)
	}
	sys, err := spec.NewSystem(sc, spec.Check, cil.Variant{}, spec.Scheduler{})
	if err != nil {
		t.Fatal(err)
	}
	o, walks := properties.Options(sys, preserved(sys)), statespace.CheckOptions{Seed: 1, Runs: 5, Steps: 100}
	if err := statespace.CheckEarly[cil.State](tooEarly{sys}, o, walks); err == nil {
		t.Error("a flush that is said to be early is not found")
	} else {
		t.Log(err)
	}
	if err := statespace.CheckSymmetry[cil.State](tooAlike{sys}, o, walks); err == nil {
		t.Error("tasks exchanged without their inodes are not found")
	}
}
