package conform

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
)

// readAll reads all events of a text.
func readAll(text string) ([]Event, *Reader, error) {
	r := NewReader("t", strings.NewReader(text))
	var events []Event
	for {
		var e Event
		err := r.Next(&e)
		if errors.Is(err, io.EOF) {
			return events, r, nil
		}
		if err != nil {
			return events, r, err
		}
		events = append(events, e)
	}
}

// TestFormats: one event, as each tool prints it.
func TestFormats(t *testing.T) {
	const fields = "(xlog_cil_push_now.isra.0+0x0/0xa0 [xfs]) seq=763 async=0 cur=763 push_seq=762 flags=0x4"
	for name, c := range map[string]struct {
		line string
		time uint64
		unit Unit
	}{
		"ftrace":       {"            load-186     [000] .....  16180649056: push_now: " + fields, 16180649056, Ticks},
		"tgid":         {"            load-186     (    186) [000] .....  16180.649056: push_now: " + fields, 16180649056000, Nanoseconds},
		"trace-cmd":    {"            load-186   [000] 16180.649056123: push_now:             " + fields, 16180649056123, Nanoseconds},
		"perf":         {"load   186 [000] 16180.649056: probe:push_now: " + fields, 16180649056000, Nanoseconds},
		"perf pid/tid": {"load   185/186   [000] 16180.649056: cil:push_now: " + fields, 16180649056000, Nanoseconds},
		"bpftrace":     {"load-186 [0] 16180649056: push_now: seq=763 async=0 cur=763 push_seq=762 flags=4", 16180649056, Ticks},
	} {
		events, r, err := readAll(c.line + "\n")
		if err != nil || len(events) != 1 {
			t.Errorf("%s: %d events, %v", name, len(events), err)
			continue
		}
		want := Event{Kind: PushNow, Line: 1, Time: c.time, PID: 186, Comm: "load", Seq: 763, Cur: 763, PushSeq: 762, Flags: 4}
		if events[0] != want || r.Unit != c.unit {
			t.Errorf("%s: %+v in %s, want %+v in %s", name, events[0], r.Unit, want, c.unit)
		}
	}
}

func TestIclogEvent(t *testing.T) {
	events, _, err := readAll("   kworker/u4:3-48      [000] ...1.  16182984246: xlog_iclog_release: dev 254:0 state XLOG_STATE_WANT_SYNC " +
		"refcnt 2 offset 1156 lsn 0x100000cd3 flags XLOG_ICL_NEED_FLUSH|XLOG_ICL_NEED_FUA caller xlog_cil_push_work+0x785/0x880 [xfs]\n")
	if err != nil || len(events) != 1 {
		t.Fatal(events, err)
	}
	e := events[0]
	if e.Comm != "kworker/u4:3" || e.State != IclogWantSync || e.Refcnt != 2 || e.Offset != 1156 || e.Lsn != 0x100000cd3 {
		t.Errorf("%+v", e)
	}
}

func TestReaderErrors(t *testing.T) {
	const ok = "a-1 [000] ..... 10: fsync_ret: ret=0\n"
	for _, c := range []struct{ text, want string }{
		{ok + "nonsense\n" + ok, "t:2: not an event: no [CPU]"},
		{ok + "[000] ..... 10: fsync_ret: ret=0\n" + ok, "t:2: not an event: no thread and PID before [CPU]"},
		{"a-1 [000] ..... 1x: fsync: x\n" + ok, "t:1: not an event: bad timestamp"},
		{"a-1 [000] ..... 11 fsync x\n" + ok, "t:1: not an event: no timestamp after [CPU]"},
		{"a-1 [000] ..... 11: fsync x\n" + ok, "t:1: not an event: no name with a colon after the timestamp"},
		{"a-1 [000] ..... 11: push_work: work=1\n" + ok, "t:1: push_work: no field seq"},
		{"a-1 [000] ..... 11: push_work: seq=x1\n" + ok, `t:1: push_work: field seq is "x1", not a number in its range`},
		{ok + "a-1 [000] 1.5: fsync: x\n" + ok, "t:2: timestamp counts ns, those before it ticks"},
		{"a-1 [0] 1: xlog_iclog_sync: state NEW refcnt 0 offset 0 lsn 0x1\n" + ok, `t:1: xlog_iclog_sync: field state is "NEW", not an iclog state`},
		{strings.Repeat("x", maxLine+1), "t:1: line is longer than 65536 bytes"},
	} {
		if _, _, err := readAll(c.text); err == nil || err.Error() != c.want {
			t.Errorf("%.60q: %v, want %s", c.text, err, c.want)
		}
	}
}

func TestQuality(t *testing.T) {
	const ok = "a-1 [000] ..... 10: fsync_ret: ret=0\n"
	for _, c := range []struct {
		text string
		want Quality
	}{
		{"# entries-in-buffer/entries-written: 5/12   #P:1\n" + ok, Quality{Lines: 2, Events: 1, Wrapped: 7}},
		{ok + "CPU:3 [LOST 123 EVENTS]\n" + ok, Quality{Lines: 3, Events: 2, Lost: 123, LostAt: 2}},
		{ok + "CPU:0 [EVENTS DROPPED]\n" + ok, Quality{Lines: 3, Events: 2, LostUnknown: true, LostAt: 2}},
		{"Attaching 12 probes...\n" + ok + "Lost 5 events\n", Quality{Lines: 3, Events: 1, Lost: 5, LostAt: 3}},
		{ok + ok[:20], Quality{Lines: 2, Events: 1, Truncated: true}},
		{"a-1 [0] 30: x: y\na-1 [1] 10: x: y\na-1 [0] 31: x: y\n", Quality{Lines: 3, Others: 3, OutOfOrder: 1, Backwards: 20, OutOfOrderAt: 2}},
		{"a-1 [0] 3: workqueue_queue_work: function=other_work workqueue=events\n", Quality{Lines: 1, Others: 1}},
		{"a-1 [0] 3: flush_wq: name=\"events\"\n", Quality{Lines: 1, Others: 1}},
	} {
		_, r, err := readAll(c.text)
		if err != nil || r.Quality != c.want {
			t.Errorf("%q: %+v, %v, want %+v", c.text, r.Quality, err, c.want)
		}
		if bad := !r.Complete() || r.OutOfOrder > 0; bad != (len(r.Warnings()) > 0) {
			t.Errorf("%q: warnings %q", c.text, r.Warnings())
		}
	}
}

func TestOpenCompressed(t *testing.T) {
	text := []byte("a-1 [000] ..... 10: fsync_ret: ret=0\n")
	var gz, zs bytes.Buffer
	z := gzip.NewWriter(&gz)
	_, _ = z.Write(text)
	_ = z.Close()
	w, err := zstd.NewWriter(&zs)
	if err != nil {
		t.Fatal(err)
	}
	_, _ = w.Write(text)
	_ = w.Close()
	for name, data := range map[string][]byte{
		"plain": text, "gzip": gz.Bytes(), "zstd": zs.Bytes(), "cut gzip": gz.Bytes()[:gz.Len()-8],
	} {
		file := filepath.Join(t.TempDir(), "r")
		if err := os.WriteFile(file, data, 0o600); err != nil {
			t.Fatal(err)
		}
		r, err := Open(file)
		if err != nil {
			t.Fatal(name, err)
		}
		var e Event
		if err := r.Next(&e); err != nil || e.Kind != FsyncRet {
			t.Errorf("%s: %v, %v", name, e.Kind, err)
		}
		if err := r.Next(&e); !errors.Is(err, io.EOF) || r.Truncated != (name == "cut gzip") {
			t.Errorf("%s: at the end %v, truncated %t", name, err, r.Truncated)
		}
		if err := r.Close(); err != nil {
			t.Error(name, err)
		}
	}
	if _, err := Open(filepath.Join(t.TempDir(), "none")); err == nil {
		t.Error("a missing file opened")
	}
}

// FuzzReader: any text is read to its end or to one error at a line, and what is
// read has its fields in range.
func FuzzReader(f *testing.F) {
	f.Add("a-1 [000] ..... 10: fsync_ret: ret=-5\nCPU:1 [LOST 3 EVENTS]\n")
	f.Add("load   185/186   [000] 16180.649056: cil:push_now: seq=1 async=1 cur=1 push_seq=0 flags=0x6\n")
	f.Add("k-1 [001] 5: xlog_iclog_sync: dev 1:2 state 2 refcnt 0 offset 9 lsn 0x1 flags  caller x\n")
	f.Add("# entries-in-buffer/entries-written: 1/2\n\n a (b-2 (3) [x] [4] 1.2: q:\n")
	f.Fuzz(func(t *testing.T, text string) {
		events, r, err := readAll(text)
		var syntax *SyntaxError
		if err != nil && (!errors.As(err, &syntax) || syntax.Line < 1 || syntax.Line > strings.Count(text, "\n")+1) {
			t.Fatalf("error %v", err)
		}
		if r.Events != len(events) {
			t.Fatalf("%d events counted, %d read", r.Events, len(events))
		}
		for i := range events {
			if e := &events[i]; e.Kind == Other || e.Kind >= numKinds || int(e.State) >= len(iclogStateNames) || e.PID < 0 {
				t.Fatalf("event %+v", *e)
			}
			_ = events[i].String()
		}
	})
}
