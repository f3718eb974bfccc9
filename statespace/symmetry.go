package statespace

import (
	"errors"
	"fmt"
	"slices"
)

// Symmetric is implemented by models with parts that are alike: tasks, workers,
// slots. States that differ only in which of them is which are one orbit.
//
// Canonical maps a state, in place, to the representative of its orbit, the same
// for all states of it. A state and its representative must agree on all claims,
// and what their steps lead to must have the same representatives. Then a search
// that keeps representatives only finds what a search of all states finds, in as
// many steps.
type Symmetric[S any] interface {
	Canonical(s *S)
}

var errNotSymmetric = errors.New("a path between representatives is none of the model: Canonical maps states that are not alike")

// liftAll turns the paths found, which lead through representatives, into paths
// of the model.
func (r *reduced[S]) liftAll() error {
	for i := range r.violations {
		v := &r.violations[i]
		r.at = twig{init: v.Init}
		err := r.guard(func() error { return r.lift(v) })
		if err != nil {
			return fmt.Errorf("%s: %w", v.Property, err)
		}
	}
	return nil
}

// lift walks along the path twice: as it was found, from representative to
// representative, and from the initial state itself, always by a step that leads
// to a state with the same representative. Where it ends, the property must be
// violated, too.
func (r *reduced[S]) lift(v *Violation) error {
	found, start := initialState(r.m, v.Init)
	if !start {
		return errNotSymmetric
	}
	own := found
	r.canonical(&found)
	path := make([]Choice, 0, len(v.Path))
	for i, c := range v.Path {
		if err := take(r.m, &found, c, &r.mv); err != nil {
			return fmt.Errorf("step %d: %w", i+1, err)
		}
		r.canonical(&found)
		judged := ""
		if v.Kind == StepKind && i == len(v.Path)-1 {
			judged = v.Property
		}
		choice, err := r.alike(&own, &found, judged)
		if err == nil {
			err = take(r.m, &own, choice, &r.mv)
		}
		if err != nil {
			return fmt.Errorf("step %d: %w", i+1, err)
		}
		path = append(path, choice)
	}
	if v.Kind != StepKind && !r.violates(v, &own) {
		return errNotSymmetric
	}
	if v.Kind == StepKind {
		v.Task = path[len(path)-1].Task
	}
	v.Path = path
	return nil
}

// alike finds the first step from s whose end has the representative want; it
// must violate the step claim judged, if there is one.
func (r *reduced[S]) alike(s, want *S, judged string) (c Choice, err error) {
	target, words := make([]uint64, r.m.Words()), make([]uint64, r.m.Words())
	if err := r.m.Pack(want, target); err != nil {
		return c, fmt.Errorf("cannot pack a state: %w", err)
	}
	err = errNotSymmetric
	Successors(r.m, s, func(choice Choice, to *S, mv *Move) {
		if err == nil || mv.truncated != "" || judged != "" && r.holdsOf(judged, s, to, mv) {
			return
		}
		same := *to
		r.canonical(&same)
		if r.m.Pack(&same, words) == nil && slices.Equal(words, target) {
			c, err = choice, nil
		}
	})
	return c, err
}

// holdsOf says whether a step claim holds of a step.
func (r *reduced[S]) holdsOf(name string, before, after *S, mv *Move) bool {
	for i := range r.o.StepInvariants {
		if c := &r.o.StepInvariants[i]; c.Name == name && !c.Holds(before, after, mv) {
			return false
		}
	}
	return true
}

// violates says whether a claim about states is false of s.
func (r *reduced[S]) violates(v *Violation, s *S) bool {
	claims := r.o.Invariants
	if v.Kind == TerminalKind {
		claims = r.o.Terminal
		for task := range r.tasks {
			if enabled(r.m, s, task) {
				return false
			}
		}
	}
	for i := range claims {
		if claims[i].Name == v.Property && !claims[i].Holds(s) {
			return true
		}
	}
	return false
}
