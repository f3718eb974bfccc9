package verdict

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"slices"
	"sync"
	"time"

	"cilcheck/cil"
	"cilcheck/properties"
	"cilcheck/spec"
	"cilcheck/statespace"
)

// A Fuzz is a set of cases to walk through at random. It proves nothing: it
// finds violations in systems that are too large to be exhausted.
type Fuzz struct {
	Cases      []Case
	Properties []*properties.Property
	// Seed decides all walks, together with the name of the case: a case is
	// walked alike whatever other cases there are.
	Seed uint64
	// Runs is how many walks each case gets; 0 is until the context or Time ends
	// it. With Runs alone the result depends on nothing but the Fuzz.
	Runs int
	// Steps is the most steps of a walk, Policy who moves next.
	Steps  int
	Policy statespace.Policy
	Time   time.Duration
	// Workers is how many cases are walked side by side, at least 1. It changes
	// nothing but the time.
	Workers int
	// Progress is told what has been done after each round; it may be nil.
	Progress func(runs, steps int)
}

// A Finding is a violation that a walk met: the shortest of its case and
// property.
type Finding struct {
	Case      Case
	System    *spec.System
	Property  *properties.Property
	Violation statespace.Violation
}

// A FuzzResult is what a Fuzz found.
type FuzzResult struct {
	Runs, Steps int
	// Reason is why the walks ended before all runs were done, or "".
	Reason   string
	Findings []Finding // by case, then in the order of the properties
}

// batch is how many walks a case gets in one round.
const batch = 32

// Run walks. A cancelled context ends it with what was found; the error is a
// fault of the model or of a case, never a verdict.
func (f *Fuzz) Run(ctx context.Context) (*FuzzResult, error) {
	walks := make([]*fuzzed, len(f.Cases))
	for i, c := range f.Cases {
		sys, err := c.System()
		if err != nil {
			return nil, err
		}
		walks[i] = &fuzzed{Fuzz: f, sys: sys, c: c, best: map[string]statespace.Violation{}}
	}
	limited, cancel := ctx, context.CancelFunc(func() {})
	if f.Time > 0 {
		limited, cancel = context.WithTimeout(ctx, f.Time)
	}
	defer cancel()
	res := &FuzzResult{}
	for done := 0; f.Runs == 0 || done < f.Runs; done += batch {
		n := batch
		if f.Runs > 0 {
			n = min(n, f.Runs-done)
		}
		if err := f.round(limited, walks, done/batch, n); err != nil {
			return nil, err
		}
		res.Runs, res.Steps = count(walks)
		if f.Progress != nil {
			f.Progress(res.Runs, res.Steps)
		}
		if limited.Err() != nil {
			break
		}
	}
	switch {
	case ctx.Err() != nil:
		res.Reason = statespace.Interrupted
	case limited.Err() != nil:
		res.Reason = statespace.TimeLimit
	}
	for _, w := range walks {
		res.Findings = append(res.Findings, w.findings()...)
	}
	return res, nil
}

// round walks n times through every case.
func (f *Fuzz) round(ctx context.Context, walks []*fuzzed, round, n int) error {
	errs := make([]error, len(walks))
	next := make(chan int)
	var wg sync.WaitGroup
	for range max(f.Workers, 1) {
		wg.Go(func() {
			for i := range next {
				errs[i] = walks[i].walk(ctx, round, n)
			}
		})
	}
	for i := range walks {
		next <- i
	}
	close(next)
	wg.Wait()
	return errors.Join(errs...)
}

func count(walks []*fuzzed) (runs, steps int) {
	for _, w := range walks {
		runs += w.runs
		steps += w.steps
	}
	return runs, steps
}

// fuzzed is what was found in one case so far.
type fuzzed struct {
	*Fuzz
	c           Case
	sys         *spec.System
	runs, steps int
	best        map[string]statespace.Violation
}

func (w *fuzzed) walk(ctx context.Context, round, n int) error {
	if ctx.Err() != nil {
		return nil
	}
	o := properties.Options(w.sys, properties.Applicable(w.sys, w.Properties))
	o.Context = ctx
	res, err := statespace.Walk[cil.State](w.sys, o, statespace.WalkOptions{
		Seed: w.seed(round), Runs: n, Steps: w.length(), Policy: w.Policy,
	})
	if err != nil {
		return fmt.Errorf("%s: %w", w.c, err)
	}
	w.runs += res.Runs
	w.steps += res.Steps
	for _, x := range res.Violations {
		if old, ok := w.best[x.Property]; !ok || len(x.Path) < len(old.Path) {
			w.best[x.Property] = x
		}
	}
	return nil
}

// length is the most steps of the next walks. PCT places its change points in it
// evenly, so once it is known how long walks are, it is not much more than that.
func (w *fuzzed) length() int {
	if _, pct := w.Policy.(statespace.PCT); !pct || w.runs == 0 {
		return w.Steps
	}
	return min(w.Steps, 2*w.steps/w.runs+1)
}

// seed makes the walks of every case and round different ones.
func (w *fuzzed) seed(round int) uint64 {
	h := fnv.New64a()
	fmt.Fprintf(h, "%d %d %s", w.Seed, round, w.c)
	return h.Sum64()
}

func (w *fuzzed) findings() []Finding {
	var all []Finding
	for _, p := range w.Properties {
		if x, ok := w.best[p.Name]; ok {
			all = append(all, Finding{Case: w.c, System: w.sys, Property: p, Violation: x})
		}
	}
	return all
}

// Shortest are the shortest findings, one for each variant and property, in the
// order of the findings.
func (r *FuzzResult) Shortest() []Finding {
	type key struct {
		v cil.Variant
		p string
	}
	best := map[key]int{}
	for i, f := range r.Findings {
		k := key{f.Case.Variant, f.Property.Name}
		if j, ok := best[k]; !ok || len(f.Violation.Path) < len(r.Findings[j].Violation.Path) {
			best[k] = i
		}
	}
	var indices []int
	for _, i := range best {
		indices = append(indices, i)
	}
	slices.SortFunc(indices, cmp.Compare[int])
	var shortest []Finding
	for _, i := range indices {
		shortest = append(shortest, r.Findings[i])
	}
	return shortest
}
