package statespace

// A finding is one property and what violates it at the least depth: states, or
// steps, all of one breadth-first level.
type finding struct {
	kind   Kind
	name   string
	states []uint32
	steps  []stepAt
	closed bool // the level is complete, deeper violations do not matter
}

// A stepAt is an outcome of a step from a state.
type stepAt struct {
	state   uint32
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
	maxima     []Peak

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

// judge checks the claims about state i, which is new.
func (e *explorer[S]) judge(i uint32) {
	e.m.Unpack(e.seen.at(int(i)), &e.probe)
	c := &e.checks
	for k := range c.invariants {
		f := &c.invariants[k]
		if f.closed {
			continue
		}
		e.at.property = f.name
		if !e.o.Invariants[k].Holds(&e.probe) {
			f.states = append(f.states, i)
			c.found++
		}
	}
	for k := range e.o.Antecedents {
		if a := &e.o.Antecedents[k]; a.State != nil && !c.met[k] {
			e.at.property = a.Name
			c.met[k] = a.State(&e.probe)
		}
	}
	for k := range c.maxima {
		peak := &c.maxima[k]
		e.at.property = peak.Name
		if v := e.o.Maxima[k].Value(&e.probe); peak.State < 0 || v > peak.Value {
			peak.Value, peak.State = v, int(i)
		}
	}
	e.at.property = ""
}

// judgeStep checks the claims about the step just taken from state i.
func (e *explorer[S]) judgeStep(i int) {
	c := &e.checks
	e.at.step = Choice{e.mv.Task, e.mv.Outcome}
	for k := range c.steps {
		f := &c.steps[k]
		if f.closed {
			continue
		}
		e.at.property = f.name
		if !e.o.StepInvariants[k].Holds(&e.base, &e.work, &e.mv) {
			f.steps = append(f.steps, stepAt{uint32(i), uint32(e.mv.Outcome), uint8(e.mv.Task)})
			c.found++
		}
	}
	for k := range e.o.Antecedents {
		if a := &e.o.Antecedents[k]; a.Met != nil && !c.met[k] {
			e.at.property = a.Name
			c.met[k] = a.Met(&e.base, &e.work, &e.mv)
		}
	}
	e.at.property = ""
}

// terminal checks the claims about state i, in e.base, in which no task moves.
func (e *explorer[S]) terminal(i int) {
	e.terminals++
	c := &e.checks
	e.at.hasStep = false
	for k := range c.terminal {
		f := &c.terminal[k]
		if f.closed {
			continue
		}
		e.at.property = f.name
		if !e.o.Terminal[k].Holds(&e.base) {
			f.states = append(f.states, uint32(i))
			c.found++
		}
	}
	e.at.property, e.at.hasStep = "", true
}
