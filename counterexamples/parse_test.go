package counterexamples

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// head is a whole header of a violation without task and loop.
const head = `cilcheck-trace: 1
scenario: one-force
size: check
variant: flush=always
scheduler: any
granularity: coarse
property: crash-prefix
verdict: violated
kind: state
`

func TestGarbageIsRefusedAtItsLine(t *testing.T) {
	for _, c := range []struct{ text, says string }{
		{"", `f:1: the file is empty: expected "cilcheck-trace: 1"`},
		{"# only a comment\n\n", "f:2: the file is empty"},
		{"name: one-force\n", `f:1: "name: one-force" is not the start of a trace`},
		{"cilcheck-trace: 2\n", `f:1: cilcheck-trace: "2": expected 1`},
		{"cilcheck-trace: 1\ncolour: red\n", "f:2: colour: unknown key: expected scenario"},
		{"cilcheck-trace: 1\nscenario: a\nscenario: b\n", "f:3: a second scenario: the first is in line 2"},
		{"cilcheck-trace: 1\nscenario:\n", "f:2: scenario has no value"},
		{"cilcheck-trace: 1\n  1 fsync x C1\n", `f:2: "  1 fsync x C1" is no header`},
		{"cilcheck-trace: 1\nsize: chek\n", `f:2: size: unknown size "chek": did you mean "check"?`},
		{"cilcheck-trace: 1\nscheduler: cooperative(0)\n", `f:2: scheduler: scheduler "cooperative(0)": expected`},
		{"cilcheck-trace: 1\ngranularity: medium\n", `f:2: granularity: "medium": expected coarse or fine`},
		{"cilcheck-trace: 1\nverdict: holds\n", `f:2: verdict: "holds": expected violated`},
		{"cilcheck-trace: 1\nkind: odd\n", `f:2: kind: "odd": expected state or step or`},
		{"cilcheck-trace: 1\nrepaired-by: a;;b\n", "f:2: repaired-by: an empty variant"},
		{"cilcheck-trace: 1\nscenario: a\n\n", "f:3: the header ends without size"},
		{"cilcheck-trace: 1\nscenario: a\n", "f:2: the header ends without size"},
		{head + "task: fsync\n\n", "f:10: task: a violation of kind state speaks of no task"},
		{strings.Replace(head, "state", "step", 1), "f:9: the header ends without task"},
		{strings.Replace(head, "state", "spin", 1) + "task: x\n\n  1 x f\n", `f:12: the trace ends without a loop: expected "loop:"`},
		{head + "\nloop:\n  1 x f\n", "f:12: a loop: expected none in a violation of kind state"},
		{head + "\nloop:\n", "f:11: the trace ends after loop"},
		{head + "\nloop:\nloop:\n", "f:12: a second loop"},
		{head + "\nloop:\n| a: 1 -> 2\n", "f:12: a line of effects before the first step"},
		{head + "\n  1 x f\nloop:\n| a: 1 -> 2\n", "f:13: a line of effects after loop"},
		{head + "\n| a: 1 -> 2\n", "f:11: a line of effects before the first step"},
		{head + "\n  2 x f\n", "f:11: step 2: expected step 1 here"},
		{head + "\n  1 x f\n  1 x f\n", "f:12: step 1: expected step 2 here"},
		{head + "\n 01 x f\n", `f:11: the number of a step is "01": expected a number`},
		{head + "\n  one x f\n", `f:11: the number of a step is "one"`},
		{head + "\n  1 fsync\n", `f:11: "1 fsync" is no step: expected number, task, kernel function and tags`},
		{head + "\n  1 x f Z9\n", `f:11: step 1: unknown tag "Z9": expected a label of cil.md`},
		{head + "\n  1 x f |\n", "f:11: step 1: an empty effect"},
		{head + "\n  1 x f | a: 1 -> 2;\n", "f:11: step 1: an empty effect"},
		{head + "\n  1 x f | a: 1 -> 2; a: 1 -> 2\n", `f:11: step 1: "a: 1 -> 2" stands there twice`},
		{head + "\n  1 x f | a is 2\n", `f:11: step 1: "a is 2" is no effect`},
		{head + "\n  1 x f\n     | a is 2\n", `f:12: step 1: "a is 2" is no effect`},
		{head + "\n  1 x f | outcome x\n", `f:11: step 1: outcome "x": expected a number`},
		{head + "\n  1 x f | outcome 1; outcome 2\n", "f:11: step 1: a second outcome"},
		{head + "\n  1 x f | sleeps on a; sleeps on b\n", "f:11: step 1: the task sleeps twice"},
		{head + "\n  1 \xff f\n", "f:11: not UTF-8"},
		{head + "\n  1 x\x00y f\n", "f:11: a control character"},
		{strings.Repeat("#\n", MaxFile/2+1), "f:1: the file is too large"},
	} {
		_, err := Parse("f", []byte(c.text))
		if !errors.As(err, new(*Error)) || !strings.HasPrefix(err.Error(), c.says) {
			t.Errorf("%.60q: got error %v, want %s", c.text, err, c.says)
		}
	}
}

func TestCommentsAreNoPartOfTheTrace(t *testing.T) {
	_, tr := spinning(t)
	text := "# why\n#\n# it matters\n" + strings.ReplaceAll(string(tr.Format()), "\n", "\n# aside\n")
	got, err := Parse("f", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	tr.Comment = "why\n\nit matters"
	if diff := cmp.Diff(tr, got, withoutPlaces); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if back, err := Parse("f", got.Format()); err != nil || !cmp.Equal(got, back, withoutPlaces) {
		t.Errorf("the comment is lost: %v", err)
	}
}

// Spaces may be changed, and lines may end as on other systems.
func TestSpacesDoNotMatter(t *testing.T) {
	_, tr := spinning(t)
	text := strings.NewReplacer("    ", "\t", "; ", "\r\n  |  ", ": ", ":  ").Replace(string(tr.Format()))
	got, err := Parse("f", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(tr, got, withoutPlaces); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestSaveAndLoad(t *testing.T) {
	_, tr := spinning(t)
	dir := t.TempDir()
	file := filepath.Join(dir, "x.trace")
	for range 2 { // the second time over the first
		if err := tr.Save(file); err != nil {
			t.Fatal(err)
		}
	}
	got, err := Load(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(tr, got, withoutPlaces); diff != "" {
		t.Errorf("(-saved +loaded):\n%s", diff)
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
		t.Errorf("got %v, %v, want the one file", entries, err)
	}
}

// A file that cannot be replaced stays as it is, and nothing is left behind.
func TestSaveFails(t *testing.T) {
	_, tr := spinning(t)
	dir := t.TempDir()
	if err := tr.Save(filepath.Join(dir, "none", "x.trace")); err == nil {
		t.Error("saved to a folder that is not there")
	}
	full := filepath.Join(dir, "full")
	if err := os.MkdirAll(filepath.Join(full, "x"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := tr.Save(full); err == nil {
		t.Error("saved over a folder")
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
		t.Errorf("got %v, %v, want nothing left behind", entries, err)
	}
}

func FuzzParse(f *testing.F) {
	kept, err := Kept()
	if err != nil {
		f.Fatal(err)
	}
	for _, tr := range kept {
		f.Add(tr.Format())
	}
	f.Add([]byte(head + "\n  1 io0 - | outcome 1; ctx 1: none -> live; wakes a\n      | sleeps on b; ASSERT failed: F0: x\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		tr, err := Parse("f", data)
		if err != nil {
			return
		}
		back, err := Parse("f", tr.Format())
		if err != nil {
			t.Fatalf("%v in\n%s", err, tr.Format())
		}
		if diff := cmp.Diff(tr, back, withoutPlaces); diff != "" {
			t.Fatalf("(-parsed +parsed again):\n%s", diff)
		}
	})
}
