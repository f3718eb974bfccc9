package main

import (
	"fmt"
	"slices"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"cilcheck/cil"
	"cilcheck/properties"
	"cilcheck/spec"
)

// A listed is a line of a list, as JSON prints it.
type listed struct {
	Name string `json:"name"`
	// Text says in one line what it is.
	Text string `json:"text,omitempty"`
	// Source is where to read about it.
	Source string `json:"source,omitempty"`
}

// lists are what can be listed, in order.
var lists = []struct {
	name, head string
	items      func() []listed
}{
	{"scenarios", "Scenarios (--scenario NAME)", listScenarios},
	{"variants", "Toggles; a variant is a comma list of them, the empty list is the current kernel (--variant LIST)", listToggles},
	{"properties", "Properties (--property NAME)", listProperties},
	{"tags", "Tags: the labels that the steps of traces pass", listTags},
}

func newList(a *app) *cobra.Command {
	var json bool
	var names []string
	for _, l := range lists {
		names = append(names, l.name)
	}
	c := &cobra.Command{
		Use:   "list [scenarios|variants|properties|tags] [--json]",
		Short: "list scenarios, toggles, properties and tags",
		Long: `list says what can be named on the command line and in traces, and where to
read about it. Without an argument it lists everything.`,
		Example: `  cilcheck list
  cilcheck list scenarios
  cilcheck list variants --json`,
		ValidArgs: names,
		Args: func(c *cobra.Command, args []string) error {
			for _, arg := range args {
				if !slices.Contains(names, arg) {
					return fmt.Errorf("cannot list %q%s", arg, near(arg, names, ""))
				}
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error { return a.list(args, json) },
	}
	jsonFlag(c, &json)
	return c
}

func (a *app) list(args []string, json bool) error {
	all := map[string][]listed{}
	for _, l := range lists {
		if len(args) > 0 && !slices.Contains(args, l.name) {
			continue
		}
		all[l.name] = l.items()
		if !json {
			a.writeList(l.head, all[l.name])
		}
	}
	if json {
		return writeJSON(a.out, all)
	}
	return nil
}

func (a *app) writeList(head string, items []listed) {
	fmt.Fprintf(a.out, "%s:\n", head)
	w := tabwriter.NewWriter(a.out, 0, 8, 2, ' ', 0)
	for _, it := range items {
		line := "  " + it.Name
		for _, column := range []string{it.Text, it.Source} {
			if column != "" {
				line += "\t" + column
			}
		}
		fmt.Fprintln(w, line)
	}
	w.Flush() // to a.out, which keeps its error
}

func listScenarios() []listed {
	var items []listed
	for _, sc := range append(spec.Library(), spec.History()...) {
		items = append(items, listed{Name: sc.Name, Text: sc.Title})
	}
	return items
}

func listToggles() []listed {
	var items []listed
	for _, t := range cil.Toggles() {
		items = append(items, listed{Name: t.Name, Text: t.Does, Source: t.Source})
	}
	return items
}

func listProperties() []listed {
	var items []listed
	for _, p := range properties.All() {
		items = append(items, listed{Name: p.Name, Text: p.Claim, Source: p.Reason})
	}
	return items
}

func listTags() []listed {
	var items []listed
	for t := range cil.NumTags {
		name := cil.TagName(t)
		items = append(items, listed{Name: name, Source: "spec/reference/cil.md#" + name})
	}
	return items
}
