package statespace_test

import (
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"cilcheck/statespace"
	"cilcheck/statespace/internal/toys"
)

const memoryEnv = "STATESPACE_MEMORY_CASE"

// TestMemoryChild is the program of which TestPeakMemory measures the memory.
func TestMemoryChild(t *testing.T) {
	spec := os.Getenv(memoryEnv)
	if spec == "" {
		t.Skip("not measured")
	}
	name, limit, _ := strings.Cut(spec, "=")
	o := twoPhaseOptions{Workers: 2, SpillDir: t.TempDir()}
	if name == "graph" {
		o = liveTwoPhase()
	}
	var err error
	if o.Limits.Memory, err = strconv.ParseInt(limit, 10, 64); err != nil {
		t.Fatal(err)
	}
	r := mustExplore(t, toys.TwoPhase{N: 9}, o)
	if r.Reason != statespace.MemoryLimit || r.States < 100_000 {
		t.Errorf("reason %q, %d states", r.Reason, r.States)
	}
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Skip(err)
	}
	for line := range strings.Lines(string(status)) {
		if f := strings.Fields(line); len(f) > 1 && f[0] == "VmHWM:" {
			fmt.Println("peak", f[1])
		}
	}
}

// TestPeakMemory: the program as a whole never holds more than the limit.
func TestPeakMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes seconds")
	}
	for _, spec := range []string{"set=64", "set=80", "graph=64", "graph=100"} {
		name, text, _ := strings.Cut(spec, "=")
		megabytes, _ := strconv.Atoi(text)
		cmd := exec.Command(os.Args[0], "-test.run=^TestMemoryChild$")
		cmd.Env = append(os.Environ(), fmt.Sprintf("%s=%s=%d", memoryEnv, name, megabytes<<20))
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v\n%s", spec, err, out)
		}
		_, after, found := strings.Cut(string(out), "peak ")
		if !found {
			t.Skip("the kernel does not say how much memory a program holds")
		}
		peak, err := strconv.Atoi(strings.Fields(after)[0])
		if err != nil || peak > megabytes<<10 {
			t.Errorf("%s: %d KiB, %v; the limit is %d", spec, peak, err, megabytes<<10)
		}
		t.Logf("%s: %d KiB of %d", spec, peak, megabytes<<10)
	}
}

// TestSpill: where memory is too short for the frontier it goes to files, and
// the search ends as it would have.
func TestSpill(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes seconds")
	}
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
