//go:build !linux || race

package statespace

import "math"

// A region is memory for a large table. The race detector knows only what lies
// in the heap.
type region struct{ words []uint64 }

const growsInPlace = math.MaxInt // words

// newRegion returns memory for so many words, all zero.
func newRegion(words int) *region { return &region{words: make([]uint64, words)} }

// extend makes a region larger.
func (r *region) extend(words int) {
	larger := make([]uint64, words)
	copy(larger, r.words)
	r.words = larger
}

// release gives the memory back; the words must not be used any more.
func (r *region) release() { r.words = nil }
