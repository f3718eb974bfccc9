package mutate

import (
	"bytes"
	"flag"
	"fmt"
	"go/format"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
)

var rewrite = flag.Bool("rewrite", false, "write the golden files anew")

// Each file of testdata has a piece of Go code, the mutants that it gives and
// the code with all of them in it.
func TestGenerate(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || files == nil {
		t.Fatal("no files", err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			ar, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			in := ar.Files[0]
			mutants, mutated, err := Generate(map[string][]byte{in.Name: in.Data})
			if err != nil {
				t.Fatal(err)
			}
			var list bytes.Buffer
			for _, m := range mutants {
				fmt.Fprintf(&list, "%d %s\n", m.Number, m.Key())
			}
			code, err := format.Source(mutated[in.Name])
			if err != nil {
				t.Fatalf("the mutated code is not Go: %v\n%s", err, mutated[in.Name])
			}
			got := &txtar.Archive{Comment: ar.Comment, Files: []txtar.File{
				in, {Name: "mutants", Data: list.Bytes()}, {Name: "mutated", Data: code},
			}}
			if *rewrite {
				if err := os.WriteFile(file, txtar.Format(got), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			if diff := cmp.Diff(string(txtar.Format(ar)), string(txtar.Format(got))); diff != "" && !*rewrite {
				t.Errorf("(-golden +now):\n%s", diff)
			}
		})
	}
}

// Every mutant of the model has a number and a name of its own, and every
// operator finds some.
func TestGenerateModel(t *testing.T) {
	files, err := ReadModel("../..")
	if err != nil {
		t.Fatal(err)
	}
	mutants, _, err := Generate(files)
	if err != nil {
		t.Fatal(err)
	}
	keys, operators := map[string]bool{}, map[string]int{}
	for i, m := range mutants {
		if m.Number != i+1 {
			t.Errorf("mutant %d has the number %d", i+1, m.Number)
		}
		if keys[m.Key()] {
			t.Errorf("two mutants are called %s", m.Key())
		}
		keys[m.Key()] = true
		operators[m.Operator]++
	}
	for _, op := range Operators {
		if operators[op.Name] == 0 {
			t.Errorf("no mutant of the operator %s", op.Name)
		}
		delete(operators, op.Name)
	}
	if len(operators) > 0 {
		t.Errorf("operators that the report does not list: %v", operators)
	}
}
