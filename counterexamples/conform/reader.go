package conform

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"

	"cilcheck/spec"
)

// maxLine bounds a line of a recording, and so the memory of a Reader.
const maxLine = 64 << 10

// Unit is what the timestamps of a recording count.
type Unit uint8

const (
	// UnitUnknown: no event has been read yet.
	UnitUnknown Unit = iota
	// Ticks: whole numbers, a raw clock such as x86-tsc whose rate only the
	// recorder knows.
	Ticks
	// Nanoseconds: seconds with a fraction.
	Nanoseconds
)

// String names the unit.
func (u Unit) String() string {
	return [...]string{"unknown", "ticks", "ns"}[u]
}

// Quality is what a recording itself says against its completeness, as far as
// it has been read.
type Quality struct {
	Lines  int
	Events int // of the kinds that this package knows
	Others int // well-formed events of other kinds
	// Lost counts events that the recorder says it lost; LostAt is the first
	// line that says so. LostUnknown: it lost some and does not say how many.
	Lost        uint64
	LostUnknown bool
	LostAt      int
	// Wrapped: the buffer's header says that more was written than it holds, so
	// the beginning is missing.
	Wrapped uint64
	// OutOfOrder counts events with an earlier timestamp than one before them;
	// Backwards is the largest such difference, and OutOfOrderAt the first line.
	OutOfOrder   int
	Backwards    uint64
	OutOfOrderAt int
	// Truncated: the file ends within a line or a compressed block.
	Truncated bool
	// Absent are the events that the recorder says it could not record.
	Absent KindSet
}

// Complete reports whether nothing is known to be missing.
func (q *Quality) Complete() bool {
	return q.Lost == 0 && !q.LostUnknown && q.Wrapped == 0 && !q.Truncated
}

// Warnings are sentences for people about everything that is not right.
func (q *Quality) Warnings() []string {
	var w []string
	if q.Lost > 0 || q.LostUnknown {
		n := spec.Count(q.Lost, "event", "events")
		if q.LostUnknown {
			n = "an unknown number of events"
		}
		w = append(w, fmt.Sprintf("the recorder lost %s, first before line %d", n, q.LostAt))
	}
	if q.Wrapped > 0 {
		w = append(w, fmt.Sprintf("the buffer wrapped: %s not in it", spec.Count(q.Wrapped, "older event is", "older events are")))
	}
	if q.OutOfOrder > 0 {
		w = append(w, fmt.Sprintf("%s out of order by up to %d, first at line %d",
			spec.Count(q.OutOfOrder, "event is", "events are"), q.Backwards, q.OutOfOrderAt))
	}
	if q.Absent != 0 {
		names := ""
		for k := Other + 1; k < numKinds; k++ {
			if q.Absent.Has(k) {
				names += " " + k.String()
			}
		}
		w = append(w, "not recorded, so their steps are hidden:"+names)
	}
	if q.Truncated {
		w = append(w, "the file ends in the middle of a line or block")
	}
	return w
}

// A SyntaxError is a line that is not what a recording may have there.
type SyntaxError struct {
	File string
	Line int
	Msg  string
}

// Error gives file:line: message.
func (e *SyntaxError) Error() string { return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.Msg) }

// Reader reads the events of a recording one by one. It holds one line at a
// time, so its memory does not grow with the file. It is for one goroutine.
type Reader struct {
	Quality
	Unit Unit

	name    string
	src     *bufio.Reader
	comms   map[string]string
	last    uint64
	closers []func() error
}

// NewReader reads a recording as text from r; name is for errors.
func NewReader(name string, r io.Reader) *Reader {
	return &Reader{name: name, src: bufio.NewReaderSize(r, maxLine), comms: map[string]string{}}
}

// Name is the name given to Open or NewReader.
func (r *Reader) Name() string { return r.name }

// Close closes what Open opened.
func (r *Reader) Close() error {
	var errs []error
	for i := len(r.closers) - 1; i >= 0; i-- {
		errs = append(errs, r.closers[i]())
	}
	return errors.Join(errs...)
}

// Next reads up to the next event of a kind that this package knows into e. It
// returns io.EOF at the end, truncated or not, and a *SyntaxError for a line
// that it cannot read.
func (r *Reader) Next(e *Event) error {
	for {
		line, err := r.line()
		if err != nil {
			return err
		}
		known, err := r.parse(line, e)
		if err != nil {
			if r.Truncated {
				return io.EOF // the last line, cut short
			}
			return err
		}
		if known {
			return nil
		}
	}
}

// line reads one line without its end.
func (r *Reader) line() ([]byte, error) {
	line, err := r.src.ReadSlice('\n')
	switch {
	case err == nil:
	case errors.Is(err, bufio.ErrBufferFull):
		return nil, &SyntaxError{r.name, r.Lines + 1, fmt.Sprintf("line is longer than %d bytes", maxLine)}
	case errors.Is(err, io.EOF) && len(line) == 0:
		return nil, io.EOF
	case errors.Is(err, io.EOF):
		r.Truncated = true
	case errors.Is(err, io.ErrUnexpectedEOF):
		r.Truncated = true
		if len(line) == 0 {
			return nil, io.EOF
		}
	default:
		return nil, fmt.Errorf("%s: after line %d: %w", r.name, r.Lines, err)
	}
	r.Lines++
	return bytes.TrimRight(line, "\r\n"), nil
}

// parse reads one line; known reports whether it is an event of a known kind.
func (r *Reader) parse(line []byte, e *Event) (known bool, err error) {
	text := bytes.TrimLeft(line, " \t")
	if len(text) == 0 || text[0] == '#' {
		r.header(text)
		return false, nil
	}
	if r.marker(text) {
		return false, nil
	}
	fail := func(format string, args ...any) (bool, error) {
		return false, &SyntaxError{r.name, r.Lines, fmt.Sprintf(format, args...)}
	}
	h, msg := splitLine(text)
	if msg != "" {
		return fail("%s", msg)
	}
	if r.Unit == UnitUnknown {
		r.Unit = h.unit
	}
	if r.Unit != h.unit {
		return fail("timestamp counts %s, those before it %s", h.unit, r.Unit)
	}
	r.order(h.time)
	*e = Event{Kind: kindByName[string(h.event)], Line: r.Lines, Time: h.time, CPU: h.cpu, PID: h.pid}
	if e.Kind == Other {
		r.Others++
		return false, nil
	}
	e.Comm = r.comm(h.comm)
	skip, msg := e.fields(h.payload)
	if msg != "" {
		return fail("%s: %s", e.Kind, msg)
	}
	if skip {
		r.Others++
		return false, nil
	}
	r.Events++
	return true, nil
}

// comm returns one copy of each thread name.
func (r *Reader) comm(b []byte) string {
	if s, ok := r.comms[string(b)]; ok {
		return s
	}
	if len(r.comms) > 4096 {
		clear(r.comms)
	}
	s := string(b)
	r.comms[s] = s
	return s
}

// order notes a timestamp that goes back.
func (r *Reader) order(t uint64) {
	if t < r.last {
		if r.OutOfOrder == 0 {
			r.OutOfOrderAt = r.Lines
		}
		r.OutOfOrder++
		r.Backwards = max(r.Backwards, r.last-t)
		return
	}
	r.last = t
}

// header reads the comments that say whether the buffer wrapped, and which events
// could not be recorded.
func (r *Reader) header(text []byte) {
	if list, ok := strings.CutPrefix(string(text), absentMark); ok {
		r.Absent |= absent(list)
		return
	}
	_, rest, ok := strings.Cut(string(text), "entries-in-buffer/entries-written:")
	if !ok {
		return
	}
	var in, written uint64
	if n, _ := fmt.Sscanf(strings.TrimSpace(rest), "%d/%d", &in, &written); n == 2 && written > in {
		r.Wrapped = written - in
	}
}

// marker recognises the lines by which recorders say that they lost events, and
// the other lines that are no events.
func (r *Reader) marker(text []byte) bool {
	s := string(text)
	switch {
	case strings.HasPrefix(s, "CPU:") && (strings.Contains(s, "LOST") || strings.Contains(s, "DROPPED")):
		r.lost(s[strings.IndexByte(s, '[')+1:]) // CPU:1 [LOST 5 EVENTS], CPU:1 [5 EVENTS DROPPED]
	case strings.HasPrefix(s, "Lost "): // bpftrace
		r.lost(s)
	case strings.Contains(s, "PERF_RECORD_LOST"): // perf script --show-lost-events
		_, n, _ := strings.Cut(s, "PERF_RECORD_LOST")
		r.lost(n)
	case strings.HasPrefix(s, "CPU "), strings.HasPrefix(s, "cpus="), strings.HasPrefix(s, "version ="):
		// trace-cmd's header; "CPU 2 is empty"
	case strings.HasPrefix(s, "Attaching "), strings.HasPrefix(s, "Attached "): // bpftrace
	default:
		return false
	}
	return true
}

// lost adds the first number in s, or an unknown number.
func (r *Reader) lost(s string) {
	if r.LostAt == 0 {
		r.LostAt = r.Lines
	}
	i := strings.IndexAny(s, "0123456789")
	var n uint64
	if i < 0 {
		r.LostUnknown = true
	} else if _, err := fmt.Sscanf(s[i:], "%d", &n); err != nil {
		r.LostUnknown = true
	}
	r.Lost += n
}
