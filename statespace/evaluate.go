package statespace

// A taskPredicate is a predicate of state and task that a question on the graph
// asks about, and its value for every state.
type taskPredicate[S any] struct {
	name  string
	tasks uint64                    // those asked about
	holds func(s *S, task int) bool // nil: everywhere, and masks is not used
	masks maskVector
}

// evaluate evaluates the predicates of all questions, those of Starved and then
// those of Longest, so that a state is unpacked only once, if there are any.
func (e *explorer[S]) evaluate() error {
	for i := range e.o.Starved {
		p := &e.o.Starved[i]
		e.predicates = append(e.predicates, taskPredicate[S]{p.Name, e.allTasks(), p.Owes, newMaskVector(e.tasks)})
	}
	for i := range e.o.Longest {
		q := &e.o.Longest[i]
		e.predicates = append(e.predicates, taskPredicate[S]{q.Name, q.Tasks & e.allTasks(), q.Within, newMaskVector(e.tasks)})
	}
	asked := 0
	for i := range e.predicates {
		if e.predicates[i].holds != nil {
			asked++
		}
	}
	e.analysis = int64(asked*e.states()) * int64(newMaskVector(e.tasks).width)
	if asked == 0 || !e.watch.hold(e.memory()) {
		return nil
	}
	poll := e.poll("evaluate", func() int64 { return 0 })
	for s := range e.states() {
		if s&0xfff == 0 && !poll() {
			return nil
		}
		e.unpack(uint64(s), &e.probe)
		for i := range e.predicates {
			e.predicates[i].add(e, uint64(s))
		}
	}
	return nil
}

// add evaluates the predicate in a state, which is in e.probe.
func (p *taskPredicate[S]) add(e *explorer[S], s uint64) {
	if p.holds == nil {
		return
	}
	e.at = place{property: p.name, state: s}
	var mask uint64
	for t := range e.tasks {
		if p.tasks>>t&1 != 0 && p.holds(&e.probe, t) {
			mask |= 1 << t
		}
	}
	p.masks.push(mask)
}

// where is the states in which a predicate holds of a task, and whether there are
// any; nil is all of them. They are valid until the next call.
func (e *explorer[S]) where(p *taskPredicate[S], task int) (set bitset, some bool) {
	if p.holds == nil {
		return nil, true
	}
	if e.held == nil {
		e.held = newBitset(e.states())
	}
	clear(e.held)
	for s := range e.states() {
		if p.masks.has(s, task) {
			e.held.add(uint32(s))
			some = true
		}
	}
	return e.held, some
}
