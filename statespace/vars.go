package statespace

import "math/bits"

// MaxVars is the most variables a model can declare for partial-order reduction.
const MaxVars = 256

// Vars is a set of variables of a model, numbered from 0 to MaxVars-1.
type Vars [MaxVars / 64]uint64

// VarsOf is the set of some variables.
func VarsOf(vars ...int) Vars {
	var s Vars
	for _, v := range vars {
		s[v>>6] |= 1 << (v & 63)
	}
	return s
}

// Has says whether v is in s.
func (s Vars) Has(v int) bool { return s[v>>6]>>(v&63)&1 != 0 }

// Union is the set of what is in s or in t.
func (s Vars) Union(t Vars) Vars {
	for i := range s {
		s[i] |= t[i]
	}
	return s
}

// Minus is the set of what is in s and not in t.
func (s Vars) Minus(t Vars) Vars {
	for i := range s {
		s[i] &^= t[i]
	}
	return s
}

// Meets says whether s and t have a variable in common.
func (s *Vars) Meets(t *Vars) bool {
	for i := range s {
		if s[i]&t[i] != 0 {
			return true
		}
	}
	return false
}

// Within says whether all of s is in t.
func (s Vars) Within(t Vars) bool { return s.Minus(t) == Vars{} }

// All lists the variables of s in order.
func (s Vars) All() []int {
	var all []int
	for i, w := range s {
		for ; w != 0; w &= w - 1 {
			all = append(all, i<<6+bits.TrailingZeros64(w))
		}
	}
	return all
}
