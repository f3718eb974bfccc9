package statespace

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"
)

// analyse answers the questions about the stored graph. The graph must hold
// every state; where single steps left the model, their task is taken to be
// able to reach anything, so that what is reported is real all the same.
func (e *explorer[S]) analyse() error {
	if e.truncated != "" && e.watch.reason == "" {
		defer e.watch.stop(e.truncated)
	}
	if e.graph == nil || e.watch.reason != "" || e.states() == 0 {
		return nil
	}
	e.graph.findBack()
	for _, f := range []func() error{e.findStuck, e.findSpins, e.evaluate, e.findStarved, e.findLongest} {
		if err := f(); err != nil {
			return err
		}
		if e.watch.reason != "" {
			return nil
		}
	}
	return nil
}

// poll returns a function for long analyses: it says whether to go on, given
// what the analysis holds.
func (e *explorer[S]) poll(phase string, bytes func() int64) func() bool {
	return func() bool {
		size := e.memory() + bytes()
		return e.watch.hold(size) && e.watch.tick(func(p *Progress) {
			e.fillProgress(p)
			p.Phase, p.Memory = phase, size
		})
	}
}

// allTasks is the set of all tasks.
func (e *explorer[S]) allTasks() uint64 { return math.MaxUint64 >> (MaxTasks - e.tasks) }

// nearest collects the states of the least level among those it is shown.
type nearest struct {
	level  int
	states []uint64
}

func (n *nearest) add(level int, s uint64) {
	if len(n.states) > 0 && level > n.level {
		return
	}
	if level < n.level {
		n.states = n.states[:0]
	}
	n.level = level
	n.states = append(n.states, s)
}

// sorted is the states in order, each once.
func (n *nearest) sorted() []uint64 {
	slices.Sort(n.states)
	return slices.Compact(n.states)
}

// violations makes the violations out of the findings of the search, and adds
// those of the analyses. Of several with one name it keeps the shortest.
func (e *explorer[S]) violations() ([]Violation, error) {
	var all []Violation
	for _, list := range [][]finding{e.checks.invariants, e.checks.steps, e.checks.terminal} {
		for i := range list {
			if !list[i].violated() {
				continue
			}
			tr, err := e.shortest(&list[i])
			if err != nil {
				return nil, err
			}
			v := Violation{Property: list[i].name, Kind: list[i].kind, Task: -1, Init: tr.init, Path: tr.path, Loop: -1}
			if v.Kind == StepKind {
				v.Task = v.Path[len(v.Path)-1].Task
			}
			all = append(all, v)
		}
	}
	return onePerName(append(all, e.analysed...)), nil
}

func onePerName(all []Violation) []Violation {
	var kept []Violation
	place := map[string]int{}
	for _, v := range all {
		i, seen := place[v.Property]
		switch {
		case !seen:
			place[v.Property] = len(kept)
			kept = append(kept, v)
		case len(v.Path) < len(kept[i].Path):
			kept[i] = v
		}
	}
	return kept
}

// located completes a fault with the path to it. The path is found by taking
// steps again; should that fail, too, the fault goes without.
func (e *explorer[S]) located(fault error) error {
	var file *fileError
	if errors.As(fault, &file) {
		return fault
	}
	me, ok := fault.(*ModelError)
	if !ok {
		me = &ModelError{Err: fault, Init: -1}
	}
	at := e.at
	if at.none {
		return me
	}
	if len(e.levels) == 0 {
		me.Init = e.initNos[slices.Index(e.inits, at.state)]
		return me
	}
	var tr trace
	err := e.guard(func() (err error) {
		tr, err = e.shortest(&finding{states: []uint64{at.state}})
		return err
	})
	if err != nil {
		me.Err = fmt.Errorf("%w (no path to it: %w)", me.Err, err)
		return me
	}
	me.Init, me.Path = tr.init, tr.path
	if at.hasStep {
		me.Path = append(me.Path, at.step)
	}
	return me
}

// guard turns a panic in f into an error. The place is kept as it was.
func (e *explorer[S]) guard(f func() error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = caught(e.at.String(), r)
		}
	}()
	return f()
}

func (e *explorer[S]) result(violations []Violation) *Result[S] {
	r := &Result[S]{
		Exhausted:   e.watch.reason == "",
		Reason:      e.watch.reason,
		States:      e.states(),
		Transitions: e.transitions,
		Depth:       max(len(e.levels)-1, 0),
		Terminals:   e.terminals,
		Violations:  violations,
		Exercised:   e.exercised(),
		Maxima:      e.checks.maxima,
		Longest:     e.longest,
		Coverage:    e.coverage,
		Memory:      max(e.watch.peak, e.memory()),
		model:       e.m,
		store:       &e.store,
		levels:      e.levels,
		order:       sync.OnceValue(func() *order { return newOrder(e.set) }),
	}
	for i, key := range e.checks.peakRefs {
		if r.Maxima[i].State == 0 {
			r.Maxima[i].State = r.number(key)
		}
	}
	return r
}

// exercised is which antecedents were met.
func (e *explorer[S]) exercised() map[string]bool {
	met := make(map[string]bool, len(e.checks.met))
	for i := range e.o.Antecedents {
		name := e.o.Antecedents[i].Name
		met[name] = met[name] || e.checks.met[i]
	}
	return met
}
