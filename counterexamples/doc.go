// Package counterexamples is the trace: a path of the system under check that
// violates a property, written down so that a kernel engineer reads it beside
// the source, git shows how it changed, and the checker can be asked at any time
// whether it is still true.
//
//	cilcheck-trace: 1
//	scenario: one-force
//	...
//	property: no-spin
//	verdict: violated
//	kind: spin
//	task: fsync
//
//	  9 fsync  xlog_cil_push_now   N2 N3 N4 N5    | xc_push_seq: 0 -> 1; push_work 1 PENDING: 0 -> 1
//	loop:
//	 10 fsync  xlog_cil_force_seq  F2 F3 F0 F1 N0
//	 11 fsync  xlog_cil_push_now   N2 N3 N4
//
// # The format
//
// A header of "key: value" lines says what was checked and what is violated.
// After an empty line comes one line for each step: its number, the task, the
// kernel function it is in, the tags of cil.md that it passes, and after a bar
// everything it did, with semicolons between:
//
//	outcome 1                       which one, if the step has several outcomes
//	ctx 1 commit_lsn: 0 -> 3        a shared field, by the kernel's name
//	wakes kworker0                  a task that slept
//	returns fsync: success          an operation; EIO if it failed
//	completes ctx 1, aborts ctx 1   xlog_cil_committed began
//	ASSERT failed: F0: ...          and the other things that must not happen
//	sleeps on xc_start_wait         the task itself, from now on (spins on, for
//	                                a spinlock in the finer mode)
//
// What does not fit on the line goes on after a bar on the next. "loop:" stands
// before the first step of a loop, which the last step closes. Lines that start
// with # are comments. Sequences and LSNs are absolute, although the states of
// the model are relative; an object that only got another place in the state
// has not changed. A list is told by the context at its head (xc_committing:
// newest first, ic_callbacks: oldest first) and by what is next after each context.
//
// # What can be done with a trace
//
//	Record      take the path of a violation and write it down
//	Format      text that Parse reads back; Save and Load do so with files
//	Replay      take every step again and compare all that the trace says of
//	            it: the first line that the system does otherwise is refused.
//	            At the end the property is judged anew, a loop has to close, a
//	            task that is stuck is searched for a way out
//	Follow      take only its schedule: does a repair keep it from happening?
//	StateAfter  the whole state after a step; FormatState prints it
//	Minimise    a shorter path, from one that a random walk found
//	Kept        the traces in this folder; CheckKept replays them
//
// A replay has four ends: violated, not violated, refused at a line, and
// unconfirmed, when the last question could not be answered within bounds. It
// never takes a trace's word for anything: all but the schedule is computed
// from the model and compared.
//
// # Kept traces
//
// A *.trace file of this folder is a fault that the checker has found and must
// go on finding. Its header may list the variants that repair it, on which its
// schedule must be refused or end well:
//
//	repaired-by: flush=on-restart; flush=never,wait=commit
//
// When a change of the model changes what a step does, the traces are recorded
// anew with "go test ./counterexamples -rewrite"; the diff is then to be read.
//
// The folder history has one more trace for each bug of the past that the model
// shows without its fix (see cilcheck history); "make record" writes them anew.
//
// # What to open next
//
// A kept trace, such as one-force-never-no-spin.trace, then tell.go, which puts
// a step into words, and judge.go, which decides what a replay has shown.
package counterexamples
