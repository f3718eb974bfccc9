package conform

import (
	"slices"

	"cilcheck/cil"
	"cilcheck/statespace"
	"cilcheck/wq"
)

// telling is what one step of the model shows: events that its lock section or
// access contains, so that the step is taken when the first of them is seen, and
// events that come after it, before the next step of the same thread.
type telling struct {
	inside, after owed
}

// tell says which events a step shows: the tags it passed, in order, and where
// it ended. It is the only place that knows where the probes are.
func (c *checker) tell(before *cil.State, next *node, task int) telling {
	s := step{c: c, before: before, next: next, task: task,
		from: &before.Task[task], to: &next.s.Task[task]}
	for _, tag := range c.mv.Tags() {
		s.forces(tag)
		s.pushes(tag)
		s.iclogs(tag)
	}
	s.arrives()
	return s.telling
}

// step is one step being told.
type step struct {
	telling
	c      *checker
	before *cil.State
	next   *node
	task   int
	from   *cil.Task
	to     *cil.Task
}

func (s *step) passed(tag statespace.Tag) bool { return slices.Contains(s.c.mv.Tags(), tag) }

func (s *step) contains(k Kind) { s.show(&s.inside, expect{kind: k, state: anyState}) }
func (s *step) follows(k Kind)  { s.show(&s.after, expect{kind: k, state: anyState}) }
func (s *step) asleep() bool    { return s.to.Wait != 0 }
func (s *step) flushes() bool   { return s.c.m.Flush == cil.FlushAlways }
func (s *step) marked(k Kind, more uint8) {
	s.show(&s.after, expect{kind: k, state: anyState, more: more})
}

// show adds an event, unless the recording has none of its kind, or misses it.
func (s *step) show(list *owed, e expect) {
	th := &s.next.threads[s.task]
	switch {
	case s.c.absent.Has(e.kind):
	case th.missed.Has(e.kind):
		th.missed &^= 1 << e.kind
	default:
		list.push(e)
	}
}

// forces tells the forces and xlog_cil_push_now.
func (s *step) forces(tag statespace.Tag) {
	switch tag {
	case cil.TagFS1:
		s.follows(LogForceSeq)
	case cil.TagF0:
		s.follows(CilForceSeq)
	case cil.TagN0:
		if s.from.PC != cil.PlaceTurn { // else it was told when the thread slept
			s.pushNow()
		}
	case cil.TagN1:
		if s.flushes() {
			s.flushed()
		}
	case cil.TagN4:
		s.follows(PushNowRet)
	case cil.TagN5:
		s.queued()
	case cil.TagF2c:
		s.contains(RestartWait)
		s.turn()
	case cil.TagF3:
		s.restart()
	case cil.TagF4:
		s.forced()
	case cil.TagFL2:
		s.walk()
	case cil.TagG2:
		s.ofIclog(&s.inside, IclogForce, int(s.before.Head), anyState)
	case cil.TagFY4:
		if !s.next.threads[s.task].lone {
			s.follows(FsyncRet)
		}
	}
}

// pushNow is the entry of xlog_cil_push_now.
func (s *step) pushNow() {
	async := uint8(0)
	if s.passed(cil.TagA1) {
		async = 1
	}
	s.marked(PushNow, async)
}

// flushed is a flush_workqueue that has looked at what is in flight.
func (s *step) flushed() {
	more := uint8(0)
	if s.asleep() {
		more |= flushMustWait
	}
	if s.c.flushing(s.next, s.task) {
		more |= flushNotFirst
	}
	s.marked(FlushPrepRet, more)
	s.follows(FlushWqRet)
}

// queued is queue_work of the current context's work.
func (s *step) queued() {
	s.contains(QueueWork)
	if s.next.s.Wq.Work[s.before.XcCtx-cil.FirstSeq].Place == wq.Worklist {
		s.contains(ActivateWork)
	}
}

// turn is the top of a turn that begins after a sleep.
func (s *step) turn() {
	s.follows(PushNow)
	if s.flushes() {
		s.follows(FlushWq)
	}
}

// restart is F3, if it restarts, and the flush of R4 after it.
func (s *step) restart() {
	switch {
	case s.passed(cil.TagF4):
	case s.from.PC == cil.PlaceRestartFlush:
		s.flushed()
		if s.asleep() {
			s.follows(PushNow)
		}
	case s.to.PC == cil.PlaceRestartFlush:
		s.follows(RestartCur)
		s.follows(FlushWq)
	case s.asleep(): // R1 and R2
		s.follows(RestartCur)
		s.turn()
	default:
		s.follows(RestartCur)
	}
}

// forced is the return of xlog_cil_force_seq.
func (s *step) forced() {
	more := uint8(0)
	if s.from.Op != opFsync {
		more = resultIgnored
	} else if s.passed(cil.TagFS2) {
		more = resultNull
	}
	s.marked(CilForceSeqRet, more)
}

// walk is how xlog_force_lsn looks for the iclog: along the ring from the head,
// with an event for each that it passes.
func (s *step) walk() {
	for i, n := int(s.before.Head), 0; n < iclogs; i, n = (i+1)%iclogs, n+1 {
		if s.before.Iclog[i].Lsn == s.from.Lsn {
			return
		}
		s.ofIclog(&s.inside, IclogForceLsn, i, s.before.Iclog[i].State)
	}
}

// pushes tells the push work, its kworker and the commits that queue it.
func (s *step) pushes(tag statespace.Tag) {
	switch tag {
	case cil.TagB4:
		if s.before.PushSeq != s.next.s.PushSeq {
			s.queued()
		}
	case cil.TagW1:
		s.contains(ExecuteStart)
		s.follows(PushWork)
	case cil.TagW8:
		s.contains(CtxSwitch)
	case cil.TagW9:
		s.marked(OrderWrite, 0)
	case cil.TagW12:
		if s.to.PC == cil.PlaceOrderWrite {
			s.marked(OrderWrite, 1)
		}
	case cil.TagO2:
		s.follows(OrderWriteRet)
	case cil.TagX3:
		s.follows(SetCtxWriteState)
	case cil.TagW16, cil.TagSKIP:
		s.follows(PushWorkRet)
		s.follows(ExecuteEnd)
	}
}

// iclogs tells what happens to iclogs.
func (s *step) iclogs(tag statespace.Tag) {
	head := int(s.before.Head)
	switch tag {
	case cil.TagGI3:
		x := expect{kind: IclogGetSpace, iclog: s.before.Head + 1, state: uint8(IclogActive)}
		if s.next.s.Iclog[head].Lsn != s.before.Iclog[head].Lsn || s.before.Iclog[head].Offset == 0 {
			x.more = freshIclog
		}
		s.show(&s.inside, x)
	case cil.TagIC1:
		s.ofIclog(&s.inside, IclogSwitch, head, uint8(IclogActive))
	case cil.TagRI1:
		s.release()
	case cil.TagIC2:
		s.ofIclog(&s.inside, IclogSyncing, s.released(), uint8(IclogSyncingState))
	case cil.TagWI1:
		s.waitOn()
	case cil.TagIE2:
		s.ofIclog(&s.inside, IclogSyncDone, s.task-s.c.m.FirstIO(), uint8(IclogSyncingState))
	case cil.TagIC4:
		i := int(s.to.Pos) - 1
		s.ofIclog(&s.inside, IclogCallback, i, uint8(IclogDoneSync))
		s.ofIclog(&s.after, IclogCallbacksStart, i, uint8(IclogCallbackState))
		s.follows(ProcessCommitted)
	case cil.TagIC5:
		s.ofIclog(&s.inside, IclogClean, int(s.from.Pos)-1, uint8(IclogCallbackState))
	case cil.TagIC6:
		s.ofIclog(&s.inside, IclogClean, -1, uint8(IclogDoneSync))
	case cil.TagIC7:
		s.ofIclog(&s.inside, IclogActivate, -1, uint8(IclogDirty))
	}
}

func (s *step) ofIclog(list *owed, k Kind, i int, state uint8) {
	s.show(list, expect{kind: k, iclog: uint8(i + 1), state: state})
}

// release is the entry of xlog_state_release_iclog.
func (s *step) release() {
	i := s.released()
	iclog := &s.next.s.Iclog[i]
	x := expect{kind: IclogRelease, iclog: uint8(i + 1), state: iclog.State, more: iclog.Ref + 1}
	if s.passed(cil.TagIC2) {
		x.state = uint8(IclogWantSync)
	}
	s.show(&s.inside, x)
}

// released is the iclog of xlog_state_release_iclog.
func (s *step) released() int {
	switch {
	case s.passed(cil.TagIC1), s.passed(cil.TagGI4):
		return int(s.before.Head)
	case s.passed(cil.TagW14):
		return s.before.IclogOf(s.from.Work)
	}
	return int(s.from.Iclog) - 1
}

// waitOn is the entry of xlog_wait_on_iclog, whether it sleeps or not.
func (s *step) waitOn() {
	i, state := s.c.m.WaitsOnIclog(&s.next.s, s.task), uint8(anyState)
	if i >= 0 {
		state = s.next.s.Iclog[i].State
	}
	s.ofIclog(&s.inside, IclogWaitOn, i, state)
}

// arrives tells what a thread shows because of the place where the step ended.
func (s *step) arrives() {
	m := s.c.m
	switch s.to.PC {
	case cil.PlaceFlush:
		if s.from.PC != cil.PlaceFlush {
			s.follows(FlushWq)
		}
	case cil.PlaceFsyncDevice:
		if s.passed(cil.TagFS2) || !s.passed(cil.TagFY3) && s.from.PC != cil.PlaceFsyncDevice {
			s.follows(LogForceSeqRet)
		}
	case cil.PlaceSync:
		s.ofIclog(&s.after, IclogSync, int(s.to.Iclog)-1, uint8(IclogSyncingState))
		s.ofIclog(&s.after, IclogWrite, int(s.to.Iclog)-1, uint8(IclogSyncingState))
	case cil.PlaceCommitted:
		s.follows(CilCommitted)
	case cil.PlaceCallbacksRun:
		s.ofIclog(&s.after, IclogCallbacksDone, int(s.to.Pos)-1, uint8(IclogCallbackState))
	}
	if s.from.PC == cil.PlaceRetire {
		for i := range s.next.s.Wq.Work[:m.Contexts] {
			if s.before.Wq.Work[i].Place == wq.Inactive && s.next.s.Wq.Work[i].Place == wq.Worklist {
				s.follows(ActivateWork)
			}
		}
	}
}
