package mutate

import (
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// modelPackages are the folders that are mutated.
var modelPackages = []string{"cil", "wq"}

// ReadModel reads the Go files of the model from the root of the module.
func ReadModel(root string) (map[string][]byte, error) {
	files := map[string][]byte{}
	for _, pkg := range modelPackages {
		names, err := filepath.Glob(filepath.Join(root, pkg, "*.go"))
		if err != nil {
			return nil, err
		}
		if names == nil {
			return nil, fmt.Errorf("%s has no Go files: expected the root of the module", filepath.Join(root, pkg))
		}
		for _, name := range names {
			text, err := os.ReadFile(name)
			if err != nil {
				return nil, err
			}
			files[pkg+"/"+filepath.Base(name)] = text
		}
	}
	return files, nil
}

// Build copies the module from root to the folder dir, with the mutated files in
// the place of the original ones, and builds the command of this package there.
// It returns the program.
func Build(root, dir string, mutated map[string][]byte) (string, error) {
	if err := copyModule(root, dir); err != nil {
		return "", err
	}
	for file, text := range mutated {
		if err := os.WriteFile(filepath.Join(dir, filepath.FromSlash(file)), text, 0o666); err != nil {
			return "", err
		}
	}
	program := filepath.Join(dir, "mutated")
	build := exec.Command("go", "build", "-o", program, "./cmd/mutants")
	build.Dir = dir
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("the mutated copy does not build: %w\n%s", err, bytes.TrimSpace(out))
	}
	return program, nil
}

// copyModule copies what a build needs: everything but hidden folders, binaries
// and tests.
func copyModule(root, dir string) error {
	return filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, name)
		if err != nil {
			return err
		}
		base := d.Name()
		to := filepath.Join(dir, rel)
		switch {
		case d.IsDir() && rel != "." && (strings.HasPrefix(base, ".") || base == "bin" || base == "testdata"):
			return filepath.SkipDir
		case d.IsDir():
			return os.MkdirAll(to, 0o777)
		case strings.HasSuffix(base, "_test.go") || !d.Type().IsRegular():
			return nil
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		return os.WriteFile(to, text, 0o666)
	})
}
