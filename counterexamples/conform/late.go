package conform

// A probe gets its timestamp first and then reads the variables it records, one
// after the other and without their lock. A thread that is interrupted, or a
// virtual CPU that its host stops, in between records values from later than its
// timestamp, and not all from one moment: in one recording 75 microseconds
// later, xc_current_sequence after a push and xc_flags after the next commit.
//
// A lateRead is a probe that has not read everything yet. The thread can do
// nothing else before it has.
type lateRead struct {
	cur, pushSeq uint64
	line         int32
	empty        uint8
	stage        readStage
	fill         [2]byte // no padding: see node
}

// readStage is what a probe has still to read, in the order in which it reads.
type readStage uint8

const (
	allRead readStage = iota
	readCur
	readPushSeq
	readFlags
)

// readLate lets the event's values be read later; false if it is not an event
// with such values, or if its argument does not fit either.
func (n *node) readLate(task int, x expect, e *Event) bool {
	t := &n.s.Task[task]
	switch {
	case e.Kind != x.kind || t.Wait != 0 || !n.sameSeq(t.Seq, e.Seq):
		return false
	case e.Kind == PushNow && e.Async == (x.more == 1), e.Kind == RestartCur:
	default:
		return false
	}
	n.threads[task].read = lateRead{cur: e.Cur, pushSeq: e.PushSeq, stage: readCur, line: int32(e.Line)}
	if e.Flags&FlagEmpty != 0 {
		n.threads[task].read.empty = 1
	}
	n.settle(task)
	return true
}

// settle reads what now has the value that was recorded, and reports whether
// nothing is left.
func (n *node) settle(task int) bool {
	r := &n.threads[task].read
	if r.stage == readCur && n.sameSeq(n.s.Current, r.cur) {
		r.stage = readPushSeq
	}
	if r.stage == readPushSeq && n.sameSeq(n.s.PushSeq, r.pushSeq) {
		r.stage = readFlags
	}
	if r.stage == readFlags && n.s.Empty == r.empty {
		*r = lateRead{}
	}
	return r.stage == allRead
}

// settleAll settles the reads of all threads.
func (n *node) settleAll() {
	for task := range n.threads {
		if n.threads[task].read.stage != allRead {
			n.settle(task)
		}
	}
}
