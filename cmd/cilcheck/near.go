package main

import (
	"fmt"
	"strings"

	"cilcheck/spec"
)

// near ends the message about an unknown word: the known words that are near,
// or all of them.
func near(word string, known []string) string {
	var close []string
	for _, k := range known {
		part := len(word) > 2 && (strings.Contains(k, word) || strings.Contains(word, k))
		if part || spec.Distance(word, k) <= 2 && len(k) > 2 {
			close = append(close, k)
		}
	}
	if close != nil {
		return fmt.Sprintf(": did you mean %s?", oneOf(close))
	}
	return ": expected " + oneOf(known)
}

// oneOf lists words as alternatives.
func oneOf(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " or " + words[last]
}
