package verdict

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"

	"cilcheck/cil"
	"cilcheck/properties"
	"cilcheck/spec"
)

// A mutantReader reads the rows of a file and collects what is wrong with it.
type mutantReader struct {
	file string
	errs []error
	rows map[string]int // names, and the lines of their rows
}

// ParseMutants reads the contents of the named file, which has the form of
// history.yaml. The error joins a *spec.Error for everything that is wrong.
func ParseMutants(file string, data []byte) ([]*Mutant, error) {
	r := &mutantReader{file: file, rows: map[string]int{}}
	var doc yaml.Node
	if err := yaml.Unmarshal(data, &doc); err != nil {
		r.errorf(1, "not YAML: %v", err)
	}
	var mutants []*Mutant
	switch {
	case len(r.errs) > 0:
	case len(doc.Content) == 0:
		r.errorf(1, "the file is empty: expected a list of bugs")
	case doc.Content[0].Kind != yaml.SequenceNode:
		r.errorf(doc.Content[0].Line, "expected a list of bugs")
	default:
		for _, n := range doc.Content[0].Content {
			mutants = append(mutants, r.row(n))
		}
	}
	return mutants, errors.Join(r.errs...)
}

func (r *mutantReader) errorf(line int, format string, args ...any) {
	r.errs = append(r.errs, &spec.Error{File: r.file, Line: line, Msg: fmt.Sprintf(format, args...)})
}

// mutantKeys are the keys of a row and how their values are spelled.
var mutantKeys = []struct {
	key  string
	form *regexp.Regexp
	want string
}{
	{"bug", regexp.MustCompile(`^[BM][0-9]+$`), "a heading of bugs.md such as B01"},
	{"name", regexp.MustCompile(`^[a-z0-9_]+$`), "lower-case words with underscores between them"},
	{"fix", regexp.MustCompile(`^[0-9a-f]{12}$`), "12 hexadecimal digits"},
	{"subject", oneLine, "one line of text"},
	{"kernel", oneLine, "one line of text"},
	{"seen", oneLine, "one line of text"},
	{"property", oneLine, "a property"},
	{"scenario", oneLine, "a scenario"},
	{"base", oneLine, "a comma list of toggles"},
	{"missing", oneLine, "one line of text"},
	{"clear", oneLine, "one line of text"},
	{"cure", oneLine, "a comma list of toggles"},
}

var oneLine = regexp.MustCompile(`^\S(.*\S)?$`)

// row reads one row.
func (r *mutantReader) row(n *yaml.Node) *Mutant {
	m := &Mutant{line: n.Line}
	if n.Kind != yaml.MappingNode {
		r.errorf(n.Line, "expected a map of the keys of a bug")
		return m
	}
	values, lines := map[string]string{}, map[string]int{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		k, v := n.Content[i], n.Content[i+1]
		if lines[k.Value] != 0 {
			r.errorf(k.Line, "duplicate key %q: it is in line %d", k.Value, lines[k.Value])
			continue
		}
		lines[k.Value] = k.Line
		if r.value(k, v) {
			values[k.Value] = v.Value
		}
	}
	m.Bug, m.Name, m.Fix, m.Subject = values["bug"], values["name"], values["fix"], values["subject"]
	m.Kernel, m.Seen, m.Base, m.Missing = values["kernel"], values["seen"], values["base"], values["missing"]
	m.Clear, m.Cure = values["clear"], values["cure"]
	r.needs(m, lines)
	r.refers(m, values, lines)
	return m
}

// value checks one value and reports whether it is as it should be.
func (r *mutantReader) value(k, v *yaml.Node) bool {
	var known []string
	for _, key := range mutantKeys {
		known = append(known, key.key)
		if key.key != k.Value {
			continue
		}
		if v.Kind != yaml.ScalarNode || v.Tag == "!!null" || !key.form.MatchString(v.Value) {
			r.errorf(v.Line, "%s: expected %s", k.Value, key.want)
			return false
		}
		return true
	}
	r.errorf(k.Line, "unknown key %q: expected %s", k.Value, strings.Join(known, ", "))
	return false
}

// needs checks which keys a row has.
func (r *mutantReader) needs(m *Mutant, lines map[string]int) {
	needed := []string{"bug", "subject"}
	if lines["missing"] == 0 {
		needed = append(needed, "name", "seen", "property", "scenario")
	}
	if lines["fix"] != 0 {
		needed = append(needed, "kernel")
	}
	for _, key := range needed {
		if lines[key] == 0 {
			r.errorf(m.line, "%s is missing", key)
		}
	}
	for _, key := range []string{"property", "scenario", "base", "clear", "cure"} {
		if lines["missing"] != 0 && lines[key] != 0 {
			r.errorf(lines[key], "%s: the bug cannot be shown, says line %d", key, lines["missing"])
		}
	}
}

// refers looks up what a row refers to.
func (r *mutantReader) refers(m *Mutant, values map[string]string, lines map[string]int) {
	var err error
	if name := values["property"]; name != "" {
		if m.Property = properties.Lookup(name); m.Property == nil {
			r.errorf(lines["property"], "property: there is none called %q", name)
		}
	}
	if name := values["scenario"]; name != "" {
		if m.Scenario, err = spec.Lookup(name); err != nil {
			r.errorf(lines["scenario"], "scenario: %v", err)
		}
	}
	if m.Base != "" {
		if _, err = cil.ParseVariant(m.Base); err != nil {
			r.errorf(lines["base"], "base: %v", err)
		}
	}
	if m.Cure != "" {
		if _, err = cil.ParseVariant(m.Cure); err != nil {
			r.errorf(lines["cure"], "cure: %v", err)
		}
	}
	if m.Name == "" || !m.Shown() {
		return
	}
	if _, err = cil.ParseVariant(m.Toggle()); err != nil {
		r.errorf(lines["name"], "name: %v", err)
	}
	if m.Clear != "" {
		return // another row may show it elsewhere
	}
	if first := r.rows[m.Name]; first != 0 {
		r.errorf(lines["name"], "name: %s is in line %d already", m.Name, first)
	}
	r.rows[m.Name] = lines["name"]
}
