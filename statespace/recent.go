package statespace

import "slices"

// A recent remembers packed states that a worker has come across lately: a
// state is mostly reached several times within a short time, and only the first
// needs a look-up. What a worker has come across is in the set, or in one of its
// batches that is committed before the one at hand.
type recent struct {
	_       [cacheLine]byte // no other worker writes near it
	words   int
	size    int      // words of an entry
	shift   uint     // the entry of a state is hash >> shift
	entries []uint64 // the words of a state and, if it has one, its number plus one

	noted []candidate // successors that are looked up here together
	n     int         // of them
	_     [cacheLine]byte
}

// A candidate is a successor of which it is not known yet whether it is remembered.
type candidate struct {
	key, hash uint64
	successor
}

// recentBytes lets a recent fit in the second-level cache of a core, with room for
// the rest.
const recentBytes = 512 << 10

func newRecent(words int, numbered bool) *recent {
	r := &recent{words: words, size: words, shift: 64}
	if numbered {
		r.size++
	}
	n := 1
	for 2*n*8*r.size <= recentBytes {
		n, r.shift = 2*n, r.shift-1
	}
	r.entries = make([]uint64, n*r.size)
	// No state is remembered yet, not even the one of zeroes.
	zero := r.entry(hashState(make([]uint64, words)))
	for &r.entry(hashState(zero[:words]))[0] == &zero[0] {
		zero[0]++
	}
	return r
}

// hashState mixes the words of a state. That of a single word is the hash of
// its key.
func hashState(words []uint64) uint64 {
	if len(words) == 1 {
		return hashKey(words[0])
	}
	return hashWords(words)
}

func (r *recent) entry(hash uint64) []uint64 {
	i := int(hash>>r.shift) * r.size
	return r.entries[i : i+r.size]
}

func (r *recent) holds(e, words []uint64) bool {
	return e[0] == words[0] && (len(words) == 1 || slices.Equal(e[:len(words)], words))
}

// met says whether it remembers a state, and remembers it.
func (r *recent) met(words []uint64, hash uint64) bool {
	e := r.entry(hash)
	if r.holds(e, words) {
		return true
	}
	copy(e, words)
	return false
}

// number is the number of a state, if it remembers that.
func (r *recent) number(words []uint64, hash uint64) (n uint32, known bool) {
	e := r.entry(hash)
	return uint32(e[r.words] - 1), r.holds(e, words) && e[r.words] != 0
}

// put remembers a state and its number.
func (r *recent) put(words []uint64, hash uint64, n uint32) {
	e := r.entry(hash)
	copy(e, words)
	e[r.words] = uint64(n) + 1
}
