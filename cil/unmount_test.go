package cil_test

import (
	"testing"

	"cilcheck/cil"
)

// An unmount begins when the last user of the mount is done, and destroys the AIL
// when nothing is pinned.
func TestUnmountWaits(t *testing.T) {
	begun := func(m *cil.Machine, s *cil.State) bool { return !m.Between(s, 1) && s.Task[1].PC != 0 }
	early := func(m *cil.Machine, s *cil.State) bool { return begun(m, s) && s.Task[0].PC != 0 }
	pinned := func(_ *cil.Machine, s *cil.State) bool {
		return s.Torn&cil.TornAIL != 0 && s.Ctx[0].Bufs|s.Ctx[1].Bufs != 0
	}
	if !reach(t, "unmount-abort", "", begun) {
		t.Error("the unmount never begins")
	}
	if reach(t, "unmount-abort", "", early) {
		t.Error("the unmount begins while a task uses the mount")
	}
	if reach(t, "unmount-abort", "flush=never", pinned) {
		t.Error("the AIL is destroyed while a buffer is pinned")
	}
}

// A push work is at work when the AIL is destroyed only where nothing waits for
// it: no flush, and no drain.
func TestUnmountDrains(t *testing.T) {
	running := func(m *cil.Machine, s *cil.State) bool { return s.Torn&cil.TornAIL != 0 && m.RunningPushes(s) > 0 }
	for variant, want := range map[string]bool{"": false, "flush=never": true, "flush=never,unmount=drain": false} {
		if got := reach(t, "unmount-whiteout", variant, running); got != want {
			t.Errorf("%q: %v, want %v", variant, got, want)
		}
	}
}

// The abort of a checkpoint sleeps for the lock of a buffer that a forcer holds.
func TestAbortWantsTheBuffer(t *testing.T) {
	waits := func(m *cil.Machine, s *cil.State) bool {
		for id := range m.Tasks() {
			if id >= m.FirstWorker() && m.WaitsForBuffer(s, id) && m.HoldsBuffer(s, 0) {
				return true
			}
		}
		return false
	}
	if !reach(t, "locked-async-force", "", waits) {
		t.Error("never")
	}
}

// Log space that a commit waits for comes back when xfsaild has written what
// holds it.
func TestLogSpaceComesBack(t *testing.T) {
	if !reach(t, "log-space-wait", "", func(m *cil.Machine, s *cil.State) bool {
		return m.WaitName(s, 1) == "log space" && s.AIL.Below > 0
	}) {
		t.Error("no commit waits while items are pushed")
	}
	if !reach(t, "log-space-wait", "", func(_ *cil.Machine, s *cil.State) bool { return s.Task[1].PC == 0 && s.Grant == 0 }) {
		t.Error("the commit that waited never got its space")
	}
}
