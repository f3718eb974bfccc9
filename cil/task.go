package cil

import "cilcheck/statespace"

// wait is what a task sleeps on.
type wait = uint8

const (
	notWaiting    wait                     = iota
	waitPush                               // xc_push_wait
	waitStart                              // xc_start_wait
	waitCommit                             // xc_commit_wait
	waitSpace                              // l_flush_wait
	waitFlush                              // the completion of a flush_workqueue or flush_work
	waitCtxRead                            // xc_ctx_lock, for read
	waitCtxWrite                           // xc_ctx_lock, for write
	waitPushLock                           // xc_push_lock (finer mode)
	waitIclogLock                          // l_icloglock (finer mode)
	waitForce                              // ic_force_wait of iclog i is waitForce+i
	waitWrite     = waitForce + MaxIclogs  // ic_write_wait
	waitSema      = waitWrite + MaxIclogs  // ic_sema
	waitBuf       = waitSema + MaxIclogs   // the lock of buffer i
	waitUnpin     = waitBuf + MaxBuffers   // the last unpin of buffer i
	waitAILEmpty  = waitUnpin + MaxBuffers // xa_ail_empty
	waitGrant     = waitAILEmpty + 1       // the queue of the reserve head
	numWaits      = waitGrant + 1
)

// Marks that the graph analyses use beside statespace.Return and Slept.
const (
	// MarkRestartSlept: xlog_cil_force_seq restarts after a turn in which it
	// slept.
	MarkRestartSlept = statespace.FirstFree << iota
	// MarkRestartSpun: it restarts after a turn without a sleep.
	MarkRestartSpun
)

// NoteKind says what a note of a step means; A and B are its values.
type NoteKind = uint8

const (
	// NoteWoken: task A was woken.
	NoteWoken NoteKind = iota
	// NoteReturned: operation A (OpKind) returned, with EIO if B is 1.
	NoteReturned
	// NoteOwn: checkpoint A is the newest that the operation that returned had
	// to make durable; NoSeq if there was none. B is 1 if file data that it had
	// to make durable is only in a volatile cache. Like every sequence in a note it
	// is counted as before the NoteSeqShift of the same step.
	NoteOwn
	// NoteAssert: the ASSERT numbered A (see AssertName) failed.
	NoteAssert
	// NoteUseAfterFree: the step touched context A after it was freed.
	NoteUseAfterFree
	// NoteCompleted: xlog_cil_committed of context A began, aborting if B is 1.
	NoteCompleted
	// NoteWriteFailed: the log write with LSN A failed.
	NoteWriteFailed
	// NoteReads: the task reads a pointer to context A, to use it later.
	NoteReads
	// NoteSamples: the push work samples the stable flag as A.
	NoteSamples
	// NoteDeclined: the task chose that its next operation never happens.
	NoteDeclined
	// NoteSpliced: the shutdown took the callbacks of iclog A, whose reference
	// count is B.
	NoteSpliced
	// NoteQueuedAgain: the push_work of context A was queued a second time.
	NoteQueuedAgain
	// NoteCommitSetAgain: the commit_lsn of context A was set a second time.
	NoteCommitSetAgain
	// NoteSeqShift and NoteLSNShift: all relative sequences or LSNs went down
	// by A at the end of the step.
	NoteSeqShift
	NoteLSNShift
	// NoteGathered: the push of checkpoint A took the items off the lists; B is 0
	// if these are all that joined it and no other, 1 if some are left behind, 2
	// if some belong to another checkpoint, 3 if they are all, but space_used is
	// not theirs.
	NoteGathered
	// NoteShrunk: a commit took the difference of its item off the space of
	// checkpoint A; B is 1 if the item is not in it.
	NoteShrunk
	// NoteTornDown: the step used what unmount had destroyed: TornAIL or TornCIL.
	NoteTornDown
	// NoteFlushFailed: the flush of the data device before the write of iclog A
	// failed.
	NoteFlushFailed
	// NoteNotPinned: the task, which has not locked buffer A, sees it unpinned.
	NoteNotPinned
)

// run is one step in progress.
type run struct {
	m  *Machine
	s  *State
	t  *Task // &s.Task[id]
	id int
	mv *statespace.Move

	// poison is what a pointer to freed and forgotten memory points to.
	poison Ctx
}

// Step takes the next step of a task: one lock section or one lock-free access,
// with the local code up to the next one. It knows no scheduler.
func (m *Machine) Step(s *State, id int, mv *statespace.Move) statespace.Status {
	switch st := m.Status(s, id); {
	case st != statespace.Moved:
		return st
	case s.Task[id].PC == pcIdle:
		s.Task[id].PC = pcW1
	}
	r := run{m: m, s: s, t: &s.Task[id], id: id, mv: mv}
	r.advance()
	m.settle(s, mv)
	return statespace.Moved
}

// Status says whether a task can move, without moving it.
func (m *Machine) Status(s *State, id int) statespace.Status {
	t := &s.Task[id]
	switch {
	case t.Wait != notWaiting:
		return statespace.Blocked
	case t.PC == pcDone:
		return statespace.Done
	case t.PC == pcIdle:
		return m.idleStatus(s, id)
	case t.PC == pcIO && m.IOEndWorkers > 0 && m.ioEndBusy(s) >= int(m.IOEndWorkers):
		return statespace.Blocked
	case m.unmounts && !m.mayUnmount(s, id):
		return statespace.Blocked
	case m.stopped(s, id), t.PC == pcXAidle && s.AIL.Awake == 0, m.logWorkerOff(s, id):
		return statespace.Done
	case t.PC == pcCPUOffline && !m.leavesCPU(s, m.op(s, id).CPU):
		return statespace.Blocked
	case m.Without&WithoutLogWorkerQueue != 0 && m.IOEndWorkers > 0 && m.atEntry(s, id) &&
		m.op(s, id).Kind == OpLogWorker && m.ioEndBusy(s) >= int(m.IOEndWorkers):
		return statespace.Blocked
	case s.Wq.Frozen != 0 && t.PC == pcIO && s.Iclog[id-m.firstIO].Early == 0:
		return statespace.Blocked // l_ioend_workqueue is freezable
	case s.Wq.Frozen != 0 && m.atEntry(s, id) && m.op(s, id).Kind == OpLogWorker:
		return statespace.Blocked // so is the log worker's queue
	}
	return statespace.Moved
}

// logWorkerOff reports whether the log worker is to force the log and has not
// been started (B41, B43).
func (m *Machine) logWorkerOff(s *State, id int) bool {
	return m.Without&(WithoutLogWorker|WithoutGrantForce) != 0 && m.atEntry(s, id) && m.op(s, id).Kind == OpLogWorker
}

// ioEndBusy counts the works of the completion workqueue that run: completions,
// and the log worker where that is a work of the same queue.
func (m *Machine) ioEndBusy(s *State) int {
	n := 0
	for i := m.firstIO; i < m.tasks; i++ {
		if pc := s.Task[i].PC; pc != pcIdle && pc != pcIO {
			n++
		}
	}
	if m.Without&WithoutLogWorkerQueue == 0 {
		return n
	}
	for i := range m.Scripts {
		if s.Task[i].PC != pcDone && m.op(s, i).Kind == OpLogWorker && !m.atEntry(s, i) {
			n++
		}
	}
	return n
}

// idleStatus is the status of a kworker without work or an iclog without I/O.
// Of the idle kworkers without a CPU, which are alike, only the first takes a work:
// another choice leads to the same states with two workers exchanged. One that has
// a CPU has just ended a work, and takes the next in the same pool section
// (workqueue.md#W6).
func (m *Machine) idleStatus(s *State, id int) statespace.Status {
	if id >= m.firstIO || s.Wq.Startable() == 0 {
		return statespace.Done
	}
	for w := m.firstWorker; w < id && s.Task[id].OnCPU == 0; w++ {
		if s.Task[w].PC == pcIdle && s.Task[w].OnCPU == 0 {
			return statespace.Done
		}
	}
	return statespace.Moved
}

// advance runs labels up to the end of the step. A step ends before the next
// access, unless the task still holds a spinlock: then, in the coarse mode, the
// section goes on. Every label in the finer mode is a step of its own, and so
// is taking a lock.
func (r *run) advance() {
	accessed := false
	for r.t.Wait == notWaiting && r.t.PC != pcDone && r.t.PC != pcIdle {
		l := &labels[r.t.PC]
		if !l.local && (!l.coarse || r.m.Fine) {
			if accessed && (r.m.Fine || l.apart || !r.holdsSpinlock()) {
				return
			}
			accessed = true
			if l.lock != noLock && !r.holds(l.lock) {
				if !r.lock(l.lock) || r.m.Fine {
					continue
				}
			}
		}
		r.exec()
	}
}

// sleepOn puts the task to sleep; it goes on at label pc when it is woken.
// Queueing, setting the task state and releasing the lock are one step: every
// waker of the log's queues holds the same lock (cil.md#XW1 to cil.md#XW3).
func (r *run) sleepOn(w wait, pc Label) {
	r.t.Wait, r.t.PC = w, pc
	r.mv.Marks |= statespace.Slept
}

// joinOrSleep is xlog_wait, with the task's lock dropped at its end. Where a
// wake may come without the lock (without is on), joining the queue and setting
// the task state are two steps, and a wake between them is lost: the task goes
// on at label second with the other one.
func (r *run) joinOrSleep(without Mutant, w wait, pc, second Label) {
	if r.m.Without&without != 0 {
		r.tag(TagXW1)
		r.t.PC = second
		return
	}
	r.sleepOn(w, pc)
	r.unlock()
}

// setStateAndSleep is the second half of a split xlog_wait.
func (r *run) setStateAndSleep(w wait, pc Label) {
	r.tag(TagXW2, TagXW3)
	r.sleepOn(w, pc)
	r.unlock()
}

// wakeAll is wake_up_all.
func (r *run) wakeAll(w wait) {
	for i := range r.s.Task[:r.m.tasks] {
		if r.s.Task[i].Wait == w {
			r.wake(i)
		}
	}
}

func (r *run) wake(task int) {
	r.s.Task[task].Wait, r.s.Task[task].Rank = notWaiting, 0
	r.mv.Note(NoteWoken, uint8(task), 0)
}

// pushWaiters reports whether xc_push_wait has an entry (waitqueue_active). An
// entry stays until the woken task itself runs (cil.md#XW5), so a task counts until it
// leaves the label after the sleep.
func (r *run) pushWaiters() bool {
	for i := range r.s.Task[:r.m.tasks] {
		if r.s.Task[i].PC == pcB6woken {
			return true
		}
	}
	return false
}

// ctx returns the context of seq and notes the touch if it was freed. A task's
// pointer to a context that is freed and forgotten is GoneSeq.
func (r *run) ctx(seq Seq) *Ctx {
	if seq < FirstSeq {
		r.mv.Note(NoteUseAfterFree, seq, 0)
		r.poison = Ctx{Life: Freed}
		return &r.poison
	}
	c := r.s.context(seq)
	if c.Life != Live {
		r.mv.Note(NoteUseAfterFree, seq, 0)
	}
	return c
}

// assert notes a failed ASSERT of the kernel code.
func (r *run) assert(ok bool, a Assert) {
	if !ok {
		r.mv.Note(NoteAssert, uint8(a), 0)
	}
}

func (r *run) tag(tags ...statespace.Tag) {
	for _, t := range tags {
		r.mv.Tag(t)
	}
}

// result stores what the current function returns: EIO or success.
func (r *run) result(eio bool) {
	r.t.Local &^= localEIO
	if eio {
		r.t.Local |= localEIO
	}
}

func (r *run) failed() bool { return r.t.Local&localEIO != 0 }

func (r *run) isShutdown() bool { return r.s.Shutdown != 0 }

// Assert numbers the ASSERTs of the kernel code that the model keeps.
type Assert uint8

const (
	AssertForceSeq        Assert = iota // F0: sequence <= xc_current_sequence
	AssertPushSeq                       // N0: push_seq <= xc_current_sequence
	AssertSampledSeq                    // W3: the sampled push_seq <= the context's sequence
	AssertNotEmpty                      // B1: the CIL is not empty during a commit
	AssertHeadSwitched                  // P10: only the head iclog is switched
	AssertActiveRelease                 // P10: last release of an iclog not WANT_SYNC finds it ACTIVE
	AssertUnreferencedEnd               // P10: refcnt 0 when I/O is issued and ends
	AssertSyncing                       // IC3: the iclog is SYNCING when its I/O ends
	AssertNoCallbacks                   // IC7: a reactivated iclog has no callbacks
	AssertAbortShutdown                 // ABORT: only after shutdown
	numAsserts
)

var assertNames = [numAsserts]string{
	"F0: sequence <= xc_current_sequence",
	"N0: push_seq <= xc_current_sequence",
	"W3: sampled push_seq <= ctx->sequence",
	"B1: XLOG_CIL_EMPTY is clear during a commit",
	"IC1: only the head iclog is switched",
	"RI5: the iclog is ACTIVE at the last release",
	"IE2: ic_refcnt is 0 when I/O is issued or ends",
	"IC3: the iclog is SYNCING when its I/O ends",
	"IC7: a reactivated iclog has no callbacks",
	"ABORT: the log is shut down",
}

// AssertName describes an ASSERT by its tag and claim.
func AssertName(a uint8) string {
	if int(a) < len(assertNames) {
		return assertNames[a]
	}
	return "unknown assertion"
}
