package statespace_test

import (
	"errors"
	"fmt"

	"cilcheck/statespace"
)

// A node is a state of a system.
type node struct{ At uint32 }

// An arrow is one outcome of a step of a system.
type arrow struct {
	to       uint32
	marks    statespace.Mark
	truncate bool
	blocks   bool // no arrow at all: with this outcome the task is blocked
	panics   bool
}

// A system is a model written as a table: tests say in it exactly which
// transitions there are.
type system struct {
	tasks   int
	inits   []uint32
	arrows  map[uint32]map[int][]arrow // by state and task
	blocked map[uint32]uint64          // tasks that are blocked, not done, without an arrow
	unfit   map[uint32]bool            // states that do not pack
	words   int                        // of a packed state
}

func newSystem(tasks int, inits ...uint32) *system {
	return &system{
		tasks: tasks, inits: inits, words: 1,
		arrows:  map[uint32]map[int][]arrow{},
		blocked: map[uint32]uint64{},
		unfit:   map[uint32]bool{},
	}
}

// add adds an arrow.
func (m *system) add(from uint32, task int, a arrow) *system {
	if m.arrows[from] == nil {
		m.arrows[from] = map[int][]arrow{}
	}
	m.arrows[from][task] = append(m.arrows[from][task], a)
	return m
}

// step adds a plain arrow.
func (m *system) step(from uint32, task int, to uint32, marks ...statespace.Mark) *system {
	a := arrow{to: to}
	for _, mark := range marks {
		a.marks |= mark
	}
	return m.add(from, task, a)
}

// block says that a task without an arrow is blocked in a state.
func (m *system) block(s uint32, tasks ...int) *system {
	for _, t := range tasks {
		m.blocked[s] |= 1 << t
	}
	return m
}

func (m *system) Init(yield func(*node)) {
	for _, i := range m.inits {
		yield(&node{i})
	}
}

func (m *system) Tasks() int { return m.tasks }

func (m *system) Step(s *node, task int, mv *statespace.Move) statespace.Status {
	arrows := m.arrows[s.At][task]
	if len(arrows) == 0 {
		if m.blocked[s.At]>>task&1 != 0 {
			return statespace.Blocked
		}
		return statespace.Done
	}
	a := arrows[mv.Choose(len(arrows))]
	if a.panics {
		panic("planted")
	}
	if a.blocks {
		return statespace.Blocked
	}
	s.At = a.to
	mv.Marks |= a.marks
	mv.Tag(statespace.Tag(task))
	if a.truncate {
		mv.Truncate("out of slots")
	}
	return statespace.Moved
}

func (m *system) Words() int { return m.words }

var errUnfit = errors.New("does not fit")

func (m *system) Pack(s *node, words []uint64) error {
	if m.unfit[s.At] {
		return fmt.Errorf("state %d: %w", s.At, errUnfit)
	}
	clear(words)
	words[len(words)-1] = uint64(s.At)
	return nil
}

func (m *system) Unpack(words []uint64, s *node) { s.At = uint32(words[len(words)-1]) }
