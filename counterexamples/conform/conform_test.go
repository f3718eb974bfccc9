package conform

import (
	"bytes"
	"context"
	"path/filepath"
	"strings"
	"testing"

	"cilcheck/cil"
)

// variants are the three kernels that were recorded, by the name of the module.
var variants = map[string]cil.Variant{
	"stock": {},
	"nf":    {Flush: cil.FlushNever},
	"nfb":   {Flush: cil.FlushOnRestart},
}

// module is the module of a recording, which its name says.
func module(name string) string { return strings.Split(filepath.Base(name), "-")[1] }

// rejections says at which line each recording of testdata is rejected by the
// variants that are not its own.
var rejections = map[string]map[string]int{
	"6.12-nf-full-smp1-t1":                             {"stock": 100, "nfb": 2954},
	"6.12-nf-full-smp2-t2":                             {"stock": 67, "nfb": 72},
	"6.12-nfb-none-smp2-t4":                            {"stock": 137, "nf": 142},
	"6.12-stock-full-smp1-t1":                          {"nf": 81, "nfb": 81},
	"6.12-stock-full-smp2-t16":                         {"nf": 895, "nfb": 895},
	"6.12-stock-none-smp2-t4":                          {"nf": 187, "nfb": 187},
	"6.12-stock-voluntary-smp1-bg-create-m2-slowfsync": {"nf": 404, "nfb": 404},
	"6.12-stock-voluntary-smp2-meta-churn-m2-t1":       {"nf": 19, "nfb": 19},
	"7.2-nf-lazy-smp1-t1":                              {"stock": 72, "nfb": 150},
	"7.2-stock-lazy-smp2-t2":                           {"nf": 107, "nfb": 107},
}

func TestRecordingsConformToTheirOwnVariantOnly(t *testing.T) {
	for name, others := range rejections {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for mod, v := range variants {
				res := check(t, filepath.Join("testdata", name+".trace.gz"), Options{Variant: v})
				switch {
				case mod == module(name) && res.Verdict != Conforms:
					t.Errorf("%s: %s at line %d: %s: %s", mod, res.Verdict, res.Line, res.Event, res.Why)
				case mod == module(name) && res.Matched+res.Unused != res.Survey.Events:
					t.Errorf("%s: %d events matched and %d unused of %d", mod, res.Matched, res.Unused, res.Survey.Events)
				case mod == module(name):
				case res.Verdict != Rejected || res.Line != others[mod]:
					t.Errorf("%s: %s at line %d, want rejected at %d", mod, res.Verdict, res.Line, others[mod])
				case len(res.Could) == 0 || len(res.States) == 0:
					t.Errorf("%s: the rejection does not say what could have come", mod)
				}
			}
		})
	}
}

// TestCutShort: what a recording of many threads misses is inferred from what
// follows, so wherever it is cut off it must still conform.
func TestCutShort(t *testing.T) {
	for n := 900; n < 4000; n += 83 {
		recording := write(t, string(bytes.Join(firstLines(t, "6.12-stock-full-smp2-t16", n), nil)))
		if res := check(t, recording, Options{}); res.Verdict != Conforms {
			t.Errorf("%d lines: %s at line %d: %s", n, res.Verdict, res.Line, res.Event)
		}
	}
}

// TestMissingReturnOfAFlush: a flush that shows flush_prep_ret once more, when it
// is passed on to the next colour, has not returned before, seen or not.
func TestMissingReturnOfAFlush(t *testing.T) {
	lines := firstLines(t, "6.12-stock-full-smp2-t16", 4000)
	tried, prepared := 0, map[int]int{}
	for _, p := range places(t, lines) {
		switch p.e.Kind {
		case FlushWq:
			prepared[p.e.PID] = 0
		case FlushPrepRet:
			prepared[p.e.PID]++
		case FlushWqRet:
			if prepared[p.e.PID] < 2 || p.after == 0 {
				continue
			}
			tried++
			without := append(lines[:p.line:p.line], lines[p.line+1:]...)
			if res := check(t, write(t, string(bytes.Join(without, nil))), Options{}); res.Verdict != Conforms {
				t.Errorf("without line %d: %s at line %d: %s", p.line+1, res.Verdict, res.Line, res.Event)
			}
		}
	}
	if tried < 5 {
		t.Errorf("%d flushes tried", tried)
	}
}

func check(t *testing.T, name string, opt Options) *Result {
	t.Helper()
	res, err := Check(context.Background(), name, opt)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

func TestWhatARejectionSays(t *testing.T) {
	res := check(t, "testdata/6.12-stock-full-smp1-t1.trace.gz", Options{Variant: variants["nf"]})
	if res.Thread != "load-186" || res.Event != "flush_wq" {
		t.Errorf("rejected %q of %q", res.Event, res.Thread)
	}
	if want := "workqueue_queue_work"; strings.Join(res.Could, " ") != want {
		t.Errorf("could have come: %q, want %q", res.Could, want)
	}
	if s := res.States[0]; !strings.Contains(s, "xc_current_sequence 763") || !strings.Contains(s, "pid 186 in xlog_cil_push_now") {
		t.Errorf("state: %s", s)
	}
}

func TestCheckStopsAtItsBounds(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	res, err := Check(ctx, "testdata/6.12-nf-full-smp1-t1.trace.gz", Options{Variant: variants["nf"]})
	if err != nil || res.Verdict != LimitReached {
		t.Errorf("cancelled: %v, %v", res, err)
	}
	res = check(t, "testdata/6.12-nf-full-smp1-t1.trace.gz", Options{Variant: variants["nf"], Limit: 1})
	if res.Verdict != LimitReached || !strings.Contains(res.Why, "more than 1 states") {
		t.Errorf("limit of one state: %s: %s", res.Verdict, res.Why)
	}
}

// TestMoreThreadsThanTheModelHas: the verdict is a limit, never a rejection.
func TestMoreThreadsThanTheModelHas(t *testing.T) {
	var b strings.Builder
	for pid := range 40 {
		b.WriteString(line(pid+100, 0, 1000+pid, "fsync: (xfs_file_fsync+0x4/0x2a0 [xfs])"))
	}
	res := check(t, write(t, b.String()), Options{})
	if res.Verdict != LimitReached || !strings.Contains(res.Why, "threads in forces at once") {
		t.Errorf("%s: %s", res.Verdict, res.Why)
	}
}

func TestAnEmptyRecordingConforms(t *testing.T) {
	if res := check(t, write(t, "# tracer: nop\n"), Options{}); res.Verdict != Conforms {
		t.Errorf("%s: %s", res.Verdict, res.Why)
	}
}
