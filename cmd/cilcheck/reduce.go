package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"cilcheck/properties"
	"cilcheck/properties/verdict"
	"cilcheck/statespace"
)

func reduceFlag(c *cobra.Command, reduce *string) {
	c.Flags().StringVar(reduce, "reduce", statespace.Reduction{}.String(), "visit fewer states: none, por, symmetry or all")
}

// resolveReduction understands --reduce. What the reduction does not preserve
// must not have been chosen: the error says what, and what to choose instead. With
// drop it is left out.
func resolveReduction(word string, c *chosen, drop bool) (statespace.Reduction, error) {
	by, err := statespace.ParseReduction(word)
	if err != nil {
		return by, fmt.Errorf("--reduce: %w", err)
	}
	if by.PartialOrder && !by.Symmetry && c.fine {
		return by, errors.New("--reduce por has no effect with --fine")
	}
	if drop {
		c.properties = slices.DeleteFunc(c.properties, func(p *properties.Property) bool { return !verdict.Preserved(p, by) })
	}
	var lost, kept []string
	for _, p := range c.properties {
		if !verdict.Preserved(p, by) {
			lost = append(lost, p.Name)
		}
	}
	if lost == nil {
		return by, nil
	}
	for _, p := range properties.All() {
		if verdict.Preserved(p, by) {
			kept = append(kept, p.Name)
		}
	}
	return by, fmt.Errorf("--reduce %s does not preserve %s: expected --property with some of %s",
		by, strings.Join(lost, ", "), strings.Join(kept, ","))
}
