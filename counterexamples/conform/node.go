package conform

import (
	"unsafe"

	"cilcheck/cil"
	"cilcheck/statespace"
)

// An expect is an event that a thread is bound to show next.
type expect struct {
	kind  Kind
	iclog uint8 // number+1 of the iclog that it is about; 0 if not known
	state uint8 // what state the iclog shows, or anyState
	more  uint8 // see below; of a release: ic_refcnt with the reference that is given up
}

const anyState = 255

// What expect.more says.
const (
	flushMustWait = 1 << iota // flush_prep_ret: something was in flight
	flushNotFirst             // flush_prep_ret: another flush was in progress
	freshIclog                // get_space: the iclog gets its LSN after the event
	resultIgnored             // cil_force_seq_ret: xfs_log_force does not look at it
	resultNull                // cil_force_seq_ret: NULLCOMMITLSN
)

// maxOwed bounds the events that a thread owes at once: the most has a pass of
// xlog_state_do_callback that cleans and activates a full ring.
const maxOwed = 2*iclogs + 8

// owed is what a thread is bound to show before its task may step again.
type owed struct {
	n uint8
	q [maxOwed]expect
}

func (o *owed) push(e expect) {
	o.q[o.n] = e
	o.n++
}

func (o *owed) pop() {
	copy(o.q[:], o.q[1:o.n])
	o.n--
	o.q[o.n] = expect{}
}

func (o *owed) append(more *owed) {
	for _, e := range more.q[:more.n] {
		o.push(e)
	}
}

// due says that the first count events that a thread owes belong to a step that
// was taken early, and must be shown before a time.
type due struct {
	until uint64
	count int64
}

// A thread is who a task of the model is in the recording. It has no padding: see
// node.
type thread struct {
	owed    owed
	busy    bool    // it is in an operation, a work or a completion
	inFsync bool    // and that is within an fsync, which goes on after it
	lone    bool    // its force was not seen to begin with an fsync
	pid     int32   // 0: nobody
	dozes   int64   // number+1 of the iclog on which it may be asleep in FL3: see doze
	missed  KindSet // returns of calls it is in that the recording misses
	due     due
	read    lateRead
}

// miss takes returns off what the thread owes, or will owe.
func (th *thread) miss(returns KindSet) {
	if th.owed.n > 0 && returns.Has(th.owed.q[0].kind) {
		returns &^= 1 << th.owed.q[0].kind
		th.owed.pop()
	}
	th.missed |= returns
}

// A node is one state that the machine may be in after the events so far: a
// state of the model, the absolute numbers of its relative ones, which thread is
// which task, and what the threads owe. It is a plain value; equal nodes have
// equal futures. It has no padding, so that comparing and hashing it is fast.
type node struct {
	s       cil.State
	fill    [(8 - unsafe.Sizeof(cil.State{})%8) % 8]byte
	base    uint64                // the sequence that cil.FirstSeq stands for; 0: not known yet
	lsn     [cil.MaxLSNs]uint64   // the LSN that each relative one stands for; 0: not seen yet
	ring    [cil.MaxIclogs]uint64 // the LSN that each iclog has or had last; 0: not seen yet
	threads [cil.MaxTasks]thread
}

// seq is the absolute number of a sequence; ok is false if the state does not
// know it.
func (n *node) seq(rel cil.Seq) (seq uint64, ok bool) {
	if rel < cil.FirstSeq || n.base == 0 {
		return 0, false
	}
	return n.base + uint64(rel-cil.FirstSeq), true
}

// sameSeq reports whether a relative sequence can be the absolute one, and binds
// the numbering if it is not bound yet.
func (n *node) sameSeq(rel cil.Seq, seq uint64) bool {
	switch {
	case rel == cil.NoSeq:
		return seq == 0
	case rel == cil.GoneSeq:
		return n.base == 0 || seq < n.base
	case n.base == 0:
		if seq < uint64(rel-cil.FirstSeq)+1 {
			return false
		}
		n.base = seq - uint64(rel-cil.FirstSeq)
		return true
	}
	return seq == n.base+uint64(rel-cil.FirstSeq)
}

// relative is the relative sequence of an absolute one; while the numbering is
// not bound, the current one. NoSeq: there is no such sequence yet.
func (n *node) relative(seq uint64) cil.Seq {
	switch {
	case n.base == 0:
		return n.s.Current
	case seq < n.base:
		return cil.GoneSeq
	case seq > n.base+uint64(n.s.Current-cil.FirstSeq):
		return cil.NoSeq
	}
	return cil.FirstSeq + cil.Seq(seq-n.base)
}

// sameLsn reports whether a relative LSN can be the absolute one, and binds it
// if it has not been seen yet.
func (n *node) sameLsn(rel cil.LSN, lsn uint64) bool {
	if rel < cil.FirstLSN || int(rel-cil.FirstLSN) >= len(n.lsn) {
		return true // gone: not known any more
	}
	p := &n.lsn[rel-cil.FirstLSN]
	if *p == 0 {
		*p = lsn
	}
	return *p == lsn
}

// sameIclog reports whether an iclog can have the absolute LSN, and binds it.
// LSNs only grow, so one that is new must be above all others.
func (n *node) sameIclog(i int, lsn uint64) bool {
	if n.ring[i] == 0 {
		for _, other := range n.ring {
			if other >= lsn {
				return false
			}
		}
		n.ring[i] = lsn
	}
	return n.ring[i] == lsn && n.sameLsn(n.s.Iclog[i].Lsn, lsn)
}

// task finds the task that a thread is, or -1.
func (n *node) task(pid int) int {
	for i := range n.threads {
		if n.threads[i].pid == int32(pid) {
			return i
		}
	}
	return -1
}

// idle reports whether a task has nothing to do and nothing to show.
func (n *node) idle(m *cil.Machine, task int) bool {
	t := &n.threads[task]
	return !t.busy && t.owed.n == 0 && m.Between(&n.s, task)
}

// release forgets which thread a task was once it is idle.
func (n *node) release(m *cil.Machine, task int) {
	if n.idle(m, task) && !n.threads[task].inFsync {
		n.threads[task] = thread{}
	}
}

// shifted follows the renumbering that a step reports.
func (n *node) shifted(mv *statespace.Move) {
	for _, note := range mv.Notes() {
		switch note.Kind {
		case cil.NoteSeqShift:
			if n.base != 0 {
				n.base += uint64(note.A)
			}
		case cil.NoteLSNShift:
			copy(n.lsn[:], n.lsn[note.A:])
			clear(n.lsn[len(n.lsn)-int(note.A):])
		}
	}
}
