// Package statespace explores every state of a system of concurrent tasks and
// says what is wrong with it: which claims are violated, by which shortest
// sequence of steps, and whether a task can be lost, spin or starve. It knows
// nothing about what the tasks are; any Go program can use it.
//
// # The model
//
// A system is a type with a few methods, [Model]: the initial states, the number
// of tasks, the next atomic step of a task, and how a state is packed into
// words. Two states are equal if and only if their packed words are; the visited
// set compares all of them. A step may have several outcomes ([Move.Choose]) and
// reports what properties and traces need to know about it (marks, tags, notes).
// A task that cannot step is blocked, if it has more to do, or done.
//
// # The questions
//
// [Explore] takes them as [Options]:
//
//	on states         Invariants, Terminal, Maxima, Antecedents
//	on steps          StepInvariants, Antecedents
//	on the graph      Stuck: a blocked task that can never move again
//	                  Spin: a cycle on which one task moves alone
//	                  Starved: a weakly fair cycle on which a task never returns
//	                  Longest: most counted steps on any path
//
// The search is breadth-first, exact, and by as many workers as Options say; what
// it finds does not depend on their number. A state takes 8 to 12 bytes if it is
// packed into one word, or if the search is compact and few parts of states are
// new; otherwise it takes its words and those of a table. With a question on the
// graph the search keeps every transition, in six bytes, and finds strongly
// connected components in it; it never bounds the depth.
//
// # The answers
//
// A [Result] counts states and transitions and lists the [Violation] found of
// each property. A property that is not listed holds only if the result is
// Exhausted; a limit, a cancelled context and a step that leaves the model
// ([Move.Truncate]) end in a result that is not, with the reason. All counts and
// paths depend on the model and the options alone. [Replay] takes a path again,
// step by step. [Walk] takes random paths where the whole space is too large.
//
// A model that is at fault, by a panic or a state that does not fit, ends the
// search with a [ModelError] and the path to it, never with a verdict.
//
// # Other searches
//
// [HuntPreemptions] looks first at behaviours with few preemptions, depth-first,
// and shows a fault with the fewest; [HuntPortfolio] runs it beside Explore and
// random walks until one of them finds something. [ExploreReduced] visits fewer
// states, by symmetry and by partial order, where the model declares what that
// needs: [Symmetric], [Footprints] or [Early]; [CheckSymmetry], [CheckFootprints]
// and [CheckEarly] look for mistakes in it. [WriteCertificate] writes all states
// that a search found; package certify checks them without the explorer.
//
// # Where to read on
//
// Begin with the example, which checks a small lock, and with model.go. Then
// explore.go is the search, batch.go and commit.go what happens to a block of
// states, workers.go how several goroutines share a level, enter.go how they enter
// keys in a set. store.go is what holds the states: shards.go a set of keys, of
// which keyset.go is one part, which grow.go enlarges, index.go numbered keys,
// fold.go how a state of many words becomes one key. frontier.go is the levels at
// work, checkpoint.go how a search survives. graph.go is the stored transitions,
// stuck.go spreads sets of tasks over them, components.go finds the components that
// spin.go, starved.go and longest.go are decided on, path.go how a shortest path
// with the fewest context switches is found. The toys in internal/toys are models
// whose answers are known from theory; random_test.go compares the explorer on
// random systems with reference_test.go, which takes the definitions literally.
package statespace
