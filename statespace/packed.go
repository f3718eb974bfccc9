package statespace

import "slices"

// A packedSet is an exact set of packed states for the searches that keep more
// about a state than Explore does and hold fewer of them. A state is known by
// its index, the order of its discovery. Not safe for concurrent use.
type packedSet struct {
	words int
	n     int
	arena [][]uint64 // in chunks, so that growth copies nothing
	// By hash: its upper half, and the index plus one; 0 where free. At most 3/4
	// of the slots are taken.
	slots []uint64
}

func newPackedSet(words int) packedSet {
	return packedSet{words: words, slots: make([]uint64, 256)}
}

// at returns the words of state i; they must not be changed.
func (p *packedSet) at(i uint32) []uint64 {
	k := int(i&chunkMask) * p.words
	return p.arena[i>>chunkBits][k : k+p.words : k+p.words]
}

// find returns the index of a state with this hash, and whether it is there.
// Otherwise slot is where it belongs.
func (p *packedSet) find(words []uint64, hash uint64) (index uint32, slot uint64, found bool) {
	mask := uint64(len(p.slots) - 1)
	slot = hash & mask
	for ; p.slots[slot] != 0; slot = (slot + 1) & mask {
		if (p.slots[slot]^hash)>>32 != 0 {
			continue
		}
		i := uint32(p.slots[slot]) - 1
		if slices.Equal(p.at(i), words) {
			return i, slot, true
		}
	}
	return 0, slot, false
}

// add adds a state that is not there.
func (p *packedSet) add(words []uint64, hash uint64) uint32 {
	if p.n >= len(p.slots)/4*3 {
		p.double()
	}
	_, slot, _ := p.find(words, hash)
	if p.n&chunkMask == 0 {
		size := chunkLen
		if p.n == 0 {
			size = firstLen
		}
		p.arena = append(p.arena, make([]uint64, 0, size*p.words))
	}
	last := len(p.arena) - 1
	p.arena[last] = append(p.arena[last], words...)
	p.n++
	p.slots[slot] = hash>>32<<32 | uint64(p.n)
	return uint32(p.n - 1)
}

// double doubles the slots.
func (p *packedSet) double() {
	p.slots = make([]uint64, 2*len(p.slots))
	mask := uint64(len(p.slots) - 1)
	for i := range p.n {
		hash := hashWords(p.at(uint32(i)))
		slot := hash & mask
		for p.slots[slot] != 0 {
			slot = (slot + 1) & mask
		}
		p.slots[slot] = hash>>32<<32 | uint64(i+1)
	}
}

// bytes is the memory the set holds.
func (p *packedSet) bytes() int64 {
	size := 8 * int64(len(p.slots))
	for _, chunk := range p.arena {
		size += 8 * int64(cap(chunk))
	}
	return size
}

// growth bounds what the next state adds while the set grows.
func (p *packedSet) growth() int64 {
	var size int64
	if p.n >= len(p.slots)/4*3 {
		size += 16 * int64(len(p.slots))
	}
	switch {
	case p.n == 0:
		size += 8 * firstLen * int64(p.words)
	case p.n&chunkMask == 0:
		size += 8 * chunkLen * int64(p.words)
	case len(p.arena) == 1 && (p.n+1)*p.words > cap(p.arena[0]):
		size += 32 * int64(p.n+1) * int64(p.words) // the old chunk and the new one
	}
	return size
}
