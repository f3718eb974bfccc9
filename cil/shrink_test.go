package cil

import (
	"slices"
	"testing"

	"cilcheck/statespace"
)

// A commit that shrinks its item takes less only where the item is logged
// already, and only it costs a packed state anything.
func TestShrink(t *testing.T) {
	config := func(start Start, shrink uint8) Config {
		return Config{
			Iclogs: 2, IclogUnits: 4, Contexts: 3, LSNs: 6, Soft: 8, Hard: 16, MaxActive: 4, Workers: 1,
			Scripts: []Script{{Name: "c", Times: 1, Start: start, Size: 3, Ops: []Op{{Kind: OpCommit, Size: 2, Shrink: shrink}}}},
		}
	}
	for _, test := range []struct {
		start        Start
		shrink, want uint8
	}{
		{StartCurrent, 0, 5}, {StartCurrent, 1, 2}, {StartCurrent, 2, 1}, {StartCurrent, 9, 1},
		{StartClean, 0, 2}, {StartClean, 1, 2},
	} {
		m, err := New(config(test.start, test.shrink), Variant{}, false)
		if err != nil {
			t.Fatal(err)
		}
		s := m.Init()
		for m.Status(&s, 0) == statespace.Moved {
			m.Step(&s, 0, &statespace.Move{})
		}
		if got := s.Ctx[0].Space; got != test.want || s.Task[0].Args != 0 {
			t.Errorf("start %d, shrink %d: %d units, want %d; args %d", test.start, test.shrink, got, test.want, s.Task[0].Args)
		}
		for _, f := range m.Fields() {
			if f.Kind == KindArgs && test.shrink == 0 && f.Max&argRelogs != 0 {
				t.Error("the state has room for an item that shrinks, and none does")
			}
		}
	}
	bad := config(StartClean, 1)
	bad.Scripts[0].Ops[0] = Op{Kind: OpFsync, Shrink: 1}
	if _, err := New(bad, Variant{}, false); err == nil {
		t.Error("an fsync that shrinks is accepted")
	}
}

// Without xc_ctx_lock the context may change between C4a, which finds the item,
// and C4d: the difference then comes off one that is empty, which says so and
// stays in range.
func TestShrinkInAnotherContext(t *testing.T) {
	m, err := New(Config{
		Iclogs: 2, IclogUnits: 4, Contexts: 3, LSNs: 6, Soft: 8, Hard: 16, MaxActive: 4, Workers: 1,
		Scripts: []Script{{Name: "c", Times: 1, Start: StartCurrent, Size: 3, Ops: []Op{{Kind: OpCommit, Size: 2, Shrink: 2}}}},
	}, Variant{Faults: FaultNoCtxLock}, false)
	if err != nil {
		t.Fatal(err)
	}
	for _, moved := range []bool{false, true} {
		s := m.Init()
		for s.Task[0].PC != pcC4d {
			m.Step(&s, 0, &statespace.Move{})
		}
		want, strange := uint8(1), uint8(0)
		if moved {
			s.Ctx[1].Life, s.XcCtx, s.Current = Live, FirstSeq+1, FirstSeq+1
			strange = 1
		}
		mv := &statespace.Move{}
		m.Step(&s, 0, mv)
		if got := s.context(s.XcCtx).Space; got != want {
			t.Errorf("moved %t: %d units, want %d", moved, got, want)
		}
		if n := (statespace.Note{Kind: NoteShrunk, A: s.XcCtx, B: strange}); !slices.Contains(mv.Notes(), n) {
			t.Errorf("moved %t: notes %v, want %v", moved, mv.Notes(), n)
		}
	}
}
