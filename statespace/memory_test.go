package statespace_test

import (
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"cilcheck/statespace"
	"cilcheck/statespace/internal/toys"
)

// memoryChild is the program of which TestPeakMemory measures the memory: what it
// searches, and its limit. It prints the most memory that it held, in KiB.
func memoryChild(told string) error {
	name, limit, _ := strings.Cut(told, "=")
	o := twoPhaseOptions{Workers: 2}
	if name == "graph" {
		o = liveTwoPhase()
	}
	var err error
	if o.Limits.Memory, err = strconv.ParseInt(limit, 10, 64); err != nil {
		return err
	}
	r, err := statespace.Explore(toys.TwoPhase{N: 9}, o)
	if err != nil {
		return err
	}
	if r.Reason != statespace.MemoryLimit || r.States < 100_000 {
		return fmt.Errorf("reason %q, %d states", r.Reason, r.States)
	}
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return err
	}
	for line := range strings.Lines(string(status)) {
		if f := strings.Fields(line); len(f) > 1 && f[0] == "VmHWM:" {
			fmt.Println(f[1])
			return nil
		}
	}
	return errors.New("/proc/self/status has no VmHWM")
}

// TestPeakMemory: the program as a whole never holds more than the limit.
func TestPeakMemory(t *testing.T) {
	for _, spec := range []string{"set=64", "set=80", "graph=64", "graph=100"} {
		name, text, _ := strings.Cut(spec, "=")
		megabytes, _ := strconv.Atoi(text)
		out, err := child("memory", fmt.Sprintf("%s=%d", name, megabytes<<20)).CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v\n%s", spec, err, out)
		}
		peak, err := strconv.Atoi(strings.TrimSpace(string(out)))
		if err != nil || peak > megabytes<<10 {
			t.Errorf("%s: %d KiB, %v; the limit is %d", spec, peak, err, megabytes<<10)
		}
		t.Logf("%s: %d KiB of %d", spec, peak, megabytes<<10)
	}
}

// TestSpill: where memory is too short for the frontier it goes to files, and
// the search ends as it would have.
func TestSpill(t *testing.T) {
	m := toys.TwoPhase{N: 8}
	dir := t.TempDir()
	named := false
	whole := mustExplore(t, m, twoPhaseOptions{})
	for percent := int64(80); percent < 100; percent += 3 {
		limit := whole.Memory * percent / 100
		r := mustExplore(t, m, twoPhaseOptions{
			SpillDir: dir, Workers: 2, Limits: statespace.Limits{Memory: limit},
			Progress: func(p statespace.Progress) {
				for _, file := range p.Spilled {
					named = named || strings.HasPrefix(file, dir)
				}
			},
		})
		if r.Memory > limit {
			t.Errorf("held %d of %d", r.Memory, limit)
		}
		if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
			t.Errorf("left behind: %v, %v", left, err)
		}
		if !r.Exhausted {
			continue
		}
		t.Logf("%d%% of %d is enough", percent, whole.Memory)
		if r.States != whole.States || r.Transitions != whole.Transitions || r.Depth != whole.Depth {
			t.Errorf("%d states, %d transitions; want %d, %d", r.States, r.Transitions, whole.States, whole.Transitions)
		}
		if !named {
			t.Error("no file was named")
		}
		return
	}
	t.Error("spilling saves nothing")
}
