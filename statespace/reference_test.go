package statespace_test

import (
	"cilcheck/statespace"
)

// A reference answers every question about a system in the most naive way we
// know: maps, recursion, and the definitions taken literally. It shares no code
// with the explorer.
type reference struct {
	m    *system
	dist map[uint32]int
}

func newReference(m *system) *reference {
	r := &reference{m: m, dist: map[uint32]int{}}
	for _, s := range m.inits {
		r.visit(s, 0)
	}
	return r
}

// visit records the distance of s and of what follows, as often as it shrinks.
func (r *reference) visit(s uint32, d int) {
	if old, seen := r.dist[s]; seen && old <= d {
		return
	}
	r.dist[s] = d
	r.each(s, func(_ int, _ int, a arrow) { r.visit(a.to, d+1) })
}

// each calls f for the arrows of s that stay in the model.
func (r *reference) each(s uint32, f func(task, outcome int, a arrow)) {
	for t := 0; t < r.m.tasks; t++ {
		for o, a := range r.m.arrows[s][t] {
			if !a.truncate && !a.blocks {
				f(t, o, a)
			}
		}
	}
}

func (r *reference) transitions() (n int) {
	for s := range r.dist {
		r.each(s, func(int, int, arrow) { n++ })
	}
	return n
}

func (r *reference) depth() (d int) {
	for _, v := range r.dist {
		d = max(d, v)
	}
	return d
}

func (r *reference) enabled(s uint32, task int) bool {
	for _, a := range r.m.arrows[s][task] {
		if !a.blocks {
			return true
		}
	}
	return false
}

func (r *reference) isBlocked(s uint32, task int) bool {
	if r.enabled(s, task) {
		return false
	}
	return len(r.m.arrows[s][task]) > 0 || r.m.blocked[s]>>task&1 != 0
}

func (r *reference) terminal(s uint32) bool {
	for t := 0; t < r.m.tasks; t++ {
		if r.enabled(s, t) {
			return false
		}
	}
	return true
}

// canMove says whether task can move in s or in any state reachable from it.
func (r *reference) canMove(s uint32, task int, seen map[uint32]bool) bool {
	if seen[s] {
		return false
	}
	seen[s] = true
	if r.enabled(s, task) {
		return true
	}
	found := false
	r.each(s, func(_, _ int, a arrow) { found = found || r.canMove(a.to, task, seen) })
	return found
}

// stuck says whether task is lost in s.
func (r *reference) stuck(s uint32, task int) bool {
	return r.isBlocked(s, task) && !r.canMove(s, task, map[uint32]bool{})
}

// least is the smallest distance of the reachable states that p holds for, or
// -1.
func (r *reference) least(p func(uint32) bool) int {
	d := -1
	for s, v := range r.dist {
		if p(s) && (d < 0 || v < d) {
			d = v
		}
	}
	return d
}

// spins says whether s lies on a cycle of steps of task alone.
func (r *reference) spins(s uint32, task int) bool {
	seen := map[uint32]bool{}
	var back func(uint32) bool
	back = func(x uint32) bool {
		for _, a := range r.m.arrows[x][task] {
			if a.truncate || a.blocks || a.marks&(statespace.Return|statespace.Slept) != 0 {
				continue
			}
			if a.to == s {
				return true
			}
			if !seen[a.to] {
				seen[a.to] = true
				if back(a.to) {
					return true
				}
			}
		}
		return false
	}
	return back(s)
}

// starves says whether a fair cycle through s starves task. It walks in the
// product of the states with the set of fair tasks that have been satisfied:
// a fair cycle is a closed walk that satisfies all.
func (r *reference) starves(s uint32, task int, owes func(uint32, int) bool, fair uint64) bool {
	type at struct {
		s    uint32
		done uint64
	}
	idle := func(x uint32) (mask uint64) {
		for t := 0; t < r.m.tasks; t++ {
			if !r.enabled(x, t) {
				mask |= 1 << t
			}
		}
		return mask
	}
	if !owes(s, task) {
		return false
	}
	seen := map[at]bool{}
	found := false
	var walk func(at)
	walk = func(p at) {
		r.each(p.s, func(t, _ int, a arrow) {
			if !owes(a.to, task) || t == task && a.marks&statespace.Return != 0 {
				return
			}
			next := at{a.to, p.done | 1<<t | idle(a.to)}
			found = found || next.s == s && fair&^next.done == 0
			if !seen[next] {
				seen[next] = true
				walk(next)
			}
		})
	}
	walk(at{s, idle(s)})
	return found
}

// longest is the most counted steps of task on a walk: it takes so many steps
// that a cycle with a counted step would show as more than there are states.
func (r *reference) longest(q *statespace.Longest[node], task int) (value int, unbounded bool) {
	n := len(r.dist)
	in := func(s uint32) bool { return q.Within == nil || q.Within(&node{s}, task) }
	best := map[uint32]int{}
	for range (n + 2) * (n + 2) {
		next := map[uint32]int{}
		for s := range r.dist {
			if !in(s) {
				continue
			}
			r.each(s, func(t, _ int, a arrow) {
				if !in(a.to) || t == task && a.marks&(statespace.Return|q.Cut) != 0 {
					return
				}
				w := best[a.to]
				if t == task && a.marks&q.Count == q.Count && a.marks&q.Without == 0 {
					w++
				}
				next[s] = max(next[s], w)
			})
		}
		best = next
	}
	for _, w := range best {
		value = max(value, w)
	}
	return value, value > n
}

// bestPath finds, by trying all shortest paths to depth d, the one with the
// fewest switches and of those the first. last judges the step that would end
// the path, or is nil, in which case the state must satisfy end.
func (r *reference) bestPath(d int, end func(uint32) bool, last func(uint32, int, arrow) bool) (best []statespace.Choice) {
	switches := func(p []statespace.Choice) (n int) {
		for i := 1; i < len(p); i++ {
			if p[i].Task != p[i-1].Task {
				n++
			}
		}
		return n
	}
	found := false
	consider := func(p []statespace.Choice) {
		// Paths come in lexicographic order: only fewer switches are better.
		if !found || switches(p) < switches(best) {
			best, found = append([]statespace.Choice(nil), p...), true
		}
	}
	var walk func(s uint32, p []statespace.Choice)
	walk = func(s uint32, p []statespace.Choice) {
		if r.dist[s] != len(p) {
			return
		}
		if len(p) == d && last == nil {
			if end(s) {
				consider(p)
			}
			return
		}
		r.each(s, func(t, o int, a arrow) {
			q := append(p, statespace.Choice{Task: t, Outcome: o})
			switch {
			case len(p) < d:
				walk(a.to, q)
			case last(s, t, a):
				consider(q)
			}
		})
	}
	for _, s := range r.m.inits {
		walk(s, nil)
	}
	return best
}
