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

//go:embed library/*.yaml
var library embed.FS

// Library is the named scenarios that are part of the program, sorted by name.
// They are shared: do not change them.
func Library() []*Scenario {
	scenarios, err := loadLibrary()
	if err != nil {
		panic(err) // a test loads every file
	}
	return slices.Clone(scenarios)
}

// Lookup returns the scenario of the library with the name.
func Lookup(name string) (*Scenario, error) {
	scenarios := Library()
	names := make([]string, len(scenarios))
	for i, sc := range scenarios {
		if sc.Name == name {
			return sc, nil
		}
		names[i] = sc.Name
	}
	return nil, fmt.Errorf("unknown scenario %q%s", name, hint(name, names))
}

var loadLibrary = sync.OnceValues(func() ([]*Scenario, error) {
	files, err := fs.Glob(library, "library/*.yaml")
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
})
