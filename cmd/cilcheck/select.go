package main

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"cilcheck/cil"
	"cilcheck/properties"
	"cilcheck/properties/verdict"
	"cilcheck/spec"
)

// A selection is the flags that choose cases, as given.
type selection struct {
	scenarios  []string
	variants   []string
	properties []string
	scheduler  string
	size       string
	fine       bool
}

func (s *selection) scenarioFlag(c *cobra.Command) {
	c.Flags().StringArrayVar(&s.scenarios, "scenario", nil, "a scenario of the library, or a `NAME|FILE`.yaml; may be repeated (default: the library)")
}

func (s *selection) flags(c *cobra.Command) {
	s.scenarioFlag(c)
	f := c.Flags()
	f.StringArrayVar(&s.variants, "variant", nil, "a comma `LIST` of toggles; may be repeated (default \"\", the current kernel)")
	f.StringSliceVar(&s.properties, "property", nil, "comma list of property `NAMES` (default: all)")
	f.StringVar(&s.scheduler, "scheduler", "", "any, cooperative(n) or priority, instead of the scenario's own")
	f.StringVar(&s.size, "size", spec.Check.String(), "check or soak")
	f.BoolVar(&s.fine, "fine", false, "every access is a step of its own, not every lock section")
}

// A chosen is a selection that has been understood.
type chosen struct {
	scenarios  []*spec.Scenario
	files      map[*spec.Scenario]string // of those that are not of the library
	variants   []cil.Variant
	properties []*properties.Property
	scheduler  *spec.Scheduler
	size       spec.Size
	fine       bool
}

// resolve understands the selection. The error is one line for each thing that
// is wrong.
func (s *selection) resolve() (*chosen, error) {
	c := &chosen{files: map[*spec.Scenario]string{}, fine: s.fine}
	for _, step := range []func(*chosen) error{s.resolveScenarios, s.resolveVariants, s.resolveProperties} {
		if err := step(c); err != nil {
			return nil, err
		}
	}
	if s.scheduler != "" {
		sched, err := spec.ParseScheduler(s.scheduler)
		if err != nil {
			return nil, err
		}
		c.scheduler = &sched
	}
	var err error
	if s.size != "" {
		c.size, err = spec.ParseSize(s.size)
	}
	return c, err
}

func (s *selection) resolveScenarios(c *chosen) error {
	if len(s.scenarios) == 0 {
		c.scenarios = spec.Library()
		return nil
	}
	seen := map[string]bool{}
	for _, arg := range s.scenarios {
		sc, file, err := findScenario(arg)
		if err != nil {
			return err
		}
		if seen[sc.Name] {
			return fmt.Errorf("scenario %s is given twice", sc.Name)
		}
		seen[sc.Name] = true
		c.scenarios = append(c.scenarios, sc)
		if file != "" {
			c.files[sc] = file
		}
	}
	return nil
}

// findScenario finds a scenario in the library or reads its file.
func findScenario(arg string) (sc *spec.Scenario, file string, err error) {
	if info, err := os.Stat(arg); strings.HasSuffix(arg, ".yaml") || err == nil && info.Mode().IsRegular() {
		sc, err := spec.Load(arg, func(variant string) error {
			_, err := cil.ParseVariant(variant)
			return err
		})
		if bad := new(spec.Error); errors.As(err, &bad) {
			return nil, "", inputError{err}
		}
		return sc, arg, err
	}
	if sc, err := spec.Lookup(arg); err == nil {
		return sc, "", nil
	}
	var names []string
	for _, sc := range append(spec.Library(), spec.History()...) {
		names = append(names, sc.Name)
	}
	return nil, "", fmt.Errorf("unknown scenario %q%s", arg, near(arg, names, "cilcheck list scenarios"))
}

func (s *selection) resolveVariants(c *chosen) error {
	if len(s.variants) == 0 {
		c.variants = []cil.Variant{{}}
	}
	for _, list := range s.variants {
		v, err := parseVariant(list)
		if err != nil {
			return err
		}
		if !slices.Contains(c.variants, v) {
			c.variants = append(c.variants, v)
		}
	}
	return nil
}

// parseVariant is cil.ParseVariant with near matches for an unknown toggle.
func parseVariant(list string) (cil.Variant, error) {
	v, err := cil.ParseVariant(list)
	if err == nil {
		return v, nil
	}
	known := slices.Clone(cil.DefaultToggles())
	for _, t := range cil.Toggles() {
		known = append(known, t.Name)
	}
	for name := range strings.SplitSeq(list, ",") {
		if name = strings.TrimSpace(name); !slices.Contains(known, name) {
			return v, fmt.Errorf("variant %q: unknown toggle %q%s", list, name, near(name, known, "cilcheck list variants"))
		}
	}
	return v, err
}

func (s *selection) resolveProperties(c *chosen) error {
	all := properties.All()
	if len(s.properties) == 0 {
		c.properties = all
		return nil
	}
	var names []string
	for _, p := range all {
		names = append(names, p.Name)
	}
	for _, name := range s.properties {
		if !slices.Contains(names, name) {
			return fmt.Errorf("unknown property %q%s", name, near(name, names, "cilcheck list properties"))
		}
	}
	for _, p := range all { // in the order of tables
		if slices.Contains(s.properties, p.Name) {
			c.properties = append(c.properties, p)
		}
	}
	return nil
}

// cases are the cases of a selection; that there are none is an error.
func (c *chosen) cases() ([]verdict.Case, error) {
	cases := verdict.Cases(c.scenarios, c.size, c.variants, c.scheduler)
	if len(cases) == 0 {
		return nil, c.nothing()
	}
	for i := range cases {
		cases[i].Fine = c.fine
		if _, err := cases[i].System(); err != nil {
			return nil, err
		}
	}
	return cases, nil
}

// nothing says why there is no case.
func (c *chosen) nothing() error {
	for _, sc := range c.scenarios {
		if sc.Has(c.size) {
			return errors.New("nothing to search: no scenario chosen is meant for a variant chosen")
		}
	}
	return fmt.Errorf("nothing to search: no scenario chosen has the size %s", c.size)
}
