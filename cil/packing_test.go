package cil

import (
	"math/bits"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// TestPacking packs random bytes, in their ranges and over them: windows and
// places agree on the words and on what is over, and unpacking is the inverse.
func TestPacking(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var fields []Field
		var s [stateSize]uint8
		sum := 0
		everyByte := rapid.Bool().Draw(t, "every byte")
		for offset := range stateSize {
			if !everyByte && rapid.IntRange(0, 3).Draw(t, "used") == 0 {
				continue
			}
			top := rapid.Uint8Range(1, 255).Draw(t, "max")
			fields = append(fields, Field{Max: top, offset: offset})
			s[offset] = rapid.Uint8Range(0, top).Draw(t, "value")
			sum += bits.Len8(top)
		}
		over := false
		if rapid.Bool().Draw(t, "over") {
			f := rapid.SampledFrom(fields).Draw(t, "field")
			if over = f.Max < 255; over {
				s[f.offset] = rapid.Uint8Range(f.Max+1, 255).Draw(t, "value")
			}
		}
		p := newPacking(fields)
		if n := p.words(); n < (sum+63)/64 || n > sum/57+1 {
			t.Errorf("%d bits take %d words", sum, n)
		}
		for _, w := range p.windows {
			if w.offset+windowSize > uint64(stateSize) {
				t.Errorf("a window at %d reaches beyond the state", w.offset)
			}
		}
		places, windows := make([]uint64, p.words()), make([]uint64, p.words())
		if p.packPlaces(&s, places) == over || p.pack(&s, windows) == over {
			t.Errorf("over: %v; places and windows say otherwise", over)
		}
		if over {
			return
		}
		if diff := cmp.Diff(places, windows); diff != "" {
			t.Errorf("places and windows differ:\n%s", diff)
		}
		var fromPlaces, fromWindows [stateSize]uint8
		p.unpackPlaces(places, &fromPlaces)
		p.unpack(places, &fromWindows)
		if fromPlaces != s || fromWindows != s {
			t.Errorf("not the inverse:\n%s%s", cmp.Diff(s, fromPlaces), cmp.Diff(s, fromWindows))
		}
	})
}
