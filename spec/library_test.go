package spec

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var rewrite = flag.Bool("rewrite", false, "rewrite testdata and the format of library files")

func TestLibrary(t *testing.T) { testFolder(t, "library") }

func TestHistory(t *testing.T) {
	testFolder(t, "history")
	for _, sc := range History() {
		if slices.ContainsFunc(Library(), func(l *Scenario) bool { return l.Name == sc.Name }) {
			t.Errorf("%s is in the library too", sc.Name)
		}
		if len(sc.Schedulers) != 1 {
			t.Errorf("%s: %d schedulers, want 1", sc.Name, len(sc.Schedulers))
		}
	}
}

func testFolder(t *testing.T, folder string) {
	scenarios, err := loadFolder(folder)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.IsSortedFunc(scenarios, func(a, b *Scenario) int {
		if a.Name < b.Name {
			return -1
		}
		return 1
	}) {
		t.Error("not sorted by name")
	}
	if files, _ := filepath.Glob(folder + "/*.yaml"); len(files) != len(scenarios) {
		t.Errorf("%d files, %d scenarios", len(files), len(scenarios))
	}
	for _, sc := range scenarios {
		got, err := Lookup(sc.Name)
		if err != nil || got.Name != sc.Name {
			t.Errorf("Lookup(%q) = %v, %v", sc.Name, got, err)
		}
		if err := sc.Validate(); err != nil {
			t.Errorf("%s: %v", sc.Name, err)
		}
		if sc.Story == "" {
			t.Errorf("%s has no story", sc.Name)
		}
		if why := sc.NotKernel(); why != "" {
			t.Errorf("%s: %s", sc.Name, why)
		}
		for _, size := range sc.Sizes {
			fits(t, sc.Config(size))
		}
		sameFile(t, filepath.Join(folder, sc.Name+".yaml"), string(sc.Format()))
	}
	if _, err := Lookup("two-force"); err == nil || err.Error() != `unknown scenario "two-force": did you mean "two-forces"?` {
		t.Errorf("Lookup(two-force): %v", err)
	}
}

// sameFile compares a file with what it should contain; -rewrite writes it.
func sameFile(t *testing.T, file, want string) {
	t.Helper()
	if *rewrite {
		if err := os.WriteFile(file, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	got, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("%s differs; if that is right, run go test with -rewrite (-want +file):\n%s", file, diff)
	}
}

func TestLibraryIsClonedForEveryCaller(t *testing.T) {
	Library()[0] = nil
	if Library()[0] == nil {
		t.Error("a caller changed the order of the library")
	}
}
