package statespace

import (
	"math/bits"
	"sync/atomic"
)

// A shardset is a keyset in shards: several goroutines may insert at the same
// time, each in shards of its own, and what it reads and writes stays in the cache
// of its processor. How many shards there are does not depend on the number of
// workers; so nor does what a search finds.
//
// When one shard must grow, all do, for they are about as full: so no worker waits
// for another one's shard. That happens somewhat earlier or later. What is counted
// of the set, its keys and its memory, is therefore what follows from the batches
// that are committed.
type shardset struct {
	shards [shardCount]*keyset
	wanted atomic.Uint64 // the scale that all shards should have

	fill  fill
	n     int             // keys counted
	in    [shardCount]int // and those in each shard
	scale uint64          // of all shards, as counted
	deep  bool            // their levels have an upper part
}

const (
	shardBits  = 2
	shardCount = 1 << shardBits
)

func newShardset(f fill) *shardset {
	s := &shardset{fill: f}
	for i := range s.shards {
		s.shards[i] = newKeyset(f)
	}
	s.measure()
	return s
}

// measure counts what there is, when no batch is on its way.
func (s *shardset) measure() {
	for _, shard := range s.shards {
		s.want(shard.scale)
	}
	s.n = 0
	for i, shard := range s.shards {
		s.catchUp(i)
		s.in[i] = shard.n
		s.n += shard.n
		s.deep = shard.high != nil
	}
	s.scale = s.wanted.Load()
}

// want says that all shards should have a scale.
func (s *shardset) want(scale uint64) {
	for {
		old := s.wanted.Load()
		if old >= scale || s.wanted.CompareAndSwap(old, scale) {
			return
		}
	}
}

// grow makes a shard grow that is full.
func (s *shardset) grow(shard int) {
	s.want(s.shards[shard].nextScale())
	s.catchUp(shard)
}

// catchUp makes a shard grow to the scale that all should have.
func (s *shardset) catchUp(shard int) {
	for s.behind(shard) {
		s.shards[shard].grow()
		s.want(s.shards[shard].scale)
	}
}

// behind says whether a shard is smaller than all should be.
func (s *shardset) behind(shard int) bool { return s.shards[shard].scale < s.wanted.Load() }

// count counts new keys in a shard. If all shards grow then, it returns the memory
// that they hold meanwhile beside what they hold afterwards.
func (s *shardset) count(shard, fresh int) (grown bool, beside int64) {
	s.n += fresh
	s.in[shard] += fresh
	for s.in[shard] > s.fill.most(s.scale) {
		during := s.bytes() + s.growth()
		s.scale = s.fill.next(s.scale)
		grown, beside = true, during-s.bytes()
	}
	return grown, beside
}

// spare is how many keys can be added before a shard must grow, whichever shard
// they belong to.
func (s *shardset) spare() int {
	if s.scale < surelyFits {
		return 0
	}
	spare := s.fill.most(s.scale)
	for _, n := range s.in {
		spare = min(spare, s.fill.most(s.scale)-n)
	}
	return spare
}

// surelyFits is a scale from which on keys never lie too far from home in a shard
// that is not full.
const surelyFits = 64

// bytes is the memory of the set, as counted.
func (s *shardset) bytes() int64 { return shardCount * int64(slotsOf(s.scale)) * s.slotBytes() }

// growth is the memory that is added while all shards grow.
func (s *shardset) growth() int64 {
	now, next := slotsOf(s.scale), slotsOf(s.fill.next(s.scale))
	return shardCount * (regionGrowth(now, next) + int64(next)*(s.slotBytes()-8))
}

// slotBytes is the memory of a slot.
func (s *shardset) slotBytes() int64 {
	if s.deep {
		return 8 + 2
	}
	return 8
}

// load is how full the tables are.
func (s *shardset) load() float64 {
	return float64(s.n) / float64(shardCount*slotsOf(s.scale))
}

// shardOf is the shard that a key belongs to, given by its hash, and the hash
// that the shard knows it by. Shards, and keys in them, are in the order of the
// hashes of all.
func shardOf(hash uint64) (shard int, in uint64) {
	return int(hash >> (64 - shardBits)), bits.RotateLeft64(hash, shardBits)
}

// keyIn is the key that a shard knows by a hash.
func keyIn(hash uint64) uint64 { return keyOf(bits.RotateLeft64(hash, -shardBits)) }

// has says whether the key with a hash is in the set.
func (s *shardset) has(hash uint64) bool {
	shard, in := shardOf(hash)
	_, _, found := s.shards[shard].find(in)
	return found
}

// levelOf is the level of the key with a hash, which is in the set.
func (s *shardset) levelOf(hash uint64) int {
	shard, in := shardOf(hash)
	return s.shards[shard].level(in)
}

// each calls f for the keys of a level, in the order of their hashes, until it is
// false.
func (s *shardset) each(level int, f func(key uint64) bool) {
	for _, shard := range s.shards {
		if !shard.each(level, func(hash uint64) bool { return f(keyIn(hash)) }) {
			return
		}
	}
}

// all calls f for all keys, in the order of their hashes, until it fails.
func (s *shardset) all(f func(key uint64) error) error {
	for _, shard := range s.shards {
		for i, x := range shard.slots {
			if x == 0 {
				continue
			}
			if err := f(keyIn(shard.hashAt(i, x))); err != nil {
				return err
			}
		}
	}
	return nil
}

// deepen makes room for keys of a level.
func (s *shardset) deepen(level int) {
	for _, shard := range s.shards {
		shard.deepen(level)
	}
}
