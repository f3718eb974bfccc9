package verdict

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"cilcheck/cil"
	"cilcheck/properties"
	"cilcheck/spec"
	"cilcheck/statespace"
	"cilcheck/statespace/certify"
)

// identityMagic begins the identity of a certificate or a checkpoint; after it
// come lines with a key and a value, and then the scenario as a file.
const identityMagic = "cilcheck search 1\n"

// identity says what is searched, and of which properties.
func identity(c Case, props []*properties.Property) string {
	var names []string
	for _, p := range props {
		names = append(names, p.Name)
	}
	return fmt.Sprintf("%svariant %s\nsize %s\nscheduler %s\nfine %v\nproperties %s\n\n%s", identityMagic,
		c.Variant, c.Size, c.Scheduler, c.Fine, strings.Join(names, ","), c.Scenario.Format())
}

// parseIdentity is the inverse of identity.
func parseIdentity(text string) (c Case, props []*properties.Property, err error) {
	head, scenario, found := strings.Cut(text, "\n\n")
	lines := strings.Split(head+"\n", "\n")
	if !found || len(lines) != 7 || lines[0]+"\n" != identityMagic {
		return c, nil, errors.New("it is not about a search of cilcheck")
	}
	value := func(line int, key string) string {
		v, ok := strings.CutPrefix(lines[line], key)
		if v = strings.TrimPrefix(v, " "); !ok {
			err = errors.Join(err, fmt.Errorf("%q: expected %s", lines[line], key))
		}
		return v
	}
	var errs [4]error
	c.Variant, errs[0] = cil.ParseVariant(value(1, "variant"))
	c.Size, errs[1] = spec.ParseSize(value(2, "size"))
	c.Scheduler, errs[2] = spec.ParseScheduler(value(3, "scheduler"))
	c.Fine = value(4, "fine") == "true"
	for name := range strings.SplitSeq(value(5, "properties"), ",") {
		if p := properties.Lookup(name); p != nil {
			props = append(props, p)
		} else if name != "" {
			err = errors.Join(err, fmt.Errorf("unknown property %q", name))
		}
	}
	c.Scenario, errs[3] = spec.Parse("the scenario in it", []byte(scenario), func(variant string) error {
		_, err := cil.ParseVariant(variant)
		return err
	})
	return c, props, errors.Join(err, errors.Join(errs[:]...))
}

// certified are the properties that a certificate of o speaks of: those that
// single states and steps decide, and that are not violated.
func (o *Outcome) certified() []*properties.Property {
	var props []*properties.Property
	for _, p := range o.Properties {
		if p.Kind != properties.LivenessKind && o.Search.Violation(p.Name) == nil {
			props = append(props, p)
		}
	}
	return props
}

// certify writes a certificate of an outcome that is exhausted to dir.
func (o *Outcome) certify(dir string) error {
	if dir == "" || !o.Search.Exhausted {
		return nil
	}
	file := filepath.Join(dir, FileName(o.Case, "certificate"))
	if err := statespace.WriteCertificateFile(file, o.Search, identity(o.Case, o.certified())); err != nil {
		return fmt.Errorf("%s: %w", o.Case, err)
	}
	o.Certificate = file
	return nil
}

// A Verified is what a certificate proves.
type Verified struct {
	Case       Case
	Properties []*properties.Property
	Report     *certify.Report
}

// Verify checks the certificate in a file with package certify. The error says
// what is not as the certificate says.
func Verify(file string) (*Verified, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	about, err := certify.Identity(data)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	c, props, err := parseIdentity(about)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	sys, err := c.System()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	o := properties.Options(sys, props)
	report, err := certify.Verify(data, sys, about, claimsOf(&o))
	if err != nil {
		return nil, fmt.Errorf("%s: %s: %w", file, c, err)
	}
	return &Verified{c, props, report}, nil
}

// claimsOf are the claims of the options of a search.
func claimsOf(o *statespace.Options[cil.State]) certify.Claims[cil.State] {
	var c certify.Claims[cil.State]
	for _, x := range o.Invariants {
		c.States = append(c.States, certify.Claim[cil.State](x))
	}
	for _, x := range o.StepInvariants {
		c.Steps = append(c.Steps, certify.StepClaim[cil.State](x))
	}
	for _, x := range o.Terminal {
		c.Terminal = append(c.Terminal, certify.Claim[cil.State](x))
	}
	return c
}
