package statespace

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
)

// Early is implemented by models that can be searched with partial-order
// reduction because they know single steps that may be taken before whatever the
// others do. It sees more than Footprints: what a step can meet is asked of the
// state, not of all that may ever come, and a release of a lock, which changes
// what others do next but not where that leads, can be early, too.
//
// Early says that the next step a of a task may as well be taken now. It must be
// so that
//
//   - a is possible, has one outcome and stays in the model;
//   - after any step b of another task the same is true again, and a then leads
//     where some outcome of b leads after a. If b leaves the model, so it does
//     after a;
//   - a claim about states that is false before a is false after it;
//   - a claim about steps that is false of b is false of b after a, and one that
//     is false of a after b is false of a now. The same goes for antecedents that
//     are met and tags that are passed.
//
// Only states that can be reached count, and their representatives if there is
// symmetry. CheckEarly looks for mistakes; as all of this is about one state and
// the steps from it, CheckEarlyIn in every reachable state is a proof.
//
// Why nothing is lost. Let a path p lead from s to a violation, and take from s
// only a. If a is on p, the steps before it can be taken after it, one by one,
// and lead to the same state; what is false of a state or a step on the way is
// false on the new way. What remains after a is shorter than p. If a is not on p,
// it can be taken first, and all of p after it; p ends in no terminal state, for
// a is possible there. What remains is as long as p, but the proviso (por.go)
// makes this happen finitely often.
type Early[S any] interface {
	Early(s *S, task int) bool
}

// CheckEarly looks for steps that are said to be early and are not, in states
// met on random walks. Only the claims of o are looked at. S must be comparable
// with ==.
func CheckEarly[S any](m Model[S], o Options[S], c CheckOptions) error {
	return roam(m, c, func(_ *rand.Rand, s *S) error { return CheckEarlyIn(m, o, s) })
}

// CheckEarlyIn checks one state; see Early.
func CheckEarlyIn[S any](m Model[S], o Options[S], s *S) error {
	early, ok := m.(Early[S])
	if !ok {
		return errors.New("the model does not say which steps are early")
	}
	k := earlyCheck[S]{m: m, early: early, o: &o, s: s}
	for task := range m.Tasks() {
		if !early.Early(s, task) {
			continue
		}
		if err := k.check(task); err != nil {
			return fmt.Errorf("the step of task %d is not early: %w", task, err)
		}
	}
	return nil
}

// An earlyCheck checks the steps from s that are said to be early.
type earlyCheck[S any] struct {
	m     Model[S]
	early Early[S]
	o     *Options[S]
	s     *S
}

func (k *earlyCheck[S]) check(task int) error {
	now, err := k.only(k.s, task)
	if err != nil {
		return err
	}
	for i := range k.o.Invariants {
		if c := &k.o.Invariants[i]; !c.Holds(k.s) && c.Holds(&now.after) {
			return fmt.Errorf("%q is false only before it", c.Name)
		}
	}
	for i := range k.o.Antecedents {
		if a := &k.o.Antecedents[i]; a.State != nil && a.State(k.s) && !a.State(&now.after) {
			return fmt.Errorf("the antecedent of %q is met only before it", a.Name)
		}
	}
	for other := range k.m.Tasks() {
		if other == task {
			continue
		}
		if err := k.against(task, other, now); err != nil {
			return fmt.Errorf("task %d: %w", other, err)
		}
	}
	return nil
}

// only takes the one outcome of a task from a state.
func (k *earlyCheck[S]) only(s *S, task int) (*outcome[S], error) {
	all := outcomesOf(k.m, s, task)
	if len(all) != 1 || all[0].status != Moved || all[0].mv.truncated != "" {
		return nil, errors.New("it is not possible, has several outcomes or leaves the model")
	}
	return &all[0], nil
}

// against takes every step of another task first and last.
func (k *earlyCheck[S]) against(task, other int, now *outcome[S]) error {
	late := outcomesOf(k.m, &now.after, other)
	for _, b := range outcomesOf(k.m, k.s, other) {
		if b.status != Moved {
			continue
		}
		if b.mv.truncated != "" {
			if !slices.ContainsFunc(late, func(l outcome[S]) bool { return l.status == Moved && l.mv.truncated == b.mv.truncated }) {
				return errors.New("it leaves the model only before it")
			}
			continue
		}
		if !k.early.Early(&b.after, task) {
			return errors.New("it is no longer early after that")
		}
		a, err := k.only(&b.after, task)
		if err != nil {
			return fmt.Errorf("after that %w", err)
		}
		i := slices.IndexFunc(late, func(l outcome[S]) bool {
			return l.status == Moved && l.mv.truncated == "" && any(l.after) == any(a.after)
		})
		if i < 0 {
			return errors.New("the two in the other order do not lead to the same state")
		}
		if err := k.claims(now, a, &b, &late[i]); err != nil {
			return err
		}
	}
	return nil
}

// claims compares a now, a after b, b and b after a.
func (k *earlyCheck[S]) claims(now, a, b, late *outcome[S]) error {
	for i := range k.o.StepInvariants {
		c := &k.o.StepInvariants[i]
		if !c.Holds(&b.after, &a.after, &a.mv) && c.Holds(k.s, &now.after, &now.mv) {
			return fmt.Errorf("%q is false of it only after that", c.Name)
		}
		if !c.Holds(k.s, &b.after, &b.mv) && c.Holds(&now.after, &late.after, &late.mv) {
			return fmt.Errorf("%q is false of that only before it", c.Name)
		}
	}
	for i := range k.o.Antecedents {
		c := &k.o.Antecedents[i]
		if c.Met == nil {
			continue
		}
		if c.Met(&b.after, &a.after, &a.mv) && !c.Met(k.s, &now.after, &now.mv) {
			return fmt.Errorf("the antecedent of %q is met by it only after that", c.Name)
		}
		if c.Met(k.s, &b.after, &b.mv) && !c.Met(&now.after, &late.after, &late.mv) {
			return fmt.Errorf("the antecedent of %q is met by that only before it", c.Name)
		}
	}
	if !passesAll(&now.mv, &a.mv) || !passesAll(&late.mv, &b.mv) {
		return errors.New("a tag is passed only in one order")
	}
	return nil
}

// passesAll says whether a step passes all tags of another.
func passesAll(mv, other *Move) bool {
	for _, tag := range other.Tags() {
		if !slices.Contains(mv.Tags(), tag) {
			return false
		}
	}
	return true
}
