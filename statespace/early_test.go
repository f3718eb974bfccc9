package statespace_test

import (
	"strings"
	"testing"

	"cilcheck/statespace"

	"pgregory.net/rapid"
)

// An earlyProgram is a program that says which steps are early, a bit for each
// task of each state.
type earlyProgram struct {
	statespace.Model[programState] // and not its footprints
	early                          map[programState]uint64
	// at, if not nil, is a state in which only task is asked about.
	at   *programState
	task int
}

func (m *earlyProgram) Early(s *programState, task int) bool {
	return m.early[*s]>>task&1 != 0 && (m.at == nil || *m.at != *s || m.task == task)
}

// asEarlyAsPossible finds all steps that are early: what is left when those are
// struck out, again and again, that CheckEarlyIn finds wrong.
func asEarlyAsPossible(m *program, o statespace.Options[programState], full *statespace.Result[programState]) *earlyProgram {
	e := &earlyProgram{Model: m, early: map[programState]uint64{}}
	states := make([]programState, full.States)
	for i := range states {
		states[i] = full.State(i)
		e.early[states[i]] = 1<<m.Tasks() - 1
	}
	for again := true; again; {
		again = false
		for _, s := range states {
			for e.at, e.task = &s, 0; e.task < m.Tasks(); e.task++ {
				if e.Early(&s, e.task) && statespace.CheckEarlyIn(e, o, &s) != nil {
					e.early[s] &^= 1 << e.task
					again = true
				}
			}
		}
	}
	e.at = nil
	return e
}

// An earlyAlike is an earlyProgram with footprints, whose tasks are alike.
type earlyAlike struct {
	alikeProgram
	*earlyProgram
}

func (m earlyAlike) Init(yield func(*programState)) { m.alikeProgram.Init(yield) }
func (m earlyAlike) Tasks() int                     { return m.alikeProgram.Tasks() }
func (m earlyAlike) Words() int                     { return m.alikeProgram.Words() }
func (m earlyAlike) Step(s *programState, task int, mv *statespace.Move) statespace.Status {
	return m.alikeProgram.Step(s, task, mv)
}
func (m earlyAlike) Pack(s *programState, words []uint64) error { return m.alikeProgram.Pack(s, words) }
func (m earlyAlike) Unpack(words []uint64, s *programState)     { m.alikeProgram.Unpack(words, s) }

// TestRandomEarlyAlike: all reductions together.
func TestRandomEarlyAlike(t *testing.T) {
	whole, kept := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		p := drawProgram(t, true)
		o, observed := drawClaims(t, p)
		full := mustExploreRapid(t, p, o)
		m := earlyAlike{alikeProgram{p}, asEarlyAsPossible(p, o, full)}
		r := reduce(t, m, o, statespace.Reduction{Symmetry: true, PartialOrder: true, Observed: observed})
		sameVerdicts[programState](t, m, o, full, r)
		whole, kept = whole+full.States, kept+r.States
	})
	t.Logf("%d of %d states", kept, whole)
	if 2*kept > whole {
		t.Errorf("%d of %d states kept: next to nothing was reduced", kept, whole)
	}
}

// TestRandomEarly compares searches that take what is early first with full
// ones, where as much is early as can be.
func TestRandomEarly(t *testing.T) {
	whole, kept := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		p := drawProgram(t, false)
		o, _ := drawClaims(t, p)
		full := mustExploreRapid(t, p, o)
		m := asEarlyAsPossible(p, o, full)
		r := reduce(t, m, o, statespace.Reduction{PartialOrder: true})
		sameVerdicts[programState](t, m, o, full, r)
		if r.Terminals != full.Terminals {
			t.Fatalf("%d terminal states; want %d", r.Terminals, full.Terminals)
		}
		whole, kept = whole+full.States, kept+r.States
	})
	t.Logf("%d of %d states", kept, whole)
	if 4*kept > 3*whole {
		t.Errorf("%d of %d states kept: next to nothing was reduced", kept, whole)
	}
}

// earlyThread says that all steps of one task are early.
type earlyThread struct {
	statespace.Model[programState]
	thread int
}

func (m earlyThread) Early(s *programState, task int) bool { return task == m.thread }

// TestEarlyMistakes: a step that is not early is found, and why.
func TestEarlyMistakes(t *testing.T) {
	claims := statespace.Options[programState]{
		Invariants: []statespace.Invariant[programState]{{Name: "one", Holds: func(s *programState) bool { return s.X[0] != 1 }}},
		StepInvariants: []statespace.StepInvariant[programState]{{Name: "report", Holds: func(before, _ *programState, mv *statespace.Move) bool {
			return mv.Marks&markBad == 0 || before.X[1] == 0
		}}},
		Antecedents: []statespace.Antecedent[programState]{
			{Name: "two", State: func(s *programState) bool { return s.X[2] == 2 }},
			{Name: "reported", Met: func(before, _ *programState, mv *statespace.Move) bool {
				return mv.Marks&markBad != 0 && before.X[3] == 1
			}},
		},
	}
	set := func(x, c int) []instruction { return []instruction{{op: opSet, x: x, c: c}} }
	report := []instruction{{op: opReport}}
	for _, c := range []struct {
		name   string
		first  []instruction // said to be early
		second []instruction
		start  uint8
		want   string
	}{
		{"independent", []instruction{{op: opLocal}}, set(0, 1), 0, "not possible"}, // when it is done
		{"two outcomes", []instruction{{op: opChoose, x: 0}}, nil, 1, "has several outcomes"},
		{"a lock", []instruction{{op: opAwait, x: 0, c: 0}, {op: opJump}}, set(0, 2), 0, "task 1: after that it is not possible"},
		{"a race", []instruction{{op: opCount, x: 3}, {op: opJump}}, set(3, 2), 0, "do not lead to the same state"},
		{"seen in a state", []instruction{{op: opSet, x: 0, c: 2}, {op: opJump}}, nil, 1, `"one" is false only before it`},
		{"seen with that", []instruction{{op: opReport}, {op: opJump}}, set(1, 1), 0, `"report" is false of it only after that`},
		{"seen with it", []instruction{{op: opSet, x: 1, c: 0}, {op: opJump}}, report, 0, `"report" is false of that only before it`},
		{"met in a state", []instruction{{op: opSet, x: 2, c: 0}, {op: opJump}}, set(2, 2), 0, "do not lead"},
		{"met with that", []instruction{{op: opReport}, {op: opJump}}, set(3, 1), 0, `"reported" is met by it only after that`},
	} {
		p := &program{code: [][]instruction{c.first, c.second}, start: [][2]uint8{{c.start, 0}, {c.start, 1}}}
		err := statespace.CheckEarly(earlyThread{p, 0}, claims, statespace.CheckOptions{Seed: 1, Runs: 50, Steps: 10})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v; want %q", c.name, err, c.want)
		}
	}
	if err := statespace.CheckEarly(&program{}, claims, statespace.CheckOptions{Runs: 1}); err == nil {
		t.Error("checked what cannot be")
	}
}

// TestEarlyCycle: a step that is early for ever does not put the others off for
// ever.
func TestEarlyCycle(t *testing.T) {
	code := [][]instruction{
		{{op: opLocal}, {op: opLocal}, {op: opLocal}, {op: opJump}},
		{{op: opSet, x: 1, c: 1}},
	}
	m := earlyThread{&program{code: code, start: [][2]uint8{{0, 0}}}, 0}
	o := statespace.Options[programState]{Invariants: []statespace.Invariant[programState]{{Name: "zero", Holds: func(s *programState) bool { return s.X[1] == 0 }}}}
	if err := statespace.CheckEarly(m, o, statespace.CheckOptions{Seed: 1, Runs: 10, Steps: 10}); err != nil {
		t.Fatal(err)
	}
	sameVerdicts(t, m, o, mustExplore(t, m, o), reduce(t, m, o, statespace.Reduction{PartialOrder: true}))
}
