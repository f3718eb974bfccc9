package statespace

import (
	"errors"
	"fmt"
	"slices"
)

// A tree is a search that keeps with each node the node it came from, so that
// the path to whatever it meets is read off at once, whatever the order of the
// search. Deepening and the reduced search are made of it; they decide what a
// node is and in which order nodes are expanded. Not safe for concurrent use.
type tree[S any] struct {
	m     Model[S]
	o     *Options[S]
	tasks int
	watch *watch
	// canonical, if not nil, brings a successor to the form in which it is kept.
	canonical func(*S)
	// beside, if not nil, is the memory held beside states and nodes.
	beside func() int64

	states *index
	nodes  vector[treeNode]

	transitions int
	terminals   int
	truncated   string // the first reason a step gave for leaving the model
	coverage    *[MaxTags]uint64
	met         []bool // per antecedent
	violations  []Violation
	violated    map[string]bool

	mv     Move
	base   S        // the state expanded
	from   []uint64 // and packed
	work   S        // its successor
	packed []uint64
	probe  S // the state judged
	at     twig
}

// A treeNode is a state with the step that led to it.
type treeNode struct {
	state   uint32
	parent  uint32 // a node; of a root, the number of the initial state
	outcome uint32
	task    uint8 // noTask for a root
}

const noTask = 0xff

// A twig is where a search is: a node, and perhaps a step from it.
type twig struct {
	node     uint32
	rooted   bool // there is a node
	hasStep  bool
	step     Choice
	init     int    // the initial state, where there is no node
	property string // the property that is judged; "": the model runs
}

// errEnded ends a search that has given the reason to its watch.
var errEnded = errors.New("the search ended early")

func newTree[S any](m Model[S], o *Options[S]) (*tree[S], error) {
	tasks, words := m.Tasks(), m.Words()
	if tasks < 1 || tasks > MaxTasks {
		return nil, fmt.Errorf("a model has 1 to %d tasks, not %d", MaxTasks, tasks)
	}
	if words < 1 {
		return nil, fmt.Errorf("a packed state has at least one word, not %d", words)
	}
	t := &tree[S]{
		m: m, o: o, tasks: tasks,
		watch:    newWatch(o.Context, o.Limits, o.Progress),
		states:   newIndex(words),
		coverage: new([MaxTags]uint64),
		met:      make([]bool, len(o.Antecedents)),
		violated: map[string]bool{},
		packed:   make([]uint64, words),
		at:       twig{init: -1},
	}
	t.watch.limits.States = min(t.watch.limits.States, maxStates)
	return t, nil
}

// guard runs f, and turns a fault of the model, a panic or an error, into a
// *ModelError with the path to it. The end at a limit is no error.
func (t *tree[S]) guard(f func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			what := "a step"
			switch {
			case t.at.property != "":
				what = fmt.Sprintf("property %q", t.at.property)
			case !t.at.rooted:
				what = "an initial state"
			}
			err = t.located(caught(what, r))
		}
	}()
	err = f()
	if err == errEnded {
		return nil
	}
	if err != nil {
		return t.located(&ModelError{Err: err})
	}
	return nil
}

func (t *tree[S]) located(fault *ModelError) error {
	fault.Init, fault.Path = t.path()
	return fault
}

// path is the path to where the search is.
func (t *tree[S]) path() (init int, path []Choice) {
	if !t.at.rooted {
		return t.at.init, nil
	}
	if t.at.hasStep {
		path = append(path, t.at.step)
	}
	n := t.nodes.at(int(t.at.node))
	for ; n.task != noTask; n = t.nodes.at(int(n.parent)) {
		path = append(path, Choice{int(n.task), int(n.outcome)})
	}
	slices.Reverse(path)
	return int(n.parent), path
}

// roots finds the initial states and calls f with the node of each.
func (t *tree[S]) roots(f func(node uint32) error) error {
	var err error
	number := 0
	t.m.Init(func(s *S) {
		if err != nil {
			return
		}
		t.work = *s
		t.at = twig{init: number}
		state, added, fault := t.arrive()
		if err = fault; added && err == nil {
			var n uint32
			if n, err = t.grow(treeNode{state: state, parent: uint32(number), task: noTask}); err == nil {
				err = f(n)
			}
		}
		number++
	})
	return err
}

// expand makes node the one whose steps are taken next.
func (t *tree[S]) expand(node uint32) {
	t.at = twig{node: node, rooted: true}
	t.from = t.states.row(t.nodes.at(int(node)).state)
	t.m.Unpack(t.from, &t.base)
}

// An attempt is what came of asking a task for its step.
type attempt struct {
	moved   bool // some outcome is a step, perhaps beyond a bound of the model
	blocked bool // some outcome is blocked
}

// attempt takes every outcome of the step of a task from the node expanded,
// judges them, and calls f for each with the state it leads to and whether that
// is new.
func (t *tree[S]) attempt(task int, f func(state uint32, added bool) error) (a attempt, err error) {
	mv := &t.mv
	for mv.begin(task); ; {
		t.at.hasStep, t.at.step = true, Choice{task, mv.Outcome}
		t.work = t.base
		switch t.m.Step(&t.work, task, mv) {
		case Moved:
			a.moved = true
			if mv.truncated != "" {
				if t.truncated == "" {
					t.truncated = mv.truncated
				}
				break
			}
			t.judgeStep()
			state, added, err := t.arrive()
			if err != nil {
				return a, err
			}
			t.transitions++
			if err := f(state, added); err != nil {
				return a, err
			}
		case Blocked:
			a.blocked = true
		}
		if !mv.next() {
			t.at.hasStep = false
			return a, nil
		}
	}
}

// arrive finds the state in t.work; one that is new is added and judged.
func (t *tree[S]) arrive() (state uint32, added bool, err error) {
	if t.canonical != nil {
		t.canonical(&t.work)
	}
	if err := t.m.Pack(&t.work, t.packed); err != nil {
		return 0, false, fmt.Errorf("cannot pack a state: %w", err)
	}
	if t.at.rooted && slices.Equal(t.packed, t.from) {
		return t.nodes.at(int(t.at.node)).state, false, t.ended()
	}
	hash := hashState(t.packed)
	state, found := t.states.find(t.packed, hash)
	if found {
		return state, false, t.ended()
	}
	if t.states.n >= t.watch.limits.States {
		t.watch.stop(StateLimit)
		return 0, false, errEnded
	}
	if growth := t.states.growth(1); growth > 0 && !t.watch.hold(t.bytes()+growth) {
		return 0, false, errEnded
	}
	t.states.reserve(1)
	state, _ = t.states.insert(t.packed, hash)
	t.judgeState()
	return state, true, t.ended()
}

// ended ends the search when it stops at the first violation and has it.
func (t *tree[S]) ended() error {
	if t.o.StopAtFirst && len(t.violations) > 0 {
		t.watch.stop(FirstViolation)
		return errEnded
	}
	return nil
}

// grow adds a node.
func (t *tree[S]) grow(n treeNode) (uint32, error) {
	if t.nodes.n >= maxStates {
		t.watch.stop(StateLimit)
		return 0, errEnded
	}
	if growth := t.nodes.growth(1); growth > 0 && !t.watch.hold(t.bytes()+growth) {
		return 0, errEnded
	}
	t.nodes.push(n)
	return uint32(t.nodes.n - 1), nil
}

// child adds the node that the step taken last leads to.
func (t *tree[S]) child(state uint32) (uint32, error) {
	return t.grow(treeNode{state, t.at.node, uint32(t.at.step.Outcome), uint8(t.at.step.Task)})
}

// bytes is the memory that the search holds.
func (t *tree[S]) bytes() int64 {
	size := t.states.bytes() + t.nodes.bytes()
	if t.beside != nil {
		size += t.beside()
	}
	return size
}

func (t *tree[S]) fillProgress(p *Progress) {
	p.States = t.states.n
	p.Transitions = t.transitions
	p.Memory = t.bytes()
}

// judgeState judges a new state, which t.packed holds.
func (t *tree[S]) judgeState() {
	t.m.Unpack(t.packed, &t.probe)
	for i := range t.o.Invariants {
		c := &t.o.Invariants[i]
		t.at.property = c.Name
		if !t.violated[c.Name] && !c.Holds(&t.probe) {
			t.report(c.Name, StateKind, -1)
		}
	}
	for i := range t.o.Antecedents {
		if a := &t.o.Antecedents[i]; a.State != nil && !t.met[i] {
			t.at.property = a.Name
			t.met[i] = a.State(&t.probe)
		}
	}
	t.at.property = ""
}

// judgeStep judges the step from t.base to t.work.
func (t *tree[S]) judgeStep() {
	for _, tag := range t.mv.Tags() {
		t.coverage[tag]++
	}
	for i := range t.o.StepInvariants {
		c := &t.o.StepInvariants[i]
		t.at.property = c.Name
		if !t.violated[c.Name] && !c.Holds(&t.base, &t.work, &t.mv) {
			t.report(c.Name, StepKind, t.mv.Task)
		}
	}
	for i := range t.o.Antecedents {
		if a := &t.o.Antecedents[i]; a.Met != nil && !t.met[i] {
			t.at.property = a.Name
			t.met[i] = a.Met(&t.base, &t.work, &t.mv)
		}
	}
	t.at.property = ""
}

// judgeEnd judges t.base, in which no task moves and these are blocked. A task
// that is blocked there is stuck, although not all that are stuck are found so.
func (t *tree[S]) judgeEnd(blocked uint64) error {
	t.terminals++
	for i := range t.o.Terminal {
		c := &t.o.Terminal[i]
		t.at.property = c.Name
		if !t.violated[c.Name] && !c.Holds(&t.base) {
			t.report(c.Name, TerminalKind, -1)
		}
	}
	for i := range t.o.Stuck {
		c := &t.o.Stuck[i]
		t.at.property = c.Name
		for task := range t.tasks {
			if blocked>>task&1 != 0 && !t.violated[c.Name] && (c.Excused == nil || !c.Excused(&t.base, task)) {
				t.report(c.Name, StuckKind, task)
			}
		}
	}
	t.at.property = ""
	return t.ended()
}

// report records a violation where the search is; the first of its name counts.
func (t *tree[S]) report(name string, kind Kind, task int) {
	init, path := t.path()
	t.violated[name] = true
	t.violations = append(t.violations, Violation{Property: name, Kind: kind, Task: task, Init: init, Path: path, Loop: -1})
}

// sorted are the violations in the order of Result: by kind, then as asked.
func (t *tree[S]) sorted() []Violation {
	rank := map[string]int{}
	for i := range t.o.Invariants {
		rank[t.o.Invariants[i].Name] = i
	}
	for i := range t.o.StepInvariants {
		rank[t.o.StepInvariants[i].Name] = i
	}
	for i := range t.o.Terminal {
		rank[t.o.Terminal[i].Name] = i
	}
	for i := range t.o.Stuck {
		rank[t.o.Stuck[i].Name] = i
	}
	slices.SortStableFunc(t.violations, func(a, b Violation) int {
		if a.Kind != b.Kind {
			return int(a.Kind) - int(b.Kind)
		}
		return rank[a.Property] - rank[b.Property]
	})
	return t.violations
}

// exercised says of each antecedent whether it was true.
func (t *tree[S]) exercised() map[string]bool {
	all := map[string]bool{}
	for i := range t.o.Antecedents {
		all[t.o.Antecedents[i].Name] = t.met[i]
	}
	return all
}

// reason is why the search is not exhausted, or "".
func (t *tree[S]) reason() string {
	if t.watch.reason != "" {
		return t.watch.reason
	}
	return t.truncated
}
