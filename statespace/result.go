package statespace

import (
	"fmt"
	"sort"
)

// A Kind is the kind of a violated property.
type Kind uint8

// The kinds, in the order in which Result lists violations.
const (
	StateKind Kind = iota
	StepKind
	TerminalKind
	StuckKind
	SpinKind
	StarvedKind
)

var kindNames = [...]string{"state", "step", "terminal", "stuck", "spin", "starved"}

func (k Kind) String() string {
	if int(k) < len(kindNames) {
		return kindNames[k]
	}
	return fmt.Sprintf("kind(%d)", uint8(k))
}

// A Choice is one step of a path: who moved, and which outcome the step had.
type Choice struct {
	Task, Outcome int
}

// A Violation is a violated property with a path that shows it. Replay takes
// the path again.
//
// Of all shortest paths to a violation of the property, Path is the one with
// the fewest context switches, and of those the first by task and outcome. For
// a spin or a starvation that holds for the prefix, up to the cycle.
type Violation struct {
	Property string
	Kind     Kind
	// Task is the task that is stuck, spins or starves, or whose step violates
	// the property; -1 when the property speaks of a state.
	Task int
	// Init numbers the initial state the path starts from, in the order of the
	// model's Init.
	Init int
	Path []Choice
	// Loop is where in Path the cycle starts, which the end of the path closes;
	// -1 without a cycle.
	Loop int
}

// Switches is the number of context switches on the path.
func (v *Violation) Switches() int {
	n := 0
	for i := 1; i < len(v.Path); i++ {
		if v.Path[i].Task != v.Path[i-1].Task {
			n++
		}
	}
	return n
}

// A Peak is the answer to a Maximum.
type Peak struct {
	Name  string
	Value int
	State int // the first state that has the value
}

// A Length is the answer to a Longest. Without an exhausted search it is a
// lower bound.
type Length struct {
	Name      string
	Value     int
	Unbounded bool // a counted transition lies on a cycle; Value is 0
	Task      int  // the first task that reaches the value; -1 if none counts
}

// A Result is what a search found. All of it depends only on the model and the
// options, except when a limit of time or a cancellation ended the search.
type Result[S any] struct {
	// Exhausted says that every reachable state was seen and every question
	// answered. Otherwise Reason says why not; violations listed are real all
	// the same, but nothing is claimed about the properties not listed.
	Exhausted bool
	Reason    string

	States      int
	Transitions int // steps taken, outcomes counted apart, self loops included
	Depth       int // distance of the farthest state from the initial ones
	Terminals   int // states in which no task can move

	// Violations has at most one violation per property name, by kind and then
	// in the order of the options.
	Violations []Violation
	// Exercised says of each antecedent whether it was ever true.
	Exercised map[string]bool
	Maxima    []Peak
	// Longest is nil when the search ended before all were computed.
	Longest []Length
	// Coverage counts, per tag, the passages of transitions through it.
	Coverage *[MaxTags]uint64

	// Memory is the most that the search held at once: visited set, stored
	// graph, analyses, and copies made while they grew. With several workers, a
	// stored graph and a compact search may make room a little earlier in one run
	// than in another.
	Memory int64

	model  Model[S]
	store  *store
	levels []int         // where states are numbered: the first state of each level
	order  func() *order // of the set; it is made when it is first asked for
}

// BytesPerState is Memory per state.
func (r *Result[S]) BytesPerState() float64 {
	return float64(r.Memory) / float64(max(r.States, 1))
}

// Violation returns the violation of the named property, or nil.
func (r *Result[S]) Violation(property string) *Violation {
	for i := range r.Violations {
		if r.Violations[i].Property == property {
			return &r.Violations[i]
		}
	}
	return nil
}

// State returns state i, from 0 to States-1. Where the search numbers states (see
// Options.Compact) that is the order of discovery; otherwise it is an order that
// depends only on the model and the options. It may be called from several
// goroutines.
func (r *Result[S]) State(i int) S {
	var s S
	t := r.store.newFolding()
	r.readState(i, &t)
	r.model.Unpack(t.words, &s)
	return s
}

// readState writes state i to t.
func (r *Result[S]) readState(i int, t *folding) {
	ref := uint64(i)
	if r.store.set != nil {
		ref, _ = r.order().at(i)
	}
	r.store.readRef(ref, t)
}

// Level is the distance of state i from the nearest initial state.
func (r *Result[S]) Level(i int) int {
	if r.store.set != nil {
		_, level := r.order().at(i)
		return level
	}
	return sort.SearchInts(r.levels, i+1) - 1
}

// number is the number of the state with a ref.
func (r *Result[S]) number(ref uint64) int {
	if r.store.set == nil {
		return int(ref)
	}
	n, _ := r.order().number(hashKey(ref))
	return n
}

// Index returns the number of a state, and whether the search has seen it. It
// may be called from several goroutines.
func (r *Result[S]) Index(s *S) (int, bool) {
	ref, found := r.find(s)
	if !found {
		return 0, false
	}
	return r.number(ref), true
}

// Contains says whether the search has seen a state. It may be called from
// several goroutines.
func (r *Result[S]) Contains(s *S) bool {
	_, found := r.find(s)
	return found
}

func (r *Result[S]) find(s *S) (ref uint64, found bool) {
	t := r.store.newFolding()
	if err := r.model.Pack(s, t.words); err != nil {
		return 0, false
	}
	return r.store.find(&t)
}
