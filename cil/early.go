package cil

import "cilcheck/statespace"

// Early reports whether the next step of a task may as well be taken before
// whatever the others do (see statespace.Early): it reads nothing that they still
// change and changes nothing that they read, or only lets them go on. Each case
// of earlyPC says why that is so. What it is asked of has to be reducible.
//
// Where the log can still be shut down nothing is early that asks whether it is;
// once it is shut down, it stays so.
func (m *Machine) Early(s *State, id int) bool {
	if !m.reducible() || m.Status(s, id) != statespace.Moved {
		return false
	}
	return m.earlyPC(s, id) || m.shutdownFixed(s) && m.earlyNoShutdown(s, id) ||
		s.Shutdown != 0 && m.earlyAfterShutdown(s, id)
}

// reducible reports whether the cases of earlyPC were made for the system: not the
// finer mode, nor options that other scenarios do not have, nor the mutants that
// came later.
func (m *Machine) reducible() bool {
	return !m.splits && !m.optional() && !m.IclogErrors && m.Without < WithoutSecondLook
}

// sound reports whether the code is what the kernel has, in who owns contexts,
// references and flags. Where it is not, a touch that is a violation later may be
// none now, and the order of the touches is what the search is for.
func (m *Machine) sound() bool { return m.Without == 0 && m.Faults == 0 }

// shutdownFixed reports whether Shutdown cannot change any more.
func (m *Machine) shutdownFixed(s *State) bool { return s.Shutdown != 0 || !m.shutsDown }

// earlyPC are the steps that are early whether or not the log is shut down.
func (m *Machine) earlyPC(s *State, id int) bool {
	t := &s.Task[id]
	switch t.PC {
	case pcRI6sema:
		// Whoever made the iclog SYNCING alone writes it; nobody else comes for
		// ic_sema before its I/O has ended.
		return m.sound() && s.Iclog[t.Iclog-1].Sema == 0

	case pcRI6relock:
		// What comes after it up to the end of the section is local to the callers
		// below. For a force it is, once the iclog is recycled: it never holds that
		// LSN again.
		switch tree[t.Frame].ret {
		case pcW16, pcAB3released, pcX4released, pcGI4released:
			return true
		case pcG3b, pcFL4:
			return s.Iclog[t.Iclog-1].Lsn != t.Lsn
		}

	case pcIE4, pcRI6up:
		// Releases ic_sema: who comes for it before sleeps and is then given it,
		// who comes after takes it.
		return true

	case pcSF2, pcS1, pcS2:
		// The reference of xlog_write keeps the iclog from being written and its
		// callbacks from being taken. Flags and references are only added to, and
		// the order of commit records keeps others from attaching theirs before S3.
		return m.sound()

	case pcFY4:
		// Flushes nothing, and its data is not only cached.
		return t.Local&localFlushed != 0 && t.Data == 0
	}
	return false
}

// earlyNoShutdown are the steps that are early because Shutdown, which they ask
// for, does not change any more.
func (m *Machine) earlyNoShutdown(s *State, id int) bool {
	t := &s.Task[id]
	switch t.PC {
	case pcCommitTest, pcW12test, pcFY3recheck:
		return true

	case pcWI2:
		// Where this is a force that returns: what is durable stays so, so to return
		// now is no better than later. An fsync goes on to FY4.
		return true

	case pcX4:
		// Gives up a reference beside the one of S1 on the same iclog.
		return m.sound() && t.Local&localCommit != 0

	case pcFL1:
		// No iclog holds the LSN, and none ever will again.
		return m.findLSN(s, t.Lsn) < 0
	}
	return false
}

// earlyAfterShutdown are the steps that find the log shut down and leave.
func (m *Machine) earlyAfterShutdown(s *State, id int) bool {
	t := &s.Task[id]
	switch t.PC {
	case pcFY2, pcFL1:
		return true

	case pcX2, pcO1:
		// Its own context is on xc_committing, so O1 looks at an element.
		return m.sound()

	case pcK1:
		return m.sound()
	}
	return false
}
