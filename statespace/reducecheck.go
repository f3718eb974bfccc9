package statespace

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
)

// CheckOptions say how long to look for mistakes in what a model declares.
type CheckOptions struct {
	Seed  uint64
	Runs  int // random walks from an initial state, at least 1
	Steps int // most steps of a walk
}

// CheckFootprints looks for mistakes in the footprints of a model and in what
// its claims are said to observe, in states met on random walks. It takes the
// next step of each task twice, from such a state and from one in which
// variables that the step does not read have the values of another state met,
// and wants to see the same outcomes and reports, the same values written, and
// nothing else written; claims must not change with variables that they do not
// observe. RestFootprint must hold all of NextFootprint and never grow. The error
// names the task and the variable, or the claim. No error is no proof; of many
// short walks, few mistakes escape all. S must be comparable with ==.
func CheckFootprints[S any](m Model[S], o Options[S], observed Vars, c CheckOptions) error {
	f, err := footprints(m)
	if err != nil {
		return err
	}
	k := &printCheck[S]{m: m, f: f, o: &o, observed: observed}
	return roam(m, c, func(rng *rand.Rand, s *S) error {
		k.rng = rng
		k.met = append(k.met, *s)
		if len(k.met) > mostMet {
			k.met = slices.Delete(k.met, 0, 1)
		}
		k.other = k.met[rng.IntN(len(k.met))]
		return k.check(s)
	})
}

// mostMet is how many states a check remembers to take values from.
const mostMet = 64

// roam takes random walks and calls visit for the states on them.
func roam[S any](m Model[S], c CheckOptions, visit func(rng *rand.Rand, s *S) error) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = caught("a check", r)
		}
	}()
	if c.Runs < 1 {
		return errors.New("a check needs at least one run")
	}
	var starts []S
	m.Init(func(s *S) { starts = append(starts, *s) })
	if len(starts) == 0 {
		return errors.New("the model has no initial state")
	}
	for run := range c.Runs {
		rng := rand.New(rand.NewPCG(c.Seed, uint64(run)))
		s := starts[rng.IntN(len(starts))]
		for step := 0; ; step++ {
			if err := visit(rng, &s); err != nil {
				return fmt.Errorf("run %d, step %d: %w", run, step, err)
			}
			if step >= c.Steps || !randomStep(m, rng, &s) {
				break
			}
		}
	}
	return nil
}

// randomStep takes a random step from *s, all alike; false if there is none.
func randomStep[S any](m Model[S], rng *rand.Rand, s *S) bool {
	n := 0
	var next S
	Successors(m, s, func(_ Choice, to *S, mv *Move) {
		if mv.truncated == "" {
			if n++; rng.IntN(n) == 0 {
				next = *to
			}
		}
	})
	if n > 0 {
		*s = next
	}
	return n > 0
}

// A printCheck checks footprints in one state after the other.
type printCheck[S any] struct {
	m        Model[S]
	f        Footprints[S]
	o        *Options[S]
	observed Vars
	rng      *rand.Rand
	met      []S
	other    S    // another state met, to take values from
	visible  bool // the step checked
}

func (k *printCheck[S]) check(s *S) error {
	if whole := k.mixed(s, Vars{}, 1); any(whole) != any(k.other) {
		return errors.New("the variables together are not the whole state")
	}
	if err := k.checkClaims(s); err != nil {
		return err
	}
	for task := range k.m.Tasks() {
		if err := k.checkTask(s, task); err != nil {
			return fmt.Errorf("task %d: %w", task, err)
		}
	}
	return nil
}

// mixed is s with variables other than those kept taken from the other state,
// each with probability p.
func (k *printCheck[S]) mixed(s *S, kept Vars, p float64) S {
	mix := *s
	for v := range k.f.Variables() {
		if !kept.Has(v) && k.rng.Float64() < p {
			k.f.CopyVariable(&mix, &k.other, v)
		}
	}
	return mix
}

// checkClaims changes what is not observed, under the claims about states.
func (k *printCheck[S]) checkClaims(s *S) error {
	mix := k.mixed(s, k.observed, 0.5)
	for i := range k.o.Invariants {
		if c := &k.o.Invariants[i]; c.Holds(s) != c.Holds(&mix) {
			return fmt.Errorf("%q reads variables that are not observed", c.Name)
		}
	}
	for i := range k.o.Antecedents {
		if a := &k.o.Antecedents[i]; a.State != nil && a.State(s) != a.State(&mix) {
			return fmt.Errorf("%q reads variables that are not observed", a.Name)
		}
	}
	return nil
}

// checkTask checks the footprints of one task in s.
func (k *printCheck[S]) checkTask(s *S, task int) error {
	next, rest := k.f.NextFootprint(s, task), k.f.RestFootprint(s, task)
	if !next.Reads.Within(rest.Reads) || !next.Writes.Within(rest.Writes) {
		return errors.New("its next footprint is not within that of the rest")
	}
	err := k.checkRest(s, task, &rest)
	if err != nil {
		return err
	}
	k.visible = next.Visible || next.Writes.Meets(&k.observed)
	kept := next.Reads
	if k.visible { // claims about the step may depend on what is observed
		kept = kept.Union(k.observed)
	}
	mix := k.mixed(s, kept, 0.5)
	here, there := outcomesOf(k.m, s, task), outcomesOf(k.m, &mix, task)
	if len(here) != len(there) {
		return fmt.Errorf("it has %d outcomes, and %d with variables changed that it does not read", len(here), len(there))
	}
	for i := range here {
		if err := k.compare(s, &mix, &here[i], &there[i], &next); err != nil {
			return fmt.Errorf("outcome %d: %w", i, err)
		}
	}
	return nil
}

// checkRest takes every step from s and wants the rest of the task not to grow.
func (k *printCheck[S]) checkRest(s *S, task int, rest *Footprint) (err error) {
	Successors(k.m, s, func(c Choice, to *S, mv *Move) {
		if mv.truncated != "" {
			return
		}
		after := k.f.RestFootprint(to, task)
		if !after.Reads.Within(rest.Reads) || !after.Writes.Within(rest.Writes) {
			err = fmt.Errorf("the footprint of its rest grows by a step of task %d", c.Task)
		}
	})
	return err
}

// An outcome is what a step did.
type outcome[S any] struct {
	status Status
	after  S
	mv     Move
}

// outcomesOf takes every outcome of the next step of a task.
func outcomesOf[S any](m Model[S], s *S, task int) []outcome[S] {
	var all []outcome[S]
	var mv Move
	for mv.begin(task); ; {
		next := *s
		status := m.Step(&next, task, &mv)
		all = append(all, outcome[S]{status, next, mv})
		if !mv.next() {
			return all
		}
	}
}

// compare compares one outcome from s with that from mix.
func (k *printCheck[S]) compare(s, mix *S, a, b *outcome[S], f *Footprint) error {
	if a.status != b.status || a.mv.Marks != b.mv.Marks || a.mv.truncated != b.mv.truncated ||
		!slices.Equal(a.mv.Tags(), b.mv.Tags()) || !slices.Equal(a.mv.Notes(), b.mv.Notes()) {
		return errors.New("it reports something else with variables changed that it does not read")
	}
	if a.status != Moved || a.mv.truncated != "" {
		return nil
	}
	for v := range k.f.Variables() {
		same := k.equal(&a.after, s, v) && k.equal(&b.after, mix, v)
		if !f.Writes.Has(v) && !same {
			return fmt.Errorf("it writes variable %d undeclared", v)
		}
		if !same && !k.equal(&a.after, &b.after, v) {
			return fmt.Errorf("what it writes to variable %d depends on variables that it does not read", v)
		}
	}
	return k.compareClaims(s, mix, a, b)
}

// compareClaims compares what is claimed of two steps that should look alike.
// Of a step that is not visible nothing may be false.
func (k *printCheck[S]) compareClaims(s, mix *S, a, b *outcome[S]) error {
	for i := range k.o.StepInvariants {
		c := &k.o.StepInvariants[i]
		here, there := c.Holds(s, &a.after, &a.mv), c.Holds(mix, &b.after, &b.mv)
		if !k.visible && !(here && there) {
			return fmt.Errorf("%q is false of a step that is not visible", c.Name)
		}
		if here != there {
			return fmt.Errorf("%q looks at more than is observed", c.Name)
		}
	}
	for i := range k.o.Antecedents {
		c := &k.o.Antecedents[i]
		if c.Met == nil {
			continue
		}
		here, there := c.Met(s, &a.after, &a.mv), c.Met(mix, &b.after, &b.mv)
		if !k.visible && (here || there) {
			return fmt.Errorf("%q is met by a step that is not visible", c.Name)
		}
		if here != there {
			return fmt.Errorf("%q looks at more than is observed", c.Name)
		}
	}
	return nil
}

// equal says whether a variable has the same value in two states.
func (k *printCheck[S]) equal(a, b *S, v int) bool {
	c := *a
	k.f.CopyVariable(&c, b, v)
	return any(c) == any(*a)
}

// CheckSymmetry looks for states that Canonical maps to one that is not alike,
// on random walks: a state and its representative must agree on the claims, and
// their successors must have the same representatives; the representative of a
// representative is itself. S must be comparable with ==.
func CheckSymmetry[S any](m Model[S], o Options[S], c CheckOptions) error {
	sym, ok := m.(Symmetric[S])
	if !ok {
		return errors.New("the model does not say which states are symmetric")
	}
	return roam(m, c, func(_ *rand.Rand, s *S) error {
		rep := *s
		sym.Canonical(&rep)
		again := rep
		if sym.Canonical(&again); any(again) != any(rep) {
			return fmt.Errorf("the representative of %+v has another, %+v", rep, again)
		}
		for _, claims := range [...][]Invariant[S]{o.Invariants, o.Terminal} {
			for i := range claims {
				if claims[i].Holds(s) != claims[i].Holds(&rep) {
					return fmt.Errorf("%q tells %+v from its representative %+v", claims[i].Name, *s, rep)
				}
			}
		}
		if !slices.EqualFunc(ends(m, sym, &o, s), ends(m, sym, &o, &rep), slices.Equal) {
			return fmt.Errorf("%+v has other successors than its representative %+v", *s, rep)
		}
		return nil
	})
}

// ends are the representatives of the successors of s, packed, with whether the
// step claims hold of the steps to them; sorted, without repetition.
func ends[S any](m Model[S], sym Symmetric[S], o *Options[S], s *S) [][]uint64 {
	var all [][]uint64
	Successors(m, s, func(_ Choice, to *S, mv *Move) {
		rep := *to
		sym.Canonical(&rep)
		words := make([]uint64, m.Words(), m.Words()+len(o.StepInvariants)+1)
		if err := m.Pack(&rep, words); err != nil {
			panic(err)
		}
		words = append(words, boolWord(mv.truncated != ""))
		for i := range o.StepInvariants {
			words = append(words, boolWord(o.StepInvariants[i].Holds(s, to, mv)))
		}
		all = append(all, words)
	})
	slices.SortFunc(all, slices.Compare)
	return slices.CompactFunc(all, slices.Equal)
}

func boolWord(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}
