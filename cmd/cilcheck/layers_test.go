package main

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// layers are the packages from the bottom up; imports point down only. Packages
// of one line may not import each other.
var layers = [][]string{
	{"statespace", "wq", "properties/mutate/schemata"},
	{"statespace/certify"},
	{"cil"},
	{"spec"},
	{"properties"},
	{"properties/verdict", "counterexamples"},
	{"counterexamples/conform", "properties/mutate"},
	{"counterexamples/conform/probes"},
	{"cmd/cilcheck", "cmd/mutants"},
}

// alone may import nothing of cilcheck: they are usable by any program.
var alone = []string{"statespace", "wq", "properties/mutate/schemata"}

func TestImportsPointDown(t *testing.T) {
	rank := map[string]int{}
	for i, layer := range layers {
		for _, pkg := range layer {
			rank[pkg] = i
		}
	}
	for pkg, imports := range importsOfTree(t, "../..") {
		own, known := rank[pkg]
		if !known {
			t.Errorf("package %s has no layer", pkg)
			continue
		}
		for _, imported := range imports {
			if below, known := rank[imported]; !known || below >= own {
				t.Errorf("%s imports %s, which is not below it", pkg, imported)
			}
			for _, name := range alone {
				if pkg == name {
					t.Errorf("%s imports %s, but must stand alone", pkg, imported)
				}
			}
		}
	}
}

// importsOfTree lists, for every package folder below root, the packages of
// cilcheck that its files import, tests left out.
func importsOfTree(t *testing.T, root string) map[string][]string {
	t.Helper()
	tree := map[string][]string{}
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "testdata" || d.Name() == "internal" || strings.HasPrefix(d.Name(), ".") && path != root) {
			return filepath.SkipDir
		}
		if !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, filepath.Dir(path))
		if err != nil {
			return err
		}
		pkg := filepath.ToSlash(rel)
		tree[pkg] = append(tree[pkg], nil...)
		for _, spec := range file.Imports {
			name, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			if own, ok := strings.CutPrefix(name, "cilcheck/"); ok {
				tree[pkg] = append(tree[pkg], own)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(tree) < 6 {
		t.Fatalf("only %d packages found", len(tree))
	}
	return tree
}
