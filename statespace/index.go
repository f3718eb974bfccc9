package statespace

import (
	"math/bits"
	"slices"
	"sync"
	"sync/atomic"
)

// maxStates is how many keys an index can hold: a key is known by a 32-bit
// number, and a table slot keeps the number plus one.
const maxStates = 1<<32 - 2

// An index numbers keys, all of as many words, in the order in which they are
// added. It is exact: two keys are the same when all their words are.
//
// The keys lie in an arena of chunks; an open-addressing table of 64-bit slots
// finds them. A slot holds the upper half of the hash and the number plus one,
// so that a miss almost never touches the arena and the table grows without
// reading it.
//
// One goroutine may insert while others look up: a look-up that runs beside an
// insertion may miss the new key. The lock is for growth: readers share it.
type index struct {
	sync.RWMutex
	_ [cacheLine]byte // what follows is only read between two growths

	words int // per key
	arena [][]uint64
	slots []uint64
	space *region
	shift uint // a hash's home slot is hash >> shift
	max   int  // keys that fit before the table must grow
	_     [cacheLine]byte

	n int
}

const firstSlots = 64

func newIndex(words int) *index {
	x := &index{words: words}
	x.setTable(firstSlots)
	return x
}

func (x *index) setTable(size int) {
	x.space = newRegion(size)
	x.slots = x.space.words
	x.shift = uint(64 - bits.TrailingZeros(uint(size)))
	x.max = size / 4 * 3
}

// at is key number i, of one word.
func (x *index) at(i uint32) uint64 { return x.arena[i>>chunkBits][i&chunkMask] }

// row is key number i; it must not be changed.
func (x *index) row(i uint32) []uint64 {
	k := int(i&chunkMask) * x.words
	return x.arena[i>>chunkBits][k : k+x.words : k+x.words]
}

func (x *index) holds(i uint32, key []uint64) bool {
	chunk, k := x.arena[i>>chunkBits], int(i&chunkMask)*x.words
	return chunk[k] == key[0] && (x.words == 1 || slices.Equal(chunk[k:k+x.words], key))
}

// insert adds a key, given with its hash, unless it is there already; reserve
// must have made room.
func (x *index) insert(key []uint64, hash uint64) (number uint32, added bool) {
	mask := uint64(len(x.slots) - 1)
	for p := hash >> x.shift; ; p = (p + 1) & mask {
		slot := x.slots[p]
		if slot == 0 {
			number = uint32(x.n)
			copy(x.row(number), key)
			x.n++
			atomic.StoreUint64(&x.slots[p], hash>>32<<32|uint64(x.n))
			return number, true
		}
		if (slot^hash)>>32 == 0 && x.holds(uint32(slot)-1, key) {
			return uint32(slot) - 1, false
		}
	}
}

// find returns the number of a key, given with its hash.
func (x *index) find(key []uint64, hash uint64) (number uint32, found bool) {
	mask := uint64(len(x.slots) - 1)
	for p := hash >> x.shift; ; p = (p + 1) & mask {
		slot := atomic.LoadUint64(&x.slots[p])
		if slot == 0 {
			return 0, false
		}
		if (slot^hash)>>32 == 0 && x.holds(uint32(slot)-1, key) {
			return uint32(slot) - 1, true
		}
	}
}

// insertKey is insert for a key of one word.
func (x *index) insertKey(key uint64) (number uint32, added bool) {
	return x.insert([]uint64{key}, hashKey(key))
}

// findKey is find for a key of one word.
func (x *index) findKey(key uint64) (number uint32, found bool) {
	hash := hashKey(key)
	mask := uint64(len(x.slots) - 1)
	for p := hash >> x.shift; ; p = (p + 1) & mask {
		slot := atomic.LoadUint64(&x.slots[p])
		if slot == 0 {
			return 0, false
		}
		if (slot^hash)>>32 == 0 && x.at(uint32(slot)-1) == key {
			return uint32(slot) - 1, true
		}
	}
}

// touch reads what the look-ups of hashes will read first: the home slots, then
// the keys they name. The reads of a pass do not depend on each other, so the
// processor waits for memory twice per batch instead of twice per key. The sum
// only keeps the reads from being optimised away.
func (x *index) touch(hashes []uint64) (sum uint64) {
	for _, h := range hashes {
		sum += atomic.LoadUint64(&x.slots[h>>x.shift])
	}
	for _, h := range hashes {
		slot := atomic.LoadUint64(&x.slots[h>>x.shift])
		if slot != 0 && (slot^h)>>32 == 0 {
			i := uint32(slot) - 1
			sum += x.arena[i>>chunkBits][int(i&chunkMask)*x.words]
		}
	}
	return sum
}

// reserve makes room for n more keys.
func (x *index) reserve(n int) {
	if x.growth(n) == 0 {
		return
	}
	x.Lock()
	defer x.Unlock()
	for x.n+n > x.max {
		x.double()
	}
	for x.n+n > x.capacity() {
		x.extend()
	}
}

// capacity is how many keys the arena has room for.
func (x *index) capacity() int {
	if len(x.arena) == 1 {
		return len(x.arena[0]) / x.words
	}
	return len(x.arena) * chunkLen
}

// extend enlarges the arena: the first chunk is born small and doubled.
func (x *index) extend() {
	switch n := x.capacity(); {
	case n == 0:
		x.arena = append(x.arena, make([]uint64, firstLen*x.words))
	case n < chunkLen:
		larger := make([]uint64, 2*n*x.words)
		copy(larger, x.arena[0])
		x.arena[0] = larger
	default:
		x.arena = append(x.arena, make([]uint64, chunkLen*x.words))
	}
}

// double doubles the table. The home slot is the upper bits of the hash, which
// the slot keeps: a doubling reads and writes both tables from front to back
// and never the arena.
func (x *index) double() {
	old, space := x.slots, x.space
	x.setTable(2 * len(old))
	mask := uint64(len(x.slots) - 1)
	for _, slot := range old {
		if slot == 0 {
			continue
		}
		p := slot >> x.shift
		for x.slots[p] != 0 {
			p = (p + 1) & mask
		}
		x.slots[p] = slot
	}
	space.release()
}

// load is how full the table is.
func (x *index) load() float64 { return float64(x.n) / float64(len(x.slots)) }

// bytes is the memory the index holds.
func (x *index) bytes() int64 { return x.space.bytes() + 8*int64(x.capacity()*x.words) }

// growth bounds the memory that n more keys add while the index grows: during a
// doubling the old table and the new one exist together.
func (x *index) growth(n int) int64 {
	var size int64
	for slots := len(x.slots); x.n+n > slots/4*3; {
		slots *= 2
		size += 8 * int64(slots)
	}
	have := x.capacity()
	switch more := x.n + n - have; {
	case more <= 0:
	case have < chunkLen && x.n+n <= chunkLen:
		size += 8 * 4 * int64((x.n+n+firstLen)*x.words)
	default:
		size += 8 * int64(more>>chunkBits+2) * chunkLen * int64(x.words)
	}
	return size
}
