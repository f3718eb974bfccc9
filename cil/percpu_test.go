package cil_test

import (
	"testing"

	"cilcheck/cil"
	"cilcheck/spec"
	"cilcheck/statespace"
)

// reach reports whether a search of a scenario meets a state.
func reach(t *testing.T, scenario, variant string, met func(*cil.Machine, *cil.State) bool) bool {
	t.Helper()
	sc, err := spec.Lookup(scenario)
	if err != nil {
		t.Fatal(err)
	}
	v, err := cil.ParseVariant(variant)
	if err != nil {
		t.Fatal(err)
	}
	sys, err := spec.NewSystem(sc, spec.Check, v, spec.Scheduler{})
	if err != nil {
		t.Fatal(err)
	}
	res, err := statespace.Explore[cil.State](sys, statespace.Options[cil.State]{
		Invariants: []statespace.Invariant[cil.State]{{
			Name: "met", Holds: func(s *cil.State) bool { return !met(sys.Machine, s) },
		}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return res.Violation("met") != nil
}

// A CPU's counter is folded into the context once it exceeds its share of the
// soft limit, and all are once the context reaches it.
func TestSpaceIsFolded(t *testing.T) {
	for name, met := range map[string]func(*cil.Machine, *cil.State) bool{
		"on the CPU only": func(_ *cil.Machine, s *cil.State) bool { return s.CPU[1].Space > 0 && s.Ctx[0].Space == 0 },
	} {
		if !reach(t, "dying-cpu", "", met) {
			t.Errorf("never %s", name)
		}
	}
	folded := func(_ *cil.Machine, s *cil.State) bool { return s.PCPSpace == 0 && s.Ctx[0].Space >= 2 }
	if !reach(t, "commits-on-two-cpus", "", folded) {
		t.Error("two commits never fold the counters")
	}
	if reach(t, "commits-on-two-cpus", "without=pcp_limit_hard", folded) {
		t.Error("the counters are folded without the fix")
	}
}

// The wake of DC3 meets a push that has joined l_flush_wait and not set its
// state: what B05 is about is in the model, and loses a wake.
func TestSplitWaitLosesAWake(t *testing.T) {
	window := func(m *cil.Machine, s *cil.State) bool {
		return m.WakesUnlocked(s) && m.HalfAsleep(s)
	}
	if !reach(t, "log-space", "without=wake_flush_wait_unlocked", window) {
		t.Error("no wake between XW1 and XW2")
	}
	if reach(t, "log-space", "", window) {
		t.Error("a wake between XW1 and XW2 in the current kernel")
	}
}
