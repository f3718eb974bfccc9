package verdict

import (
	"context"
	"os"
	"regexp"
	"strings"
	"testing"

	"cilcheck/cil"
	"cilcheck/properties"
)

func TestHistoryIsFoundAndCleared(t *testing.T) {
	trials, err := RunHistory(context.Background(), Plan{Properties: properties.All(), Workers: 2}, 0, Mutants(), "")
	if err != nil {
		t.Fatal(err)
	}
	for _, trial := range trials {
		if !trial.AsExpected() || trial.Unfinished() {
			t.Errorf("%s: %s without the fix, %s with it", trial.Mutant.Name, trial.With(), trial.Cleared())
		}
		if trial.Steps() == 0 && trial.Mutant.Clear == "" {
			t.Errorf("%s: no trace", trial.Mutant.Name)
		}
	}
}

// A search that a limit ended claims nothing.
func TestHistoryUnfinished(t *testing.T) {
	plan := Plan{Properties: properties.All(), Limits: Limits{States: 5}}
	trials, err := RunHistory(context.Background(), plan, 0, Mutants()[:1], "")
	if err != nil {
		t.Fatal(err)
	}
	if trial := trials[0]; trial.Found() || !trial.Unfinished() || trial.Steps() != 0 {
		t.Errorf("%s without the fix, %s with it", trial.With(), trial.Cleared())
	}
}

// The toggles that take a fix away are those of the table.
func TestHistoryHasEveryToggle(t *testing.T) {
	toggles, rows := map[string]bool{}, map[string]bool{}
	for _, toggle := range cil.Toggles() {
		if strings.HasPrefix(toggle.Name, "without=") {
			toggles[toggle.Name] = true
		}
	}
	for _, m := range Mutants() {
		rows[m.Toggle()] = true
		if m.Shown() && !m.Open() && !toggles[m.Toggle()] {
			t.Errorf("%s is no toggle", m.Toggle())
		}
	}
	for name := range toggles {
		if !rows[name] {
			t.Errorf("%s is not in the table", name)
		}
	}
}

// Every bug of bugs.md has a row, which says of it what bugs.md says.
func TestHistoryIsThatOfTheReference(t *testing.T) {
	data, err := os.ReadFile("../../spec/reference/bugs.md")
	if err != nil {
		t.Fatal(err)
	}
	sections := map[string]string{}
	for _, s := range strings.Split(string(data), "\n## ")[1:] {
		if bug, _, _ := strings.Cut(s, " "); regexp.MustCompile(`^[BM][0-9]+$`).MatchString(bug) {
			sections[bug] = s
		}
	}
	rows := map[string]bool{}
	for _, m := range Mutants() {
		rows[m.Bug] = true
		section, known := sections[m.Bug]
		if !known {
			t.Errorf("there is no %s in bugs.md", m.Bug)
		}
		if !strings.Contains(section, m.Fix) {
			t.Errorf("%s: bugs.md does not name the fix %s", m.Bug, m.Fix)
		}
		if m.Fix != "" && !strings.Contains(section, m.Subject) && !strings.Contains(string(data), m.Subject) {
			t.Errorf("%s: bugs.md does not have the subject %q", m.Bug, m.Subject)
		}
		named := regexp.MustCompile("(?m)^- Toggle[^:\n]*:.*`").MatchString(section)
		if named && !strings.Contains(string(data), m.Name) { // some have no name there
			t.Errorf("%s: bugs.md does not name %s", m.Bug, m.Name)
		}
	}
	for bug := range sections {
		if !rows[bug] {
			t.Errorf("%s of bugs.md has no row", bug)
		}
	}
	if len(sections) < 35 {
		t.Errorf("only %d bugs found in bugs.md", len(sections))
	}
}

func TestParseMutantsSaysWhere(t *testing.T) {
	const row = "- bug: B01\n  subject: x\n"
	for _, test := range []struct{ text, want string }{
		{"", "f:1: the file is empty: expected a list of bugs"},
		{"a: [", "f:1: not YAML: yaml: line 1: did not find expected node content"},
		{"a: b\n", "f:1: expected a list of bugs"},
		{"- x\n", "f:1: expected a map of the keys of a bug"},
		{row + "  missing: x\n  bugs: y\n", `f:4: unknown key "bugs": expected bug, name, fix, subject, kernel, seen, property, scenario, base, missing, clear, cure`},
		{row + "  missing: x\n  missing: y\n", `f:4: duplicate key "missing": it is in line 3`},
		{row + "  missing: [x]\n", "f:3: missing: expected one line of text"},
		{row + "  missing:\n", "f:3: missing: expected one line of text"},
		{"- bug: B1x\n  subject: x\n  missing: x\n", "f:1: bug: expected a heading of bugs.md such as B01"},
		{row + "  missing: x\n  kernel: \"5.1\"\n  fix: 8af3dcd3c89\n", "f:5: fix: expected 12 hexadecimal digits"},
		{row + "  missing: x\n  fix: 8af3dcd3c89a\n", "f:1: kernel is missing"},
		{row + "  name: no_start_order\n  seen: x\n  scenario: one-force\n", "f:1: property is missing"},
		{row + "  missing: x\n  base: stable=or\n", "f:4: base: the bug cannot be shown, says line 3"},
		{row + "  name: no_start_order\n  seen: x\n  property: no-spins\n  scenario: one-force\n", `f:5: property: there is none called "no-spins"`},
		{row + "  name: no_start_order\n  seen: x\n  property: no-spin\n  scenario: one-forces\n", `f:6: scenario: unknown scenario "one-forces": did you mean "one-force"?`},
		{row + "  name: no_start\n  seen: x\n  property: no-spin\n  scenario: one-force\n", `f:3: name: variant "without=no_start": unknown toggle "without=no_start" (see cilcheck list)`},
		{row + "  name: no_start_order\n  seen: x\n  property: no-spin\n  scenario: one-force\n  base: stable=and\n",
			`f:7: base: variant "stable=and": unknown toggle "stable=and" (see cilcheck list)`},
	} {
		_, err := ParseMutants("f", []byte(test.text))
		if err == nil || err.Error() != test.want {
			t.Errorf("%q:\n got %v\nwant %s", test.text, err, test.want)
		}
	}
	shown := row + "  name: no_start_order\n  seen: x\n  property: no-spin\n  scenario: one-force\n"
	if _, err := ParseMutants("f", []byte(shown+shown)); err == nil || err.Error() != "f:9: name: no_start_order is in line 3 already" {
		t.Error(err)
	}
	if mutants, err := ParseMutants("f", []byte(shown)); err != nil || len(mutants) != 1 || mutants[0].Property.Name != "no-spin" {
		t.Error(mutants, err)
	}
}

func TestVisible(t *testing.T) {
	p := properties.Lookup("no-spin")
	m := Mutants()[0]
	m = &Mutant{Property: p, Name: m.Name, Scenario: m.Scenario}
	trials := func(on string) *Trial {
		list, err := RunHistory(context.Background(), Plan{Properties: []*properties.Property{p}}, 0, []*Mutant{m}, on)
		if err != nil {
			t.Fatal(err)
		}
		return list[0]
	}
	current, never := trials(""), trials("flush=never")
	if got := Visible(current, current, ""); got != "neither" {
		t.Errorf("the current kernel does not spin: %s", got)
	}
	if got := Visible(current, never, "flush=never"); got != "-: the variant violates it by itself" {
		t.Errorf("without the flush one-force spins: %s", got)
	}
	found := *current
	found.Mutated = never.Fixed // violates it
	for _, test := range []struct {
		current, other *Trial
		on, want       string
	}{
		{&found, &found, "", "both"},
		{&found, current, "", "only on the current kernel"},
		{current, &found, "", "only on the variant"},
		{&found, current, "flush=never", "only with the flush"},
		{current, &found, "flush=never", "only without the flush"},
	} {
		if got := Visible(test.current, test.other, test.on); got != test.want {
			t.Errorf("got %s, want %s", got, test.want)
		}
	}
}

// A mutant that is said to show nothing, and does, is not as expected; nor is a
// bug that is said to be open and is found, unless its cure clears it.
func TestHistorySaysNoMoreThanItFinds(t *testing.T) {
	clear, open := *Mutants()[0], *Mutants()[0]
	clear.Clear = "nothing to see"
	open.Cure = "without=" + open.Name
	plan := Plan{Properties: properties.All(), Workers: 2}
	trials, err := RunHistory(context.Background(), plan, 0, []*Mutant{&clear, &open}, "")
	if err != nil {
		t.Fatal(err)
	}
	if !trials[0].Found() || trials[0].AsExpected() {
		t.Errorf("%s is found, and so not as expected", clear.Name)
	}
	if trials[1].Found() || trials[1].AsExpected() {
		t.Error("a bug that only the cure has counts as found")
	}
}

// A toggle that a base and a variant both name is one toggle.
func TestListNamesAToggleOnce(t *testing.T) {
	if got := list("flush=never", "", "stable=or,flush=never"); got != "flush=never,stable=or" {
		t.Error(got)
	}
}
