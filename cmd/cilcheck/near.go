package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"cilcheck/spec"
)

// mostNear bounds how many near words a message names.
const mostNear = 4

// near ends the message about an unknown word: the known words that are near, or
// all of them; or, where they are many, what command prints them.
func near(word string, known []string, command string) string {
	close := nearest(word, known, func(k string, distance int) bool {
		part := len(word) > 2 && (strings.Contains(k, word) || strings.Contains(word, k))
		return part || distance <= 2 && len(k) > 2
	})
	if close == nil && command != "" {
		close = nearest(word, known, func(_ string, distance int) bool { return 2*distance <= len(word)+1 })
	}
	switch {
	case len(close) > mostNear && command != "":
		return fmt.Sprintf(": did you mean %s? (%s prints all)", oneOf(close[:mostNear]), command)
	case close != nil:
		return fmt.Sprintf(": did you mean %s?", oneOf(close))
	case command != "":
		return fmt.Sprintf(": expected one that %s prints", command)
	}
	return ": expected " + oneOf(known)
}

// nearest are the known words that pass, by their distance from the word if they
// are many.
func nearest(word string, known []string, pass func(k string, distance int) bool) []string {
	var close []string
	for _, k := range known {
		if pass(k, spec.Distance(word, k)) {
			close = append(close, k)
		}
	}
	if len(close) > mostNear {
		slices.SortStableFunc(close, func(a, b string) int {
			return cmp.Compare(spec.Distance(word, a), spec.Distance(word, b))
		})
	}
	return close
}

// oneOf lists words as alternatives.
func oneOf(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " or " + words[last]
}
