package cil

// gathers says whether the processor gathers and scatters bits fast: it has BMI2,
// and is not of AMD's families before 19h, where those instructions are slow.
var gathers = func() bool {
	const (
		genu  = 0x756e6547 // of GenuineIntel
		bmi2  = 1 << 8
		zen3  = 0x19
		leaf7 = 7
	)
	highest, vendor := cpuid(0)
	if highest < leaf7 {
		return false
	}
	version, _ := cpuid(1)
	_, features := cpuid(leaf7)
	family := version>>8&0xf + version>>20&0xff
	return features&bmi2 != 0 && (vendor == genu || family >= zen3)
}()

// cpuid is what registers EAX and EBX hold after CPUID of a leaf.
func cpuid(leaf uint32) (eax, ebx uint32)

// packWindows packs the windows of n words, with counts of them each; the result
// is not zero if a byte is over its range.
//
//go:noescape
func packWindows(s *[stateSize]uint8, w *window, counts *int64, n int, words *uint64) (over uint64)

// unpackWindows is the inverse, for a state of zeroes.
//
//go:noescape
func unpackWindows(s *[stateSize]uint8, w *window, counts *int64, n int, words *uint64)

// pack writes a state into words, and says whether all is in range.
func (p *packing) pack(s *[stateSize]uint8, words []uint64) bool {
	if !gathers {
		return p.packPlaces(s, words)
	}
	_ = words[len(p.counts)-1]
	return packWindows(s, &p.windows[0], &p.counts[0], len(p.counts), &words[0]) == 0
}

// unpack reads a state back into zeroes.
func (p *packing) unpack(words []uint64, s *[stateSize]uint8) {
	if !gathers {
		p.unpackPlaces(words, s)
		return
	}
	_ = words[len(p.counts)-1]
	unpackWindows(s, &p.windows[0], &p.counts[0], len(p.counts), &words[0])
}
