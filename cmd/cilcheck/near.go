package main

import (
	"fmt"
	"strings"
)

// near ends the message about an unknown word: the known words that are near,
// or all of them.
func near(word string, known []string) string {
	var close []string
	for _, k := range known {
		part := len(word) > 2 && (strings.Contains(k, word) || strings.Contains(word, k))
		if part || distance(word, k) <= 2 && len(k) > 2 {
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

// distance is the number of bytes to insert, delete or replace to turn a into b.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost = 1 + min(diagonal, row[j], row[j+1])
			}
			diagonal, row[j+1] = row[j+1], cost
		}
	}
	return row[len(b)]
}
