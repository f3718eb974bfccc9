package statespace

import "math/bits"

// A keyset is an exact set of 64-bit keys with the level at which each was
// found, in little more than eight bytes per key.
//
// It is an open-addressing table. The upper 40 bits of the hash of a key, as a
// fraction, are scaled to the number of slots: that is its home, and it lies
// there or after it. All keys lie in the order of their hashes (Robin Hood
// hashing), so that a look-up ends at the first greater one. There may be any
// multiple of 2048 homes, and scaling keeps the order of hashes: the table grows
// by a part of itself, in place, and never holds a copy of itself. The last slots
// are no key's home: there the keys go on that find no place before, and the last
// of all stays free.
//
// A slot does not hold the bits of the hash that follow from its place
// (Cleary's compact hashing). From the top, it holds
//
//	how many slots after its home the key lies     3+b bits
//	what the scaling left over of the fraction    29-b bits, each the other way
//	the lower bits of the hash                      24 bits, each the other way
//	the level, modulo 255, plus one                  8 bits
//
// where b is the logarithm of the number of homes less 11. Nothing is lost, so
// comparison is exact. Zero is a free slot. In what order two keys lie, or that
// one is not there, a single comparison tells: of keys at one slot, that with the
// greater hash has the smaller value, and a free slot the smallest. Levels from
// 255 on keep their upper part in a second table, which exists only then: see
// deepen.
type keyset struct {
	_ [cacheLine]byte // no other goroutine writes near it

	layout
	slots   []uint64
	high    []uint16 // upper part of the levels; nil while all are zero
	space   *region
	fill    fill
	max     int // keys that fit before the table must grow
	n       int
	longest uint64 // no slot holds more

	_ [cacheLine]byte
}

// A fill says when a table grows and by how much: the fuller it is and the less it
// grows, the less of it is ever empty, and the more work its keys make.
type fill struct {
	full int    // twentieths of the homes that have a key when it grows
	part uint64 // it grows by one part of so many
}

var (
	roomy = fill{17, 4}  // less than 12 bytes for a key at any time, once it is large
	dense = fill{18, 16} // less than 9.6
)

// A layout says where in a table of some size the keys lie.
type layout struct {
	scale   uint64 // the homes, by 2048
	inverse uint64 // 1<<64 by scale, or a little less
	bits    uint   // logarithm of scale
	rest    uint64 // the bits of a slot between the distance and the level
}

const (
	scaleUnit   = 2048
	afterLast   = 2048 // slots behind the last home
	levelBits   = 8
	levelCycle  = 1<<levelBits - 1
	levelMask   = 1<<levelBits - 1
	lowBits     = 24
	lowMask     = 1<<lowBits - 1
	restBits    = 29 // of the scaled fraction, below the home
	restMask    = 1<<restBits - 1
	farShift    = levelBits + lowBits + restBits // of the distance from home, in the smallest table
	doublesTill = 16                             // a scale below doubles: the table is small
	// maxDepth is the largest level that a keyset can hold.
	maxDepth = levelCycle<<16 - 1
)

func newKeyset(f fill) *keyset {
	s := &keyset{space: newRegion(slotsOf(1)), fill: f}
	s.setScale(1)
	return s
}

// slotsOf is the size of a table of a scale.
func slotsOf(scale uint64) int { return int(scale)*scaleUnit + afterLast }

// setScale says that s.space is a table of a scale.
func (s *keyset) setScale(scale uint64) {
	s.slots = s.space.words
	b := uint(bits.Len64(scale) - 1)
	s.layout = layout{scale, ^uint64(0) / scale, b, 1<<(farShift-b) - 1 - levelMask}
	s.max = s.fill.most(scale)
	s.longest = 0
}

// most is how many keys a table of a scale may have.
func (f fill) most(scale uint64) int { return int(scale) * scaleUnit / 20 * f.full }

// next is the scale that a table of a scale grows to.
func (f fill) next(scale uint64) uint64 {
	if scale < doublesTill {
		return 2 * scale
	}
	return scale + scale/f.part
}

// nextScale is the scale that the table grows to.
func (s *keyset) nextScale() uint64 { return s.fill.next(s.scale) }

// further is the difference that one slot more from home makes.
func (l layout) further() uint64 { return l.rest + levelMask + 1 }

// home is the slot at which the look-up of a hash begins, and what it would
// hold but for the level.
func (l layout) home(hash uint64) (slot int, x uint64) {
	scaled := hash >> lowBits * l.scale
	rest := scaled&restMask>>(l.bits&63)<<lowBits | hash&lowMask
	return int(scaled >> restBits), rest<<levelBits ^ l.rest
}

// far is how far from its home a key lies.
func (l layout) far(x uint64) int { return int(x >> ((farShift - l.bits) & 63)) }

// hashAt is the hash of the key that slot i holds as x: the inverse of home.
func (l layout) hashAt(i int, x uint64) uint64 {
	rest := (x ^ l.rest) & l.rest >> levelBits
	scaled := uint64(i-l.far(x))<<restBits | rest>>lowBits<<(l.bits&63)
	return l.unscale(scaled+l.scale-1)<<lowBits | rest&lowMask
}

// unscale divides by the scale: the product with the inverse is right or one too
// small.
func (l layout) unscale(x uint64) uint64 {
	q, _ := bits.Mul64(x, l.inverse)
	if x-q*l.scale >= l.scale {
		q++
	}
	return q
}

// find looks for the key with a hash. It returns its slot and what that holds but
// for the level; if the key is not found, the slot that it belongs in, or -1 if it
// would lie too far from home.
func (s *keyset) find(hash uint64) (slot int, x uint64, found bool) {
	slot, x = s.home(hash)
	further := s.further()
	for slots := s.slots; ; slot++ {
		here := slots[slot]
		if here <= x|levelMask {
			return slot, x, here > x
		}
		if x += further; x < further {
			return -1, 0, false
		}
	}
}

// insert adds a key unless it is there already. It does neither, and says so by
// fits, if the table must grow first.
func (s *keyset) insert(hash uint64, level int) (added, fits bool) {
	slot, x, found := s.find(hash)
	if found {
		return false, true
	}
	if slot < 0 || s.n >= s.max || s.slots[len(s.slots)-2] != 0 || !s.put(slot, x, level) {
		return false, false
	}
	s.n++
	return true, true
}

// deepen makes room for keys of a level.
func (s *keyset) deepen(level int) {
	if level >= levelCycle && s.high == nil {
		s.high = make([]uint16, len(s.slots))
	}
}

// put puts a key into a slot, and moves those from there on up to the next free
// slot one further. It reports false, with nothing changed, if one of them would
// lie too far from home.
func (s *keyset) put(slot int, x uint64, level int) bool {
	further := s.further()
	if s.longest >= -further && !s.mayMove(slot) {
		return false
	}
	top := uint16(level / levelCycle)
	slots, longest := s.slots, s.longest
	for x |= uint64(level%levelCycle + 1); ; x += further {
		longest = max(longest, x)
		if s.high != nil {
			s.high[slot], top = top, s.high[slot]
		}
		here := slots[slot]
		slots[slot] = x
		if here == 0 {
			s.longest = longest
			return true
		}
		x = here
		slot++
	}
}

// mayMove says whether the keys from a slot up to the next free one may lie one
// further from home.
func (s *keyset) mayMove(slot int) bool {
	for ; s.slots[slot] != 0; slot++ {
		if s.slots[slot] >= -s.further() {
			return false
		}
	}
	return true
}

// levelAt is the level of the key in a slot.
func (s *keyset) levelAt(slot int) int {
	level := int(s.slots[slot]&levelMask) - 1
	if s.high != nil {
		level += levelCycle * int(s.high[slot])
	}
	return level
}

// level is the level of the key with a hash, which is in the set.
func (s *keyset) level(hash uint64) int {
	slot, _, _ := s.find(hash)
	return s.levelAt(slot)
}

// touch reads the slots at which the look-ups of hashes begin, so that those
// find them in the cache: the reads do not depend on each other, and the
// processor waits for many at once. The sum only keeps the reads from being
// optimised away.
func (s *keyset) touch(hashes []uint64) (sum uint64) {
	slots, scale := s.slots, s.scale
	for _, h := range hashes {
		home := h >> lowBits * scale >> restBits
		sum += slots[home] + slots[home+touched]
	}
	return sum
}

// touched is how far a look-up mostly goes.
const touched = 5

// each calls f for the hashes of the keys of a level, in ascending order, until it
// is false, and says whether it never was.
func (s *keyset) each(level int, f func(hash uint64) bool) bool {
	want := uint64(level%levelCycle + 1)
	for i, x := range s.slots {
		if x&levelMask == want && s.levelAt(i) == level && !f(s.hashAt(i, x)) {
			return false
		}
	}
	return true
}
