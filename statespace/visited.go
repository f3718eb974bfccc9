package statespace

import (
	"math/bits"
	"runtime"
	"slices"
)

// maxStates is how many states one search can hold: a state is known by its
// 32-bit index, and a table slot keeps the index plus one.
const maxStates = 1<<32 - 2

// A visited is an exact set of packed states: two states are the same when all
// their words are, never because their hashes agree. A state is known by its
// index, the order of its discovery.
//
// The words lie in an arena of chunks; an open-addressing table of 64-bit slots
// finds them. A slot holds the upper half of the hash and the index plus one,
// so that a miss almost never touches the arena and the table grows without
// reading it. Both are free of pointers. Not safe for concurrent use; any
// number of readers may share one that is not written to.
type visited struct {
	words int
	n     int
	arena [][]uint64
	slots []uint64
	shift uint // a hash's home slot is hash >> shift
	max   int  // states that fit before the table must grow
}

const (
	firstSlots = 256
	// largeTable is when a table that was outgrown is collected at once: a limit
	// of memory is kept only if its place serves what comes next. The heap of a
	// search has almost no pointers, so this takes a few milliseconds.
	largeTable = 1 << 21
)

func newVisited(words int) visited {
	v := visited{words: words}
	v.setTable(firstSlots)
	return v
}

func (v *visited) setTable(size int) {
	v.slots = make([]uint64, size)
	adviseHuge(v.slots)
	v.shift = uint(64 - bits.TrailingZeros(uint(size)))
	v.max = size / 4 * 3
}

// at returns the words of state i; they must not be changed.
func (v *visited) at(i int) []uint64 {
	k := (i & chunkMask) * v.words
	return v.arena[i>>chunkBits][k : k+v.words : k+v.words]
}

// hashWords mixes the words of a state; every bit of the result depends on
// every bit of the state.
func hashWords(words []uint64) uint64 {
	h := uint64(0x9e3779b97f4a7c15)
	for _, w := range words {
		hi, lo := bits.Mul64(h^w, 0xd6e8feb86659fd93)
		h = hi ^ lo
	}
	h ^= h >> 32
	return h * 0xff51afd7ed558ccd
}

// insert adds a state unless it is there already; reserve must have made room.
func (v *visited) insert(words []uint64, hash uint64) (index uint32, added bool) {
	mask := uint64(len(v.slots) - 1)
	for p := hash >> v.shift; ; p = (p + 1) & mask {
		slot := v.slots[p]
		if slot == 0 {
			v.slots[p] = hash>>32<<32 | uint64(v.n+1)
			return v.append(words), true
		}
		if (slot^hash)>>32 == 0 {
			i := uint32(slot) - 1
			if v.equal(int(i), words) {
				return i, false
			}
		}
	}
}

// find returns the index of a state.
func (v *visited) find(words []uint64) (index uint32, found bool) {
	hash := hashWords(words)
	mask := uint64(len(v.slots) - 1)
	for p := hash >> v.shift; ; p = (p + 1) & mask {
		slot := v.slots[p]
		if slot == 0 {
			return 0, false
		}
		if (slot^hash)>>32 == 0 && v.equal(int(uint32(slot)-1), words) {
			return uint32(slot) - 1, true
		}
	}
}

func (v *visited) equal(i int, words []uint64) bool {
	chunk, k := v.arena[i>>chunkBits], (i&chunkMask)*v.words
	return chunk[k] == words[0] && (v.words == 1 || slices.Equal(chunk[k:k+v.words], words))
}

func (v *visited) append(words []uint64) uint32 {
	c := v.n >> chunkBits
	if c == len(v.arena) {
		size := chunkLen
		if c == 0 {
			size = firstLen
		}
		chunk := make([]uint64, 0, size*v.words)
		adviseHuge(chunk)
		v.arena = append(v.arena, chunk)
	}
	v.arena[c] = append(v.arena[c], words...)
	v.n++
	return uint32(v.n - 1)
}

// touch reads what the lookups of a batch of hashes will read first: the home
// slots, then the states they name. The reads of a pass do not depend on each
// other, so the processor waits for memory twice per batch instead of twice per
// state. The sum only keeps the reads from being optimised away.
func (v *visited) touch(hashes []uint64) (sum uint64) {
	for _, h := range hashes {
		sum += v.slots[h>>v.shift]
	}
	for _, h := range hashes {
		slot := v.slots[h>>v.shift]
		if slot != 0 && (slot^h)>>32 == 0 {
			i := int(uint32(slot) - 1)
			sum += v.arena[i>>chunkBits][(i&chunkMask)*v.words]
		}
	}
	return sum
}

// reserve makes room in the table for n more states. The home slot is the
// upper bits of the hash, which the slot keeps: a doubling reads and writes
// both tables from front to back and never the arena.
func (v *visited) reserve(n int) {
	for v.n+n > v.max {
		old := v.slots
		v.setTable(2 * len(old))
		mask := uint64(len(v.slots) - 1)
		for _, slot := range old {
			if slot == 0 {
				continue
			}
			p := slot >> v.shift
			for v.slots[p] != 0 {
				p = (p + 1) & mask
			}
			v.slots[p] = slot
		}
		if len(old) >= largeTable {
			runtime.GC()
		}
	}
}

// bytes is the memory the set holds.
func (v *visited) bytes() int64 {
	size := 8 * int64(len(v.slots))
	if len(v.arena) > 0 {
		full := int64(len(v.arena)-1) * chunkLen * int64(v.words)
		size += 8 * (int64(cap(v.arena[0])) + full)
	}
	return size
}

// growth bounds the memory that n more states add while it grows: during a
// doubling the old table and the new one exist together.
func (v *visited) growth(n int) int64 {
	var size int64
	for slots := len(v.slots); v.n+n > slots/4*3; {
		slots *= 2
		size += 8 * int64(slots)
	}
	room := len(v.arena)*chunkLen - v.n
	switch {
	case n > room:
		chunks := (n - room + chunkLen - 1) >> chunkBits
		size += int64(chunks) * chunkLen * int64(v.words) * 8
	case len(v.arena) == 1 && (v.n+n)*v.words > cap(v.arena[0]):
		size += 2 * int64(v.n+n) * int64(v.words) * 8
	}
	return size
}
