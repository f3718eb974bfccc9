package conform

import (
	"bytes"
	"fmt"
)

// pushWork is the function that the workqueue events must be about, and
// pushQueue the start of the name of its queue.
var (
	pushWork  = []byte("xlog_cil_push_work")
	pushQueue = []byte("xfs-cil")
)

// fields reads the fields that the kind needs. skip: the event is well formed,
// but of another workqueue. msg says what is missing or wrong.
func (e *Event) fields(payload []byte) (skip bool, msg string) {
	needs := kinds[e.Kind].needs
	if needs&hasFunction != 0 && !bytes.Contains(payload, pushWork) {
		return true, ""
	}
	if needs&hasName != 0 {
		name, ok := field(payload, "name")
		if !ok {
			return false, "no field name"
		}
		return !bytes.HasPrefix(bytes.Trim(name, `"`), pushQueue), ""
	}
	for _, f := range numericFields {
		if needs&f.set == 0 {
			continue
		}
		text, ok := field(payload, f.name)
		if !ok {
			return false, "no field " + f.name
		}
		v, ok := value(text)
		if !ok || !f.store(e, v) {
			return false, fmt.Sprintf("field %s is %q, not a number in its range", f.name, text)
		}
	}
	if needs&hasState != 0 {
		return false, e.iclogState(payload)
	}
	return false, ""
}

// numericFields are the fields with a number for a value.
var numericFields = []struct {
	set   fieldSet
	name  string
	store func(*Event, uint64) bool
}{
	{hasSeq, "seq", func(e *Event, v uint64) bool { e.Seq = v; return true }},
	{hasOnSeq, "on_seq", func(e *Event, v uint64) bool { e.OnSeq = v; return true }},
	{hasCur, "cur", func(e *Event, v uint64) bool { e.Cur = v; return true }},
	{hasPushSeq, "push_seq", func(e *Event, v uint64) bool { e.PushSeq = v; return true }},
	{hasFlags, "flags", func(e *Event, v uint64) bool { e.Flags = v; return true }},
	{hasAsync, "async", func(e *Event, v uint64) bool { e.Async = v != 0; return true }},
	{hasWait, "wait", func(e *Event, v uint64) bool { e.Wait = v&0xff != 0; return true }},
	{hasRec, "rec", func(e *Event, v uint64) bool { e.Rec = uint8(v); return v <= 1 }},
	{hasRet, "ret", func(e *Event, v uint64) bool { e.Ret = int64(int32(v)); return true }},
	{hasLsn, "lsn", func(e *Event, v uint64) bool { e.Lsn = v; return true }},
	{hasStartLsn, "start_lsn", func(e *Event, v uint64) bool { e.StartLsn = v; return true }},
	{hasCommitLsn, "commit_lsn", func(e *Event, v uint64) bool { e.CommitLsn = v; return true }},
	{hasRefcnt, "refcnt", func(e *Event, v uint64) bool { e.Refcnt = int(v); return v < 1<<16 }},
	{hasOffset, "offset", func(e *Event, v uint64) bool { e.Offset = int(v); return v < 1<<31 }},
}

// iclogState reads ic_state, a name or a number.
func (e *Event) iclogState(payload []byte) (msg string) {
	text, ok := field(payload, "state")
	if !ok {
		return "no field state"
	}
	for i, name := range iclogStateNames {
		if string(text) == name {
			e.State = IclogState(i)
			return ""
		}
	}
	if v, ok := value(text); ok && v < uint64(len(iclogStateNames)) {
		e.State = IclogState(v)
		return ""
	}
	return fmt.Sprintf("field state is %q, not an iclog state", text)
}

// field finds "key=value" or "key value" and returns the value.
func field(payload []byte, key string) ([]byte, bool) {
	for from := 0; ; {
		i := bytes.Index(payload[from:], []byte(key))
		if i < 0 {
			return nil, false
		}
		i += from
		end := i + len(key)
		if (i == 0 || isSpace(payload[i-1])) && end < len(payload) && (payload[end] == '=' || payload[end] == ' ') {
			v := payload[end+1:]
			if j := bytes.IndexAny(v, " \t"); j >= 0 {
				v = v[:j]
			}
			return v, true
		}
		from = end
	}
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' }

// value reads a decimal number, with a sign or not, or a hexadecimal one.
func value(b []byte) (uint64, bool) {
	switch {
	case len(b) > 1 && b[0] == '-':
		v, ok := unsigned(b[1:], 10)
		return -v, ok
	case len(b) > 2 && b[0] == '0' && (b[1] == 'x' || b[1] == 'X'):
		return unsigned(b[2:], 16)
	}
	return unsigned(b, 10)
}
