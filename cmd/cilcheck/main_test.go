package main

import (
	"bytes"
	"errors"
	"fmt"
	"testing"

	"cilcheck/statespace"
)

func TestExitCode(t *testing.T) {
	fault := &statespace.ModelError{Err: errors.New("no"), Path: []statespace.Choice{{Task: 1}, {Task: 0, Outcome: 2}}}
	for _, test := range []struct {
		err  error
		code int
		says string
	}{
		{nil, 0, ""},
		{differs, 1, ""},
		{fmt.Errorf("in a plan: %w", notExhausted), 3, ""},
		{errors.New("bad flag"), 2, "cilcheck: bad flag\n"},
		{inputError{errors.New("x.yaml:1: bad")}, 2, "x.yaml:1: bad\n"},
		{fmt.Errorf("one-force: %w", fault), 2,
			"cilcheck: one-force: model error after 2 steps: no\ncilcheck: the steps that led there (task, outcome): 1,0 0,2\n"},
	} {
		var stderr bytes.Buffer
		if got := exitCode(test.err, &stderr); got != test.code || stderr.String() != test.says {
			t.Errorf("%v: %d, %q; want %d, %q", test.err, got, stderr.String(), test.code, test.says)
		}
	}
}

func TestNear(t *testing.T) {
	known := []string{"no-stuck", "no-spin", "asserts"}
	for word, want := range map[string]string{
		"nospin": ": did you mean no-spin?",
		"assert": ": did you mean asserts?",
		"no-":    ": did you mean no-stuck or no-spin?",
		"x":      ": expected no-stuck, no-spin or asserts",
		"":       ": expected no-stuck, no-spin or asserts",
	} {
		if got := near(word, known, ""); got != want {
			t.Errorf("near %q%s; want %s", word, got, want)
		}
	}
}

func TestShort(t *testing.T) {
	for n, want := range map[float64]string{0: "0", 999: "999", 1234: "1.2k", 123456: "123k", 1.5e6: "1.5M", 2e12: "2.0T"} {
		if got := short(n); got != want {
			t.Errorf("%g is %s, want %s", n, got, want)
		}
	}
}

func TestNearOfMany(t *testing.T) {
	known := []string{"a=one", "a=two", "a=three", "a=four", "a=five", "other"}
	for word, want := range map[string]string{
		"a=":    ": expected one that list prints",
		"a=on":  ": did you mean a=one?",
		"a=xxx": ": did you mean a=one or a=two?",
		"a=o":   ": did you mean a=one or a=two?",
		"zzz":   ": expected one that list prints",
	} {
		if got := near(word, known, "list"); got != want {
			t.Errorf("near %q%s; want %s", word, got, want)
		}
	}
	many := []string{"no-four-of", "no-five", "no-six", "no-sex", "no-one"}
	if got, want := near("no-", many, "list"), ": did you mean no-six, no-sex, no-one or no-five? (list prints all)"; got != want {
		t.Errorf("near%s; want %s", got, want)
	}
}
