package statespace

import "sort"

// An order numbers the keys of a keyset that no longer changes, by their
// places: it knows how many keys there are before every block of slots.
type order struct {
	set    *keyset
	before []int
}

const orderBlock = 256

func newOrder(s *keyset) *order {
	o := &order{set: s}
	n := 0
	for i, x := range s.slots {
		if i%orderBlock == 0 {
			o.before = append(o.before, n)
		}
		if x != 0 {
			n++
		}
	}
	return o
}

// at is the key with a number, and its level.
func (o *order) at(number int) (key uint64, level int) {
	block := sort.SearchInts(o.before, number+1) - 1
	left := number - o.before[block]
	for i := block * orderBlock; ; i++ {
		if o.set.slots[i] == 0 {
			continue
		}
		if left == 0 {
			return o.set.keyAt(i), o.set.levelAt(i)
		}
		left--
	}
}

// number is the number of the key with a hash.
func (o *order) number(hash uint64) (number int, found bool) {
	slot, _, found := o.set.find(hash, 0)
	if !found {
		return 0, false
	}
	block := slot / orderBlock
	number = o.before[block]
	for _, x := range o.set.slots[block*orderBlock : slot] {
		if x != 0 {
			number++
		}
	}
	return number, true
}
