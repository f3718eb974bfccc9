//go:build !amd64

package cil

// pack writes a state into words, and says whether all is in range.
func (p *packing) pack(s *[stateSize]uint8, words []uint64) bool { return p.packPlaces(s, words) }

// unpack reads a state back into zeroes.
func (p *packing) unpack(words []uint64, s *[stateSize]uint8) { p.unpackPlaces(words, s) }
