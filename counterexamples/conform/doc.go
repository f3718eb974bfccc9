// Package conform holds recordings of a real kernel against the model: is what a
// machine did a behaviour of the code as package cil has it? It reads ftrace,
// trace-cmd, perf and bpftrace text, measures it, watches it, and searches the
// model for an execution that shows exactly the recorded events in their order.
//
//	Open, Reader   the events of a recording, one by one, and what speaks
//	               against its completeness (lost events, a wrapped buffer)
//	Check          conforms, rejected at a line, or a limit was reached
//	Measure        what forces, flushes and pushes did and how long they took
//	Monitor        the properties that a recording alone decides, on a stream
//
// # What Check searches
//
// The states are those of cil.Machine, one for the whole recording, whatever its
// length: sequences and LSNs are relative there. Every thread that is in a force,
// every kworker that runs a push work and every iclog that is written is a task.
// tell.go says which events a step shows, by the tags that the step passes and
// the place where it ends:
//
//   - inside: the event comes from within the lock section or access, so the step
//     is taken when the first of these is seen. workqueue_queue_work is inside
//     N5, xlog_iclog_switch inside IC1, restart_wait inside F2c.
//   - after: it comes between this step and the thread's next, as all entries
//     and returns of functions do.
//   - none: the step is hidden.
//
// The search keeps the set of states that fit the events so far. For the next
// event it moves the thread of the event, through hidden steps, until it shows
// the event. A hidden step of another thread is taken before only if it does not
// commute with what this thread does next: both orders are tried and compared,
// along the whole chain of steps the other thread could take (others in
// reduce.go, a persistent set computed from the states themselves). The one sleep
// that shows nothing (FL3) is no step but a note (doze.go). So most events leave as
// many states as there were, and a set has rarely more than a few dozen.
//
// # What is compared
//
// The order of events of every thread, and between threads wherever they touch
// the same lock or variable; every sequence number; xc_current_sequence,
// xc_push_seq and EMPTY at each push_now and restart_cur; on which sequence F2c
// sleeps; LSNs of iclogs, checkpoints and results (which must grow, and stay
// what they were); the state of an iclog at each event and its reference count
// at each release; whether a flush had to wait; which push work a kworker runs;
// that a sleeper is woken only when the model wakes it; how far xlog_force_lsn
// walks along the ring.
//
// # What is not
//
//   - Transaction commits are hidden: any thread may commit at any time. All that
//     others see of it is that EMPTY is clear (commit in ahead.go).
//   - Sizes. Whether a write fits the iclog is read from the recording.
//   - Times, but for a wake-up order that they imply. sched_switch and
//     sched_waking are not used: a dropped xlog_iclog_wait_on can look like a
//     thread that came too late to wait.
//   - What a crash would leave on the disk.
//   - The tracepoint xfs_log_force with a sequence, which probes show better.
//   - A shutdown: no recording has one.
//
// # Where a recording begins
//
// In the middle of the system's life: any sequence, the CIL empty or not, and
// either nothing unfinished or the last checkpoint whole in the head iclog,
// ACTIVE and not written. No push work runs and no iclog is being written. A
// force that is in flight then is not checked, nor is anything after the end.
//
// # What the probes leave open
//
// Clocks of two CPUs may differ by Options.Skew. A probe that reads variables
// reads them after its timestamp, and later than anybody expects when the CPU is
// stopped in between (late.go). Both are allowed only if nothing stricter fits,
// and counted in the Result. flush_prep_ret says wait=0 also when the caller
// queues up behind another flush, and comes once more when a flush is passed on
// to the next colour. A return probe with too few instances misses returns. Calls
// nest, so what their thread shows next tells which are missing (survey.go); that
// is believed only of a recording in which ten threads or more were in forces at
// once. There, an fsync that returned at once without a trace can be added or left
// out; everything else is as strict as elsewhere.
//
// Events that a recorder could not record are named in a comment of the recording;
// their steps are hidden then, and less is checked (absent.go).
//
// # What a verdict means
//
// Conforms: an execution of the model was found. Rejected: none of the states
// that were kept can show the event, not even with the hidden steps of all
// threads in every order from there. That the states kept before are enough is
// what the commutation argument says; a test compares it with keeping all.
// LimitReached: more threads, checkpoints or log writes at once than the model
// has room for, more states than Options.Limit, or a flush that is passed on in a
// recording that misses returns of other flushes; nothing is claimed.
//
// # What to open next
//
// tell.go, beside package cil; then next and arrive in search.go, and others in
// reduce.go.
package conform
