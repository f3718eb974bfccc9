package statespace_test

import (
	"errors"
	"slices"
	"testing"

	"cilcheck/statespace"
	"cilcheck/statespace/internal/toys"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func policies() map[string]statespace.Policy {
	return map[string]statespace.Policy{"uniform": statespace.Uniform{}, "pct": statespace.PCT{Depth: 2}, "default": nil}
}

func mustWalk[S any](t rapid.TB, m statespace.Model[S], o statespace.Options[S], w statespace.WalkOptions) *statespace.WalkResult {
	t.Helper()
	r, err := statespace.Walk(m, o, w)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestWalkFinds walks through the toys whose violations are known.
func TestWalkFinds(t *testing.T) {
	for name, policy := range policies() {
		t.Run(name, func(t *testing.T) {
			w := statespace.WalkOptions{Seed: 1, Runs: 300, Steps: 60, Policy: policy}
			table := mustWalk(t, toys.Philosophers{N: 3}, tableOptions(3), w)
			if len(table.Violations) != 2 || table.Runs != 300 {
				t.Errorf("philosophers: %+v", table)
			}
			if left := mustWalk(t, toys.Philosophers{N: 3, LeftHanded: true}, tableOptions(3), w); len(left.Violations) != 0 {
				t.Errorf("left-handed: %+v", left)
			}
			swapped := mustWalk(t, toys.Lock{Algorithm: toys.PetersonSwapped}, lockOptions(0), w)
			if len(swapped.Violations) != 1 || swapped.Violations[0].Property != "exclusive" {
				t.Errorf("swapped: %+v", swapped)
			}
			busy := mustWalk(t, toys.Lock{Algorithm: toys.FlagsOnly, Busy: true}, lockOptions(0), w)
			if len(busy.Violations) != 1 || busy.Violations[0].Property != "no spin" {
				t.Errorf("busy: %+v", busy)
			}
		})
	}
}

// TestWalkIsDetermined: the same seed gives the same walk, another another.
func TestWalkIsDetermined(t *testing.T) {
	for name, policy := range policies() {
		walk := func(seed uint64) *statespace.WalkResult {
			return mustWalk(t, toys.Philosophers{N: 4}, tableOptions(4), statespace.WalkOptions{Seed: seed, Runs: 20, Steps: 100, Policy: policy})
		}
		if diff := cmp.Diff(walk(7), walk(7)); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		if cmp.Equal(walk(7), walk(8)) {
			t.Errorf("%s: seeds 7 and 8 give the same walk", name)
		}
	}
}

// TestRandomWalks compares walks with exhaustive searches: they stay in the
// reachable set, and report nothing that the search does not; reported paths
// are taken again and do violate.
func TestRandomWalks(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := drawSystem(t, false)
		q := drawQuestions(t, m.tasks)
		o := q.all()
		r := explore(t, m, o)
		o.Invariants = append(o.Invariants, statespace.Invariant[node]{Name: "member", Holds: func(s *node) bool { return r.Contains(s) }})
		policy := rapid.SampledFrom([]statespace.Policy{statespace.Uniform{}, statespace.PCT{Depth: 3}}).Draw(t, "policy")
		w := mustWalk(t, m, o, statespace.WalkOptions{Seed: rapid.Uint64().Draw(t, "seed"), Runs: 4, Steps: 25, Policy: policy})
		for i := range w.Violations {
			v := &w.Violations[i]
			full := r.Violation(v.Property)
			if full == nil {
				t.Fatalf("%s is violated on a walk only: %+v", v.Property, v)
			}
			prefix := len(v.Path)
			if v.Loop >= 0 {
				prefix = v.Loop
			}
			if full.Loop < 0 && prefix < len(full.Path) || full.Loop > prefix {
				t.Fatalf("%s: the walk's path is shorter: %v, %v", v.Property, v.Path, full.Path)
			}
			checkWalked(t, newReference(m), q, v)
		}
		for name, met := range w.Exercised {
			if met && !r.Exercised[name] {
				t.Fatalf("%s is met on a walk only", name)
			}
		}
	})
}

func checkWalked(t *rapid.T, ref *reference, q *questions, v *statespace.Violation) {
	states := replay(t, ref.m, v)
	last := states[len(states)-1]
	ok := true
	switch v.Kind {
	case statespace.StateKind:
		ok = has(q.bad, last)
	case statespace.StepKind:
		c := v.Path[len(v.Path)-1]
		ok = ref.m.arrows[states[len(states)-2]][c.Task][c.Outcome].marks&markBad != 0
	case statespace.TerminalKind:
		ok = ref.terminal(last) && has(q.end, last)
	case statespace.StuckKind:
		ok = ref.stuck(last, v.Task) && !q.isExcused(&node{last}, v.Task)
	case statespace.SpinKind:
		checkLoop(t, ref, q, v)
	}
	if !ok {
		t.Fatalf("%s is not violated by %v through %v", v.Property, v.Path, states)
	}
}

func TestWalkModelError(t *testing.T) {
	m := chain().add(2, 0, arrow{panics: true})
	_, err := statespace.Walk(m, nodeOptions(0), statespace.WalkOptions{Seed: 3, Runs: 50, Steps: 20})
	var me *statespace.ModelError
	if !errors.As(err, &me) {
		t.Fatal(err)
	}
	if n := len(me.Path); n < 3 || me.Path[n-1] != (statespace.Choice{Task: 0}) {
		t.Errorf("path %v", me.Path)
	}
	// The path leads to the same panic when it is taken again.
	again := statespace.Replay(m, me.Init, me.Path, nil)
	var me2 *statespace.ModelError
	if !errors.As(again, &me2) || !slices.Equal(me.Path, me2.Path) {
		t.Errorf("replay: %v", again)
	}

	unfit := chain().step(2, 0, 3)
	unfit.unfit[3] = true
	_, err = statespace.Walk(unfit, nodeOptions(0), statespace.WalkOptions{Seed: 3, Runs: 50, Steps: 20})
	if !errors.As(err, &me) || !errors.Is(err, errUnfit) || me.Path[len(me.Path)-1] != (statespace.Choice{Task: 0}) {
		t.Errorf("%v", err)
	}
	if _, err := statespace.Walk(m, nodeOptions(0), statespace.WalkOptions{}); err == nil {
		t.Error("a walk of no steps is accepted")
	}
}
