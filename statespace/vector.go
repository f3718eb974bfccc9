package statespace

import "unsafe"

const (
	chunkBits = 16
	chunkLen  = 1 << chunkBits
	chunkMask = chunkLen - 1
	firstLen  = 64 // capacity of the first chunk at birth
)

// A vector is a growing list in chunks: growth copies nothing once the first
// chunk is full, so a large search never holds an old and a new copy at once.
// T must be free of pointers, so that the garbage collector skips the chunks.
// Not safe for concurrent use.
type vector[T any] struct {
	chunks [][]T
	n      int
}

func (v *vector[T]) push(x T) {
	c := v.n >> chunkBits
	if c == len(v.chunks) {
		size := chunkLen
		if c == 0 {
			size = firstLen
		}
		v.chunks = append(v.chunks, make([]T, 0, size))
	}
	v.chunks[c] = append(v.chunks[c], x)
	v.n++
}

// pop removes and returns the last element. The chunks stay.
func (v *vector[T]) pop() T {
	v.n--
	c := v.n >> chunkBits
	chunk := v.chunks[c]
	x := chunk[v.n&chunkMask]
	v.chunks[c] = chunk[:v.n&chunkMask]
	return x
}

// empty removes all elements. The chunks stay.
func (v *vector[T]) empty() {
	for i := range v.chunks {
		v.chunks[i] = v.chunks[i][:0]
	}
	v.n = 0
}

func (v *vector[T]) at(i int) T { return v.chunks[i>>chunkBits][i&chunkMask] }

func (v *vector[T]) ptr(i int) *T { return &v.chunks[i>>chunkBits][i&chunkMask] }

// bytes is the memory the vector holds.
func (v *vector[T]) bytes() int64 {
	if len(v.chunks) == 0 {
		return 0
	}
	var x T
	full := int64(len(v.chunks)-1) * chunkLen
	return (int64(cap(v.chunks[0])) + full) * int64(unsafe.Sizeof(x))
}

// growth bounds the memory that n more elements add.
func (v *vector[T]) growth(n int) int64 {
	var x T
	room := len(v.chunks)*chunkLen - v.n
	if n <= room {
		if len(v.chunks) != 1 || v.n+n <= cap(v.chunks[0]) {
			return 0
		}
		return 2 * int64(v.n+n) * int64(unsafe.Sizeof(x))
	}
	chunks := (n - room + chunkLen - 1) >> chunkBits
	return int64(chunks) * chunkLen * int64(unsafe.Sizeof(x))
}

// A bitset is a set of states.
type bitset []uint64

func newBitset(n int) bitset { return make(bitset, (n+63)/64) }

func (b bitset) add(i uint32) { b[i>>6] |= 1 << (i & 63) }

func (b bitset) has(i uint32) bool { return b[i>>6]>>(i&63)&1 != 0 }

// A maskVector keeps one set of tasks per state in as few bytes as the number
// of tasks allows.
type maskVector struct {
	width int // bytes per mask
	bytes vector[byte]
}

func newMaskVector(tasks int) maskVector { return maskVector{width: (tasks + 7) / 8} }

func (v *maskVector) push(mask uint64) {
	for i := 0; i < v.width; i++ {
		v.bytes.push(byte(mask >> (8 * i)))
	}
}

// has says whether a task is in set i.
func (v *maskVector) has(i, task int) bool {
	return v.bytes.at(i*v.width+task>>3)>>(task&7)&1 != 0
}

func (v *maskVector) at(i int) uint64 {
	var mask uint64
	for k := 0; k < v.width; k++ {
		mask |= uint64(v.bytes.at(i*v.width+k)) << (8 * k)
	}
	return mask
}
