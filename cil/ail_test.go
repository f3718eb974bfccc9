package cil

import (
	"testing"

	"cilcheck/statespace"
)

// A commit that begins to wait for log space between D1 and D3 is woken by D5, and
// leaves with an error: nothing frees log space any more.
func TestShutdownWakesGrantWaiters(t *testing.T) {
	m, err := New(Config{
		Iclogs: 2, IclogUnits: 4, Contexts: 3, LSNs: 6, Soft: 8, Hard: 16, MaxActive: 4, Workers: 1, LogUnits: 2,
		Scripts: []Script{
			{Name: "committer", Times: 1, Start: StartCurrent, Size: 1, Ops: []Op{{Kind: OpCommit, Size: 2}}},
			{Name: "shutdown", Times: 1, Ops: []Op{{Kind: OpShutdownIO}}},
		},
	}, Variant{}, false)
	if err != nil {
		t.Fatal(err)
	}
	s := m.Init()
	for s.Task[1].PC != pcD3 {
		m.Step(&s, 1, &statespace.Move{})
	}
	m.Step(&s, 0, &statespace.Move{})
	if s.Task[0].Wait != waitGrant {
		t.Fatalf("the commit does not wait for log space: %v", s.Task[0])
	}
	m.Step(&s, 1, &statespace.Move{})
	mv := &statespace.Move{}
	for m.Status(&s, 0) == statespace.Moved {
		mv = &statespace.Move{}
		m.Step(&s, 0, mv)
	}
	if n := (statespace.Note{Kind: NoteReturned, A: uint8(OpCommit), B: 1}); s.Task[0].PC != pcDone || mv.Notes()[0] != n {
		t.Errorf("the commit is at %d, notes %v, want the end and %v", s.Task[0].PC, mv.Notes(), n)
	}
}
