package statespace_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"runtime"
	"testing"
	"time"

	"cilcheck/statespace"
	"cilcheck/statespace/internal/toys"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

func portfolio[S any](t rapid.TB, m statespace.Model[S], o statespace.Options[S], p statespace.PortfolioOptions) *statespace.PortfolioResult {
	t.Helper()
	r, err := statespace.HuntPortfolio(m, o, p)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// A jittery system gives way to other goroutines at random moments.
type jittery struct{ *system }

func (m jittery) Step(s *node, task int, mv *statespace.Move) statespace.Status {
	for range rand.IntN(3) {
		runtime.Gosched()
	}
	return m.system.Step(s, task, mv)
}

// inTurn says what a portfolio should find, by running its members one after
// the other, by order.
func inTurn(t *rapid.T, m *system, o statespace.Options[node], p statespace.PortfolioOptions) (finder string, violations []statespace.Violation) {
	o.StopAtFirst = true
	budget := p.Budget
	for round := range uint64(p.Rounds) {
		o.Limits.States = budget
		bfs := explore(t, m, o)
		if len(bfs.Violations) > 0 {
			return statespace.BreadthFirst, bfs.Violations
		}
		dfs := hunt(t, m, o, statespace.Unbounded)
		if len(dfs.Violations) > 0 {
			return statespace.Preempting, dfs.Violations
		}
		if bfs.Exhausted || dfs.Exhausted && len(o.Stuck)+len(o.Spin)+len(o.Starved) == 0 {
			return "", nil
		}
		steps := 8 * budget
		w := statespace.WalkOptions{Seed: p.Seed + round + 1, Runs: (steps + p.Steps - 1) / p.Steps, Steps: min(p.Steps, steps)}
		w.Policy = statespace.PCT{Depth: p.Depth}
		if r := mustWalk(t, m, o, w); len(r.Violations) > 0 {
			return statespace.PriorityWalk, r.Violations
		}
		w.Policy = statespace.Uniform{}
		if r := mustWalk(t, m, o, w); len(r.Violations) > 0 {
			return statespace.UniformWalk, r.Violations
		}
		budget *= 4
	}
	return "", nil
}

// TestRandomPortfolios: whatever the timing, the result is that of the members
// run one after the other. Budgets are small, so that every member gets to find
// something.
func TestRandomPortfolios(t *testing.T) {
	finders := map[string]int{}
	rapid.Check(t, func(t *rapid.T) {
		m := drawSystem(t, false)
		q := drawQuestions(t, m.tasks)
		o := q.safety()
		if rapid.Bool().Draw(t, "liveness") {
			o = q.all()
		}
		p := statespace.PortfolioOptions{
			Seed: rapid.Uint64().Draw(t, "seed"), Budget: rapid.IntRange(1, 3).Draw(t, "budget"),
			Rounds: rapid.IntRange(1, 3).Draw(t, "rounds"), Steps: rapid.IntRange(1, 30).Draw(t, "steps"), Depth: 2,
		}
		finder, violations := inTurn(t, m, o, p)
		finders[finder]++
		for range 2 {
			r := portfolio(t, jittery{m}, o, p)
			if diff := cmp.Diff(violations, r.Violations); r.Finder != finder || diff != "" {
				t.Fatalf("found by %q, %s; want %q", r.Finder, diff, finder)
			}
			if r.Exhausted {
				o := o
				o.Longest, o.Maxima = nil, nil
				if full := explore(t, m, o); len(full.Violations) > 0 {
					t.Fatalf("exhausted; violated: %+v", full.Violations)
				}
			}
			if (r.Reason == "") != r.Exhausted || (r.Reason == statespace.FirstViolation) != (r.Finder != "") {
				t.Fatalf("%+v", r)
			}
		}
	})
	if finders[statespace.BreadthFirst] < 1000 {
		return // a short run need not meet them all
	}
	// Preemptions and the uniform walk are rarely first, each about ten times.
	rare := finders[statespace.Preempting] + finders[statespace.UniformWalk]
	if finders[""] == 0 || finders[statespace.PriorityWalk] == 0 || rare == 0 {
		t.Errorf("some never were the finder: %v", finders)
	}
}

func TestPortfolioToys(t *testing.T) {
	table := portfolio(t, toys.Philosophers{N: 4}, tableOptions(4), statespace.PortfolioOptions{})
	if table.Finder != statespace.BreadthFirst || len(table.Violations) == 0 || len(table.Violations[0].Path) != 4 {
		t.Errorf("philosophers: %+v", table)
	}
	left := portfolio(t, toys.Philosophers{N: 4, LeftHanded: true}, tableOptions(4), statespace.PortfolioOptions{})
	if !left.Exhausted || left.Finder != "" || left.Rounds != 1 {
		t.Errorf("left-handed: %+v", left)
	}
	commit := portfolio(t, toys.TwoPhase{N: 5}, twoPhaseOptions{}, statespace.PortfolioOptions{Budget: 100})
	if !commit.Exhausted || commit.Rounds != 5 || commit.States != 8832 {
		t.Errorf("two-phase commit: %+v", commit)
	}
	// The far corner of a grid is too far for a breadth-first search.
	corner := statespace.Options[gridState]{Invariants: []statespace.Invariant[gridState]{{
		Name: "not there", Holds: func(s *gridState) bool { return s.A != [2]uint16{399, 399} },
	}}}
	if r := portfolio(t, grid{400}, corner, statespace.PortfolioOptions{}); r.Finder != statespace.Preempting || r.Rounds != 1 {
		t.Errorf("grid: %+v", r)
	}
}

// TestPortfolioLimits: a portfolio ends, and says why.
func TestPortfolioLimits(t *testing.T) {
	m := toys.TwoPhase{N: 9}
	small := statespace.PortfolioOptions{Budget: 10, Rounds: 3}
	if r := portfolio(t, m, twoPhaseOptions{}, small); r.Reason != statespace.RoundLimit || r.Rounds != 3 || r.States != 160 {
		t.Errorf("rounds: %+v", r)
	}
	if r := portfolio(t, m, twoPhaseOptions{Limits: statespace.Limits{States: 100}}, small); r.Reason != statespace.StateLimit || r.States != 100 {
		t.Errorf("states: %+v", r)
	}
	if r := portfolio(t, m, twoPhaseOptions{Limits: statespace.Limits{Memory: 1 << 20}}, statespace.PortfolioOptions{Rounds: 30}); r.Reason != statespace.MemoryLimit {
		t.Errorf("memory: %+v", r)
	}
	start := time.Now()
	progress := map[string]bool{}
	r := portfolio(t, m, twoPhaseOptions{
		Limits:   statespace.Limits{Time: 400 * time.Millisecond},
		Progress: func(p statespace.Progress) { progress[p.Phase] = true },
	}, statespace.PortfolioOptions{})
	if r.Reason != statespace.TimeLimit || time.Since(start) > 5*time.Second || len(progress) == 0 {
		t.Errorf("time: %+v after %v, progress of %v", r, time.Since(start), progress)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if r := portfolio(t, m, twoPhaseOptions{Context: ctx}, small); r.Reason != statespace.Interrupted {
		t.Errorf("cancelled: %+v", r)
	}
	truncated := newSystem(1, 0).add(0, 0, arrow{to: 1, truncate: true})
	if r := portfolio(t, truncated, statespace.Options[node]{}, small); r.Exhausted || r.Reason != "out of slots" || r.Rounds != 1 {
		t.Errorf("truncated: %+v", r)
	}
	var me *statespace.ModelError
	if _, err := statespace.HuntPortfolio(chain().add(2, 0, arrow{panics: true}), nodeOptions(0), small); !errors.As(err, &me) {
		t.Errorf("a fault of the model: %v", err)
	}
}
