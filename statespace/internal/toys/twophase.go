// Package toys holds small models whose verdicts are known from theory. The
// tests of statespace check them and its benchmarks time them; each is also an
// example of how a model is written.
package toys

import "cilcheck/statespace"

// MaxManagers is the most resource managers that a TwoPhase state has room for.
const MaxManagers = 11

// A ManagerState is where a resource manager or the transaction manager stands.
type ManagerState uint8

// The states of a resource manager. The transaction manager uses all but
// Prepared, with Working for its initial state.
const (
	Working ManagerState = iota
	Prepared
	Committed
	Aborted
)

// TwoPhaseState is a state of two-phase commit: the managers, and the set of
// messages ever sent. Sets of resource managers have one bit for each.
type TwoPhaseState struct {
	Prepared, Committed, Aborted uint16 // the other managers work

	TM         ManagerState
	SentCommit bool
	SentAbort  bool
	TMPrepared uint16 // the managers whose Prepared the TM has received
	Sent       uint16 // the managers that have sent Prepared
}

// decide puts the managers of a set, which may be prepared, into another.
func (s *TwoPhaseState) decide(rm uint16, decided *uint16) {
	s.Prepared &^= rm
	s.Committed &^= rm
	s.Aborted &^= rm
	*decided |= rm
}

// TwoPhase is two-phase commit as Lamport specifies it (TwoPhase.tla, from
// Gray and Lamport, Consensus on Transaction Commit): N resource managers,
// tasks 0 to N-1, and the transaction manager, task N. Messages are never
// removed, so receiving one again is a step that changes nothing.
type TwoPhase struct{ N int }

// Init implements statespace.Model.
func (m TwoPhase) Init(yield func(*TwoPhaseState)) { yield(&TwoPhaseState{}) }

// Tasks implements statespace.Model.
func (m TwoPhase) Tasks() int { return m.N + 1 }

// Step implements statespace.Model.
func (m TwoPhase) Step(s *TwoPhaseState, task int, mv *statespace.Move) statespace.Status {
	if task == m.N {
		return m.transactionManager(s, mv)
	}
	return resourceManager(s, task, mv)
}

// resourceManager takes a step of manager task: it may prepare or abort while it
// works, and obeys a decision at any time.
func resourceManager(s *TwoPhaseState, task int, mv *statespace.Move) statespace.Status {
	rm := uint16(1) << task
	working := (s.Prepared|s.Committed|s.Aborted)&rm == 0
	n := 0
	if working {
		n += 2
	}
	if s.SentCommit {
		n++
	}
	if s.SentAbort {
		n++
	}
	if n == 0 {
		return statespace.Done
	}
	k := mv.Choose(n)
	if working {
		switch k {
		case 0:
			s.Prepared |= rm
			s.Sent |= rm
			return statespace.Moved
		case 1:
			s.Aborted |= rm
			return statespace.Moved
		}
		k -= 2
	}
	if s.SentCommit && k == 0 {
		s.decide(rm, &s.Committed)
	} else {
		s.decide(rm, &s.Aborted)
	}
	return statespace.Moved
}

// transactionManager receives one of the Prepared messages, commits if it has
// all of them, or aborts.
func (m TwoPhase) transactionManager(s *TwoPhaseState, mv *statespace.Move) statespace.Status {
	if s.TM != Working {
		return statespace.Done
	}
	all := uint16(1)<<m.N - 1
	n := 1
	for r := s.Sent; r != 0; r &= r - 1 {
		n++
	}
	canCommit := s.TMPrepared == all
	if canCommit {
		n++
	}
	k := mv.Choose(n)
	switch {
	case k == 0:
		s.TM, s.SentAbort = Aborted, true
	case k == 1 && canCommit:
		s.TM, s.SentCommit = Committed, true
	default:
		if canCommit {
			k--
		}
		r := s.Sent
		for ; k > 1; k-- {
			r &= r - 1
		}
		s.TMPrepared |= r & -r
	}
	return statespace.Moved
}

// Words implements statespace.Model: 2 + 2 + 5 * 11 bits.
func (m TwoPhase) Words() int { return 1 }

// Pack implements statespace.Model.
func (m TwoPhase) Pack(s *TwoPhaseState, words []uint64) error {
	w := uint64(s.TM) | uint64(s.TMPrepared)<<4 | uint64(s.Sent)<<15 |
		uint64(s.Prepared)<<26 | uint64(s.Committed)<<37 | uint64(s.Aborted)<<48
	if s.SentCommit {
		w |= 1 << 2
	}
	if s.SentAbort {
		w |= 1 << 3
	}
	words[0] = w
	return nil
}

// Unpack implements statespace.Model.
func (m TwoPhase) Unpack(words []uint64, s *TwoPhaseState) {
	w := words[0]
	set := func(at int) uint16 { return uint16(w >> at & (1<<MaxManagers - 1)) }
	*s = TwoPhaseState{
		Prepared: set(26), Committed: set(37), Aborted: set(48),
		TM: ManagerState(w & 3), SentCommit: w>>2&1 != 0, SentAbort: w>>3&1 != 0,
		TMPrepared: set(4), Sent: set(15),
	}
}

// Consistent says that no manager has committed while another has aborted.
func Consistent(s *TwoPhaseState) bool { return s.Committed == 0 || s.Aborted == 0 }
