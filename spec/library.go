package spec

import (
	"cmp"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"sync"
)

//go:embed library/*.yaml history/*.yaml
var library embed.FS

// Library is the named scenarios that are part of the program, sorted by name.
// They are shared: do not change them.
func Library() []*Scenario {
	return clone(loadLibrary())
}

// History is the scenarios that only show a bug of the past, each as small as
// it can be. They are shared too, and no part of the library.
func History() []*Scenario {
	return clone(loadHistory())
}

func clone(scenarios []*Scenario, err error) []*Scenario {
	if err != nil {
		panic(err) // a test loads every file
	}
	return slices.Clone(scenarios)
}

// Lookup returns the scenario of the library or of the history with the name.
func Lookup(name string) (*Scenario, error) {
	scenarios := append(Library(), History()...)
	names := make([]string, len(scenarios))
	for i, sc := range scenarios {
		if sc.Name == name {
			return sc, nil
		}
		names[i] = sc.Name
	}
	return nil, fmt.Errorf("unknown scenario %q%s", name, hint(name, names))
}

var (
	loadLibrary = sync.OnceValues(func() ([]*Scenario, error) { return loadFolder("library") })
	loadHistory = sync.OnceValues(func() ([]*Scenario, error) { return loadFolder("history") })
)

// loadFolder reads the scenarios of an embedded folder.
func loadFolder(folder string) ([]*Scenario, error) {
	files, err := fs.Glob(library, folder+"/*.yaml")
	if err != nil {
		return nil, err
	}
	var scenarios []*Scenario
	var errs []error
	for _, file := range files {
		data, err := library.ReadFile(file)
		if err != nil {
			return nil, err
		}
		sc, err := Parse(file, data, nil)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		if want := sc.Name + ".yaml"; path.Base(file) != want {
			errs = append(errs, &Error{file, 1, "name: the file is not called " + want + ": expected the same name"})
		}
		scenarios = append(scenarios, sc)
	}
	slices.SortFunc(scenarios, func(a, b *Scenario) int { return cmp.Compare(a.Name, b.Name) })
	return scenarios, errors.Join(errs...)
}
