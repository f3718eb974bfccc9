package toys

import "cilcheck/statespace"

// MaxPhilosophers is the most philosophers a table has room for.
const MaxPhilosophers = 8

// TableState is a state of the dining philosophers: how many forks each holds,
// and which forks are taken.
type TableState struct {
	Holds [MaxPhilosophers]uint8
	Taken [MaxPhilosophers]bool
}

// Philosophers is Dijkstra's table: N philosophers, one task each, take the fork
// to the left, then the one to the right, eat, and put both back, for ever.
// When each holds one fork, all wait for ever. With LeftHanded the last one
// takes the forks in the other order, and no circle of waiting can close.
type Philosophers struct {
	N          int
	LeftHanded bool
}

// Init implements statespace.Model.
func (m Philosophers) Init(yield func(*TableState)) { yield(&TableState{}) }

// Tasks implements statespace.Model.
func (m Philosophers) Tasks() int { return m.N }

// Step implements statespace.Model.
func (m Philosophers) Step(s *TableState, p int, mv *statespace.Move) statespace.Status {
	forks := [2]int{p, (p + 1) % m.N}
	if m.LeftHanded && p == m.N-1 {
		forks[0], forks[1] = forks[1], forks[0]
	}
	if s.Holds[p] == 2 {
		s.Holds[p] = 0
		s.Taken[forks[0]], s.Taken[forks[1]] = false, false
		mv.Marks |= statespace.Return
		return statespace.Moved
	}
	fork := forks[s.Holds[p]]
	if s.Taken[fork] {
		return statespace.Blocked
	}
	s.Taken[fork] = true
	s.Holds[p]++
	return statespace.Moved
}

// Hungry says that a philosopher has a fork.
func Hungry(s *TableState, p int) bool { return s.Holds[p] > 0 }

// Words implements statespace.Model: two words, so that toys cover that case.
func (m Philosophers) Words() int { return 2 }

// Pack implements statespace.Model.
func (m Philosophers) Pack(s *TableState, words []uint64) error {
	words[0], words[1] = 0, 0
	for p := range s.Holds {
		words[0] |= uint64(s.Holds[p]) << (2 * p)
		words[1] |= bit(s.Taken[p]) << p
	}
	return nil
}

// Unpack implements statespace.Model.
func (m Philosophers) Unpack(words []uint64, s *TableState) {
	for p := range s.Holds {
		s.Holds[p] = uint8(words[0] >> (2 * p) & 3)
		s.Taken[p] = words[1]>>p&1 != 0
	}
}
