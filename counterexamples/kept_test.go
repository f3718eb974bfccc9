package counterexamples

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"cilcheck/cil"
	"cilcheck/properties"
	"cilcheck/spec"
	"cilcheck/statespace"
)

var rewrite = flag.Bool("rewrite", false, "record the kept traces and rewrite testdata")

// search explores a system for one property; without a name, for all.
func search(t testing.TB, sys *spec.System, property string) []statespace.Violation {
	t.Helper()
	props := properties.All()
	if property != "" {
		props = []*properties.Property{properties.Lookup(property)}
	}
	res, err := statespace.Explore[cil.State](sys, properties.Options(sys, props))
	if err != nil {
		t.Fatal(err)
	}
	return res.Violations
}

// keptOnDisk are the kept traces as they are in the folder, recorded anew with
// -rewrite.
func keptOnDisk(t *testing.T) []*Trace {
	t.Helper()
	files, err := filepath.Glob("*.trace")
	if err != nil || len(files) == 0 {
		t.Fatal("no kept traces: ", err)
	}
	var traces []*Trace
	for _, file := range files {
		tr, err := Load(file)
		if err != nil {
			t.Fatal(err)
		}
		if *rewrite {
			tr = recordAnew(t, tr, file)
		}
		traces = append(traces, tr)
	}
	return traces
}

// recordAnew finds the violation of a kept trace again and saves it.
func recordAnew(t *testing.T, old *Trace, file string) *Trace {
	t.Helper()
	sys, err := old.System()
	if err != nil {
		t.Fatal(err)
	}
	found := search(t, sys, old.Property)
	if len(found) == 0 {
		t.Fatalf("%s: %s is not violated any more", file, old.Property)
	}
	tr, err := Record(sys, found[0], old.File)
	if err != nil {
		t.Fatal(err)
	}
	tr.Comment, tr.RepairedBy = old.Comment, old.RepairedBy
	if err := tr.Save(file); err != nil {
		t.Fatal(err)
	}
	if tr, err = Load(file); err != nil {
		t.Fatal(err)
	}
	return tr
}

func TestKeptTraces(t *testing.T) {
	results, err := CheckKept(keptOnDisk(t))
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range results {
		t.Log(r)
		if !r.OK {
			t.Error(r)
		}
	}
}

func TestKeptTracesAreInNormalForm(t *testing.T) {
	for _, tr := range keptOnDisk(t) {
		data, err := os.ReadFile(tr.Source())
		if err != nil {
			t.Fatal(err)
		}
		if string(data) != string(tr.Format()) {
			t.Errorf("%s is not as Format writes it", tr.Source())
		}
	}
}

func TestKeptAreTheFilesOfTheFolder(t *testing.T) {
	kept, err := Kept()
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob("*.trace")
	if err != nil {
		t.Fatal(err)
	}
	if len(kept) != len(files) {
		t.Errorf("%d kept traces, %d files", len(kept), len(files))
	}
}

// A trace of a fault that its repair does not repair must not pass.
func TestCheckKeptFindsWhatIsWrong(t *testing.T) {
	kept, err := Kept()
	if err != nil {
		t.Fatal(err)
	}
	tr := *kept[0]
	tr.RepairedBy = []string{tr.Variant}
	results, err := CheckKept([]*Trace{&tr})
	if err != nil {
		t.Fatal(err)
	}
	if len(results) != 2 || !results[0].OK || results[1].OK {
		t.Errorf("got %v, want the trace to hold and its repair to fail", results)
	}
	tr.RepairedBy, tr.Variant = nil, ""
	if results, err = CheckKept([]*Trace{&tr}); err != nil {
		t.Fatal(err)
	}
	if results[0].OK {
		t.Errorf("got %v on the current kernel, want a refusal", results[0])
	}
}
