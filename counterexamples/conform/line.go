package conform

import "bytes"

// A recording has one event on a line:
//
//	ftrace, trace_pipe  load-186     [000] d..2.  16182134644: push_now: (...) seq=763 ...
//	the same, tgid      load-186  (    186) [000] d..2.  16182.134644: push_now: ...
//	trace-cmd report    load-186   [000]  16182.134644: push_now:    (...) seq=763 ...
//	perf script         load   186 [000]  16182.134644: probe:push_now: (...) seq=763 ...
//	bpftrace            load-186 [0] 16182134644: push_now: seq=763 ...
//
// What they share: a thread, a CPU in brackets, a timestamp with a colon, a name
// with a colon, and the fields. The bpftrace form is the one that our own script
// prints.
type head struct {
	comm    []byte
	pid     int
	cpu     int
	time    uint64
	unit    Unit
	event   []byte
	payload []byte
}

// splitLine takes a line apart up to its fields; msg says what is wrong.
func splitLine(text []byte) (h head, msg string) {
	open, shut := cpuBrackets(text)
	if open < 0 {
		return h, "not an event: no [CPU]"
	}
	h.cpu, _ = number(text[open+1 : shut])
	var ok bool
	if h.comm, h.pid, ok = commAndPID(text[:open]); !ok {
		return h, "not an event: no thread and PID before [CPU]"
	}
	rest := text[shut+1:]
	for {
		rest = bytes.TrimLeft(rest, " \t")
		colon := bytes.IndexByte(rest, ':')
		if colon < 0 {
			return h, "not an event: no timestamp after [CPU]"
		}
		space := bytes.IndexAny(rest, " \t")
		if space < 0 || colon < space {
			if h.time, h.unit, ok = timestamp(rest[:colon]); !ok {
				return h, "not an event: bad timestamp"
			}
			rest = rest[colon+1:]
			break
		}
		rest = rest[space:] // the flags column
	}
	return h, h.name(bytes.TrimLeft(rest, " \t"))
}

// name reads the event's name, with or without the group before it.
func (h *head) name(rest []byte) string {
	end := bytes.IndexAny(rest, " \t")
	if end < 0 {
		end = len(rest)
	}
	name := rest[:end]
	if len(name) < 2 || name[len(name)-1] != ':' {
		return "not an event: no name with a colon after the timestamp"
	}
	name = name[:len(name)-1]
	if i := bytes.LastIndexByte(name, ':'); i >= 0 {
		name = name[i+1:]
	}
	h.event, h.payload = name, bytes.TrimSpace(rest[end:])
	return ""
}

// cpuBrackets finds the first bracketed number.
func cpuBrackets(text []byte) (open, shut int) {
	for from := 0; ; {
		i := bytes.IndexByte(text[from:], '[')
		if i < 0 {
			return -1, -1
		}
		open = from + i
		n := bytes.IndexByte(text[open:], ']')
		if n < 0 {
			return -1, -1
		}
		if _, ok := number(text[open+1 : open+n]); ok {
			return open, open + n
		}
		from = open + 1
	}
}

// commAndPID reads "comm-pid", "comm-pid (tgid)", "comm pid" or "comm pid/tid". A
// name may hold spaces and dashes itself.
func commAndPID(b []byte) (comm []byte, pid int, ok bool) {
	b = bytes.TrimSpace(b)
	if n := len(b); n > 0 && b[n-1] == ')' {
		i := bytes.LastIndexByte(b, '(')
		if i < 0 {
			return nil, 0, false
		}
		b = bytes.TrimSpace(b[:i])
	}
	i := bytes.LastIndexAny(b, "- \t/")
	if i <= 0 {
		return nil, 0, false
	}
	if pid, ok = number(b[i+1:]); !ok {
		return nil, 0, false
	}
	comm = b[:i]
	if b[i] == '/' { // pid/tid: what precedes is the pid of the process
		j := bytes.LastIndexAny(comm, " \t")
		if j <= 0 {
			return nil, 0, false
		}
		comm = comm[:j]
	}
	return bytes.TrimSpace(comm), pid, true
}

// timestamp reads whole ticks, or seconds with up to nine digits of fraction.
func timestamp(b []byte) (t uint64, u Unit, ok bool) {
	whole, fraction, dotted := bytes.Cut(b, []byte("."))
	n, ok := unsigned(whole, 10)
	if !ok || !dotted {
		return n, Ticks, ok
	}
	if len(fraction) == 0 || len(fraction) > 9 || n > 1<<33 {
		return 0, Nanoseconds, false
	}
	f, ok := unsigned(fraction, 10)
	for i := len(fraction); i < 9; i++ {
		f *= 10
	}
	return n*1e9 + f, Nanoseconds, ok
}

// number reads a small decimal number.
func number(b []byte) (int, bool) {
	n, ok := unsigned(b, 10)
	if !ok || n > 1<<31-1 {
		return 0, false
	}
	return int(n), true
}

// unsigned reads a number of at most 64 bits.
func unsigned(b []byte, base uint64) (n uint64, ok bool) {
	if len(b) == 0 {
		return 0, false
	}
	for _, c := range b {
		d := digit(c)
		if d >= base || n > (1<<64-1-d)/base {
			return 0, false
		}
		n = n*base + d
	}
	return n, true
}

func digit(c byte) uint64 {
	switch {
	case c >= '0' && c <= '9':
		return uint64(c - '0')
	case c >= 'a' && c <= 'f':
		return uint64(c-'a') + 10
	case c >= 'A' && c <= 'F':
		return uint64(c-'A') + 10
	}
	return 16
}
