package statespace

import "sort"

// An order numbers the keys of a set that no longer changes, by their places: it
// knows how many keys there are before every block of slots.
type order struct {
	shards [shardCount]shardOrder
}

// A shardOrder is that of one shard.
type shardOrder struct {
	set    *keyset
	first  int // the keys in the shards before
	before []int
}

const orderBlock = 256

func newOrder(s *shardset) *order {
	o := &order{}
	n := 0
	for i, shard := range s.shards {
		o.shards[i] = shardOrder{set: shard, first: n}
		for k, x := range shard.slots {
			if k%orderBlock == 0 {
				o.shards[i].before = append(o.shards[i].before, n)
			}
			if x != 0 {
				n++
			}
		}
	}
	return o
}

// at is the key with a number, and its level.
func (o *order) at(number int) (key uint64, level int) {
	s := &o.shards[sort.Search(shardCount, func(i int) bool { return o.shards[i].first > number })-1]
	block := sort.SearchInts(s.before, number+1) - 1
	left := number - s.before[block]
	for i := block * orderBlock; ; i++ {
		if s.set.slots[i] == 0 {
			continue
		}
		if left == 0 {
			return keyIn(s.set.hashAt(i, s.set.slots[i])), s.set.levelAt(i)
		}
		left--
	}
}

// number is the number of the key with a hash.
func (o *order) number(hash uint64) (number int, found bool) {
	shard, in := shardOf(hash)
	s := &o.shards[shard]
	slot, _, found := s.set.find(in)
	if !found {
		return 0, false
	}
	block := slot / orderBlock
	number = s.before[block]
	for _, x := range s.set.slots[block*orderBlock : slot] {
		if x != 0 {
			number++
		}
	}
	return number, true
}
