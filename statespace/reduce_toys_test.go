package statespace_test

import (
	"testing"

	"cilcheck/statespace"
	"cilcheck/statespace/internal/toys"
)

// rest is the union of footprints.
func rest(prints ...statespace.Footprint) (all statespace.Footprint) {
	for _, f := range prints {
		all.Reads, all.Writes = all.Reads.Union(f.Reads), all.Writes.Union(f.Writes)
	}
	return all
}

// touch is a footprint that reads and writes the same variables, and reads more.
func touch(both, reads statespace.Vars) statespace.Footprint {
	return statespace.Footprint{Reads: both.Union(reads), Writes: both}
}

// lockPrints are locks with footprints: the variables are the two counters, the
// two flags, and the turn.
type lockPrints struct{ toys.Lock }

func (m lockPrints) Variables() int { return 5 }

func (m lockPrints) CopyVariable(to, from *toys.LockState, v int) {
	switch {
	case v < 2:
		to.PC[v] = from.PC[v]
	case v < 4:
		to.Flag[v-2] = from.Flag[v-2]
	default:
		to.Turn = from.Turn
	}
}

func (m lockPrints) at(me int, pc uint8) statespace.Footprint {
	own, turn := statespace.VarsOf(me), statespace.VarsOf(4)
	switch {
	case m.Algorithm == toys.TestAndSet && pc >= toys.Waiting:
		return touch(own.Union(statespace.VarsOf(2, 2+me)), own)
	case pc == toys.Waiting:
		return touch(own, turn.Union(statespace.VarsOf(3-me)))
	case pc == toys.Critical:
		return touch(own.Union(statespace.VarsOf(2+me)), own)
	}
	return touch(own.Union(statespace.VarsOf(2+me, 4)), own)
}

func (m lockPrints) NextFootprint(s *toys.LockState, me int) statespace.Footprint {
	return m.at(me, s.PC[me])
}

func (m lockPrints) RestFootprint(_ *toys.LockState, me int) statespace.Footprint {
	return rest(m.at(me, toys.Outside), m.at(me, toys.Waiting), m.at(me, toys.Critical))
}

// tablePrints are philosophers with footprints: the variables are what each
// holds, then the forks.
type tablePrints struct{ toys.Philosophers }

func (m tablePrints) Variables() int { return 2 * toys.MaxPhilosophers }

func (m tablePrints) CopyVariable(to, from *toys.TableState, v int) {
	if f := v - toys.MaxPhilosophers; f >= 0 {
		to.Taken[f] = from.Taken[f]
	} else {
		to.Holds[v] = from.Holds[v]
	}
}

func (m tablePrints) NextFootprint(s *toys.TableState, p int) statespace.Footprint {
	const forks = toys.MaxPhilosophers
	left, right := forks+p, forks+(p+1)%m.N
	if m.LeftHanded && p == m.N-1 {
		left, right = right, left
	}
	switch s.Holds[p] {
	case 0:
		return touch(statespace.VarsOf(p, left), statespace.Vars{})
	case 1:
		return touch(statespace.VarsOf(p, right), statespace.Vars{})
	}
	return touch(statespace.VarsOf(p, left, right), statespace.Vars{})
}

func (m tablePrints) RestFootprint(_ *toys.TableState, p int) statespace.Footprint {
	return m.NextFootprint(&toys.TableState{Holds: [toys.MaxPhilosophers]uint8{2, 2, 2, 2, 2, 2, 2, 2}}, p)
}

// wakeupPrints is the lost wake-up with footprints: the variables are sleeper,
// waker, condition and clock.
type wakeupPrints struct{ toys.LostWakeup }

func (m wakeupPrints) Variables() int { return 4 }

func (m wakeupPrints) CopyVariable(to, from *toys.WakeupState, v int) {
	switch v {
	case 0:
		to.Sleeper = from.Sleeper
	case 1:
		to.Waker = from.Waker
	case 2:
		to.Ready = from.Ready
	case 3:
		to.Clock = from.Clock
	}
}

func (m wakeupPrints) NextFootprint(s *toys.WakeupState, task int) statespace.Footprint {
	switch {
	case task == 0 && s.Sleeper < 2:
		return touch(statespace.VarsOf(0), statespace.VarsOf(2))
	case task == 0:
		return statespace.Footprint{Reads: statespace.VarsOf(0)}
	case task == 1 && s.Waker == 0:
		return touch(statespace.VarsOf(1, 2), statespace.Vars{})
	case task == 1 && s.Waker == 1:
		return touch(statespace.VarsOf(0, 1), statespace.Vars{})
	case task == 1:
		return statespace.Footprint{Reads: statespace.VarsOf(1)}
	}
	return touch(statespace.VarsOf(3), statespace.Vars{})
}

func (m wakeupPrints) RestFootprint(s *toys.WakeupState, task int) statespace.Footprint {
	switch {
	case task == 0 && s.Sleeper < 3:
		return touch(statespace.VarsOf(0), statespace.VarsOf(2))
	case task == 1 && s.Waker < 2:
		late := *s
		late.Waker = 1
		return rest(m.NextFootprint(s, 1), m.NextFootprint(&late, 1))
	}
	return m.NextFootprint(s, task)
}

// gridPrints is a grid with footprints: the variables are the counters.
type gridPrints struct{ grid }

func (m gridPrints) Variables() int                          { return 2 }
func (m gridPrints) CopyVariable(to, from *gridState, v int) { to.A[v] = from.A[v] }

// NextFootprint of the task in the corner, while it is not in the corner, is one
// counter that would have to move first.
func (m gridPrints) NextFootprint(s *gridState, task int) statespace.Footprint {
	switch {
	case task < 2 && s.A[task] == m.n-1:
		return statespace.Footprint{Reads: statespace.VarsOf(task)}
	case task < 2:
		return touch(statespace.VarsOf(task), statespace.Vars{})
	case s.A[0] < m.n-1:
		return statespace.Footprint{Reads: statespace.VarsOf(0)}
	case s.A[1] < m.n-1:
		return statespace.Footprint{Reads: statespace.VarsOf(1)}
	}
	return statespace.Footprint{Reads: statespace.VarsOf(0, 1)}
}

func (m gridPrints) RestFootprint(s *gridState, task int) statespace.Footprint {
	if task == 2 {
		return statespace.Footprint{Reads: statespace.VarsOf(0, 1)}
	}
	return m.NextFootprint(s, task)
}

// samePOR compares a toy with and without partial-order reduction, checks its
// footprints, and returns the share of states kept, in percent.
func samePOR[S any](t *testing.T, name string, m statespace.Model[S], o statespace.Options[S], observed statespace.Vars) int {
	t.Helper()
	if err := statespace.CheckFootprints(m, o, observed, statespace.CheckOptions{Seed: 1, Runs: 12, Steps: 40}); err != nil {
		t.Errorf("%s: %v", name, err)
	}
	full := mustExplore(t, m, o)
	r := reduce(t, m, o, statespace.Reduction{PartialOrder: true, Observed: observed})
	sameVerdicts(t, m, o, full, r)
	if r.Terminals != full.Terminals {
		t.Errorf("%s: %d terminal states; want %d", name, r.Terminals, full.Terminals)
	}
	t.Logf("%s: %d of %d states, %d violations", name, r.States, full.States, len(r.Violations))
	return 100 * r.States / full.States
}

// TestPartialOrderToys: the verdicts on the toys do not change.
func TestPartialOrderToys(t *testing.T) {
	for _, a := range []toys.Algorithm{toys.Peterson, toys.PetersonSwapped, toys.FlagsOnly, toys.TestAndSet} {
		for _, busy := range []bool{false, true} {
			o := statespace.Options[toys.LockState]{
				Invariants: []statespace.Invariant[toys.LockState]{{Name: "exclusive", Holds: toys.Exclusive}},
				Terminal:   []statespace.Invariant[toys.LockState]{{Name: "no deadlock", Holds: func(*toys.LockState) bool { return false }}},
			}
			m := lockPrints{toys.Lock{Algorithm: a, Busy: busy}}
			samePOR(t, "lock", m, o, statespace.VarsOf(0, 1))
			o.Invariants = nil
			samePOR(t, "lock, deadlock only", m, o, statespace.Vars{})
		}
	}
	for n := 2; n <= 6; n++ {
		for _, left := range []bool{false, true} {
			o := statespace.Options[toys.TableState]{Terminal: tableOptions(n).Terminal}
			m := tablePrints{toys.Philosophers{N: n, LeftHanded: left}}
			samePOR(t, "philosophers, deadlock only", m, o, statespace.Vars{})
			o.Invariants = []statespace.Invariant[toys.TableState]{{Name: "never eats", Holds: func(s *toys.TableState) bool { return s.Holds[0] < 2 }}}
			samePOR(t, "philosophers", m, o, statespace.VarsOf(0))
		}
	}
	// The clock could tick for ever without anybody else: the proviso lets it not.
	for _, recheck := range []bool{false, true} {
		o := statespace.Options[toys.WakeupState]{Invariants: []statespace.Invariant[toys.WakeupState]{{
			Name: "no lost wake-up", Holds: func(s *toys.WakeupState) bool { return s.Sleeper != 2 || s.Waker != 2 },
		}}}
		samePOR(t, "wake-up", wakeupPrints{toys.LostWakeup{Recheck: recheck}}, o, statespace.VarsOf(0, 1, 2))
	}
	// Two counters that know nothing of each other are counted one after the other.
	o := statespace.Options[gridState]{Invariants: []statespace.Invariant[gridState]{{
		Name: "not there", Holds: func(s *gridState) bool { return s.A != [2]uint16{39, 39} },
	}}}
	samePOR(t, "grid", gridPrints{grid{40}}, o, statespace.VarsOf(0, 1))
	o.Invariants = nil
	if kept := samePOR(t, "grid, deadlock only", gridPrints{grid{40}}, o, statespace.Vars{}); kept > 5 {
		t.Errorf("grid: %d%% of the states kept", kept)
	}
}
