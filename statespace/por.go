package statespace

import (
	"cmp"
	"fmt"
	"math/bits"
	"slices"
)

// A Footprint is what a step, or several, can touch.
type Footprint struct {
	Reads, Writes Vars
	// Visible says that a StepInvariant can be false of the step, or the Met of an
	// Antecedent true, although it writes nothing that is observed: because of its
	// marks, tags and notes, say. It is then not moved past steps that write what
	// is observed. Not looked at in RestFootprint.
	Visible bool
}

// Footprints is implemented by models that can be searched with partial-order
// reduction. Every bit of a state belongs to a variable; typically there is one
// for each shared word or lock, and one for all that is local to a task.
type Footprints[S any] interface {
	// Variables is their number, at most MaxVars.
	Variables() int
	// CopyVariable copies the value of one variable. Only CheckFootprints uses it.
	CopyVariable(to, from *S, v int)
	// NextFootprint is what the next step of a task from s touches, all outcomes
	// together. It holds as long as nothing of Reads changes: whether the task can
	// move, how many outcomes there are and whether they stay in the model, what
	// each reports and what it writes depend on Reads alone. So the Reads of a
	// task that is blocked or done are what would have to change first.
	NextFootprint(s *S, task int) Footprint
	// RestFootprint is what the task may touch from s on: by its next step and all
	// that can come after it, whatever the others do. It never grows on a path.
	RestFootprint(s *S, task int) Footprint
}

// footprints returns those of a model.
func footprints[S any](m Model[S]) (Footprints[S], error) {
	f, ok := m.(Footprints[S])
	if !ok {
		return nil, fmt.Errorf("the model does not say what its steps read and write")
	}
	if n := f.Variables(); n < 1 || n > MaxVars {
		return nil, fmt.Errorf("a model has 1 to %d variables, not %d", MaxVars, n)
	}
	return f, nil
}

// disturbs says whether steps with footprint g can change or see what a step
// with footprint f does: then their order matters.
func disturbs(g, f *Footprint) bool {
	return g.Writes.Meets(&f.Reads) || g.Writes.Meets(&f.Writes) || g.Reads.Meets(&f.Writes)
}

// partialOrder asks the model for what the reduction needs.
func (r *reduced[S]) partialOrder() (err error) {
	r.early, _ = r.m.(Early[S])
	if _, ok := r.m.(Footprints[S]); !ok && r.early != nil {
		return nil
	}
	r.prints, err = footprints(r.m)
	return err
}

// ample lists sets of tasks whose steps alone may be taken from the state
// expanded, if the proviso holds as well: single tasks whose step is early, then
// persistent sets.
func (r *reduced[S]) ample() []uint64 {
	r.sets = r.sets[:0]
	if r.early != nil {
		for task := range r.tasks {
			if r.early.Early(&r.base, task) {
				r.sets = append(r.sets, 1<<task)
			}
		}
	}
	if r.prints != nil {
		r.persistent()
	}
	return r.sets
}

// persistent lists sets of tasks by their footprints, the smallest first. A set T
// is such that
//
//   - no task outside T can ever, by its next step or any later one, disturb the
//     next step of a task in T (that one is perhaps blocked: then it stays so);
//   - no next step of T is visible or writes what is observed.
//
// Why nothing is lost. Let a path p lead from s to a violation, and take from s
// only the steps of T. If a step of T is on p, let a be the first. What comes
// before it on p is of tasks outside T and does not disturb a: so a can be taken
// first, with the same outcome, and the rest follows as before. Claims see the
// same: a changes nothing that they observe, and as no claim about steps is false
// of it, it is not itself the violation. What remains is shorter than p. If none
// is on p, any step a of T (there is one, by the proviso) can be taken first and
// all of p follows: what remains is as long as p, but the proviso gives an a that
// leads one level farther down. There are finitely many levels, so sooner or
// later p gets shorter, or a state is reached from which all steps are taken: p
// gets shorter then, too. A state in which no task moves is reached itself: p
// cannot end in it without a step of T, which could move there.
func (r *reduced[S]) persistent() {
	r.next, r.rest = r.next[:0], r.rest[:0]
	for task := range r.tasks {
		r.next = append(r.next, r.prints.NextFootprint(&r.base, task))
		r.rest = append(r.rest, r.prints.RestFootprint(&r.base, task))
	}
	first := len(r.sets)
	for task := range r.tasks {
		set := r.closure(task)
		if set != r.everyTask() && !r.visible(set) {
			r.sets = append(r.sets, set)
		}
	}
	slices.SortFunc(r.sets[first:], func(a, b uint64) int {
		return cmp.Or(cmp.Compare(bits.OnesCount64(a), bits.OnesCount64(b)), cmp.Compare(a, b))
	})
}

// closure is the least set with a task that no task outside disturbs.
func (r *reduced[S]) closure(task int) uint64 {
	set := uint64(1) << task
	for todo := set; todo != 0; {
		t := bits.TrailingZeros64(todo)
		todo &^= 1 << t
		for u := range r.tasks {
			if set>>u&1 == 0 && disturbs(&r.rest[u], &r.next[t]) {
				set |= 1 << u
				todo |= 1 << u
			}
		}
	}
	return set
}

// visible says whether a claim may see a next step of one of the tasks.
func (r *reduced[S]) visible(set uint64) bool {
	for task := range r.tasks {
		if f := &r.next[task]; set>>task&1 != 0 && (f.Visible || f.Writes.Meets(&r.by.Observed)) {
			return true
		}
	}
	return false
}

// proviso says whether the steps just taken suffice: one of them leads to a
// level that is not expanded yet. So none of the tasks put off is put off for
// ever, round a cycle. What counts as the next level depends on the levels alone,
// not on the order in which the states of one are expanded.
func (r *reduced[S]) proviso() bool { return r.fresh }
