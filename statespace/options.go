package statespace

import (
	"context"
	"time"
)

// An Invariant is a claim about single states.
type Invariant[S any] struct {
	Name  string
	Holds func(s *S) bool
}

// A StepInvariant is a claim about single steps: the state before, the state
// after, and what the step reported. A step that leaves the model (Truncate) is
// not judged.
type StepInvariant[S any] struct {
	Name  string
	Holds func(before, after *S, mv *Move) bool
}

// Stuck claims that no task that has more to do is lost: a state is reported in
// which a task is Blocked and can never move again, on no path, whatever the
// others do. Unlike a deadlock this is found although other tasks run for ever.
type Stuck[S any] struct {
	Name string
	// Excused says that task may stay blocked for ever in state s; nil excuses
	// nobody.
	Excused func(s *S, task int) bool
}

// Spin claims that no task turns round alone: a cycle is reported in which one
// task makes every move and none of them is marked Return or Slept.
type Spin struct {
	Name string
	// Tasks are the tasks that must not spin, a bit each; 0 means every task.
	Tasks uint64
}

// Starved claims that a task that owes something delivers it: a cycle is
// reported in all of whose states the task owes, on which it takes no step
// marked Return, and which is weakly fair: each task of Fair moves on the cycle
// or is not enabled in some state of it.
type Starved[S any] struct {
	Name string
	// Owes says that task has begun something that it must bring to its Return.
	Owes func(s *S, task int) bool
	// Fair are the tasks that run if they can, a bit each. The others are the
	// environment: they may stop at any point.
	Fair uint64
}

// An Antecedent is a situation that a property speaks of. A property whose
// antecedent never arose has not been exercised by the search. Met and State
// are alternatives; either may be nil.
type Antecedent[S any] struct {
	Name  string
	Met   func(before, after *S, mv *Move) bool
	State func(s *S) bool
}

// A Maximum asks for the largest value over all reachable states.
type Maximum[S any] struct {
	Name  string
	Value func(s *S) int
}

// A Longest asks how often a task can do something before something else
// happens, on any path and for paths of any length: the largest number of
// counted transitions of one task on a path that stays where Within holds for
// the task and takes no transition of it marked Return or with a mark of Cut.
type Longest[S any] struct {
	Name string
	// Tasks are the tasks asked about, a bit each; the result is the largest.
	Tasks uint64
	// Within delimits the paths; nil is everywhere.
	Within func(s *S, task int) bool
	// A transition of the task counts when it has all marks of Count and none of
	// Without.
	Count, Without Mark
	// Cut ends a path, as Return always does; the ending step does not count.
	Cut Mark
}

// Limits bound a search; zero is no limit. A search that meets one ends with
// Exhausted false.
type Limits struct {
	States int
	// Memory bounds the bytes of the visited set, the frontier, the stored graph
	// and the analyses, with the copies made while they grow. Of 64 MiB and more,
	// 32 MiB are set aside for the rest of the program, so that it stays below the
	// limit as a whole. The frontier moves to files before the limit is met.
	Memory int64
	Time   time.Duration
}

// Options say what to check and how far to go. The zero value explores and
// counts.
type Options[S any] struct {
	Invariants     []Invariant[S]
	StepInvariants []StepInvariant[S]
	// Terminal are claims about the states in which no task can move.
	Terminal []Invariant[S]

	// These need the graph of all transitions, six bytes each, and are not looked
	// at when a limit ended the search. Where single steps left the model
	// (Truncate) they are: what is then reported is real, with the task of such a
	// step taken to be enabled and able to lead anywhere.
	Stuck   []Stuck[S]
	Spin    []Spin
	Starved []Starved[S]
	Longest []Longest[S]

	Antecedents []Antecedent[S]
	Maxima      []Maximum[S]

	// StopAtFirst ends the search at the end of the breadth-first level that
	// shows a violation, so that the violation is the one a full search reports
	// first. Otherwise the search goes on, and counts are those of the full
	// space.
	StopAtFirst bool

	Limits Limits
	// Context, when cancelled, ends the search as a limit does.
	Context context.Context

	// Workers is how many goroutines search; 0 is one. The result does not depend
	// on it, but see Result.Memory.
	Workers int

	// Compact folds packed states of several words into one word each, at some
	// cost in time (tree compression): a state then takes 10 to 12 bytes, as long
	// as few of its parts are new. Otherwise it takes its words, and the table that
	// finds it. Nothing that a search finds depends on it, but the order in which
	// Result numbers states: that of discovery, unless a state is one word, or
	// folded into one, and no question on the graph is asked.
	Compact bool

	// Checkpoint says where the search is saved.
	Checkpoint Checkpoint

	// block is how many states a worker takes at once; 0 is blockLen. It is for
	// tests: nothing that a search finds depends on it.
	block int

	// SpillDir is where the frontier goes when it finds no room in memory any
	// more, in files that are removed at the end; "" is the directory for
	// temporary files.
	SpillDir string

	// Progress is called from the searching goroutine, at most every 100 ms.
	Progress func(Progress)
}

// needsGraph says whether the transitions must be stored.
func (o *Options[S]) needsGraph() bool {
	return len(o.Stuck)+len(o.Spin)+len(o.Starved)+len(o.Longest) > 0
}

// Progress is where a search is. Its values depend on the moment: they are not
// for comparing.
type Progress struct {
	Phase       string // "search", or the analysis that runs
	States      int
	Transitions int
	Level       int
	Frontier    int // states not expanded yet
	Memory      int64
	Elapsed     time.Duration

	StatesPerSecond      float64 // since the last report
	TransitionsPerSecond float64
	BytesPerState        float64
	Load                 float64 // how full the table of states is, from 0 to 1
	// Remaining is a rough estimate, from the growth of levels, of how long the
	// search will go on; 0 if nothing can be said.
	Remaining time.Duration
	// Spilled are the files that hold what of the frontier finds no room in
	// memory.
	Spilled []string
}
