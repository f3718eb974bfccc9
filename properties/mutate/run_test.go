package mutate

import (
	"context"
	"testing"
	"time"
)

// find returns the mutant of a name.
func find(t *testing.T, mutants []Mutant, key string) Mutant {
	t.Helper()
	for _, m := range mutants {
		if m.Key() == key {
			return m
		}
	}
	t.Fatalf("no mutant %s", key)
	return Mutant{}
}

// A mutated copy of the model is built and run: a lost wake-up is seen as such, a
// step without end as a fault, and what changes nothing survives.
func TestRun(t *testing.T) {
	files, err := ReadModel("../..")
	if err != nil {
		t.Fatal(err)
	}
	mutants, mutated, err := Generate(files)
	if err != nil {
		t.Fatal(err)
	}
	program, err := Build("../..", t.TempDir(), mutated)
	if err != nil {
		t.Fatal(err)
	}
	wants := []struct {
		key  string
		fate Fate
		what string
	}{
		{"cil/push_work.go pushWork pcRetire: drop-wake: r.wake(i)", ByViolation, "no-stuck"},
		{"cil/iclog.go doCallback pcDC1: drop-call: r.doCallbackIclog()", ByFault, "model error after 38 steps: panic in a step: the step does not end"},
		{"cil/push_work.go startPush: condition-false: s.Empty != 0 || s.PushSeq < t.Work", Same, ""},
	}
	var chosen []Mutant
	for _, w := range wants {
		chosen = append(chosen, find(t, mutants, w.key))
	}
	results, err := Run(context.Background(), program, chosen, Options{Large: 200, Small: 100, Time: time.Minute})
	if err != nil {
		t.Fatal(err)
	}
	for i, w := range wants {
		if r := results[i]; r.Fate != w.fate || r.What != w.what {
			t.Errorf("%s: %s: %s, want %s: %s", w.key, r.Fate, r.What, w.fate, w.what)
		}
		if results[i].Cases == 0 {
			t.Errorf("%s was not run", w.key)
		}
	}
}
