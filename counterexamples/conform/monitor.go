package conform

import (
	"errors"
	"fmt"
	"io"
)

// A Monitor checks, while events arrive, the properties that a recording alone
// decides. It needs no model and no knowledge of the variant:
//
//	push-once     a checkpoint is pushed once, and in the order of sequences
//	start-order   start records are written in the order of sequences (P7)
//	commit-order  commit records too, and their LSNs do not go down (P8)
//	return-after  a force that returns 0 does so only after every checkpoint up
//	              to its sequence, if its push was seen, has completed (P13)
//
// Its memory is bounded: it remembers the checkpoints in progress, at most
// maxOpen, and one force for each of at most maxForces threads. When there are
// more it forgets the oldest, and says so in Forgotten.
type Monitor struct {
	// Events counts what has been observed, Forgotten what it had no room for.
	Events, Forgotten int

	pushed, started, committed uint64 // the newest sequence each
	lastCommit                 uint64 // the newest commit LSN
	open                       []openPush
	forces                     []openForce
	context                    [contextLines]string
}

const (
	maxOpen      = 64
	maxForces    = 4096
	contextLines = 12
)

// openPush is a checkpoint that is pushed and not completed.
type openPush struct{ seq uint64 }

// openForce is a thread in xfs_log_force_seq.
type openForce struct {
	pid int
	seq uint64
}

// Violation is the first event that breaks a property.
type Violation struct {
	Rule    string   `json:"rule"`
	Line    int      `json:"line"`
	Thread  string   `json:"thread"`
	What    string   `json:"what"`
	Context []string `json:"context"` // the last events, the one that breaks it at the end
}

// Error says what is violated and where.
func (v *Violation) Error() string {
	return fmt.Sprintf("line %d: %s: %s: %s", v.Line, v.Thread, v.Rule, v.What)
}

// Watch observes a recording, or a live stream, until a violation or its end;
// nil means that there was none.
func (m *Monitor) Watch(r *Reader) (*Violation, error) {
	var e Event
	for {
		err := r.Next(&e)
		if errors.Is(err, io.EOF) {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
		if v := m.Observe(&e); v != nil {
			return v, nil
		}
	}
}

// Observe takes one event and returns the violation that it is, or nil.
func (m *Monitor) Observe(e *Event) *Violation {
	m.context[m.Events%contextLines] = fmt.Sprintf("%d: %s %s", e.Line, e.Thread(), e)
	m.Events++
	rule, what := m.judge(e)
	if rule == "" {
		return nil
	}
	v := &Violation{Rule: rule, Line: e.Line, Thread: e.Thread(), What: what}
	for i := max(0, m.Events-contextLines); i < m.Events; i++ {
		v.Context = append(v.Context, m.context[i%contextLines])
	}
	return v
}

// judge is the rules.
func (m *Monitor) judge(e *Event) (rule, what string) {
	switch e.Kind {
	case PushWork:
		if e.Seq <= m.pushed {
			return "push-once", fmt.Sprintf("sequence %d is pushed after %d", e.Seq, m.pushed)
		}
		m.pushed = e.Seq
		m.openPush(e.Seq)
	case SetCtxWriteState:
		return m.record(e)
	case CilCommitted:
		if e.CommitLsn < m.lastCommit {
			return "commit-order", fmt.Sprintf("sequence %d completes at LSN %#x after %#x", e.Seq, e.CommitLsn, m.lastCommit)
		}
		m.lastCommit = e.CommitLsn
		m.closePush(e.Seq)
	case LogForceSeq:
		m.openForce(e.PID, e.Seq)
	case LogForceSeqRet:
		seq, ok := m.closeForce(e.PID)
		if !ok || e.Ret != 0 {
			return "", ""
		}
		for _, p := range m.open {
			if p.seq <= seq {
				return "return-after", fmt.Sprintf("the force of %d returns, checkpoint %d has not completed", seq, p.seq)
			}
		}
	}
	return "", ""
}

// record judges the write of a start or commit record.
func (m *Monitor) record(e *Event) (rule, what string) {
	rule, newest := "start-order", &m.started
	if e.StartLsn != 0 {
		rule, newest = "commit-order", &m.committed
	}
	if e.Seq <= *newest {
		return rule, fmt.Sprintf("the record of %d is written after that of %d", e.Seq, *newest)
	}
	*newest = e.Seq
	return "", ""
}

func (m *Monitor) openPush(seq uint64) {
	if len(m.open) == maxOpen {
		m.open = append(m.open[:0], m.open[1:]...)
		m.Forgotten++
	}
	m.open = append(m.open, openPush{seq})
}

func (m *Monitor) closePush(seq uint64) {
	for i, p := range m.open {
		if p.seq == seq {
			m.open = append(m.open[:i], m.open[i+1:]...)
			return
		}
	}
}

func (m *Monitor) openForce(pid int, seq uint64) {
	m.closeForce(pid) // its return was not recorded
	if len(m.forces) == maxForces {
		m.forces = append(m.forces[:0], m.forces[1:]...)
		m.Forgotten++
	}
	m.forces = append(m.forces, openForce{pid, seq})
}

func (m *Monitor) closeForce(pid int) (seq uint64, ok bool) {
	for i, f := range m.forces {
		if f.pid == pid {
			m.forces = append(m.forces[:i], m.forces[i+1:]...)
			return f.seq, true
		}
	}
	return 0, false
}
