// Package verdict runs scenarios x variants x properties and says what came of
// it. A verdict is one of four words, and always comes out of a search:
//
//	holds          every reachable state was searched, and the situation that
//	               the property speaks of did arise
//	violated       there is a counterexample
//	not-exhausted  a limit was reached, or the search was interrupted: nothing
//	               is claimed
//	not-exercised  every reachable state was searched, but the situation that
//	               the property speaks of never arose
//
// The way from a question to an answer:
//
//	Case      a scenario, a variant, a scheduler: one system to search
//	Plan      many cases, searched side by side within limits (RunWithin)
//	          RunReduced visits fewer states, for the properties it Preserves
//	Outcome   what the search of one case found
//	Summary   many outcomes as a table, metrics and a conclusion
//	Report    the same for machines (JSON); JUnit for CI
//	Record    what a case gave when it was last looked at; Recorded compares
//	Mutant    a bug of the past: the fix taken away, and what shows it; a Trial
//	          is its search without the fix and with it (history.yaml)
//	Fuzz      random walks, for cases that are too large to be exhausted
//
// Nothing here depends on the number of workers or on the time, except what is
// called seconds and the reason of a search that a limit of time ended.
//
// # What to open next
//
// run.go is one search; answer.go is how `cilcheck answer` words its conclusion.
package verdict
