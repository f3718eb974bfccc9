package statespace

import "slices"

// grow enlarges the table.
func (s *keyset) grow() {
	strays := s.spread(nil)
	for len(strays) > 0 {
		last := strays[len(strays)-1]
		slot, x, _ := s.find(last.hash)
		if slot < 0 || s.slots[len(s.slots)-2] != 0 || !s.put(slot, x, last.level) {
			strays = s.spread(strays)
			continue
		}
		strays = strays[:len(strays)-1]
	}
}

// spread moves the keys to their places in a larger table, from the back on. What
// lies between two free slots lands behind where it began, so a stretch is in the
// way of none that is moved after it. Keys for which there is no place become
// strays.
func (s *keyset) spread(strays []stray) []stray {
	old := &keyset{slots: s.slots, high: s.high, layout: s.layout}
	s.space.extend(slotsOf(s.nextScale()))
	s.setScale(s.nextScale())
	old.slots = s.slots[:len(old.slots)]
	if old.high != nil {
		s.high = make([]uint16, len(s.slots))
	}
	p := porter{strays: strays}
	p.move(old, s)
	s.longest = max(s.longest, p.longest)
	return p.strays
}

// A porter carries keys from a table to a larger one.
type porter struct {
	keys    []stray // on their way
	strays  []stray // for which there is no place
	longest uint64
}

// A stray is a key that has no place while the table grows.
type stray struct {
	hash  uint64
	level int
}

// move moves all keys, stretch after stretch from the back.
func (p *porter) move(old, larger *keyset) {
	for end := len(old.slots); end > 0; {
		from := max(0, end-stretchLen)
		for from > 0 && old.slots[from-1] != 0 {
			from--
		}
		p.take(old, from, end)
		clear(old.slots[from:end])
		p.lay(larger)
		end = from
	}
}

// stretchLen is the least length of what is moved at once.
const stretchLen = 512

// take fetches the keys between two slots. It writes one for a free slot, too,
// and then over it: no processor can tell in advance which are free.
func (p *porter) take(s *keyset, first, end int) {
	l, high := s.layout, s.high
	keys := slices.Grow(p.keys[:0], end-first)[:end-first]
	n := 0
	for i, x := range s.slots[first:end] {
		level := int(x&levelMask) - 1
		if high != nil {
			level += levelCycle * int(high[first+i])
		}
		keys[n] = stray{l.hashAt(first+i, x), level}
		if x != 0 {
			n++
		}
	}
	p.keys = keys[:n]
}

// lay puts the keys into free slots, from their homes on.
func (p *porter) lay(s *keyset) {
	l, slots, high, longest := s.layout, s.slots, s.high, p.longest
	for free, i := 0, 0; i < len(p.keys); i++ {
		k := &p.keys[i]
		home, x := l.home(k.hash)
		to := max(home, free)
		if to-home > l.far(^uint64(0)) || to >= len(slots)-2 {
			p.strays = append(p.strays, *k)
			continue
		}
		x += uint64(to-home)*l.further() + uint64(k.level%levelCycle+1)
		slots[to] = x
		if high != nil {
			high[to] = uint16(k.level / levelCycle)
		}
		longest = max(longest, x)
		free = to + 1
	}
	p.longest = longest
}
