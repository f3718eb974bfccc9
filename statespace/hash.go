package statespace

import "math/bits"

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

// The hash of a key is a bijection (the finalizer of SplitMix64): a set that
// keeps hashes keeps keys.
const (
	hashMul1 = 0xbf58476d1ce4e5b9
	hashMul2 = 0x94d049bb133111eb
)

var (
	hashInv1 = inverse(hashMul1)
	hashInv2 = inverse(hashMul2)
)

// inverse is the inverse of an odd number modulo 1<<64, by Newton's iteration:
// each round doubles the bits that are right, from three.
func inverse(a uint64) uint64 {
	x := a
	for range 5 {
		x *= 2 - a*x
	}
	return x
}

// hashKey mixes a key: every bit of the result depends on all of its bits. Less
// will not do: the keys of a model are anything but random, and a table that is
// nearly full is slow where they cluster.
func hashKey(key uint64) uint64 {
	h := (key ^ key>>30) * hashMul1
	h = (h ^ h>>27) * hashMul2
	return h ^ h>>31
}

// keyOf is the inverse of hashKey.
func keyOf(hash uint64) uint64 {
	h := (hash ^ hash>>31 ^ hash>>62) * hashInv2
	h = (h ^ h>>27 ^ h>>54) * hashInv1
	return h ^ h>>30 ^ h>>60
}
