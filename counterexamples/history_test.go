package counterexamples

import (
	"os"
	"path/filepath"
	"testing"

	"cilcheck/statespace"
)

// Every bug of the past is violated without its fix as its trace says, and the
// same schedule with the fix is refused or ends well.
func TestHistory(t *testing.T) {
	traces, err := History()
	if err != nil {
		t.Fatal(err)
	}
	if files, _ := filepath.Glob("history/*"); len(files) != len(traces) || len(traces) == 0 {
		t.Errorf("%d files, %d traces", len(files), len(traces))
	}
	results, err := CheckKept(traces)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range results {
		if !r.OK {
			t.Error(r)
		}
	}
	for _, tr := range traces {
		data, err := os.ReadFile(tr.Source())
		if err != nil {
			t.Fatal(err)
		}
		if string(data) != string(tr.Format()) {
			t.Errorf("%s is not as Format writes it", tr.Source())
		}
		if len(tr.RepairedBy) != 1 {
			t.Errorf("%s has %d repairs, want the fix", tr.Source(), len(tr.RepairedBy))
		}
	}
}

// The trace of a stuck task goes on until nothing moves.
func TestRecordToRest(t *testing.T) {
	traces, err := History()
	if err != nil {
		t.Fatal(err)
	}
	stuck := 0
	for _, tr := range traces {
		if tr.Kind != statespace.StuckKind {
			continue
		}
		stuck++
		sys, err := tr.System()
		if err != nil {
			t.Fatal(err)
		}
		found := search(t, sys, tr.Property)[0]
		if len(found.Path) >= len(tr.Steps) {
			t.Errorf("%s has %d steps, the shortest %d", tr.Source(), len(tr.Steps), len(found.Path))
		}
		p, err := newPlayer(sys)
		if err != nil {
			t.Fatal(err)
		}
		for i := range tr.Steps {
			if err := p.take(tr.Steps[i].choice(sys), nil); err != nil {
				t.Fatal(err)
			}
		}
		if task := mover(sys, &p.state, -1); task >= 0 {
			t.Errorf("%s: %s can still move", tr.Source(), sys.Machine.TaskName(task))
		}
	}
	if stuck == 0 {
		t.Error("no trace of a stuck task")
	}
}
