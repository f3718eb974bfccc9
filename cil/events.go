package cil

// What a recording of a real kernel needs to know of the model: where a task
// stands, in the places that an event tells apart, and how to begin an operation
// when a thread is seen to begin it.

// Places that the events of a recording tell apart: each is the label that the
// task runs next.
const (
	PlaceFlush        = pcN1      // xlog_cil_push_now, before the flush
	PlaceTurn         = pcF1      // xlog_cil_force_seq, top of a turn
	PlaceRestartFlush = pcF3flush // xlog_cil_force_seq, before the flush of R4
	PlaceLogForce     = pcG2      // xfs_log_force, before it looks for an iclog
	PlaceForceLsn     = pcFL1     // xlog_force_lsn, before it looks for the iclog
	PlaceFsync        = pcFY2     // xfs_file_fsync, nothing done yet
	PlaceFsyncDevice  = pcFY4     // xfs_file_fsync, the log is forced
	PlaceOrderWrite   = pcO1      // xlog_cil_order_write
	PlaceSpace        = pcX2      // xlog_state_get_iclog_space
	PlaceSync         = pcRI6sema // xlog_sync of an iclog that is SYNCING
	PlaceRetire       = pcRetire  // xlog_cil_push_work has returned
	PlaceCommitted    = pcK1      // xlog_cil_committed
	PlaceCallbacksRun = pcDC1c    // the callbacks of an iclog have run
)

// FirstWorker is the first kworker among the tasks; the tasks before it are the
// scripts.
func (m *Machine) FirstWorker() int { return m.firstWorker }

// FirstIO is the I/O completion of iclog 0; that of iclog i is i further on.
func (m *Machine) FirstIO() int { return m.firstIO }

// Begin makes a script task, which must be between operations, enter operation
// op of its script.
func (m *Machine) Begin(s *State, id, op int) {
	t := &s.Task[id]
	*t = Task{PC: pcNext, Op: uint8(op), Left: t.Left, OnCPU: t.OnCPU}
	r := run{m: m, s: s, t: t, id: id}
	r.script()
}

// DropSync makes the force that a task is in one without XFS_LOG_SYNC.
func (t *Task) DropSync() { t.Args &^= argSync }

// WouldSleep is the iclog on whose ic_write_wait a task that is at PlaceForceLsn
// would sleep (FL3) if it went on now, or -1.
func (m *Machine) WouldSleep(s *State, id int) int {
	t := &s.Task[id]
	if t.PC != pcFL1 || t.Wait != notWaiting || t.Local&localSlept != 0 || s.Shutdown != 0 {
		return -1
	}
	i := m.findLSN(s, t.Lsn)
	if i < 0 || s.Iclog[i].State != Active {
		return -1
	}
	prev := m.prev(uint8(i))
	if st := s.Iclog[prev].State; st != WantSync && st != Syncing {
		return -1
	}
	return int(prev)
}

// Slept makes a task at PlaceForceLsn one that has slept in FL3 and is awake
// again (already_slept).
func (t *Task) Slept() { t.Local |= localSlept }

// DropGhosts clears what only properties and metrics read.
func (s *State) DropGhosts() {
	s.Returned, s.Async = NoSeq, NoSeq
	s.Logged = [MaxInodes]Seq{}
	for i := range s.Ctx {
		s.Ctx[i].Queued = 0
	}
	for i := range s.Task {
		t := &s.Task[i]
		t.Own, t.Data = NoSeq, 0
		t.Local &^= localTurn
	}
}

// Between reports whether a task is in no operation: a script task before the
// next one, a kworker without work, an iclog without I/O.
func (m *Machine) Between(s *State, id int) bool {
	return s.Task[id].PC == pcIdle || s.Task[id].PC == pcDone || m.atEntry(s, id)
}

// InDevice reports whether the write of an iclog is with the device, so that
// the next step of its I/O completion task is the completion.
func (m *Machine) InDevice(s *State, id int) bool { return s.Task[id].PC == pcIO }

// WaitsOnIclog is the iclog on whose ic_force_wait a task sleeps, or -1.
func (m *Machine) WaitsOnIclog(s *State, id int) int {
	if w := s.Task[id].Wait; w >= waitForce && w < waitWrite {
		return int(w - waitForce)
	}
	return -1
}

// InFlush reports whether a task sleeps in a flush of the workqueue.
func (m *Machine) InFlush(s *State, id int) bool { return s.Task[id].Wait == waitFlush }

// WaitName is the kernel's name of what a task sleeps on; "" when it does not.
func (m *Machine) WaitName(s *State, id int) string {
	if s.Task[id].Wait == notWaiting {
		return ""
	}
	return m.waitName(s.Task[id].Wait)
}

// IclogOf is the iclog with a checkpoint's commit record, or -1.
func (s *State) IclogOf(seq Seq) int {
	if seq < FirstSeq {
		return -1
	}
	return int(s.context(seq).Iclog) - 1
}
