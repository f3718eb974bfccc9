package statespace

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
)

// WalkOptions say how to walk. The same options give the same walk.
type WalkOptions struct {
	Seed   uint64
	Runs   int    // walks from an initial state, at least 1
	Steps  int    // most steps of a run
	Policy Policy // who moves next; nil is Uniform
}

// A WalkResult is what random walks found. Nothing is claimed about properties
// that are not listed as violated.
type WalkResult struct {
	Runs, Steps int    // done
	Reason      string // why the walk ended before all runs were done, or ""
	// Violations has at most one per property name, the shortest met.
	Violations []Violation
	Exercised  map[string]bool
	Coverage   *[MaxTags]uint64
}

// Walk takes random paths through m and judges what it meets on them: the
// invariants, the step and terminal claims, the antecedents; a state in which
// no task can move although one is blocked as stuck; and a task that comes back
// alone to exactly the same state as a spin. It takes the context, the limit of
// time and StopAtFirst of o into account, and ignores its other options.
func Walk[S any](m Model[S], o Options[S], w WalkOptions) (*WalkResult, error) {
	if w.Runs < 1 || w.Steps < 1 {
		return nil, errors.New("a walk needs at least one run of one step")
	}
	e, err := newExplorer(m, &o)
	if err != nil {
		return nil, err
	}
	if w.Policy == nil {
		w.Policy = Uniform{}
	}
	k := &walker[S]{explorer: e, w: w, found: map[string]*Violation{}}
	m.Init(func(s *S) { k.starts = append(k.starts, *s) })
	if len(k.starts) == 0 {
		return nil, errors.New("the model has no initial state")
	}
	if err := e.guard(k.walk); err != nil {
		var me *ModelError
		if !errors.As(err, &me) {
			me = &ModelError{Err: err}
		}
		me.Init, me.Path = k.init, slices.Clone(k.path)
		if e.at.hasStep {
			me.Path = append(me.Path, e.at.step)
		}
		return nil, me
	}
	return k.result(), nil
}

// A walker is the state of a walk. It uses an explorer for its scratch space.
type walker[S any] struct {
	*explorer[S]
	w      WalkOptions
	starts []S
	rng    *rand.Rand
	turn   turns

	init  int
	s     S
	words []uint64
	path  []Choice
	solo  solo
	found map[string]*Violation
	done  WalkResult
}

func (k *walker[S]) walk() error {
	k.words = make([]uint64, k.explorer.words)
	for run := 0; run < k.w.Runs && k.watch.reason == ""; run++ {
		k.rng = rand.New(rand.NewPCG(k.w.Seed, uint64(run)))
		k.turn = k.w.Policy.turns(k.rng, k.tasks, k.w.Steps)
		if err := k.run(); err != nil {
			return err
		}
		k.done.Runs++
		if k.o.StopAtFirst && len(k.found) > 0 {
			k.watch.stop(FirstViolation)
		}
	}
	return nil
}

// run walks once from a random initial state.
func (k *walker[S]) run() error {
	k.init = k.rng.IntN(len(k.starts))
	k.path, k.solo = k.path[:0], solo{task: -1}
	k.at = place{none: true}
	if err := k.arriveAt(&k.starts[k.init]); err != nil {
		return err
	}
	for i := range k.w.Steps {
		if i&0xff == 0 && !k.watch.tick(func(p *Progress) { p.Phase, p.Transitions = "walk", k.done.Steps }) {
			return nil
		}
		moved, err := k.step(i)
		if err != nil || !moved {
			return err
		}
	}
	return nil
}

// arriveAt makes s, in the form that comes out of the packed state, the current
// state and judges it.
func (k *walker[S]) arriveAt(s *S) error {
	if err := k.m.Pack(s, k.words); err != nil {
		return fmt.Errorf("cannot pack a state: %w", err)
	}
	k.m.Unpack(k.words, &k.s)
	for i := range k.o.Invariants {
		k.at.property = k.o.Invariants[i].Name
		if !k.o.Invariants[i].Holds(&k.s) {
			k.report(k.at.property, StateKind, -1, -1)
		}
	}
	for i := range k.o.Antecedents {
		if a := &k.o.Antecedents[i]; a.State != nil && !k.checks.met[i] {
			k.at.property = a.Name
			k.checks.met[i] = a.State(&k.s)
		}
	}
	k.at.property = ""
	return nil
}

// step moves the first task, in the order of the policy, that can move.
func (k *walker[S]) step(i int) (moved bool, err error) {
	var blocked uint64
	beyond := false
	for _, t := range k.turn.order(i) {
		k.at = place{hasStep: true, step: Choice{Task: t}}
		status, outcome, truncated := k.pick(t)
		beyond = beyond || truncated
		if status == Moved {
			k.turn.moved(t)
			return true, k.move(Choice{t, outcome})
		}
		if status == Blocked {
			blocked |= 1 << t
		}
	}
	if !beyond {
		k.at = place{}
		k.stopped(blocked)
	}
	return false, nil
}

// pick draws one of the outcomes of the step of a task, all alike.
func (k *walker[S]) pick(t int) (status Status, outcome int, truncated bool) {
	n := 0
	status = Done
	k.mv.begin(t)
	for {
		k.at.step.Outcome = k.mv.Outcome
		k.work = k.s
		switch got := k.m.Step(&k.work, t, &k.mv); {
		case got == Moved && k.mv.truncated != "":
			truncated = true
		case got == Moved:
			status = Moved
			if n++; k.rng.IntN(n) == 0 {
				outcome = k.mv.Outcome
			}
		case got == Blocked && status == Done:
			status = Blocked
		}
		if !k.mv.next() {
			return status, outcome, truncated
		}
	}
}

// move takes the step and judges it.
func (k *walker[S]) move(c Choice) error {
	k.at.step = c
	k.base = k.s
	k.mv.begin(c.Task)
	for {
		k.work = k.base
		k.m.Step(&k.work, c.Task, &k.mv)
		if k.mv.Outcome == c.Outcome {
			break
		}
		if !k.mv.next() {
			return errNotAgain
		}
	}
	for _, tag := range k.mv.Tags() {
		k.coverage[tag]++
	}
	k.solo.before(c.Task, k.words, len(k.path))
	k.path = append(k.path, c)
	k.done.Steps++
	k.at.hasStep = false // the path has it
	k.judgeWalked(c)
	marks := k.mv.Marks
	after := k.work
	if err := k.arriveAt(&after); err != nil {
		return err
	}
	if k.solo.after(marks, k.words, len(k.path)) {
		k.spun(c.Task)
	}
	return nil
}

// judgeWalked checks the claims about the step just taken.
func (k *walker[S]) judgeWalked(c Choice) {
	for i := range k.o.StepInvariants {
		k.at.property = k.o.StepInvariants[i].Name
		if !k.o.StepInvariants[i].Holds(&k.base, &k.work, &k.mv) {
			k.report(k.at.property, StepKind, c.Task, -1)
		}
	}
	for i := range k.o.Antecedents {
		if a := &k.o.Antecedents[i]; a.Met != nil && !k.checks.met[i] {
			k.at.property = a.Name
			k.checks.met[i] = a.Met(&k.base, &k.work, &k.mv)
		}
	}
	k.at.property = ""
}

// spun reports a task that came back alone to where it was.
func (k *walker[S]) spun(task int) {
	for i := range k.o.Spin {
		if p := &k.o.Spin[i]; p.Tasks == 0 || p.Tasks>>task&1 != 0 {
			k.report(p.Name, SpinKind, task, k.solo.start)
		}
	}
	k.turn.spun(task)
}

// stopped judges a state in which no task moves.
func (k *walker[S]) stopped(blocked uint64) {
	for i := range k.o.Terminal {
		k.at.property = k.o.Terminal[i].Name
		if !k.o.Terminal[i].Holds(&k.s) {
			k.report(k.at.property, TerminalKind, -1, -1)
		}
	}
	for i := range k.o.Stuck {
		p := &k.o.Stuck[i]
		k.at.property = p.Name
		for t := range k.tasks {
			if blocked>>t&1 != 0 && (p.Excused == nil || !p.Excused(&k.s, t)) {
				k.report(p.Name, StuckKind, t, -1)
				break
			}
		}
	}
	k.at.property = ""
}

// report keeps the violation if it is the shortest of its name.
func (k *walker[S]) report(name string, kind Kind, task, loop int) {
	if old := k.found[name]; old != nil && len(old.Path) <= len(k.path) {
		return
	}
	k.found[name] = &Violation{
		Property: name, Kind: kind, Task: task, Init: k.init,
		Path: slices.Clone(k.path), Loop: loop,
	}
}

func (k *walker[S]) result() *WalkResult {
	r := k.done
	r.Reason = k.watch.reason
	for _, v := range k.found {
		r.Violations = append(r.Violations, *v)
	}
	slices.SortFunc(r.Violations, func(a, b Violation) int {
		if a.Kind != b.Kind {
			return int(a.Kind) - int(b.Kind)
		}
		if a.Property < b.Property {
			return -1
		}
		return 1
	})
	r.Exercised = k.exercised()
	r.Coverage = k.coverage
	return &r
}

// A solo follows a task that moves alone and notices when it comes back to a
// state, with Brent's algorithm: it compares with one state kept, and keeps a
// later one each time the distance from it has doubled.
type solo struct {
	task  int
	kept  []uint64
	start int // steps taken when the kept state was current
	power int
}

// before is called before each step with the state then current.
func (s *solo) before(task int, words []uint64, steps int) {
	if task != s.task {
		s.task = task
		s.keep(words, steps, 1)
	}
}

func (s *solo) keep(words []uint64, steps, power int) {
	s.kept = append(s.kept[:0], words...)
	s.start, s.power = steps, power
}

// after is called after the step and reports whether it closed a cycle.
func (s *solo) after(marks Mark, words []uint64, steps int) bool {
	switch {
	case marks&(Return|Slept) != 0:
		s.keep(words, steps, 1)
	case slices.Equal(words, s.kept):
		return true
	case steps-s.start >= s.power:
		s.keep(words, steps, 2*s.power)
	}
	return false
}
