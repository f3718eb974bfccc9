package cil

import (
	"math/bits"
	"slices"
)

// A packing says where the used bytes of the state go in a packed state: in the
// order in which they lie in the state, as many bits each as its range needs,
// none across two words. Packing is the hottest loop of a search. It goes by
// windows of eight bytes where the processor can gather the bits of one in an
// instruction, and by places of single bytes elsewhere.
type packing struct {
	places  [][]place // of each word of a packed state
	windows []window  // of the words in turn
	counts  []int64   // of the windows of each word
}

// A place is where one byte of the state stands in its word.
type place struct {
	offset uint16
	shift  uint8
	mask   uint8
	max    uint8
}

// A window is eight neighbouring bytes of the state, some of which stand next to
// each other in a word. A byte v is over a range up to m if v + (127-m) has the
// upper bit, or v has it; for m from 128 on, if v has it and the sum of their
// lower bits with 127 less those of m has it, too.
type window struct {
	offset, shift uint64
	mask          uint64 // the bits of the state that are kept
	bias          uint64 // per byte, 127 less the lower bits of its largest value
	low, high     uint64 // the upper bits of bytes with a largest value below 128, and of others
}

const windowSize = 8

func newPacking(fields []Field) packing {
	fields = slices.Clone(fields)
	slices.SortFunc(fields, func(a, b Field) int { return int(a.offset) - int(b.offset) })
	var p packing
	used := 64
	for i := range fields {
		f := &fields[i]
		width := bits.Len8(f.Max)
		fresh := used+width > 64
		if fresh {
			p.places, p.counts, used = append(p.places, nil), append(p.counts, 0), 0
		}
		word := len(p.places) - 1
		p.places[word] = append(p.places[word], place{uint16(f.offset), uint8(used), 1<<width - 1, f.Max})
		if n := len(p.windows); fresh || uint64(f.offset) >= p.windows[n-1].offset+windowSize {
			start := min(uint64(f.offset), uint64(stateSize)-windowSize)
			p.windows = append(p.windows, window{offset: start, shift: uint64(used)})
			p.counts[word]++
		}
		p.windows[len(p.windows)-1].add(f, width)
		used += width
	}
	return p
}

// add takes a byte into the window.
func (w *window) add(f *Field, width int) {
	at := 8 * (uint64(f.offset) - w.offset)
	w.mask |= (1<<width - 1) << at
	w.bias |= uint64(127-f.Max&127) << at
	if f.Max < 128 {
		w.low |= 128 << at
	} else {
		w.high |= 128 << at
	}
}

// words is the number of words of a packed state.
func (p *packing) words() int { return len(p.places) }

// packPlaces is pack where the processor has no help.
func (p *packing) packPlaces(s *[stateSize]uint8, words []uint64) bool {
	over := false
	for i, word := range p.places {
		packed := uint64(0)
		for _, p := range word {
			v := s[p.offset]
			over = over || v > p.max
			packed |= uint64(v) << p.shift
		}
		words[i] = packed
	}
	return !over
}

// unpackPlaces is unpack where the processor has no help.
func (p *packing) unpackPlaces(words []uint64, s *[stateSize]uint8) {
	for i, word := range p.places {
		packed := words[i]
		for _, p := range word {
			s[p.offset] = uint8(packed>>p.shift) & p.mask
		}
	}
}
