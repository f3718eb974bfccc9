package conform

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"
)

func TestMonitorFindsNothingInRecordings(t *testing.T) {
	files, err := filepath.Glob("testdata/*.trace.gz")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, name := range files {
		r, err := Open(name)
		if err != nil {
			t.Fatal(err)
		}
		var m Monitor
		if v, err := m.Watch(r); v != nil || err != nil {
			t.Errorf("%s: %v, %v", name, v, err)
		}
		if m.Events != r.Events || m.Forgotten != 0 {
			t.Errorf("%s: %d of %d events, %d forgotten", name, m.Events, r.Events, m.Forgotten)
		}
		_ = r.Close()
	}
}

func TestMonitorRules(t *testing.T) {
	work := func(seq int) string { return fmt.Sprintf("push_work: seq=%d", seq) }
	record := func(seq, start int) string {
		return fmt.Sprintf("set_ctx_write_state: seq=%d start_lsn=%d commit_lsn=0", seq, start)
	}
	done := func(seq, lsn int) string { return fmt.Sprintf("cil_committed: seq=%d commit_lsn=%d", seq, lsn) }
	const force, back = "log_force_seq: seq=2", "log_force_seq_ret: ret=0"
	for _, c := range []struct {
		rule   string
		line   int
		events []string
	}{
		{"", 0, []string{work(1), record(1, 0), work(2), record(2, 0), record(1, 5), record(2, 5), done(1, 5), done(2, 5)}},
		{"push-once", 2, []string{work(2), work(2)}},
		{"push-once", 2, []string{work(2), work(1)}},
		{"start-order", 2, []string{record(2, 0), record(1, 0)}},
		{"commit-order", 3, []string{record(1, 0), record(2, 5), record(1, 5)}},
		{"commit-order", 2, []string{done(1, 9), done(2, 8)}},
		{"return-after", 4, []string{force, work(1), work(2), back}},
		{"return-after", 5, []string{force, work(1), work(2), done(2, 7), back}},
		{"", 0, []string{force, work(2), done(2, 7), work(3), back}},
		{"", 0, []string{force, work(2), "log_force_seq_ret: ret=-5"}},
	} {
		var b strings.Builder
		for i, e := range c.events {
			b.WriteString(line(7, 0, 10+i, e))
		}
		var m Monitor
		v, err := m.Watch(NewReader("t", strings.NewReader(b.String())))
		switch {
		case err != nil:
			t.Error(err)
		case v == nil && c.rule != "":
			t.Errorf("%q: nothing, want %s", c.events, c.rule)
		case v != nil && (v.Rule != c.rule || v.Line != c.line || len(v.Context) != c.line):
			t.Errorf("%q: %v with %d lines, want %s at %d", c.events, v, len(v.Context), c.rule, c.line)
		}
	}
}

func TestMonitorIsBounded(t *testing.T) {
	var m Monitor
	for i := range 10 * maxForces {
		m.Observe(&Event{Kind: PushWork, Seq: uint64(i + 1)})
		m.Observe(&Event{Kind: LogForceSeq, PID: i + 1, Seq: uint64(i + 1)})
	}
	if len(m.open) > maxOpen || len(m.forces) > maxForces || m.Forgotten == 0 {
		t.Errorf("%d checkpoints, %d forces, %d forgotten", len(m.open), len(m.forces), m.Forgotten)
	}
}
