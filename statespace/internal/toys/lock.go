package toys

import "cilcheck/statespace"

// An Algorithm is a way to keep two processes out of a critical section.
type Algorithm uint8

const (
	// Peterson's lock: raise the own flag, give way, wait until the other's flag
	// is down or the other gave way. Correct, and free of starvation under weak
	// fairness.
	Peterson Algorithm = iota
	// PetersonSwapped gives way before it raises the flag: both get in.
	PetersonSwapped
	// FlagsOnly never gives way: with both flags up, both wait for ever.
	FlagsOnly
	// TestAndSet takes one common flag when it is down: correct, but a process
	// can find it up each time it looks, so weak fairness does not save it.
	TestAndSet
)

// The places of a process.
const (
	Outside uint8 = iota
	SecondStep
	Waiting
	Critical
)

// LockState is a state of two processes at a lock.
type LockState struct {
	PC   [2]uint8
	Flag [2]bool
	Turn uint8 // who is let in first when both want to
}

// Lock is two processes, tasks 0 and 1, that enter and leave a critical section
// for ever. With Busy a process that has to wait looks again and again, else it
// is blocked.
type Lock struct {
	Algorithm Algorithm
	Busy      bool
}

// Init implements statespace.Model.
func (m Lock) Init(yield func(*LockState)) { yield(&LockState{}) }

// Tasks implements statespace.Model.
func (m Lock) Tasks() int { return 2 }

// Step implements statespace.Model.
func (m Lock) Step(s *LockState, me int, mv *statespace.Move) statespace.Status {
	switch s.PC[me] {
	case Outside:
		m.announce(s, me, m.Algorithm != PetersonSwapped)
		s.PC[me] = SecondStep
	case SecondStep:
		m.announce(s, me, m.Algorithm == PetersonSwapped)
		s.PC[me] = Waiting
	case Waiting:
		if !m.enters(s, me) {
			if m.Busy {
				return statespace.Moved
			}
			return statespace.Blocked
		}
		s.PC[me] = Critical
	case Critical:
		s.Flag[me] = false
		if m.Algorithm == TestAndSet {
			s.Flag[0] = false
		}
		s.PC[me] = Outside
		mv.Marks |= statespace.Return
	}
	return statespace.Moved
}

// announce takes one of the two steps before the wait: the flag or the turn.
func (m Lock) announce(s *LockState, me int, flag bool) {
	switch {
	case m.Algorithm == TestAndSet:
	case flag:
		s.Flag[me] = true
	case m.Algorithm != FlagsOnly:
		s.Turn = uint8(1 - me)
	}
}

// enters says whether the process may enter, and takes the common flag.
func (m Lock) enters(s *LockState, me int) bool {
	switch m.Algorithm {
	case TestAndSet:
		free := !s.Flag[0]
		s.Flag[0] = true
		return free
	case FlagsOnly:
		return !s.Flag[1-me]
	default:
		return !s.Flag[1-me] || s.Turn == uint8(me)
	}
}

// Exclusive says that at most one process is in the critical section.
func Exclusive(s *LockState) bool { return s.PC[0] != Critical || s.PC[1] != Critical }

// Wants says that a process has begun to enter.
func Wants(s *LockState, task int) bool { return s.PC[task] != Outside }

// Words implements statespace.Model.
func (m Lock) Words() int { return 1 }

// Pack implements statespace.Model.
func (m Lock) Pack(s *LockState, words []uint64) error {
	words[0] = uint64(s.PC[0]) | uint64(s.PC[1])<<8 | uint64(s.Turn)<<16 | bit(s.Flag[0])<<24 | bit(s.Flag[1])<<25
	return nil
}

// Unpack implements statespace.Model.
func (m Lock) Unpack(words []uint64, s *LockState) {
	w := words[0]
	*s = LockState{
		PC:   [2]uint8{uint8(w), uint8(w >> 8)},
		Turn: uint8(w >> 16),
		Flag: [2]bool{w>>24&1 != 0, w>>25&1 != 0},
	}
}

func bit(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}
