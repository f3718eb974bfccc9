package conform

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// TestEveryRecording checks the recordings of a folder against their own
// variant: that which CILCHECK_RECORDINGS names, or testdata.
func TestEveryRecording(t *testing.T) {
	dir := os.Getenv("CILCHECK_RECORDINGS")
	if dir == "" {
		dir = "testdata"
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.trace.gz"))
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, f := range files {
		start := time.Now()
		res := check(t, f, Options{Variant: variants[module(f)]})
		took := time.Since(start)
		t.Logf("%-60s %s: %d matched, %d hidden, largest %d, late %d, full %d, skewed %d, %.0f events/min",
			filepath.Base(f), res.Verdict, res.Matched, res.Hidden, res.Largest, res.Late, res.Full, res.Skewed,
			float64(res.Events)/took.Minutes())
		if res.Verdict == Rejected {
			t.Errorf("%s:%d: %s: %s; could: %q", f, res.Line, res.Event, res.Why, res.Could)
		}
		if res.Verdict == LimitReached {
			t.Logf("%s:%d: %s: %s", f, res.Line, res.Event, res.Why)
		}
	}
}
