package cil_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"cilcheck/cil"
	"cilcheck/spec"
	"cilcheck/statespace"
)

// variants are those that a random run may draw.
func variants() []cil.Variant {
	all := []cil.Variant{{}}
	for _, t := range cil.Toggles() {
		v, err := cil.ParseVariant(t.Name)
		if err != nil {
			panic(err)
		}
		all = append(all, v)
	}
	return all
}

// drawSystem draws a library scenario, a size, a variant and a granularity.
func drawSystem(t *rapid.T) *spec.System {
	sc := rapid.SampledFrom(spec.Library()).Draw(t, "scenario")
	size := rapid.SampledFrom(sc.Sizes).Draw(t, "size")
	v := rapid.SampledFrom(variants()).Draw(t, "variant")
	sched := rapid.SampledFrom(sc.Schedulers).Draw(t, "scheduler")
	make := spec.NewSystem
	if sched.Policy == spec.Any && rapid.Bool().Draw(t, "fine") {
		make = spec.NewFineSystem
	}
	sys, err := make(sc, size, v, sched)
	if err != nil {
		t.Fatalf("%s %s %s: %v", sc.Name, size, v, err)
	}
	return sys
}

// step lets rapid choose a step and takes it; false if no task can move.
func step(t *rapid.T, sys *spec.System, s *cil.State) bool {
	var choices []statespace.Choice
	var states []cil.State
	statespace.Successors[cil.State](sys, s, func(c statespace.Choice, next *cil.State, mv *statespace.Move) {
		if mv.Truncated() == "" {
			choices = append(choices, c)
			states = append(states, *next)
		}
	})
	if len(choices) == 0 {
		return false
	}
	*s = states[rapid.IntRange(0, len(states)-1).Draw(t, "step")]
	return true
}

// Packing loses nothing, on every state that a random schedule meets, and two
// different states never pack alike.
func TestPackIsTheIdentity(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sys := drawSystem(t)
		s := sys.Machine.Init()
		words := make([]uint64, sys.Words())
		for range 300 {
			if err := sys.Pack(&s, words); err != nil {
				t.Fatal(err)
			}
			var back cil.State
			sys.Unpack(words, &back)
			if back != s {
				t.Fatalf("packed and unpacked (-want +got):\n%s", cmp.Diff(s, back))
			}
			if !step(t, sys, &s) {
				return
			}
		}
	})
}

// A task that cannot take its step leaves the state as it was: the explorer does
// not make a new copy for the next one.
func TestAStepNotTakenChangesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sys := drawSystem(t)
		s := sys.Machine.Init()
		for range 100 {
			for task := range sys.Tasks() {
				after := s
				status := sys.Step(&after, task, &statespace.Move{Task: task})
				if status != statespace.Moved && after != s {
					t.Fatalf("task %d, status %v (-before +after):\n%s", task, status, cmp.Diff(s, after))
				}
			}
			if !step(t, sys, &s) {
				return
			}
		}
	})
}

// A value over its range is an error that names it, not a wrap.
func TestPackRefusesWhatDoesNotFit(t *testing.T) {
	sc, err := spec.Lookup("one-force")
	if err != nil {
		t.Fatal(err)
	}
	sys, err := spec.NewSystem(sc, spec.Check, cil.Variant{}, spec.Scheduler{})
	if err != nil {
		t.Fatal(err)
	}
	words := make([]uint64, sys.Words())
	s := sys.Machine.Init()
	s.Current = 200
	err = sys.Pack(&s, words)
	if err == nil || !strings.Contains(err.Error(), "xc_current_sequence is 200") {
		t.Errorf("packing a sequence of 200: %v", err)
	}
}

// Every tag that a step can pass is a line of the reference, and every step of
// sections 3 to 5 of the reference is a tag or is left out for a reason.
func TestTagsAreThoseOfTheReference(t *testing.T) {
	leftOut := map[string]string{
		"XW4": "the sleep itself",
		"XW5": "only xc_push_wait shows an entry after its wake, see pushWaiters",
		"C3":  "intent whiteouts cancel log items before they are written; nobody waits for them",
		"C4":  "stands for C4a to C4f",
		"G3":  "stands for G3a to G3c",
		"C4c": "only moves reservation between tickets",
		"X1":  "needs grant accounting",
		"K3":  "stands for K3a to K3d",
		"K4":  "busy extents",
	}
	page, err := os.ReadFile("../spec/reference/cil.md")
	if err != nil {
		t.Fatal(err)
	}
	text := string(page)
	text = text[strings.Index(text, "## 2. "):strings.Index(text, "## 7. ")]
	inPage := map[string]bool{}
	for _, m := range regexp.MustCompile(`(?m)^\s*- \*\*([A-Z]+[0-9]*[a-f]?)\*\*`).FindAllStringSubmatch(text, -1) {
		inPage[m[1]] = true
	}
	for tag := range cil.NumTags {
		if name := cil.TagName(tag); !inPage[name] {
			t.Errorf("tag %s is not a line of cil.md", name)
		}
	}
	for name := range inPage {
		if _, modelled := cil.ParseTag(name); !modelled && leftOut[name] == "" {
			t.Errorf("step %s of cil.md is neither modelled nor left out for a reason", name)
		}
	}
	for name := range leftOut {
		if _, modelled := cil.ParseTag(name); modelled || !inPage[name] {
			t.Errorf("step %s is listed as left out, but is modelled or not in cil.md", name)
		}
	}
}

func TestParseVariant(t *testing.T) {
	for _, c := range []struct{ list, spelled, wrong string }{
		{"", "", ""},
		{"flush=always", "", ""},
		{"flush=always,wait=jump,stable=store", "", ""},
		{" stable=or , flush=never", "flush=never,stable=or", ""},
		{"wait=commit,flush=never", "flush=never,wait=commit", ""},
		{"fault=no-ctx-lock,fault=no-commit-order", "fault=no-ctx-lock,fault=no-commit-order", ""},
		{"flush=sometimes", "", `unknown toggle "flush=sometimes"`},
		{"flush=never,", "", `unknown toggle ""`},
		{"flush=never,flush=work", "", "exclude each other"},
		{"flush=never,flush=never", "", "flush=never is given twice"},
		{"flush=on-restart,wait=commit", "", "change the same jump"},
	} {
		v, err := cil.ParseVariant(c.list)
		switch {
		case c.wrong == "" && err != nil:
			t.Errorf("ParseVariant(%q): %v", c.list, err)
		case c.wrong == "" && v.String() != c.spelled:
			t.Errorf("ParseVariant(%q) spells %q, want %q", c.list, v, c.spelled)
		case c.wrong != "" && (err == nil || !strings.Contains(err.Error(), c.wrong)):
			t.Errorf("ParseVariant(%q): error %v, want one with %q", c.list, err, c.wrong)
		}
	}
}
