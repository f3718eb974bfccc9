package statespace

import (
	"errors"
	"fmt"
	"strings"
)

// A Reduction says how a search may save states. Both ways rest on what a model
// declares about itself (Symmetric, Footprints, Early), which is as easy to get
// wrong as the model; CheckSymmetry, CheckFootprints and CheckEarly look for
// mistakes.
//
// What each preserves, that is, finds violated if and only if Explore does:
//
//	                      Symmetry                  PartialOrder
//	Invariants            if symmetric              if they read only Observed
//	StepInvariants        if symmetric              if they read only Observed and
//	                                                what the step reads, writes and
//	                                                reports, and are false only of
//	                                                steps that are visible
//	Terminal              if symmetric              all
//	Antecedents           if symmetric              as Invariants, StepInvariants
//	truncated steps       yes                       yes
//	tags covered or not   if symmetric              yes
//
// The conditions on what claims read are those of Footprints. A model that is
// Early answers for the claims itself.
//
// Both together preserve what both do; Observed must then be the same seen from
// each of the tasks that are alike.
//
// Counts, Maxima and Longest are not preserved, nor is the length of paths by
// PartialOrder; Stuck, Spin and Starved are not shown to be. Asking for any of
// these options is an error.
type Reduction struct {
	// Symmetry visits one state of each orbit. The model must be Symmetric.
	Symmetry bool
	// PartialOrder takes from a state only the steps of some tasks, where the
	// others do the same later. The model must have Footprints or be Early, and may
	// be both.
	PartialOrder bool
	// Observed are the variables of Footprints that Invariants, StepInvariants and
	// Antecedents read. A step that writes one of them is visible.
	Observed Vars
}

// String is none, symmetry, por or all.
func (by Reduction) String() string {
	switch {
	case by.Symmetry && by.PartialOrder:
		return "all"
	case by.Symmetry:
		return "symmetry"
	case by.PartialOrder:
		return "por"
	}
	return "none"
}

// ParseReduction is the inverse of String. The error lists what is known.
func ParseReduction(word string) (Reduction, error) {
	for _, by := range [...]Reduction{{}, {PartialOrder: true}, {Symmetry: true}, {Symmetry: true, PartialOrder: true}} {
		if by.String() == word {
			return by, nil
		}
	}
	return Reduction{}, fmt.Errorf("unknown reduction %q: expected none, por, symmetry or all", word)
}

// Preserves says whether a reduction preserves properties of a kind, under the
// conditions that Reduction lists.
func (by Reduction) Preserves(k Kind) bool {
	return by == Reduction{Observed: by.Observed} || k == StateKind || k == StepKind || k == TerminalKind
}

// A ReducedResult is what a reduced search found. It depends on the model and
// the options alone, except when a limit of time or a cancellation ended it.
type ReducedResult struct {
	// By is the reduction used: none, symmetry, por or all.
	By string
	// Exhausted says that what is not listed as violated holds of all reachable
	// states, of the classes that the reduction preserves. Otherwise Reason says
	// why not.
	Exhausted bool
	Reason    string

	// States, Transitions, Depth and Terminals count what was visited: with
	// Symmetry orbits, with PartialOrder a part of the whole (except Terminals).
	States      int
	Transitions int
	Depth       int
	Terminals   int
	// Full is the number of states in which no task was put off.
	Full int

	// Violations are as in Result, except that paths need not be the shortest.
	// They are paths of the model itself.
	Violations []Violation
	Exercised  map[string]bool
	// Coverage is nonzero for the tags that Explore covers; the counts differ.
	Coverage *[MaxTags]uint64
	Memory   int64 // the most bytes held at once
}

// ExploreReduced searches breadth-first as Explore does, but visits fewer
// states. Options that the reduction does not preserve are refused, even those
// that would be ignored. The error is as that of Explore; a declaration of the
// model that is seen to be wrong is a *ModelError.
//
// Why partial-order reduction loses nothing: see Early, and persistent and proviso
// in por.go. Why symmetry does not: see Symmetric.
func ExploreReduced[S any](m Model[S], o Options[S], by Reduction) (*ReducedResult, error) {
	if asked := o.irreducible(); len(asked) > 0 {
		return nil, fmt.Errorf("a reduced search does not preserve %s: use Explore", strings.Join(asked, ", "))
	}
	t, err := newTree(m, &o)
	if err != nil {
		return nil, err
	}
	r := &reduced[S]{tree: t, by: by}
	r.push = r.arrived
	if by.Symmetry {
		sym, ok := m.(Symmetric[S])
		if !ok {
			return nil, errors.New("the model does not say which states are symmetric")
		}
		r.canonical = sym.Canonical
	}
	if by.PartialOrder {
		if err := r.partialOrder(); err != nil {
			return nil, err
		}
	}
	if err := r.guard(r.search); err != nil {
		return nil, err
	}
	if by.Symmetry {
		if err := r.liftAll(); err != nil {
			return nil, err
		}
	}
	return r.result(), nil
}

// irreducible lists what is asked for that no reduction preserves.
func (o *Options[S]) irreducible() []string {
	var asked []string
	for _, q := range [...]struct {
		name string
		n    int
	}{
		{"stuck", len(o.Stuck)}, {"spin", len(o.Spin)}, {"starved", len(o.Starved)},
		{"longest", len(o.Longest)}, {"maxima", len(o.Maxima)},
	} {
		if q.n > 0 {
			asked = append(asked, q.name)
		}
	}
	return asked
}

// reduced is a reduced search. Its nodes are its states, with the same numbers.
type reduced[S any] struct {
	*tree[S]
	by     Reduction
	prints Footprints[S] // either may be nil, both without partial-order reduction
	early  Early[S]
	push   func(state uint32, added bool) error // arrived, bound once

	depth int
	full  int

	// Of the state expanded:
	end     int    // of its level: the states from here on are of the next
	taken   uint64 // tasks whose steps have been taken
	moved   bool   // one of them moved
	blocked uint64
	fresh   bool // a step led to the next level

	next, rest []Footprint // per task
	sets       []uint64
}

func (r *reduced[S]) search() error {
	if err := r.roots(func(uint32) error { return nil }); err != nil {
		return err
	}
	r.depth = -1
	for first := 0; first < r.nodes.n; r.depth++ {
		r.end = r.nodes.n
		for n := first; n < r.end; n++ {
			if n&0x3f == 0 && !r.watch.tick(r.fillProgress) {
				return errEnded
			}
			if err := r.visit(uint32(n)); err != nil {
				return err
			}
		}
		first = r.end
	}
	return nil
}

func (r *reduced[S]) fillProgress(p *Progress) {
	r.tree.fillProgress(p)
	p.Phase = "reduced search"
	p.Level = r.depth + 1
	p.Frontier = r.nodes.n - r.end
}

// visit takes the steps of some tasks from a state, or of all of them.
func (r *reduced[S]) visit(n uint32) error {
	r.expand(n)
	r.taken, r.moved, r.blocked = 0, false, 0
	for _, set := range r.ample() {
		r.fresh = false
		if err := r.take(set); err != nil {
			return err
		}
		if r.proviso() {
			return nil
		}
	}
	if err := r.take(r.everyTask()); err != nil {
		return err
	}
	r.full++
	if r.moved {
		return nil
	}
	return r.judgeEnd(r.blocked)
}

// take takes the steps of tasks, unless they have been taken.
func (r *reduced[S]) take(tasks uint64) error {
	for task := range r.tasks {
		if tasks&^r.taken>>task&1 == 0 {
			continue
		}
		a, err := r.attempt(task, r.push)
		if err != nil {
			return err
		}
		r.moved = r.moved || a.moved
		if a.blocked {
			r.blocked |= 1 << task
		}
	}
	r.taken |= tasks
	return nil
}

// arrived gives a new state its node.
func (r *reduced[S]) arrived(state uint32, added bool) error {
	r.fresh = r.fresh || int(state) >= r.end
	if !added {
		return nil
	}
	_, err := r.child(state)
	return err
}

func (r *reduced[S]) result() *ReducedResult {
	return &ReducedResult{
		By:          r.by.String(),
		Exhausted:   r.reason() == "",
		Reason:      r.reason(),
		States:      r.states.n,
		Transitions: r.transitions,
		Depth:       r.depth,
		Terminals:   r.terminals,
		Full:        r.full,
		Violations:  r.sorted(),
		Exercised:   r.exercised(),
		Coverage:    r.coverage,
		Memory:      r.watch.peak,
	}
}
