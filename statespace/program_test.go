package statespace_test

import (
	"slices"

	"cilcheck/statespace"

	"pgregory.net/rapid"
)

// A program is a model of tasks that run small straight programs with jumps over
// shared variables: what real models are made of, in random order.
type program struct {
	code  [][]instruction // per task
	start [][2]uint8      // the first two variables, per initial state
	regs  [mostThreads]uint8
	alike bool // all tasks run the same code
	// lie, if not nil, spoils the footprints.
	lie func(f *statespace.Footprint)
}

const (
	sharedVars  = 4
	mostThreads = 3
	wakeMark    = statespace.FirstFree
)

type programState struct {
	PC, Reg [mostThreads]uint8
	X       [sharedVars]uint8
}

type opcode uint8

const (
	opLocal  opcode = iota // counts in its register
	opLoad                 // register = x
	opStore                // x = register
	opSet                  // x = c
	opCount                // x = x + 1
	opAwait                // blocked until x is c
	opChoose               // register = 0 to x
	opJump                 // to c if the register is 0
	opReport               // reports a bad mark if the register is 0
	opCut                  // leaves the model if the register is 2
	opSleep                // blocked until woken
	opWake                 // wakes task c if it sleeps
	opcodes
)

type instruction struct {
	op   opcode
	x, c int
}

func (m *program) Init(yield func(*programState)) {
	for _, x := range m.start {
		yield(&programState{Reg: m.regs, X: [sharedVars]uint8{x[0], x[1]}})
	}
}

func (m *program) Tasks() int { return len(m.code) }
func (m *program) Words() int { return 1 }

func (m *program) Step(s *programState, task int, mv *statespace.Move) statespace.Status {
	pc := int(s.PC[task])
	if pc == len(m.code[task]) {
		return statespace.Done
	}
	in := m.code[task][pc]
	reg := &s.Reg[task]
	next := pc + 1
	switch in.op {
	case opLocal:
		*reg = (*reg + 1) % 3
	case opLoad:
		*reg = s.X[in.x]
	case opStore:
		s.X[in.x] = *reg
	case opSet:
		s.X[in.x] = uint8(in.c % 3)
	case opCount:
		s.X[in.x] = (s.X[in.x] + 1) % 3
	case opAwait:
		if s.X[in.x] != uint8(in.c%3) {
			return statespace.Blocked
		}
	case opChoose:
		*reg = uint8(mv.Choose(1 + int(s.X[in.x])))
	case opJump:
		if *reg == 0 {
			next = in.c
		}
	case opReport:
		if *reg == 0 {
			mv.Marks |= markBad
		}
	case opCut:
		if *reg == 2 {
			mv.Truncate("cut")
		}
	case opSleep:
		return statespace.Blocked
	case opWake:
		if m.sleeps(s, in.c) {
			s.PC[in.c]++
			mv.Marks |= wakeMark
		}
	}
	s.PC[task] = uint8(next)
	if m.alike {
		mv.Tag(statespace.Tag(pc))
	} else {
		mv.Tag(statespace.Tag(task*16 + pc))
	}
	return statespace.Moved
}

func (m *program) sleeps(s *programState, task int) bool {
	pc := int(s.PC[task])
	return pc < len(m.code[task]) && m.code[task][pc].op == opSleep
}

func (m *program) Pack(s *programState, words []uint64) error {
	words[0] = 0
	for i := range mostThreads {
		words[0] |= uint64(s.PC[i])<<(8*i) | uint64(s.Reg[i])<<(8*i+4)
	}
	for i, x := range s.X {
		words[0] |= uint64(x) << (32 + 2*i)
	}
	return nil
}

func (m *program) Unpack(words []uint64, s *programState) {
	for i := range mostThreads {
		s.PC[i], s.Reg[i] = uint8(words[0]>>(8*i)&15), uint8(words[0]>>(8*i+4)&15)
	}
	for i := range s.X {
		s.X[i] = uint8(words[0] >> (32 + 2*i) & 3)
	}
}

// Variables: the shared ones, then one per task for its counter and register.
func (m *program) Variables() int { return sharedVars + mostThreads }

func (m *program) CopyVariable(to, from *programState, v int) {
	if v < sharedVars {
		to.X[v] = from.X[v]
		return
	}
	to.PC[v-sharedVars], to.Reg[v-sharedVars] = from.PC[v-sharedVars], from.Reg[v-sharedVars]
}

// print is the footprint of one instruction.
func (m *program) print(task int, in instruction) (f statespace.Footprint) {
	f.Reads = statespace.VarsOf(sharedVars + task)
	f.Writes = f.Reads
	x := statespace.VarsOf(in.x)
	switch in.op {
	case opLoad, opAwait, opChoose:
		f.Reads = f.Reads.Union(x)
	case opStore, opSet:
		f.Writes = f.Writes.Union(x)
	case opCount:
		f.Reads, f.Writes = f.Reads.Union(x), f.Writes.Union(x)
	case opReport:
		f.Visible = true
	case opSleep:
		f.Writes = statespace.Vars{}
	case opWake:
		f.Visible = true // a claim looks at its mark
		other := statespace.VarsOf(sharedVars + in.c)
		f.Reads, f.Writes = f.Reads.Union(other), f.Writes.Union(other)
	}
	return f
}

func (m *program) NextFootprint(s *programState, task int) statespace.Footprint {
	f := statespace.Footprint{Reads: statespace.VarsOf(sharedVars + task)}
	if pc := int(s.PC[task]); pc < len(m.code[task]) {
		f = m.print(task, m.code[task][pc])
	}
	if m.lie != nil {
		m.lie(&f)
	}
	return f
}

func (m *program) RestFootprint(s *programState, task int) statespace.Footprint {
	f := statespace.Footprint{Reads: statespace.VarsOf(sharedVars + task)}
	var seen uint32
	var walk func(pc int)
	walk = func(pc int) {
		if pc >= len(m.code[task]) || seen>>pc&1 != 0 {
			return
		}
		seen |= 1 << pc
		in := m.code[task][pc]
		p := m.print(task, in)
		f.Reads, f.Writes = f.Reads.Union(p.Reads), f.Writes.Union(p.Writes)
		walk(pc + 1)
		if in.op == opJump {
			walk(in.c)
		}
	}
	walk(int(s.PC[task]))
	return f
}

// alikeProgram is a program whose tasks are interchangeable.
type alikeProgram struct{ *program }

// Canonical sorts the tasks.
func (m alikeProgram) Canonical(s *programState) {
	n := len(m.code)
	var tasks []uint16
	for i := range n {
		tasks = append(tasks, uint16(s.PC[i])<<8|uint16(s.Reg[i]))
	}
	slices.Sort(tasks)
	for i, t := range tasks {
		s.PC[i], s.Reg[i] = uint8(t>>8), uint8(t)
	}
}

// drawCode draws the program of one task. It likes its own variables better.
func drawCode(t *rapid.T, task, tasks int, alike bool) []instruction {
	n := rapid.IntRange(1, 4).Draw(t, "length")
	code := make([]instruction, n)
	for i := range code {
		last := opcodes - 1
		if alike {
			last = opSleep - 1 // to wake somebody is to know them apart
		}
		op := opcode(rapid.IntRange(0, int(last)).Draw(t, "op"))
		in := instruction{op: op, x: rapid.SampledFrom([]int{task, task, 3, 0, 1}).Draw(t, "x"), c: rapid.IntRange(0, 2).Draw(t, "c")}
		switch op {
		case opJump:
			in.c = rapid.IntRange(0, n).Draw(t, "jump")
		case opWake:
			in.c = rapid.IntRange(0, tasks-1).Draw(t, "wake")
			if in.c == task {
				in.op = opLocal
			}
		case opCut:
			if rapid.IntRange(0, 3).Draw(t, "cut") > 0 {
				in.op = opLocal
			}
		}
		code[i] = in
	}
	return code
}

func drawProgram(t *rapid.T, alike bool) *program {
	m := &program{alike: alike, start: [][2]uint8{{0, 0}}}
	if rapid.Bool().Draw(t, "two starts") {
		m.start = append(m.start, [2]uint8{1, 2})
	}
	tasks := rapid.IntRange(1, mostThreads).Draw(t, "tasks")
	for task := range tasks {
		m.regs[task] = rapid.Uint8Range(0, 2).Draw(t, "register")
	}
	for task := range tasks {
		if alike && task > 0 {
			m.code = append(m.code, m.code[0])
			continue
		}
		m.code = append(m.code, drawCode(t, task, tasks, alike))
	}
	return m
}

// drawClaims draws claims about a program and the variables that they observe.
func drawClaims(t *rapid.T, m *program) (statespace.Options[programState], statespace.Vars) {
	observed := rapid.SampledFrom([][]int{{}, {0}, {1, 3}, {0, 1}}).Draw(t, "observed")
	bad := uint64(1)<<rapid.IntRange(0, 8).Draw(t, "bad") | 1<<8
	end := rapid.Uint64().Draw(t, "end")
	seen := func(s *programState) int {
		n := 0
		for _, v := range observed {
			n = 3*n + int(s.X[v])
		}
		return n
	}
	canonical := alikeProgram{m}.Canonical
	o := statespace.Options[programState]{
		Invariants: []statespace.Invariant[programState]{{Name: "good", Holds: func(s *programState) bool { return bad>>seen(s)&1 == 0 }}},
		StepInvariants: []statespace.StepInvariant[programState]{
			{Name: "good step", Holds: func(_, _ *programState, mv *statespace.Move) bool { return mv.Marks&markBad == 0 }},
			{Name: "good report", Holds: func(before, _ *programState, mv *statespace.Move) bool {
				return mv.Marks&markBad == 0 || seen(before) != 1 && seen(before) != 4
			}},
			{Name: "good change", Holds: func(before, after *programState, _ *statespace.Move) bool {
				return end>>(seen(before)*3%32+seen(after))&1 == 0 || seen(before) == seen(after)
			}},
		},
		Terminal: []statespace.Invariant[programState]{{Name: "good end", Holds: func(s *programState) bool {
			var words [1]uint64
			c := *s
			if m.alike {
				canonical(&c)
			}
			m.Pack(&c, words[:])
			return end>>(words[0]*0x9e3779b97f4a7c15>>58)&1 == 0
		}}},
		Antecedents: []statespace.Antecedent[programState]{
			{Name: "woken", Met: func(_, _ *programState, mv *statespace.Move) bool { return mv.Marks&wakeMark != 0 }},
			{Name: "third", State: func(s *programState) bool { return seen(s) == 2 }},
		},
	}
	return o, statespace.VarsOf(observed...)
}
