package statespace

// A finding is one property and what violates it at the least depth: states, or
// steps, all of one breadth-first level.
type finding struct {
	kind   Kind
	name   string
	states []uint64 // refs
	steps  []stepAt
	closed bool // the level is complete, deeper violations do not matter
}

// A stepAt is an outcome of a step from a state.
type stepAt struct {
	state   uint64
	outcome uint32
	task    uint8
}

func (f *finding) violated() bool { return len(f.states)+len(f.steps) > 0 }

// checks are the properties that are judged during the search. The findings
// stand beside the options they belong to.
type checks[S any] struct {
	invariants []finding
	steps      []finding
	terminal   []finding
	met        []bool
	maxima     []Peak   // State is 0 when there is one
	peakRefs   []uint64 // and this is its ref

	onStates bool // something is to be judged on states
	onSteps  bool // or on steps
	found    int  // violations recorded
}

func (c *checks[S]) init(o *Options[S]) {
	for i := range o.Invariants {
		c.invariants = append(c.invariants, finding{kind: StateKind, name: o.Invariants[i].Name})
	}
	for i := range o.StepInvariants {
		c.steps = append(c.steps, finding{kind: StepKind, name: o.StepInvariants[i].Name})
	}
	for i := range o.Terminal {
		c.terminal = append(c.terminal, finding{kind: TerminalKind, name: o.Terminal[i].Name})
	}
	for i := range o.Maxima {
		c.maxima = append(c.maxima, Peak{Name: o.Maxima[i].Name, State: -1})
	}
	c.peakRefs = make([]uint64, len(o.Maxima))
	c.met = make([]bool, len(o.Antecedents))
	c.onStates = len(o.Invariants)+len(o.Maxima) > 0
	c.onSteps = len(o.StepInvariants) > 0
	for i := range o.Antecedents {
		c.onStates = c.onStates || o.Antecedents[i].State != nil
		c.onSteps = c.onSteps || o.Antecedents[i].Met != nil
	}
}

// bytes bounds the memory of what is recorded.
func (c *checks[S]) bytes() int64 { return 24 * int64(c.found) }

// endLevel closes what the level has shown violated.
func (c *checks[S]) endLevel() {
	for _, list := range [...][]finding{c.invariants, c.steps, c.terminal} {
		for i := range list {
			list[i].closed = list[i].closed || list[i].violated()
		}
	}
}

// judge checks the claims about a successor, or an initial state, that may be
// new, given its packed words and its number among those.
func (b *batch[S]) judge(words []uint64, at int32) {
	e := b.e
	e.m.Unpack(words, &b.probe)
	for k := range e.checks.invariants {
		f := &e.checks.invariants[k]
		if f.closed {
			continue
		}
		b.at.property = f.name
		if !e.o.Invariants[k].Holds(&b.probe) {
			b.stateRemarks = append(b.stateRemarks, remark{what: badState, which: int32(k), at: at})
		}
	}
	for _, k := range b.unmetStates {
		if a := &e.o.Antecedents[k]; !b.met[k] {
			b.at.property = a.Name
			if b.met[k] = a.State(&b.probe); b.met[k] {
				b.stateRemarks = append(b.stateRemarks, remark{what: met, which: int32(k), at: at})
			}
		}
	}
	for k := range b.peaks {
		p := &b.peaks[k]
		b.at.property = p.Name
		if v := e.o.Maxima[k].Value(&b.probe); p.State < 0 || v > p.Value {
			p.Value, p.State = v, 0
			b.stateRemarks = append(b.stateRemarks, remark{what: peak, which: int32(k), at: at, value: v})
		}
	}
	b.at.property = ""
}

// judgeStep checks the claims about the step from b.base to b.work.
func (b *batch[S]) judgeStep() {
	e := b.e
	for k := range e.checks.steps {
		f := &e.checks.steps[k]
		if f.closed {
			continue
		}
		b.at.property = f.name
		if !e.o.StepInvariants[k].Holds(&b.base, &b.work, &b.mv) {
			b.remarkOnStep(badStep, k)
		}
	}
	for _, k := range b.unmetSteps {
		if a := &e.o.Antecedents[k]; !b.met[k] {
			b.at.property = a.Name
			if b.met[k] = a.Met(&b.base, &b.work, &b.mv); b.met[k] {
				b.remarkOnStep(met, k)
			}
		}
	}
	b.at.property = ""
}

func (b *batch[S]) remarkOnStep(what remarkKind, which int) {
	b.stepRemarks = append(b.stepRemarks, remark{
		what: what, which: int32(which), at: int32(len(b.rows)),
		step: stepAt{outcome: uint32(b.mv.Outcome), task: uint8(b.mv.Task)},
	})
}

// terminal checks the claims about state i of the batch, in b.base, in which no
// task moves.
func (b *batch[S]) terminal(i int) {
	e := b.e
	b.terminals++
	b.at.hasStep = false
	for k := range e.checks.terminal {
		f := &e.checks.terminal[k]
		if f.closed {
			continue
		}
		b.at.property = f.name
		if !e.o.Terminal[k].Holds(&b.base) {
			b.stepRemarks = append(b.stepRemarks, remark{what: badTerminal, which: int32(k), at: int32(i)})
		}
	}
	b.at.property, b.at.hasStep = "", true
}

// remark records a remark about a state, or about a step from it.
func (e *explorer[S]) remark(r *remark, ref uint64) {
	c := &e.checks
	switch r.what {
	case badState:
		c.invariants[r.which].states = append(c.invariants[r.which].states, ref)
		c.found++
	case badTerminal:
		c.terminal[r.which].states = append(c.terminal[r.which].states, ref)
		c.found++
	case badStep:
		r.step.state = ref
		c.steps[r.which].steps = append(c.steps[r.which].steps, r.step)
		c.found++
	case met:
		c.met[r.which] = true
	case peak:
		if p := &c.maxima[r.which]; p.State < 0 || r.value > p.Value {
			p.Value, p.State, c.peakRefs[r.which] = r.value, 0, ref
		}
	}
}
