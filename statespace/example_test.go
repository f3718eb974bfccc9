package statespace_test

import (
	"fmt"

	"cilcheck/statespace"
)

// Mutex is a lock of one's own: a process looks whether the lock is free, and
// takes it. With Atomic that is one step, without it two.
type Mutex struct{ Atomic bool }

// MutexState is a plain value: a program counter per process, and the lock.
type MutexState struct {
	PC   [2]uint8 // 0: outside, 1: has seen the lock free, 2: inside
	Held bool
}

func (Mutex) Init(yield func(*MutexState)) { yield(&MutexState{}) }

func (Mutex) Tasks() int { return 2 }

func (m Mutex) Step(s *MutexState, task int, mv *statespace.Move) statespace.Status {
	pc := &s.PC[task]
	switch {
	case *pc == 0 && s.Held:
		return statespace.Blocked
	case *pc == 0 && !m.Atomic:
		*pc = 1
	case *pc == 2:
		*pc, s.Held = 0, false
		mv.Marks |= statespace.Return
	default:
		*pc, s.Held = 2, true
	}
	return statespace.Moved
}

func (Mutex) Words() int { return 1 }

func (Mutex) Pack(s *MutexState, words []uint64) error {
	words[0] = uint64(s.PC[0]) | uint64(s.PC[1])<<2
	if s.Held {
		words[0] |= 1 << 4
	}
	return nil
}

func (Mutex) Unpack(words []uint64, s *MutexState) {
	w := words[0]
	*s = MutexState{PC: [2]uint8{uint8(w & 3), uint8(w >> 2 & 3)}, Held: w>>4 != 0}
}

func Example() {
	options := statespace.Options[MutexState]{
		Invariants: []statespace.Invariant[MutexState]{{
			Name:  "one at a time",
			Holds: func(s *MutexState) bool { return s.PC != [2]uint8{2, 2} },
		}},
		Starved: []statespace.Starved[MutexState]{{
			Name: "everyone gets in",
			Owes: func(s *MutexState, task int) bool { return s.PC[task] < 2 },
			Fair: 0b11, // both run whenever they can
		}},
	}
	for _, m := range []Mutex{{Atomic: false}, {Atomic: true}} {
		r, err := statespace.Explore(m, options)
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Printf("%+v: %d states, exhausted: %v\n", m, r.States, r.Exhausted)
		for _, v := range r.Violations {
			fmt.Printf("  %q is violated by %v, loop from %d\n", v.Property, v.Path, v.Loop)
		}
	}
	// Output:
	// {Atomic:false}: 13 states, exhausted: true
	//   "one at a time" is violated by [{0 0} {1 0} {1 0} {0 0}], loop from -1
	//   "everyone gets in" is violated by [{1 0} {1 0} {1 0}], loop from 0
	// {Atomic:true}: 3 states, exhausted: true
	//   "everyone gets in" is violated by [{1 0} {1 0}], loop from 0
}
