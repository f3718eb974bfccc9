package statespace_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"cilcheck/statespace"
	"cilcheck/statespace/internal/toys"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// A pair is a state with the task that moved last, -1 before the first step.
type pair struct {
	state uint32
	last  int
}

// preemptions are the fewest preemptions with which each pair of a system is
// reached: the definition, applied until nothing changes.
func (r *reference) preemptions() map[pair]int {
	least := map[pair]int{}
	for _, s := range r.m.inits {
		least[pair{s, -1}] = 0
	}
	for changed := true; changed; {
		changed = false
		for p, n := range least {
			r.each(p.state, func(task, _ int, a arrow) {
				n := n + r.preempts(p, task)
				to := pair{a.to, task}
				if old, known := least[to]; !known || n < old {
					least[to], changed = n, true
				}
			})
		}
	}
	return least
}

// preempts is 1 if a step of task from p is a preemption, else 0.
func (r *reference) preempts(p pair, task int) int {
	if p.last >= 0 && p.last != task && r.enabled(p.state, p.last) {
		return 1
	}
	return 0
}

// hunted says what a hunt should find: the fewest preemptions of each property.
func (r *reference) hunted(q *questions) map[string]int {
	want := map[string]int{}
	found := func(name string, violated bool, n int) {
		if old, known := want[name]; violated && (!known || n < old) {
			want[name] = n
		}
	}
	for p, n := range r.preemptions() {
		found("good", has(q.bad, p.state), n)
		found("good end", r.terminal(p.state) && has(q.end, p.state), n)
		r.each(p.state, func(task, _ int, a arrow) {
			found("good step", a.marks&markBad != 0, n+r.preempts(p, task))
		})
		for task := range r.m.tasks {
			found("stuck", r.terminal(p.state) && r.isBlocked(p.state, task) && !q.isExcused(&node{p.state}, task), n)
		}
	}
	return want
}

// huntable are the options that a hunt looks at.
func (q *questions) huntable() statespace.Options[node] {
	o := q.safety()
	o.Stuck = []statespace.Stuck[node]{{Name: "stuck", Excused: q.isExcused}}
	return o
}

func hunt[S any](t rapid.TB, m statespace.Model[S], o statespace.Options[S], most int) *statespace.HuntResult {
	t.Helper()
	r, err := statespace.HuntPreemptions(m, o, most)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// checkHunted takes the violations again, counts their preemptions, and
// compares with what should be found.
func checkHunted(t *rapid.T, ref *reference, q *questions, r *statespace.HuntResult, want map[string]int) {
	t.Helper()
	got := map[string]int{}
	for i := range r.Violations {
		v := &r.Violations[i]
		n, err := statespace.Preemptions(ref.m, v.Init, v.Path)
		if err != nil {
			t.Fatal(err)
		}
		got[v.Property] = n
		checkWalked(t, ref, q, v)
		if i > 0 && v.Kind < r.Violations[i-1].Kind {
			t.Fatalf("violations out of order: %+v", r.Violations)
		}
	}
	if diff := cmp.Diff(want, got) + cmp.Diff(want, r.Preemptions); diff != "" {
		t.Fatalf("preemptions (-reference +hunt):\n%s", diff)
	}
}

// TestRandomHunts compares hunts without a bound with the reference and with the
// explorer.
func TestRandomHunts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := drawSystem(t, rapid.Bool().Draw(t, "truncates"))
		q := drawQuestions(t, m.tasks)
		ref := newReference(m)
		full := explore(t, m, q.huntable())
		r := hunt(t, m, q.huntable(), statespace.Unbounded)
		checkHunted(t, ref, q, r, ref.hunted(q))
		if r.Exhausted != full.Exhausted || r.Reason != full.Reason {
			t.Fatalf("exhausted %v, %q; want %v, %q", r.Exhausted, r.Reason, full.Exhausted, full.Reason)
		}
		if r.States != full.States || r.Transitions != full.Transitions || r.Terminals != full.Terminals {
			t.Fatalf("%d states, %d transitions, %d terminal; want %d, %d, %d",
				r.States, r.Transitions, r.Terminals, full.States, full.Transitions, full.Terminals)
		}
		if diff := cmp.Diff(full.Exercised, r.Exercised) + cmp.Diff(full.Coverage, r.Coverage); diff != "" {
			t.Fatalf("exercised, coverage:\n%s", diff)
		}
		most := 0
		for _, n := range ref.preemptions() {
			most = max(most, n)
		}
		if r.Bound < most {
			t.Fatalf("bound %d finished; pairs take up to %d", r.Bound, most)
		}
	})
}

// TestRandomBoundedHunts: a hunt with a bound sees exactly what takes no more
// preemptions, and says whether there is more.
func TestRandomBoundedHunts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := drawSystem(t, false)
		q := drawQuestions(t, m.tasks)
		ref := newReference(m)
		most := rapid.IntRange(0, 3).Draw(t, "most")
		r := hunt(t, m, q.huntable(), most)
		want := ref.hunted(q)
		for name, n := range want {
			if n > most {
				delete(want, name)
			}
		}
		checkHunted(t, ref, q, r, want)

		seen, steps, all := map[uint32]bool{}, map[[3]int]bool{}, map[[3]int]bool{}
		for p, n := range ref.preemptions() {
			seen[p.state] = seen[p.state] || n <= most
			ref.each(p.state, func(task, outcome int, a arrow) {
				step := [3]int{int(p.state), task, outcome}
				all[step] = true
				if n+ref.preempts(p, task) <= most {
					steps[step] = true
				}
			})
		}
		states := 0
		for _, s := range seen {
			if s {
				states++
			}
		}
		if r.States != states || r.Transitions != len(steps) {
			t.Fatalf("%d states, %d transitions; want %d, %d", r.States, r.Transitions, states, len(steps))
		}
		if r.Exhausted && len(steps) != len(all) {
			t.Fatalf("exhausted after %d of %d transitions", len(steps), len(all))
		}
		if !r.Exhausted && (r.Reason != statespace.PreemptionLimit || r.Bound != most) {
			t.Fatalf("reason %q, bound %d of %d", r.Reason, r.Bound, most)
		}
	})
}

func TestHuntToys(t *testing.T) {
	check := func(name string, r *statespace.HuntResult, want map[string]int) {
		t.Helper()
		if diff := cmp.Diff(want, r.Preemptions); diff != "" || !r.Exhausted {
			t.Errorf("%s: exhausted %v, %s", name, r.Exhausted, diff)
		}
	}
	lock := func(a toys.Algorithm) *statespace.HuntResult {
		return hunt(t, toys.Lock{Algorithm: a}, lockOptions(0b11), statespace.Unbounded)
	}
	check("Peterson", lock(toys.Peterson), map[string]int{})
	check("swapped", lock(toys.PetersonSwapped), map[string]int{"exclusive": 2})
	check("flags", lock(toys.FlagsOnly), map[string]int{"no stuck": 1})
	for n := 2; n <= 5; n++ {
		// One philosopher is preempted with a fork in hand; each of the others then
		// blocks after its first.
		table := hunt(t, toys.Philosophers{N: n}, tableOptions(n), statespace.Unbounded)
		check(fmt.Sprint(n, " philosophers"), table, map[string]int{"no deadlock": 1, "no stuck": 1})
		none := hunt(t, toys.Philosophers{N: n}, tableOptions(n), 0)
		if none.Exhausted || len(none.Violations) > 0 || none.Bound != 0 {
			t.Errorf("%d philosophers, no preemption: %+v", n, none)
		}
	}
	commit := hunt(t, toys.TwoPhase{N: 5}, twoPhaseOptions{}, statespace.Unbounded)
	if commit.States != 8832 || commit.Transitions != 58145 {
		t.Errorf("two-phase commit: %d states, %d transitions", commit.States, commit.Transitions)
	}
}

// TestHuntLimits: a hunt keeps to its limits and says so.
func TestHuntLimits(t *testing.T) {
	m := toys.TwoPhase{N: 5}
	whole := hunt(t, m, twoPhaseOptions{}, statespace.Unbounded)
	for limit := int64(4096); limit < whole.Memory; limit += limit / 3 {
		r := hunt(t, m, twoPhaseOptions{Limits: statespace.Limits{Memory: limit}}, statespace.Unbounded)
		if r.Exhausted || r.Reason != statespace.MemoryLimit || r.Memory > limit {
			t.Errorf("limit %d: exhausted %v, reason %q, held %d", limit, r.Exhausted, r.Reason, r.Memory)
		}
	}
	if least := int64(whole.States) * (8 + 16 + 16); whole.Memory < least {
		t.Errorf("%d bytes held; states, visits and nodes alone take %d", whole.Memory, least)
	}
	if r := hunt(t, newSystem(1, 0).step(0, 0, 1), statespace.Options[node]{}, 0); r.Bound != 0 || !r.Exhausted {
		t.Errorf("one task cannot be preempted: %+v", r)
	}
	if r := hunt(t, m, twoPhaseOptions{Limits: statespace.Limits{Memory: whole.Memory}}, statespace.Unbounded); !r.Exhausted {
		t.Errorf("a limit that is just enough: %s", r.Reason)
	}
	for _, limit := range []int{1, 100, 8831} {
		r := hunt(t, m, twoPhaseOptions{Limits: statespace.Limits{States: limit}}, statespace.Unbounded)
		if r.Exhausted || r.Reason != statespace.StateLimit || r.States != limit {
			t.Errorf("limit %d: %d states, reason %q", limit, r.States, r.Reason)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if r := hunt(t, m, twoPhaseOptions{Context: ctx}, statespace.Unbounded); r.Reason != statespace.Interrupted || r.Bound != -1 {
		t.Errorf("cancelled: %q, bound %d", r.Reason, r.Bound)
	}
	start := time.Now()
	r := hunt(t, toys.TwoPhase{N: 9}, twoPhaseOptions{
		Limits: statespace.Limits{Time: 250 * time.Millisecond},
		Progress: func(p statespace.Progress) {
			if p.Phase != "preemptions" || p.States == 0 || p.Memory == 0 || p.Frontier == 0 {
				t.Errorf("%+v", p)
			}
		},
	}, statespace.Unbounded)
	if r.Reason != statespace.TimeLimit || time.Since(start) > 5*time.Second {
		t.Errorf("reason %q after %v", r.Reason, time.Since(start))
	}
	o := tableOptions(4)
	o.StopAtFirst = true
	if r := hunt(t, toys.Philosophers{N: 4}, o, statespace.Unbounded); r.Reason != statespace.FirstViolation || r.Preemptions["no deadlock"] != 1 {
		t.Errorf("stop at first: %+v", r)
	}
}

// TestHuntModelErrors: a fault of the model is an error with the path to it.
func TestHuntModelErrors(t *testing.T) {
	unfit := chain().step(2, 0, 3)
	unfit.unfit[3] = true
	for name, m := range map[string]*system{"panic": chain().add(2, 0, arrow{panics: true}), "unfit": unfit} {
		_, err := statespace.HuntPreemptions(m, nodeOptions(0), statespace.Unbounded)
		var me, again *statespace.ModelError
		if !errors.As(err, &me) || len(me.Path) == 0 {
			t.Errorf("%s: %v", name, err)
			continue
		}
		err = statespace.Replay(m, me.Init, me.Path, nil)
		if err == nil || name == "panic" && (!errors.As(err, &again) || len(again.Path) != len(me.Path)) {
			t.Errorf("%s: taken again: %v", name, err)
		}
	}
	bad := newSystem(1, 0)
	bad.unfit[0] = true
	var me *statespace.ModelError
	if _, err := statespace.HuntPreemptions(bad, nodeOptions(0), 0); !errors.As(err, &me) || me.Init != 0 || len(me.Path) > 0 {
		t.Errorf("an initial state that does not fit: %v", err)
	}
	for _, tasks := range []int{0, statespace.MaxTasks + 1} {
		if _, err := statespace.HuntPreemptions(newSystem(tasks, 0), nodeOptions(0), 0); err == nil {
			t.Errorf("%d tasks are accepted", tasks)
		}
	}
	if _, err := statespace.HuntPreemptions(chain(), statespace.Options[node]{Invariants: []statespace.Invariant[node]{{
		Name: "panics", Holds: func(s *node) bool { panic(s.At) },
	}}}, 0); !errors.As(err, &me) || me.Init != 0 {
		t.Errorf("a property that panics: %v", err)
	}
}
