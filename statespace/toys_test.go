package statespace_test

import (
	"fmt"
	"slices"
	"testing"

	"cilcheck/statespace"
	"cilcheck/statespace/internal/toys"

	"github.com/google/go-cmp/cmp"
)

// wantViolations checks which properties are violated, and takes every path
// again.
func wantViolations[S any](t *testing.T, m statespace.Model[S], r *statespace.Result[S], want ...string) {
	t.Helper()
	if !r.Exhausted {
		t.Errorf("not exhausted: %s", r.Reason)
	}
	var got []string
	for i := range r.Violations {
		v := &r.Violations[i]
		got = append(got, v.Property)
		var last S
		if err := statespace.Replay(m, v.Init, v.Path, func(_ int, s *S, _ *statespace.Move) { last = *s }); err != nil {
			t.Errorf("%s: %v", v.Property, err)
		}
		if !r.Contains(&last) {
			t.Errorf("%s: the path ends in a state that the search has not seen", v.Property)
		}
	}
	if !slices.Equal(got, want) {
		t.Errorf("violated: %v; want %v", got, want)
	}
}

func mustExplore[S any](t testing.TB, m statespace.Model[S], o statespace.Options[S]) *statespace.Result[S] {
	t.Helper()
	r, err := statespace.Explore(m, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestTwoPhaseCommit compares with the counts that TLC and Stateright report
// for the same specification (TLC counts the initial state as generated, too:
// 1146 for three managers).
func TestTwoPhaseCommit(t *testing.T) {
	for _, c := range []struct{ managers, states, transitions, depth int }{
		{3, 288, 1145, 10}, {5, 8832, 58145, 16}, {7, 296448, 2744705, 22},
	} {
		t.Run(fmt.Sprint(c.managers), func(t *testing.T) {
			m := toys.TwoPhase{N: c.managers}
			r := mustExplore(t, m, statespace.Options[toys.TwoPhaseState]{
				Invariants: []statespace.Invariant[toys.TwoPhaseState]{{Name: "consistent", Holds: toys.Consistent}},
			})
			if r.States != c.states || r.Transitions != c.transitions || r.Depth != c.depth {
				t.Errorf("states %d, transitions %d, depth %d; want %d, %d, %d",
					r.States, r.Transitions, r.Depth, c.states, c.transitions, c.depth)
			}
			wantViolations(t, m, r)
		})
	}
}

func lockOptions(fair uint64) statespace.Options[toys.LockState] {
	return statespace.Options[toys.LockState]{
		Invariants: []statespace.Invariant[toys.LockState]{{Name: "exclusive", Holds: toys.Exclusive}},
		Stuck:      []statespace.Stuck[toys.LockState]{{Name: "no stuck"}},
		Spin:       []statespace.Spin{{Name: "no spin"}},
		Starved:    []statespace.Starved[toys.LockState]{{Name: "enters", Owes: toys.Wants, Fair: fair}},
	}
}

func TestLocks(t *testing.T) {
	const both = 0b11
	for _, c := range []struct {
		name string
		lock toys.Lock
		fair uint64
		want []string
	}{
		{"Peterson", toys.Lock{Algorithm: toys.Peterson}, both, nil},
		// A process may stop in the critical section: the other waits, but no
		// cycle shows it when it is blocked, and a busy wait shows it.
		{"Peterson, unfair", toys.Lock{Algorithm: toys.Peterson}, 0, nil},
		{"Peterson, busy", toys.Lock{Algorithm: toys.Peterson, Busy: true}, both, []string{"no spin"}},
		{"Peterson, busy, unfair", toys.Lock{Algorithm: toys.Peterson, Busy: true}, 0, []string{"no spin", "enters"}},
		{"Peterson, busy, one fair", toys.Lock{Algorithm: toys.Peterson, Busy: true}, 0b01, []string{"no spin", "enters"}},
		{"Peterson swapped", toys.Lock{Algorithm: toys.PetersonSwapped}, both, []string{"exclusive"}},
		{"flags only", toys.Lock{Algorithm: toys.FlagsOnly}, both, []string{"no stuck"}},
		{"flags only, busy", toys.Lock{Algorithm: toys.FlagsOnly, Busy: true}, both, []string{"no spin", "enters"}},
		{"test and set", toys.Lock{Algorithm: toys.TestAndSet}, both, []string{"enters"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			wantViolations(t, c.lock, mustExplore(t, c.lock, lockOptions(c.fair)), c.want...)
		})
	}
}

func tableOptions(n int) statespace.Options[toys.TableState] {
	return statespace.Options[toys.TableState]{
		Terminal: []statespace.Invariant[toys.TableState]{{Name: "no deadlock", Holds: func(*toys.TableState) bool { return false }}},
		Stuck:    []statespace.Stuck[toys.TableState]{{Name: "no stuck"}},
	}
}

func TestPhilosophers(t *testing.T) {
	for n := 2; n <= 6; n++ {
		m := toys.Philosophers{N: n}
		r := mustExplore(t, m, tableOptions(n))
		wantViolations(t, m, r, "no deadlock", "no stuck")
		if v := r.Violation("no deadlock"); len(v.Path) != n || r.Terminals != 1 {
			t.Errorf("%d philosophers: deadlock after %d steps, %d terminal states; want %d and 1", n, len(v.Path), r.Terminals, n)
		}
		m.LeftHanded = true
		wantViolations(t, m, mustExplore(t, m, tableOptions(n)))
	}
}

// TestLostWakeup is about a task that sleeps for ever while another moves for
// ever: no state is terminal, and the sleeper is stuck.
func TestLostWakeup(t *testing.T) {
	o := statespace.Options[toys.WakeupState]{
		Terminal: []statespace.Invariant[toys.WakeupState]{{Name: "no deadlock", Holds: func(*toys.WakeupState) bool { return false }}},
		Stuck:    []statespace.Stuck[toys.WakeupState]{{Name: "no stuck"}},
		Spin:     []statespace.Spin{{Name: "no spin"}},
	}
	m := toys.LostWakeup{}
	r := mustExplore(t, m, o)
	wantViolations(t, m, r, "no stuck")
	v := r.Violation("no stuck")
	want := []statespace.Choice{{Task: 0}, {Task: 1}, {Task: 1}, {Task: 0}}
	if v.Task != 0 || !slices.Equal(v.Path, want) {
		t.Errorf("task %d stuck after %v; want task 0 after %v", v.Task, v.Path, want)
	}
	o.Stuck[0].Excused = func(_ *toys.WakeupState, task int) bool { return task == 0 }
	wantViolations(t, m, mustExplore(t, m, o))
	o.Stuck[0].Excused = nil
	repaired := toys.LostWakeup{Recheck: true}
	wantViolations(t, repaired, mustExplore(t, repaired, o))
}

func nodeOptions(fair uint64) statespace.Options[node] {
	return statespace.Options[node]{
		Stuck:   []statespace.Stuck[node]{{Name: "no stuck"}},
		Spin:    []statespace.Spin{{Name: "no spin"}},
		Starved: []statespace.Starved[node]{{Name: "returns", Owes: func(_ *node, task int) bool { return task == 0 }, Fair: fair}},
	}
}

// TestSpin turns task 0 round between states 1 and 2; a mark on the way round
// makes it no spin.
func TestSpin(t *testing.T) {
	ring := func(marks ...statespace.Mark) *system {
		return newSystem(2, 0).step(0, 1, 1).step(1, 0, 2).step(2, 0, 1, marks...)
	}
	o := statespace.Options[node]{Spin: []statespace.Spin{{Name: "no spin"}}}
	r := mustExplore(t, ring(), o)
	wantViolations(t, ring(), r, "no spin")
	if v := r.Violation("no spin"); v.Task != 0 || v.Loop != 1 || len(v.Path) != 3 {
		t.Errorf("%+v", v)
	}
	for _, mark := range []statespace.Mark{statespace.Return, statespace.Slept} {
		wantViolations(t, ring(mark), mustExplore(t, ring(mark), o))
	}
	o.Spin[0].Tasks = 0b10
	wantViolations(t, ring(), mustExplore(t, ring(), o))
}

// TestStarvation: task 1 turns round through states 0 and 1; task 0, which
// owes, can return from state 0 only, so that it is not continuously enabled.
func TestStarvation(t *testing.T) {
	flicker := newSystem(2, 0).step(0, 1, 1).step(1, 1, 0).step(0, 0, 0, statespace.Return).block(1, 0)
	wantViolations(t, flicker, mustExplore(t, flicker, nodeOptions(0b11)), "no spin", "returns")

	// Enabled in both states, it must move under weak fairness, and returns.
	steady := newSystem(2, 0).step(0, 1, 1).step(1, 1, 0).step(0, 0, 0, statespace.Return).step(1, 0, 0, statespace.Return)
	wantViolations(t, steady, mustExplore(t, steady, nodeOptions(0b11)), "no spin")
	// Without fairness to it, it need not.
	wantViolations(t, steady, mustExplore(t, steady, nodeOptions(0b10)), "no spin", "returns")
}

// A grid has two counters, a task each, that stop at n-1 blocked; task 2 turns
// round in the corner where both have stopped. It is large and all about it is
// known.
type grid struct{ n uint16 }

type gridState struct{ A [2]uint16 }

func (grid) Init(yield func(*gridState)) { yield(&gridState{}) }
func (grid) Tasks() int                  { return 3 }
func (grid) Words() int                  { return 1 }

func (m grid) Step(s *gridState, task int, _ *statespace.Move) statespace.Status {
	switch {
	case task == 2 && s.A == [2]uint16{m.n - 1, m.n - 1}:
		return statespace.Moved
	case task == 2:
		return statespace.Done
	case s.A[task] == m.n-1:
		return statespace.Blocked
	}
	s.A[task]++
	return statespace.Moved
}

func (grid) Pack(s *gridState, words []uint64) error {
	words[0] = uint64(s.A[0]) | uint64(s.A[1])<<16
	return nil
}

func (grid) Unpack(words []uint64, s *gridState) {
	s.A = [2]uint16{uint16(words[0]), uint16(words[0] >> 16)}
}

// TestGrid crosses the block and chunk boundaries of every table.
func TestGrid(t *testing.T) {
	const n = 400
	m := grid{n}
	o := statespace.Options[gridState]{
		// Violated in ever more states from distance 2 on.
		Invariants: []statespace.Invariant[gridState]{{Name: "low", Holds: func(s *gridState) bool { return s.A[0] < 2 }}},
		Maxima:     []statespace.Maximum[gridState]{{Name: "sum", Value: func(s *gridState) int { return int(s.A[0] + s.A[1]) }}},
	}
	bare := mustExplore(t, m, o)
	wantViolations(t, m, bare, "low")
	o.Stuck = []statespace.Stuck[gridState]{{Name: "no stuck", Excused: func(_ *gridState, task int) bool { return task == 0 }}}
	o.Spin = []statespace.Spin{{Name: "no spin"}}
	o.Starved = []statespace.Starved[gridState]{{Name: "returns", Owes: func(_ *gridState, task int) bool { return task == 1 }, Fair: 0b111}}
	o.Longest = []statespace.Longest[gridState]{
		{Name: "counts", Tasks: 0b11},
		{Name: "upper half", Tasks: 0b01, Within: func(s *gridState, _ int) bool { return s.A[0] >= n/2 }},
		{Name: "turns", Tasks: 0b111},
	}
	r := mustExplore(t, m, o)
	wantViolations(t, m, r, "low", "no stuck", "no spin", "returns")
	for _, r := range []*statespace.Result[gridState]{bare, r} {
		if r.States != n*n || r.Transitions != 2*n*(n-1)+1 || r.Depth != 2*(n-1) || r.Terminals != 0 || r.Maxima[0].Value != 2*(n-1) {
			t.Errorf("states %d, transitions %d, depth %d, maximum %+v", r.States, r.Transitions, r.Depth, r.Maxima)
		}
		if v := r.Violation("low"); len(v.Path) != 2 || v.Path[1].Task != 0 {
			t.Errorf("low: %v", v.Path)
		}
	}
	for name, steps := range map[string]int{"no stuck": n - 1, "no spin": 2*(n-1) + 1, "returns": 2*(n-1) + 1} {
		if v := r.Violation(name); len(v.Path) != steps || v.Switches() > 2 {
			t.Errorf("%s: %d steps with %d switches; want %d with at most 2", name, len(v.Path), v.Switches(), steps)
		}
	}
	l := r.Longest
	if l[0].Value != n-1 || l[1].Value != n/2-1 || !l[2].Unbounded || l[2].Task != 2 {
		t.Errorf("%+v", l)
	}
}

// TestChoices is a step with choices within choices: 2 + 3 outcomes.
func TestChoices(t *testing.T) {
	var m choices
	var seen []string
	o := statespace.Options[node]{StepInvariants: []statespace.StepInvariant[node]{{Name: "x", Holds: func(_, after *node, mv *statespace.Move) bool {
		seen = append(seen, fmt.Sprint(mv.Outcome, ":", after.At))
		return true
	}}}}
	r := mustExplore(t, m, o)
	want := []string{"0:10", "1:11", "2:20", "3:21", "4:22"}
	if r.States != 6 || !slices.Equal(seen, want) {
		t.Errorf("%d states, %v; want %v", r.States, seen, want)
	}
}

// choices is a model of one step.
type choices struct{}

func (choices) Init(yield func(*node)) { yield(&node{}) }
func (choices) Tasks() int             { return 1 }
func (choices) Words() int             { return 1 }

func (choices) Step(s *node, _ int, mv *statespace.Move) statespace.Status {
	if s.At != 0 {
		return statespace.Done
	}
	if mv.Choose(2) == 0 {
		s.At = 10 + uint32(mv.Choose(2))
	} else {
		s.At = 20 + uint32(mv.Choose(3))
	}
	return statespace.Moved
}

func (choices) Pack(s *node, words []uint64) error {
	words[0] = uint64(s.At)
	return nil
}

func (choices) Unpack(words []uint64, s *node) { s.At = uint32(words[0]) }

// TestDeterministic runs the same search four times at once.
func TestDeterministic(t *testing.T) {
	type answer struct {
		States, Transitions, Depth, Terminals int
		Violations                            []statespace.Violation
		Maxima                                []statespace.Peak
		Longest                               []statespace.Length
		Coverage                              [statespace.MaxTags]uint64
		Memory                                int64
	}
	answers := make([]answer, 4)
	t.Run("searches", func(t *testing.T) {
		for i := range answers {
			t.Run(fmt.Sprint(i), func(t *testing.T) {
				t.Parallel()
				r := mustExplore(t, toys.Lock{Algorithm: toys.TestAndSet, Busy: true}, lockOptions(0b11))
				answers[i] = answer{r.States, r.Transitions, r.Depth, r.Terminals, r.Violations, r.Maxima, r.Longest, *r.Coverage, r.Memory}
			})
		}
	})
	for _, a := range answers[1:] {
		if diff := cmp.Diff(answers[0], a); diff != "" {
			t.Errorf("%s", diff)
		}
	}
}

// TestStuckTasks: whatever the number of tasks, the last one counts as the others.
// The way to its move leads through states found in the order of the way and in the
// other, a thousand of each.
func TestStuckTasks(t *testing.T) {
	const chain = 1000
	for _, tasks := range []int{2, 8, 9, 16, 17, 32, 33, statespace.MaxTasks} {
		last := tasks - 1
		m := newSystem(tasks)
		for i := range uint32(chain + 1) { // an initial state found later leads to one found before
			m.inits = append(m.inits, i)
			m.block(i, last)
			if i > 0 {
				m.step(i, 0, i-1)
			}
			m.step(chain+i, 0, chain+i+1).block(chain+i, last)
		}
		m.step(0, 0, chain+1)
		goal := uint32(2*chain + 1)
		o := statespace.Options[node]{Stuck: []statespace.Stuck[node]{{Name: "no stuck"}}}
		m.block(goal, last)
		r := mustExplore(t, m, o)
		if v := r.Violation("no stuck"); v == nil || v.Task != last || len(v.Path) != 0 {
			t.Errorf("%d tasks, none moves at the end: %+v", tasks, v)
		}
		m.step(goal, last, goal)
		if v := mustExplore(t, m, o).Violation("no stuck"); v != nil {
			t.Errorf("%d tasks, the last moves at the end: %+v", tasks, v)
		}
	}
}
