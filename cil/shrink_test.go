package cil

import (
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
