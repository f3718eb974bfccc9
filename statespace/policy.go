package statespace

import "math/rand/v2"

// A Policy says who moves next on a random walk: Uniform or PCT.
type Policy interface {
	turns(rng *rand.Rand, tasks, steps int) turns
}

// turns is a policy at work during one run.
type turns interface {
	// order is the order in which tasks are asked to make step i: the first that
	// can move does.
	order(i int) []int
	// moved says that a task made the step.
	moved(task int)
	// spun says that a task came back alone to the state it was in.
	spun(task int)
}

// Uniform lets every task that can move do so with the same probability.
type Uniform struct{}

type uniformTurns struct {
	rng   *rand.Rand
	tasks []int
}

func (Uniform) turns(rng *rand.Rand, tasks, _ int) turns {
	u := &uniformTurns{rng: rng, tasks: make([]int, tasks)}
	for t := range u.tasks {
		u.tasks[t] = t
	}
	return u
}

func (u *uniformTurns) order(int) []int {
	u.rng.Shuffle(len(u.tasks), func(i, j int) { u.tasks[i], u.tasks[j] = u.tasks[j], u.tasks[i] })
	return u.tasks
}

func (*uniformTurns) moved(int) {}
func (*uniformTurns) spun(int)  {}

// PCT schedules by random priorities (Burckhardt and others, A Randomized
// Scheduler with Probabilistic Guarantees of Finding Bugs, 2010): the task with
// the highest priority that can move does, and at Depth random steps of the run
// the task that moved last falls behind all others. A fault that takes Depth+1
// ordering constraints between n tasks in k steps is met by a run with
// probability at least 1/(n·k^Depth). A task that turns round alone falls
// behind, too: otherwise it would keep the rest of the run.
type PCT struct{ Depth int }

type pctTurns struct {
	tasks  []int // by falling priority
	change map[int]int
	last   int
}

func (p PCT) turns(rng *rand.Rand, tasks, steps int) turns {
	q := &pctTurns{tasks: rng.Perm(tasks), change: map[int]int{}, last: -1}
	for range p.Depth {
		q.change[rng.IntN(steps)]++
	}
	return q
}

func (q *pctTurns) order(i int) []int {
	if q.change[i] > 0 && q.last >= 0 {
		q.spun(q.last)
	}
	return q.tasks
}

func (q *pctTurns) moved(task int) { q.last = task }

func (q *pctTurns) spun(task int) {
	for i, t := range q.tasks {
		if t == task {
			copy(q.tasks[i:], q.tasks[i+1:])
			q.tasks[len(q.tasks)-1] = task
			return
		}
	}
}
