package counterexamples

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"cilcheck/cil"
	"cilcheck/spec"
	"cilcheck/statespace"

	"github.com/google/go-cmp/cmp"
)

// system builds a system of the library at its check size, under the first
// scheduler of the scenario.
func system(t testing.TB, scenario, variant string) *spec.System {
	t.Helper()
	sc, err := spec.Lookup(scenario)
	if err != nil {
		t.Fatal(err)
	}
	v, err := cil.ParseVariant(variant)
	if err != nil {
		t.Fatal(err)
	}
	sys, err := spec.NewSystem(sc, spec.Check, v, sc.Schedulers[0])
	if err != nil {
		t.Fatal(err)
	}
	return sys
}

// spinning is the spin of one force without the flush.
func spinning(t testing.TB) (*spec.System, *Trace) {
	t.Helper()
	sys := system(t, "one-force", "flush=never")
	found := search(t, sys, "no-spin")
	if len(found) != 1 {
		t.Fatal("one force does not spin without the flush")
	}
	tr, err := Record(sys, found[0], "")
	if err != nil {
		t.Fatal(err)
	}
	return sys, tr
}

func TestFormatOfASpin(t *testing.T) {
	_, tr := spinning(t)
	golden(t, "one-force-spin.txt", string(tr.Format()))
}

// golden compares a text with a file of testdata; -rewrite writes it.
func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *rewrite {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s differs; if that is right, run go test with -rewrite (-want +got):\n%s", file, diff)
	}
}

// Every violation that the explorer finds is confirmed by the judge, which
// shares no code with it: all kinds, several schedulers, planted faults too.
func TestViolationsAreConfirmed(t *testing.T) {
	kinds := map[statespace.Kind]int{}
	for _, c := range [][2]string{
		{"one-force", "flush=never"},
		{"cooperative-one-force", "flush=never"},
		{"priority-force", "flush=never"},
		{"freezer", "flush=never"},
		{"two-forces", "flush=never,fault=skip-start-wake"},
		{"two-forces", "flush=never,fault=publish-before-attach"},
		{"two-forces", "flush=never,fault=no-commit-order"},
		{"two-forces", "fault=free-before-unlink"},
		{"shutdown-force", ""},
		{"xfsaild-committer", ""},
	} {
		sys := system(t, c[0], c[1])
		for _, v := range search(t, sys, "") {
			kinds[v.Kind]++
			tr, err := Record(sys, v, "")
			if err != nil {
				t.Fatal(err)
			}
			report, err := Replay(tr, sys)
			if err != nil {
				t.Fatal(err)
			}
			if report.Outcome != Violated || report.Step != len(v.Path) {
				t.Errorf("%v: %v", c, report)
			}
		}
	}
	t.Log(kinds)
	for _, k := range []statespace.Kind{statespace.StuckKind, statespace.SpinKind, statespace.StarvedKind, statespace.StepKind} {
		if kinds[k] == 0 {
			t.Errorf("no violation of kind %s", k)
		}
	}
}

// edit replaces a text that stands in a trace once.
func edit(old, new string) func(*testing.T, string) string {
	return func(t *testing.T, text string) string {
		t.Helper()
		if strings.Count(text, old) != 1 {
			t.Fatalf("%q does not stand once in\n%s", old, text)
		}
		return strings.Replace(text, old, new, 1)
	}
}

// inSteps changes the lines of the steps, numbered from 0, and numbers the steps
// anew.
func inSteps(change func(lines []string) []string) func(*testing.T, string) string {
	return func(t *testing.T, text string) string {
		t.Helper()
		head, steps, ok := strings.Cut(text, "\n\n")
		if !ok {
			t.Fatal("no steps")
		}
		lines := change(strings.Split(strings.TrimSpace(steps), "\n"))
		n := 0
		for i, line := range lines {
			if line = strings.TrimSpace(line); line != loopLine {
				n++
				_, rest, _ := strings.Cut(line, " ")
				lines[i] = fmt.Sprintf("%3d %s", n, rest)
			}
		}
		return head + "\n\n" + strings.Join(lines, "\n") + "\n"
	}
}

// The header of the spin is 10 lines, so step n is in line 11+n before the loop
// and in line 12+n in it.
func TestPlantedEditsAreRefused(t *testing.T) {
	for _, c := range []struct {
		name    string
		edit    func(*testing.T, string) string
		outcome Outcome
		line    int
		says    string
	}{
		{"wrong tag", edit("N2 N3 N4 N5", "N2 N3 N4"), Refused, 20,
			"fsync passes N2 N3 N4 N5 here, the trace says N2 N3 N4"},
		{"wrong function", edit("xlog_cil_push_background", "xlog_cil_push_work"), Refused, 17,
			"fsync is in xlog_cil_push_background here, the trace says xlog_cil_push_work"},
		{"a task that cannot move", edit("  7 fsync ", "  7 kworker0 "), Refused, 18,
			"kworker0 is not enabled: no push work is ready to start"},
		{"an idle I/O", edit("  7 fsync ", "  7 io1 "), Refused, 18, "io1 is not enabled: no I/O of its iclog is in flight"},
		{"an unknown task", edit("  7 fsync ", "  7 fsync9 "), Refused, 18,
			`there is no task "fsync9": expected fsync, kworker0, io0, io1`},
		{"changed number", edit("xc_push_seq: 0 -> 1", "xc_push_seq: 0 -> 2"), Refused, 20,
			`the trace says "xc_push_seq: 0 -> 2": it goes 0 -> 1`},
		{"changed field", edit("push_work 1 PENDING", "push_work 2 PENDING"), Refused, 20, "the step does not change it"},
		{"invented wake-up", edit("PENDING: 0 -> 1", "PENDING: 0 -> 1; wakes kworker0"), Refused, 20,
			`the trace says "wakes kworker0": the step does not`},
		{"invented effect", edit("xc_ctx_lock readers: 0 -> 1", "xc_ctx_lock readers: 0 -> 1; sleeps on xc_push_wait"), Refused, 13,
			`the trace says "sleeps on xc_push_wait"`},
		{"missing effect", edit("; push_work 1 PENDING: 0 -> 1", ""), Refused, 20,
			`the step also does this, which the trace does not say: "push_work 1 PENDING: 0 -> 1"`},
		{"another result", edit("returns commit: success", "returns commit: EIO"), Refused, 17, `"returns commit: EIO"`},
		{"an outcome", edit("xc_push_seq: 0", "outcome 1; xc_push_seq: 0"), Refused, 20,
			"outcome 1 does not exist: the step of fsync has one outcome only"},
		{"the only outcome", edit("xc_push_seq: 0", "outcome 0; xc_push_seq: 0"), Refused, 20, "one outcome only, so none is given"},
		{"on a line of its own", edit("; push_work 1", "\n | push_work 7"), Refused, 21, "the step does not change it"},
		{"swapped lines", inSteps(func(l []string) []string { l[2], l[3] = l[3], l[2]; return l }), Refused, 14,
			"fsync passes C4b here, the trace says C4d C4e"},
		{"dropped line", inSteps(func(l []string) []string { return append(l[:4], l[5:]...) }), Refused, 16,
			"fsync is in xlog_cil_commit here, the trace says xlog_cil_push_background"},
		{"loop too early", inSteps(func(l []string) []string { l[8], l[9] = l[9], l[8]; return l }), NotViolated, 23,
			"the loop does not come back"},
		{"loop too short", inSteps(func(l []string) []string { return l[:len(l)-1] }), NotViolated, 22,
			"the loop does not come back"},
		{"loop twice", inSteps(func(l []string) []string { return append(l, l[10], l[11]) }), Violated, 25, "fsync alone"},
		{"other task", edit("task: fsync", "task: kworker0"), NotViolated, 23, "fsync moves in the loop too"},
		{"other property", func(t *testing.T, s string) string {
			return edit("property: no-spin", "property: force-returns")(t, edit("kind: spin", "kind: starved")(t, s))
		}, NotViolated, 23, "the loop is not fair to kworker0"},
	} {
		t.Run(c.name, func(t *testing.T) {
			sys, tr := spinning(t)
			edited, err := Parse("edited", []byte(c.edit(t, string(tr.Format()))))
			if err != nil {
				t.Fatal(err)
			}
			report, err := Replay(edited, sys)
			if err != nil {
				t.Fatal(err)
			}
			if report.Outcome != c.outcome || report.Line != c.line || !strings.Contains(report.Reason, c.says) {
				t.Errorf("got %v\nwant %v at line %d: %s", report, c.outcome, c.line, c.says)
			}
		})
	}
}

// What the trace was recorded on and what it is replayed on must be the same but
// for the variant and the scheduler.
func TestReplayRefusesAnotherSystem(t *testing.T) {
	sys, tr := spinning(t)
	for _, c := range []struct{ old, new, says string }{
		{"scenario: one-force", "scenario: two-forces", "edited:2: scenario: the system has one-force, the trace two-forces"},
		{"size: check", "size: soak", "edited:3: size: the system has check, the trace soak"},
		{"granularity: coarse", "granularity: fine", "edited:6: granularity: the system has coarse, the trace fine"},
		{"property: no-spin", "property: no-spine", `edited:7: property: there is no property "no-spine"`},
		{"property: no-spin", "property: no-stuck", "edited:9: kind: the property no-stuck has no violations of kind spin"},
		{"task: fsync", "task: sync", `edited:10: task: there is no task "sync"`},
	} {
		edited, err := Parse("edited", []byte(edit(c.old, c.new)(t, string(tr.Format()))))
		if err != nil {
			t.Fatal(err)
		}
		if report, err := Replay(edited, sys); err == nil || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: got %v, %v, want error %s", c.new, report, err, c.says)
		}
	}
}

func TestReplayOnTheCurrentKernel(t *testing.T) {
	_, tr := spinning(t)
	sys := system(t, "one-force", "")
	report, err := Replay(tr, sys)
	if err != nil {
		t.Fatal(err)
	}
	if report.Outcome != Refused || report.Line != 20 || !strings.Contains(report.Reason, "passes N1 here") {
		t.Errorf("Replay: got %v, want a refusal at N1", report)
	}
	if report, err = Follow(tr, sys); err != nil {
		t.Fatal(err)
	}
	if report.Outcome != Refused || !strings.Contains(report.Reason, "sleeps on the flush of xc_push_wq") {
		t.Errorf("Follow: got %v, want the flush to stop it", report)
	}
	if report.Differs == nil || report.Differs.Line != 20 {
		t.Errorf("Follow: got %v, want N1 to differ first", report)
	}
}

// A system that spins in a longer loop than the trace has is found out.
func TestFollowGoesRoundUntilTheLoopCloses(t *testing.T) {
	sys, tr := spinning(t)
	short, err := Parse("short", []byte(inSteps(func(l []string) []string { return l[:len(l)-1] })(t, string(tr.Format()))))
	if err != nil {
		t.Fatal(err)
	}
	report, err := Follow(short, sys)
	if err != nil {
		t.Fatal(err)
	}
	if report.Outcome != Violated {
		t.Errorf("got %v, want the spin", report)
	}
}

func TestTheSystemOfATrace(t *testing.T) {
	_, tr := spinning(t)
	for _, c := range []struct{ old, new, says string }{
		{"scenario: one-force", "scenario: one-farce", `edited:2: scenario: unknown scenario "one-farce"`},
		{"variant: flush=never", "variant: flush=newer", `edited:4: variant: variant "flush=newer": unknown toggle`},
		{"size: check\n", "size: check\nfile: no-such-file.yaml\n", "edited:4: file: open no-such-file.yaml"},
	} {
		edited, err := Parse("edited", []byte(edit(c.old, c.new)(t, string(tr.Format()))))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := edited.System(); err == nil || !strings.HasPrefix(err.Error(), c.says) {
			t.Errorf("%s: got error %v, want %s", c.new, err, c.says)
		}
	}
}

// A trace of a scenario of the user's own finds it in its file.
func TestAScenarioInAFile(t *testing.T) {
	sc, err := spec.Lookup("one-force")
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "mine.yaml")
	if err := os.WriteFile(file, sc.Format(), 0o644); err != nil {
		t.Fatal(err)
	}
	sys, tr := spinning(t)
	v, err := tr.Violation(sys)
	if err != nil {
		t.Fatal(err)
	}
	if tr, err = Record(sys, v, file); err != nil {
		t.Fatal(err)
	}
	mine, err := tr.System()
	if err != nil {
		t.Fatal(err)
	}
	report, err := Replay(tr, mine)
	if err != nil || report.Outcome != Violated {
		t.Errorf("got %v, %v", report, err)
	}
}

// A refusal says in plain words why a task cannot move.
func TestWhyATaskIsNotEnabled(t *testing.T) {
	for _, c := range []struct{ scenario, task, says string }{
		{"priority-force", "kworker0", "kworker0 is not enabled: it is not scheduled while a real-time task can run: fsync"},
		{"cooperative-one-force", "kworker0", "kworker0 is not enabled: no CPU is free before one blocks of fsync"},
		{"freezer", "io0", "io0 is not enabled: the workqueues are frozen"},
		{"two-forces", "kworker1", "kworker1 is not enabled: another idle kworker takes the work (they are alike)"},
		{"two-forces", "fsync0", "fsync0 is not enabled: it has finished"},
	} {
		sys := system(t, c.scenario, "flush=never,wait=commit")
		if c.scenario != "freezer" && c.scenario != "two-forces" {
			sys = system(t, c.scenario, "flush=never")
		}
		if !someStateRefuses(t, sys, taskNumber(sys, c.task), c.says) {
			t.Errorf("%s: no state refuses %s with %q", c.scenario, c.task, c.says)
		}
	}
}

// someStateRefuses looks for a reachable state in which the next step of a task
// is refused for a reason.
func someStateRefuses(t *testing.T, sys *spec.System, task int, says string) bool {
	t.Helper()
	refused := false
	claim := statespace.Invariant[cil.State]{Name: "not refused", Holds: func(s *cil.State) bool {
		if status(sys, s, task) == statespace.Moved {
			return true
		}
		p := &player{sys: sys, state: *s, base: cil.FirstBase}
		err := p.take(statespace.Choice{Task: task}, nil)
		refused = refused || err != nil && err.Error() == says
		return !refused
	}}
	_, err := statespace.Explore[cil.State](sys, statespace.Options[cil.State]{
		Invariants: []statespace.Invariant[cil.State]{claim}, StopAtFirst: true,
	})
	if err != nil {
		t.Fatal(err)
	}
	return refused
}

// A violation that comes earlier on another variant counts, even if the rest of
// the schedule cannot be followed.
func TestFollowStopsAtTheFirstViolation(t *testing.T) {
	sys := system(t, "two-forces", "fault=free-before-unlink")
	found := search(t, sys, "no-use-after-free")
	if len(found) != 1 {
		t.Fatal("the fault is not found")
	}
	v := found[0]
	v.Path = append(v.Path, v.Path...)
	tr := &Trace{
		Scenario: "two-forces", Variant: sys.Variant.String(), Property: v.Property, Kind: v.Kind,
		Task: sys.Machine.TaskName(max(v.Task, 0)), Loop: -1,
	}
	for i, c := range v.Path {
		tr.Steps = append(tr.Steps, Step{Number: i + 1, Task: sys.Machine.TaskName(c.Task), Outcome: Certain})
	}
	report, err := Follow(tr, sys)
	if err != nil {
		t.Fatal(err)
	}
	if report.Outcome != Violated || report.Step != len(v.Path)/2 {
		t.Errorf("got %v, want the violation at step %d", report, len(v.Path)/2)
	}
}

func TestFineTraceSpinsOnSpinlocks(t *testing.T) {
	if got := waiting("l_icloglock"); got != "spins on l_icloglock" {
		t.Errorf("got %q", got)
	}
	if got := waiting("xc_commit_wait"); got != "sleeps on xc_commit_wait" {
		t.Errorf("got %q", got)
	}
}
