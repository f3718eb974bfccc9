package toys

import "cilcheck/statespace"

// WakeupState is a state of a sleeper and a waker.
type WakeupState struct {
	Sleeper uint8 // 0: looks, 1: about to sleep, 2: sleeps, 3: done
	Waker   uint8 // 0: sets the condition, 1: wakes, 2: done
	Ready   bool
	Clock   uint8 // of the bystander
}

// LostWakeup is the classic lost wake-up: the sleeper, task 0, looks at a
// condition and then goes to sleep; the waker, task 1, sets the condition and
// then wakes whoever sleeps, which may be nobody yet. Task 2 is a clock that
// ticks for ever, so that some task can always move. With Recheck the sleeper
// looks again, in one step with going to sleep.
type LostWakeup struct{ Recheck bool }

// Init implements statespace.Model.
func (m LostWakeup) Init(yield func(*WakeupState)) { yield(&WakeupState{}) }

// Tasks implements statespace.Model.
func (m LostWakeup) Tasks() int { return 3 }

// Step implements statespace.Model.
func (m LostWakeup) Step(s *WakeupState, task int, mv *statespace.Move) statespace.Status {
	switch task {
	case 0:
		return m.sleeper(s, mv)
	case 1:
		return waker(s)
	}
	s.Clock = (s.Clock + 1) % 3
	mv.Marks |= statespace.Return
	return statespace.Moved
}

func (m LostWakeup) sleeper(s *WakeupState, mv *statespace.Move) statespace.Status {
	switch s.Sleeper {
	case 0:
		s.Sleeper = 1
		if s.Ready {
			s.Sleeper = 3
		}
	case 1:
		s.Sleeper = 2
		if m.Recheck && s.Ready {
			s.Sleeper = 3
		}
		mv.Marks |= statespace.Slept
	case 2:
		return statespace.Blocked
	default:
		return statespace.Done
	}
	return statespace.Moved
}

func waker(s *WakeupState) statespace.Status {
	switch s.Waker {
	case 0:
		s.Ready = true
	case 1:
		if s.Sleeper == 2 {
			s.Sleeper = 0
		}
	default:
		return statespace.Done
	}
	s.Waker++
	return statespace.Moved
}

// Words implements statespace.Model.
func (m LostWakeup) Words() int { return 1 }

// Pack implements statespace.Model.
func (m LostWakeup) Pack(s *WakeupState, words []uint64) error {
	words[0] = uint64(s.Sleeper) | uint64(s.Waker)<<2 | bit(s.Ready)<<4 | uint64(s.Clock)<<5
	return nil
}

// Unpack implements statespace.Model.
func (m LostWakeup) Unpack(words []uint64, s *WakeupState) {
	w := words[0]
	*s = WakeupState{uint8(w & 3), uint8(w >> 2 & 3), w>>4&1 != 0, uint8(w >> 5)}
}
