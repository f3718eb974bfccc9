package statespace

// Unbounded lets HuntPreemptions go on to any number of preemptions.
const Unbounded = -1

// A HuntResult is what a hunt for violations found, and how much it has seen.
type HuntResult struct {
	// Violations has at most one per property name, in the order of Result. Each
	// is shown with the fewest preemptions that it takes.
	Violations []Violation
	// Preemptions are those of each violation, by property.
	Preemptions map[string]int
	// Bound says that every behaviour with at most so many preemptions was
	// looked at; -1 when not even those with none were.
	Bound int

	// Exhausted says that there is no other behaviour. A property that is not
	// listed as violated then holds; of Stuck, only states in which no task can
	// move were judged. Otherwise Reason says why the hunt ended.
	Exhausted bool
	Reason    string

	States      int // distinct
	Transitions int // steps taken, outcomes counted apart, each once
	Terminals   int // states in which no task can move
	// Exercised says of each antecedent whether it was ever true.
	Exercised map[string]bool
	// Coverage counts, per tag, the passages of transitions through it.
	Coverage *[MaxTags]uint64
	Memory   int64 // the most bytes held at once
}

// PreemptionLimit is the reason of a hunt that ended at its bound.
const PreemptionLimit = "preemption limit"

// HuntPreemptions looks at all behaviours with no preemption, then at those with
// one, and so on to most, or Unbounded. A preemption is a step of another task
// than the last one while that could have gone on. Most faults need few (Musuvathi
// and Qadeer, Iterative Context Bounding for Systematic Testing of Multithreaded
// Programs, 2007), and a trace with few is easy to read, though it need not be
// short.
//
// It judges Invariants, StepInvariants and Terminal, Antecedents, and Stuck in
// states in which no task can move; it keeps to Limits, Context, StopAtFirst and
// Progress, and ignores the other options. The result depends on m and o alone,
// except when a limit of time or a cancellation ended the hunt. The error is as
// that of Explore.
//
// The search is exact. It goes depth-first through pairs of a state and the task
// that moved last, all those that no preemption reaches first. The next bound
// lets the other tasks move from the states seen, so nothing is done twice: over
// all bounds, each step is taken once from each state. A pair reached again is
// dropped, since what follows it depends on the pair alone and the first visit
// took no more preemptions.
func HuntPreemptions[S any](m Model[S], o Options[S], most int) (*HuntResult, error) {
	t, err := newTree(m, &o)
	if err != nil {
		return nil, err
	}
	d := &deepening[S]{tree: t, most: most, bound: -1, preemptions: map[string]int{}}
	d.push, t.beside = d.arrived, d.memory
	if err := d.guard(d.search); err != nil {
		return nil, err
	}
	return d.result(), nil
}

// deepening is a hunt. A node is a state with the task that moved last.
type deepening[S any] struct {
	*tree[S]
	most        int
	bound       int // finished
	preemptions map[string]int
	push        func(state uint32, added bool) error // arrived, bound once

	seen  vector[visits] // per state
	stack vector[uint32] // nodes to be visited
}

// visits are the last tasks with which a state was reached, and the tasks whose
// steps have been taken from it.
type visits struct{ reached, taken uint64 }

// everyTask is the set of all tasks.
func (t *tree[S]) everyTask() uint64 { return ^uint64(0) >> (MaxTasks - t.tasks) }

// search finishes one bound after the other.
func (d *deepening[S]) search() error {
	defer d.note()
	err := d.roots(func(n uint32) error {
		d.seen.push(visits{reached: d.everyTask()})
		return d.later(n)
	})
	if err != nil {
		return err
	}
	d.reverse(0)
	for first := 0; ; {
		if err := d.drain(); err != nil {
			return err
		}
		d.note()
		d.bound++
		end := d.nodes.n
		switch {
		case !d.pending(first, end):
			return nil
		case d.bound == d.most:
			d.watch.stop(PreemptionLimit)
			return nil
		}
		if err := d.preempt(first, end); err != nil {
			return err
		}
		first = end
	}
}

// note records the preemptions of the violations found within the bound that is
// being searched.
func (d *deepening[S]) note() {
	for i := range d.violations {
		name := d.violations[i].Property
		if _, known := d.preemptions[name]; !known {
			d.preemptions[name] = d.bound + 1
		}
	}
}

// pending says whether tasks have been held back in the states of some nodes.
func (d *deepening[S]) pending(first, end int) bool {
	for n := first; n < end; n++ {
		if d.seen.at(int(d.nodes.at(n).state)).taken != d.everyTask() {
			return true
		}
	}
	return false
}

// preempt lets the other tasks move from the states of the nodes of a bound,
// and finishes what follows from each before the next.
func (d *deepening[S]) preempt(first, end int) error {
	for n := first; n < end; n++ {
		if d.seen.at(int(d.nodes.at(n).state)).taken == d.everyTask() {
			continue
		}
		d.expand(uint32(n))
		if err := d.others(0, true); err != nil {
			return err
		}
		d.reverse(0)
		if err := d.drain(); err != nil {
			return err
		}
	}
	return nil
}

// drain visits nodes, the latest first, until none is left.
func (d *deepening[S]) drain() error {
	for i := 0; d.stack.n > 0; i++ {
		if i&0xff == 0 && !d.watch.tick(d.fillProgress) {
			return errEnded
		}
		n := d.stack.pop()
		start := d.stack.n
		if err := d.visit(n); err != nil {
			return err
		}
		d.reverse(start)
	}
	return nil
}

// visit goes on with the task that moved last; only if it cannot move may the
// others.
func (d *deepening[S]) visit(n uint32) error {
	node := d.nodes.at(int(n))
	taken := d.seen.at(int(node.state)).taken
	if node.task == noTask {
		d.expand(n)
		return d.others(0, false)
	}
	if taken>>node.task&1 != 0 {
		return nil
	}
	d.expand(n)
	d.seen.ptr(int(node.state)).taken |= 1 << node.task
	a, err := d.attempt(int(node.task), d.push)
	if err != nil || a.moved {
		return err
	}
	blocked := uint64(0)
	if a.blocked {
		blocked = 1 << node.task
	}
	// A task whose step alone was taken before could move.
	return d.others(blocked, taken != 0)
}

// others takes the steps not yet taken from the node expanded. Of the others is
// known which are blocked, and whether one of them moves.
func (d *deepening[S]) others(blocked uint64, moves bool) error {
	seen := d.seen.ptr(int(d.nodes.at(int(d.at.node)).state))
	todo := d.everyTask() &^ seen.taken
	seen.taken = d.everyTask()
	for task := range d.tasks {
		if todo>>task&1 == 0 {
			continue
		}
		a, err := d.attempt(task, d.push)
		if err != nil {
			return err
		}
		moves = moves || a.moved
		if a.blocked {
			blocked |= 1 << task
		}
	}
	if moves {
		return nil
	}
	return d.judgeEnd(blocked)
}

// reverse turns the nodes on the stack from start on round: what was put on
// first is visited first.
func (d *deepening[S]) reverse(start int) {
	for i, k := start, d.stack.n-1; i < k; i, k = i+1, k-1 {
		a, b := d.stack.ptr(i), d.stack.ptr(k)
		*a, *b = *b, *a
	}
}

// arrived makes the step taken last a node to be visited, unless all that can
// follow it has been or will be looked at.
func (d *deepening[S]) arrived(state uint32, added bool) error {
	if added {
		if growth := d.seen.growth(1); growth > 0 && !d.watch.hold(d.bytes()+growth) {
			return errEnded
		}
		d.seen.push(visits{})
	}
	seen, last := d.seen.ptr(int(state)), uint64(1)<<d.at.step.Task
	if seen.reached&last != 0 || seen.taken == d.everyTask() {
		return nil
	}
	seen.reached |= last
	n, err := d.child(state)
	if err != nil {
		return err
	}
	return d.later(n)
}

// later puts a node on the stack.
func (d *deepening[S]) later(n uint32) error {
	if growth := d.stack.growth(1); growth > 0 && !d.watch.hold(d.bytes()+growth) {
		return errEnded
	}
	d.stack.push(n)
	return nil
}

func (d *deepening[S]) memory() int64 {
	return d.seen.bytes() + d.stack.bytes()
}

func (d *deepening[S]) fillProgress(p *Progress) {
	d.tree.fillProgress(p)
	p.Phase = "preemptions"
	p.Level = d.bound + 1
	p.Frontier = d.stack.n
}

func (d *deepening[S]) result() *HuntResult {
	return &HuntResult{
		Violations:  d.sorted(),
		Preemptions: d.preemptions,
		Bound:       d.bound,
		Exhausted:   d.reason() == "",
		Reason:      d.reason(),
		States:      d.states.n,
		Transitions: d.transitions,
		Terminals:   d.terminals,
		Exercised:   d.exercised(),
		Coverage:    d.coverage,
		Memory:      d.watch.peak,
	}
}

// Preemptions counts the preemptions on a path: the steps of another task than
// the one before, which could have gone on. The error is as that of Replay.
func Preemptions[S any](m Model[S], init int, path []Choice) (int, error) {
	n, last := 0, -1
	var before S
	err := Replay(m, init, path, func(i int, s *S, mv *Move) {
		if i > 0 {
			if last >= 0 && last != mv.Task && enabled(m, &before, last) {
				n++
			}
			last = mv.Task
		}
		before = *s
	})
	return n, err
}

// enabled says whether a task can move, be it beyond a bound of the model.
func enabled[S any](m Model[S], s *S, task int) bool {
	var mv Move
	for mv.begin(task); ; {
		next := *s
		if m.Step(&next, task, &mv) == Moved {
			return true
		}
		if !mv.next() {
			return false
		}
	}
}
