package statespace_test

import (
	"slices"
	"testing"

	"cilcheck/statespace"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// The marks of random systems, beside Return and Slept.
const (
	markCounted = statespace.FirstFree << iota
	markExempt
	markCut
	markBad
)

// drawSystem draws a small system: few states and tasks, so that every shape of
// cycle, dead end and tie comes up often.
func drawSystem(t *rapid.T, truncates bool) *system {
	n := rapid.IntRange(1, 8).Draw(t, "states")
	m := newSystem(rapid.IntRange(1, 3).Draw(t, "tasks"))
	m.words = rapid.IntRange(1, 2).Draw(t, "words")
	m.inits = rapid.SliceOfN(rapid.Uint32Range(0, uint32(n-1)), 1, 2).Draw(t, "inits")
	marks := rapid.SampledFrom([]statespace.Mark{
		0, 0, 0, 0, statespace.Return, statespace.Slept, markCounted, markCounted, markCounted | markExempt, markCut, markBad,
	})
	for s := range uint32(n) {
		m.blocked[s] = rapid.Uint64Range(0, 7).Draw(t, "blocked")
		for task := range m.tasks {
			for range rapid.SampledFrom([]int{0, 0, 1, 1, 1, 2}).Draw(t, "outcomes") {
				m.add(s, task, arrow{
					to:       rapid.Uint32Range(0, uint32(n-1)).Draw(t, "to"),
					marks:    marks.Draw(t, "marks"),
					truncate: truncates && rapid.IntRange(0, 9).Draw(t, "truncate") == 0,
					blocks:   rapid.IntRange(0, 9).Draw(t, "blocks") == 0,
				})
			}
		}
	}
	return m
}

// questions are random properties of a random system.
type questions struct {
	bad     uint64 // states that violate the invariant
	end     uint64 // terminal states that do
	excused [3]uint64
	owes    [3]uint64
	within  [3]uint64
	fair    uint64
	tasks   uint64
}

func drawQuestions(t *rapid.T, tasks int) *questions {
	q := &questions{
		bad:   rapid.Uint64Range(0, 255).Draw(t, "bad"),
		end:   rapid.Uint64Range(0, 255).Draw(t, "end"),
		fair:  rapid.Uint64Range(0, 1<<tasks-1).Draw(t, "fair"),
		tasks: rapid.Uint64Range(1, 1<<tasks-1).Draw(t, "asked"),
	}
	most := func(label string) uint64 { // three states in four
		half, more := rapid.Uint64Range(0, 255).Draw(t, label), rapid.Uint64Range(0, 255).Draw(t, label)
		return half | more
	}
	for i := range tasks {
		q.excused[i] = rapid.SampledFrom([]uint64{0, 0, 0x0f, 0xff}).Draw(t, "excused")
		q.owes[i] = most("owes")
		q.within[i] = most("within")
	}
	return q
}

func has(set uint64, s uint32) bool { return set>>s&1 != 0 }

func (q *questions) isExcused(s *node, task int) bool { return has(q.excused[task], s.At) }
func (q *questions) isOwing(s *node, task int) bool   { return has(q.owes[task], s.At) }

func (q *questions) longest() []statespace.Longest[node] {
	within := func(s *node, task int) bool { return has(q.within[task], s.At) }
	return []statespace.Longest[node]{
		{Name: "all", Tasks: q.tasks, Count: markCounted},
		{Name: "within", Tasks: q.tasks, Count: markCounted, Within: within},
		{Name: "cut", Tasks: q.tasks, Count: markCounted, Without: markExempt, Cut: markCut},
	}
}

func value(s *node) int { return int(s.At * 5 % 7) }

// safety are the options that need no stored graph.
func (q *questions) safety() statespace.Options[node] {
	return statespace.Options[node]{
		Invariants: []statespace.Invariant[node]{{Name: "good", Holds: func(s *node) bool { return !has(q.bad, s.At) }}},
		StepInvariants: []statespace.StepInvariant[node]{{Name: "good step", Holds: func(_, _ *node, mv *statespace.Move) bool {
			return mv.Marks&markBad == 0
		}}},
		Terminal: []statespace.Invariant[node]{{Name: "good end", Holds: func(s *node) bool { return !has(q.end, s.At) }}},
		Maxima:   []statespace.Maximum[node]{{Name: "value", Value: value}},
		Antecedents: []statespace.Antecedent[node]{
			{Name: "slept", Met: func(_, _ *node, mv *statespace.Move) bool { return mv.Marks&statespace.Slept != 0 }},
			{Name: "three", State: func(s *node) bool { return s.At == 3 }},
		},
	}
}

func (q *questions) all() statespace.Options[node] {
	o := q.safety()
	o.Stuck = []statespace.Stuck[node]{{Name: "stuck", Excused: q.isExcused}}
	o.Spin = []statespace.Spin{{Name: "spin", Tasks: q.tasks}}
	o.Starved = []statespace.Starved[node]{{Name: "starved", Owes: q.isOwing, Fair: q.fair}}
	o.Longest = q.longest()
	return o
}

func explore(t rapid.TB, m *system, o statespace.Options[node]) *statespace.Result[node] {
	t.Helper()
	r, err := statespace.Explore(m, o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestRandomSystems compares every answer of the explorer with the reference.
func TestRandomSystems(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := drawSystem(t, false)
		q := drawQuestions(t, m.tasks)
		ref := newReference(m)
		r := explore(t, m, q.all())
		if !r.Exhausted {
			t.Fatalf("not exhausted: %s", r.Reason)
		}
		checkSpace(t, ref, r)
		checkSafety(t, ref, q, r)
		checkLiveness(t, ref, q, r)
		checkLongest(t, ref, q, r)

		// Without the graph, paths come from steps taken again: same paths.
		bare := explore(t, m, q.safety())
		checkSpace(t, ref, bare)
		checkSafety(t, ref, q, bare)
	})
}

// TestRandomTruncatedSystems lets steps leave the model: what is reported of
// the rest must be real, and whatever else may be true is not claimed.
func TestRandomTruncatedSystems(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := drawSystem(t, true)
		q := drawQuestions(t, m.tasks)
		ref := newReference(m)
		r := explore(t, m, q.all())
		truncated := false
		for s := range ref.dist {
			for _, arrows := range m.arrows[s] {
				for _, a := range arrows {
					truncated = truncated || a.truncate && !a.blocks
				}
			}
		}
		if r.Exhausted == truncated {
			t.Fatalf("exhausted is %v, truncated is %v", r.Exhausted, truncated)
		}
		if truncated && r.Reason != "out of slots" {
			t.Fatalf("reason %q", r.Reason)
		}
		checkSpace(t, ref, r)
		checkSafety(t, ref, q, r)
		for i := range r.Violations {
			v := &r.Violations[i]
			if v.Kind == statespace.StuckKind {
				if s := replay(t, m, v); couldMove(ref, s[len(s)-1], v.Task, map[uint32]bool{}) {
					t.Fatalf("task %d may move again beyond the bound", v.Task)
				}
			} else if v.Loop >= 0 {
				checkLoop(t, ref, q, v)
			}
		}
	})
}

// couldMove is canMove, with a truncated step counted as leading anywhere.
func couldMove(ref *reference, s uint32, task int, seen map[uint32]bool) bool {
	if seen[s] {
		return false
	}
	seen[s] = true
	for t := range ref.m.tasks {
		for _, a := range ref.m.arrows[s][t] {
			if a.blocks {
				continue
			}
			if a.truncate || t == task || couldMove(ref, a.to, task, seen) {
				return true
			}
		}
	}
	return false
}

// TestRandomSuccessors compares the steps from every state with the table.
func TestRandomSuccessors(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := drawSystem(t, true)
		for s := range m.arrows {
			var got, want []arrow
			statespace.Successors(m, &node{s}, func(c statespace.Choice, next *node, mv *statespace.Move) {
				a := arrow{to: next.At, marks: mv.Marks, truncate: mv.Truncated() != ""}
				if a != m.arrows[s][c.Task][c.Outcome] {
					t.Fatalf("state %d, %v: %+v", s, c, a)
				}
				got = append(got, a)
			})
			for task := range m.tasks {
				for _, a := range m.arrows[s][task] {
					if !a.blocks {
						want = append(want, a)
					}
				}
			}
			if !slices.Equal(got, want) {
				t.Fatalf("state %d: %+v; want %+v", s, got, want)
			}
		}
	})
}

// checkSpace compares states, distances, counts, maxima, coverage.
func checkSpace(t *rapid.T, ref *reference, r *statespace.Result[node]) {
	dist := map[uint32]int{}
	for i := range r.States {
		s := r.State(i)
		if !r.Contains(&s) {
			t.Fatalf("state %d is not contained", s.At)
		}
		dist[s.At] = r.Level(i)
	}
	if diff := cmp.Diff(ref.dist, dist); diff != "" {
		t.Fatalf("distances (-reference +explorer):\n%s", diff)
	}
	if r.States != len(dist) || r.Transitions != ref.transitions() || r.Depth != ref.depth() {
		t.Fatalf("states %d, transitions %d, depth %d; want %d, %d, %d",
			r.States, r.Transitions, r.Depth, len(ref.dist), ref.transitions(), ref.depth())
	}
	if absent := (node{9}); r.Contains(&absent) {
		t.Fatal("a state that does not exist is contained")
	}
	terminals, most := 0, -1
	passed := [statespace.MaxTags]uint64{}
	slept := false
	for s := range ref.dist {
		if ref.terminal(s) {
			terminals++
		}
		most = max(most, value(&node{s}))
		ref.each(s, func(task, _ int, a arrow) {
			passed[task]++
			slept = slept || a.marks&statespace.Slept != 0
		})
	}
	_, three := ref.dist[3]
	if r.Terminals != terminals || r.Maxima[0].Value != most || *r.Coverage != passed {
		t.Fatalf("terminals %d, maximum %d; want %d, %d", r.Terminals, r.Maxima[0].Value, terminals, most)
	}
	if s := r.State(r.Maxima[0].State); value(&s) != most {
		t.Fatalf("state %d is no witness of the maximum", s.At)
	}
	if r.Exercised["slept"] != slept || r.Exercised["three"] != three {
		t.Fatalf("exercised %v; want slept %v, three %v", r.Exercised, slept, three)
	}
}

// replay takes a violation's path again and returns the states on it.
func replay(t *rapid.T, m *system, v *statespace.Violation) []uint32 {
	var states []uint32
	err := statespace.Replay(m, v.Init, v.Path, func(i int, s *node, mv *statespace.Move) {
		states = append(states, s.At)
	})
	if err != nil {
		t.Fatalf("%s: %v", v.Property, err)
	}
	return states
}

// checkPath compares the path to a violation, or the prefix of a cycle, with
// the best of all paths to the same depth.
func checkPath(t *rapid.T, r *statespace.Result[node], name string, want int, best func(d int) []statespace.Choice) *statespace.Violation {
	v := r.Violation(name)
	if (v != nil) != (want >= 0) {
		t.Fatalf("%s: violation %v, reference distance %d", name, v, want)
	}
	if v == nil {
		return nil
	}
	path := v.Path
	if v.Loop >= 0 {
		path = path[:v.Loop]
	}
	if b := best(want); !slices.Equal(b, path) {
		t.Fatalf("%s: path %v; best is %v", name, path, b)
	}
	return v
}

func checkSafety(t *rapid.T, ref *reference, q *questions, r *statespace.Result[node]) {
	states := func(p func(uint32) bool) func(int) []statespace.Choice {
		return func(d int) []statespace.Choice { return ref.bestPath(d, p, nil) }
	}
	bad := func(s uint32) bool { return has(q.bad, s) }
	if v := checkPath(t, r, "good", ref.least(bad), states(bad)); v != nil {
		if s := replay(t, ref.m, v); !bad(s[len(s)-1]) {
			t.Fatal("the path does not end in a bad state")
		}
	}
	end := func(s uint32) bool { return ref.terminal(s) && has(q.end, s) }
	if v := checkPath(t, r, "good end", ref.least(end), states(end)); v != nil {
		replay(t, ref.m, v)
	}
	badStep := func(s uint32, task int, a arrow) bool { return a.marks&markBad != 0 }
	hasBadStep := func(s uint32) (found bool) {
		ref.each(s, func(task, _ int, a arrow) { found = found || badStep(s, task, a) })
		return found
	}
	v := checkPath(t, r, "good step", ref.least(hasBadStep), func(d int) []statespace.Choice {
		return ref.bestPath(d, nil, badStep)
	})
	if v != nil {
		replay(t, ref.m, v)
	}
}

func checkLiveness(t *rapid.T, ref *reference, q *questions, r *statespace.Result[node]) {
	states := func(p func(uint32) bool) func(int) []statespace.Choice {
		return func(d int) []statespace.Choice { return ref.bestPath(d, p, nil) }
	}
	some := func(p func(uint32, int) bool) func(uint32) bool {
		return func(s uint32) bool {
			for task := range ref.m.tasks {
				if p(s, task) {
					return true
				}
			}
			return false
		}
	}
	lost := func(s uint32, task int) bool { return ref.stuck(s, task) && !q.isExcused(&node{s}, task) }
	if v := checkPath(t, r, "stuck", ref.least(some(lost)), states(some(lost))); v != nil {
		if s := replay(t, ref.m, v); !lost(s[len(s)-1], v.Task) {
			t.Fatalf("task %d is not stuck in state %d", v.Task, s[len(s)-1])
		}
	}
	spins := some(func(s uint32, task int) bool { return q.tasks>>task&1 != 0 && ref.spins(s, task) })
	if v := checkPath(t, r, "spin", ref.least(spins), states(spins)); v != nil {
		checkLoop(t, ref, q, v)
	}
	starves := some(func(s uint32, task int) bool {
		return ref.starves(s, task, func(s uint32, task int) bool { return q.isOwing(&node{s}, task) }, q.fair)
	})
	if v := checkPath(t, r, "starved", ref.least(starves), states(starves)); v != nil {
		checkLoop(t, ref, q, v)
	}
}

// checkLoop takes a lasso again and checks, step by step, that its cycle is
// what the property speaks of.
func checkLoop(t *rapid.T, ref *reference, q *questions, v *statespace.Violation) {
	states := replay(t, ref.m, v)
	if v.Loop < 0 || v.Loop >= len(v.Path) || states[v.Loop] != states[len(states)-1] {
		t.Fatalf("%s: no cycle: %v through %v from %d", v.Property, v.Path, states, v.Loop)
	}
	var satisfied uint64
	for i := v.Loop; i < len(v.Path); i++ {
		s, c := states[i], v.Path[i]
		marks := ref.m.arrows[s][c.Task][c.Outcome].marks
		satisfied |= 1 << c.Task
		for task := range ref.m.tasks {
			if !ref.enabled(s, task) {
				satisfied |= 1 << task
			}
		}
		if c.Task == v.Task && marks&statespace.Return != 0 {
			t.Fatalf("%s: task %d returns on the cycle", v.Property, v.Task)
		}
		if v.Kind == statespace.SpinKind && (c.Task != v.Task || marks&statespace.Slept != 0) {
			t.Fatalf("step %d does not spin", i)
		}
		if v.Kind == statespace.StarvedKind && !q.isOwing(&node{s}, v.Task) {
			t.Fatalf("task %d owes nothing in state %d", v.Task, s)
		}
	}
	if v.Kind == statespace.StarvedKind && q.fair&^satisfied != 0 {
		t.Fatalf("the cycle is unfair to %b", q.fair&^satisfied)
	}
}

// TestRandomPaths is about ties: in layered systems there are many shortest
// paths to few violations, and the one shown must be the best.
func TestRandomPaths(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const width = 4
		depth := rapid.IntRange(2, 5).Draw(t, "depth")
		m := newSystem(3, 0, 1)
		for s := range uint32(depth * width) {
			next := s/width*width + width
			for task := range m.tasks {
				for range rapid.SampledFrom([]int{0, 1, 1, 2}).Draw(t, "outcomes") {
					a := arrow{to: next + rapid.Uint32Range(0, width-1).Draw(t, "to")}
					if int(next) == depth*width && rapid.IntRange(0, 3).Draw(t, "bad") == 0 {
						a.marks = markBad
					}
					m.add(s, task, a)
				}
			}
		}
		q := &questions{tasks: 7, bad: rapid.Uint64Range(1, 1<<width-1).Draw(t, "bad") << (depth * width)}
		ref := newReference(m)
		checkSafety(t, ref, q, explore(t, m, q.safety()))
		r := explore(t, m, q.all())
		checkSafety(t, ref, q, r)
		checkLiveness(t, ref, q, r)
	})
}

func checkLongest(t *rapid.T, ref *reference, q *questions, r *statespace.Result[node]) {
	for i, l := range q.longest() {
		value, unbounded := 0, false
		for task := range ref.m.tasks {
			if q.tasks>>task&1 != 0 {
				v, u := ref.longest(&l, task)
				value, unbounded = max(value, v), unbounded || u
			}
		}
		got := r.Longest[i]
		if got.Unbounded != unbounded || !unbounded && got.Value != value {
			t.Fatalf("%s: %+v; want %d, unbounded %v", l.Name, got, value, unbounded)
		}
	}
}
