package statespace

import (
	"math/bits"
	"slices"
	"sync"
	"sync/atomic"
)

// A keyset is an exact set of 64-bit keys with the level at which each was
// found, in little more than eight bytes per key.
//
// It is an open-addressing table. The upper 40 bits of the hash of a key, as a
// fraction, are scaled to the number of slots: that is its home, and it lies
// there or after it. All keys lie in the order of their hashes (Robin Hood
// hashing), so that a look-up ends at the first greater one. There may be any
// multiple of 2048 slots, and scaling keeps the order of hashes: the table grows
// by a quarter, in place, when 85 % of it are full, and never holds a copy of
// itself.
//
// A slot does not hold the bits of the hash that follow from its place
// (Cleary's compact hashing). From the top, it holds
//
//	what the scaling left over of the fraction    29-b bits
//	the lower bits of the hash                      24 bits
//	how many slots after its home the key lies     3+b bits
//	the level, modulo 255, plus one                  8 bits
//
// where b is the logarithm of the number of slots less 11. Nothing is lost, so
// comparison is exact. Zero is a free slot. Levels from 255 on keep their upper
// part in a second table, which exists only then.
//
// One goroutine may insert while others look up: a look-up that runs beside an
// insertion may miss a key that is moved, but never sees one that is
// not there. The lock is for growth: readers share it.
type keyset struct {
	sync.RWMutex
	_ [cacheLine]byte // what follows is only read between two growths

	slots   []uint64
	high    []uint16 // upper part of the levels; nil while all are zero
	space   *region
	scale   uint64 // the slots, by 2048
	inverse uint64 // 1<<64 by scale, or a little less
	bits    uint   // logarithm of scale
	max     int    // keys that fit before the table must grow
	_       [cacheLine]byte

	n       int
	longest uint64 // no key lies farther from home; a bound, not always met
}

const (
	scaleUnit   = 2048
	levelBits   = 8
	levelCycle  = 1<<levelBits - 1
	levelMask   = 1<<levelBits - 1
	lowBits     = 24
	lowMask     = 1<<lowBits - 1
	restBits    = 29 // of the scaled fraction, below the home
	restMask    = 1<<restBits - 1
	farBits     = 3 // of the distance from home, beside those of scale
	oneFurther  = 1 << levelBits
	doublesTill = 16 // a scale below doubles: the table is small
	// maxDepth is the largest level that a keyset can hold.
	maxDepth = levelCycle<<16 - 1
)

func newKeyset() *keyset {
	s := &keyset{space: newRegion(scaleUnit)}
	s.setScale(1)
	return s
}

// setScale says that s.space is a table of a scale.
func (s *keyset) setScale(scale uint64) {
	s.slots = s.space.words
	s.scale, s.bits, s.inverse = scale, uint(bits.Len64(scale)-1), ^uint64(0)/scale
	s.max = len(s.slots) / 20 * 17
	s.longest = 0
}

// nextScale is the scale that the table grows to.
func (s *keyset) nextScale() uint64 {
	if s.scale < doublesTill {
		return 2 * s.scale
	}
	return s.scale + s.scale/4
}

// home is the slot at which the look-up of a hash begins, and what it would
// hold but for the level.
func (s *keyset) home(hash uint64) (slot int, x uint64) {
	scaled := hash >> lowBits * s.scale
	rest := scaled&restMask>>s.bits<<lowBits | hash&lowMask
	return int(scaled >> restBits), rest << (s.bits + farBits + levelBits)
}

// far is how far from its home a key lies.
func (s *keyset) far(x uint64) uint64 { return x >> levelBits & s.farMask() }

func (s *keyset) farMask() uint64 { return 1<<(s.bits+farBits) - 1 }

// hashAt is the hash of the key that slot i holds as x: the inverse of home.
func (s *keyset) hashAt(i int, x uint64) uint64 {
	far := int(s.far(x))
	if i < far {
		i += len(s.slots)
	}
	rest := x >> (s.bits + farBits + levelBits)
	scaled := uint64(i-far)<<restBits | rest>>lowBits<<s.bits
	return s.unscale(scaled+s.scale-1)<<lowBits | rest&lowMask
}

// unscale divides by s.scale: the product with the inverse is right or one too
// small.
func (s *keyset) unscale(x uint64) uint64 {
	q, _ := bits.Mul64(x, s.inverse)
	if x-q*s.scale >= s.scale {
		q++
	}
	return q
}

func (s *keyset) keyAt(slot int) uint64 { return keyOf(s.hashAt(slot, s.slots[slot])) }

// has says whether the key with a hash is in the set.
func (s *keyset) has(hash uint64) bool {
	i, want := s.home(hash)
	mask := s.farMask()
	for far := uint64(0); far <= mask; far++ {
		x := atomic.LoadUint64(&s.slots[i])
		if x^want <= levelMask && x != 0 {
			return true
		}
		if isBefore(want, x, far, mask) {
			return false
		}
		want += oneFurther
		if i++; i == len(s.slots) {
			i = 0
		}
	}
	return false
}

// isBefore says whether a key that would make a slot hold want, so far from its
// home, belongs before the key that the slot holds as x.
func isBefore(want, x, far, mask uint64) bool {
	other := x >> levelBits & mask
	return x == 0 || other < far || other == far && x > want
}

// find returns the slot of the key with a hash and what it holds but for the
// level; if the key is not found, the slot that it belongs in, or -1 if it would
// lie too far from home. It is for the goroutine that inserts.
func (s *keyset) find(hash uint64) (slot int, x uint64, found bool) {
	i, want := s.home(hash)
	mask := s.farMask()
	for far := uint64(0); far <= mask; far++ {
		x := s.slots[i]
		if x^want <= levelMask && x != 0 {
			return i, want, true
		}
		if isBefore(want, x, far, mask) {
			return i, want, false
		}
		want += oneFurther
		if i++; i == len(s.slots) {
			i = 0
		}
	}
	return -1, 0, false
}

// insert adds a key unless it is there already. It does neither, and says so
// by fits, if the table must grow first.
func (s *keyset) insert(hash uint64, level int) (added, fits bool) {
	slot, x, found := s.find(hash)
	if found {
		return false, true
	}
	if slot < 0 || s.n >= s.max || !s.put(slot, x, level) {
		return false, false
	}
	s.n++
	return true, true
}

// put puts a key into a slot, and moves those from there on up to the next free
// slot one further. It reports false, with nothing changed, if one of them would
// lie too far from home.
func (s *keyset) put(slot int, x uint64, level int) bool {
	if s.longest == s.farMask() && !s.mayMove(slot) {
		return false
	}
	if level >= levelCycle && s.high == nil {
		s.high = make([]uint16, len(s.slots))
	}
	top := uint16(level / levelCycle)
	for x |= uint64(level%levelCycle + 1); ; x += oneFurther {
		s.longest = max(s.longest, s.far(x))
		if s.high != nil {
			s.high[slot], top = top, s.high[slot]
		}
		here := s.slots[slot]
		storeSlot(&s.slots[slot], x)
		if here == 0 {
			return true
		}
		x, slot = here, s.after(slot)
	}
}

// mayMove says whether the keys from a slot up to the next free one may lie one
// further from home.
func (s *keyset) mayMove(slot int) bool {
	for ; s.slots[slot] != 0; slot = s.after(slot) {
		if s.far(s.slots[slot]) == s.farMask() {
			return false
		}
	}
	return true
}

func (s *keyset) after(slot int) int {
	if slot++; slot == len(s.slots) {
		return 0
	}
	return slot
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

// A stray is a key that has no place while the table grows.
type stray struct {
	hash  uint64
	level int
}

// grow enlarges the table.
func (s *keyset) grow() {
	s.Lock()
	defer s.Unlock()
	strays := s.spread(nil)
	for len(strays) > 0 {
		last := strays[len(strays)-1]
		slot, x, _ := s.find(last.hash)
		if slot < 0 || !s.put(slot, x, last.level) {
			strays = s.spread(strays)
			continue
		}
		strays = strays[:len(strays)-1]
	}
}

// spread moves the keys to their places in a larger table, a stretch between
// two free slots after the other, from the back. A stretch lands behind its old
// beginning, and not where another one has landed: when a table grows by a
// factor g, a key that lies at slot i comes to lie before g*(i+1), where the
// homes of the next stretch begin. The few keys that had come round to the
// front of the table, or would lie too far from home, become strays.
func (s *keyset) spread(strays []stray) []stray {
	round := 0 // keys that have come round
	for s.slots[round] != 0 && s.far(s.slots[round]) > uint64(round) {
		round++
	}
	strays = s.keysOf(0, round, strays)
	old := keyset{slots: s.slots, high: s.high, scale: s.scale, bits: s.bits, inverse: s.inverse}
	s.space.extend(int(s.nextScale()) * scaleUnit)
	s.setScale(s.nextScale())
	old.slots = s.slots[:len(old.slots)]
	if old.high != nil {
		s.high = make([]uint16, len(s.slots))
	}
	var keys []stray
	for end := len(old.slots); end > 0; {
		first := max(0, end-stretchLen)
		for first > 0 && old.slots[first-1] != 0 {
			first--
		}
		keys = old.keysOf(max(first, round), end, keys[:0])
		clear(old.slots[first:end])
		strays = s.lay(keys, strays)
		end = first
	}
	return strays
}

// stretchLen is the least length of what is moved at once.
const stretchLen = 512

// keysOf appends the keys between two slots to keys. It writes one for a free
// slot, too, and then over it: no processor can tell in advance which are free.
func (s *keyset) keysOf(first, end int, keys []stray) []stray {
	keys = slices.Grow(keys, end-first)
	n := len(keys)
	keys = keys[:n+end-first]
	for i, x := range s.slots[first:end] {
		keys[n] = stray{s.hashAt(first+i, x), s.levelAt(first + i)}
		if x != 0 {
			n++
		}
	}
	return keys[:n]
}

// lay puts the keys of a stretch into free slots from their homes on. Those that
// cannot be put there it adds to strays.
func (s *keyset) lay(keys, strays []stray) []stray {
	free, mask, longest := 0, s.farMask(), s.longest
	for _, k := range keys {
		home, x := s.home(k.hash)
		to := max(home, free)
		far := uint64(to - home)
		if far > mask {
			strays = append(strays, k)
			continue
		}
		s.slots[to] = x | far*oneFurther | uint64(k.level%levelCycle+1)
		if s.high != nil {
			s.high[to] = uint16(k.level / levelCycle)
		}
		longest = max(longest, far)
		free = to + 1
	}
	s.longest = longest
	return strays
}

// touch reads the slots at which the look-ups of hashes begin, so that those
// find them in the cache: the reads do not depend on each other, and the
// processor waits for many at once. The sum only keeps the reads from being
// optimised away.
func (s *keyset) touch(hashes []uint64) (sum uint64) {
	for _, h := range hashes {
		home := h >> lowBits * s.scale >> restBits
		sum += atomic.LoadUint64(&s.slots[home]) + atomic.LoadUint64(&s.slots[min(home+touched, uint64(len(s.slots)-1))])
	}
	return sum
}

// touched is how far a look-up mostly goes.
const touched = 5

// each calls f for the keys of a level, in an order that depends on the
// insertions alone, until it is false.
func (s *keyset) each(level int, f func(key uint64) bool) {
	want := uint64(level%levelCycle + 1)
	for i, x := range s.slots {
		if x&levelMask == want && s.levelAt(i) == level && !f(s.keyAt(i)) {
			return
		}
	}
}

// bytes is the memory the set holds.
func (s *keyset) bytes() int64 { return s.space.bytes() + 2*int64(len(s.high)) }

// growth is the memory that grow adds while it works.
func (s *keyset) growth() int64 {
	slots := int64(s.nextScale()) * scaleUnit
	size := s.space.growth(int(slots))
	if s.high != nil {
		size += 2 * slots
	}
	return size
}

// load is how full the table is.
func (s *keyset) load() float64 { return float64(s.n) / float64(len(s.slots)) }
