package counterexamples

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"cilcheck/spec"
	"cilcheck/statespace"
)

// MaxFile is the number of bytes that a trace file may have: far above any real
// one, so that a hostile one costs little.
const MaxFile = 8 << 20

// Parse reads a trace from the contents of the named file. The error is an
// *Error for the first line that is wrong. Lines starting with # are comments.
//
// Parse checks the form of a trace; whether a system can take its steps is for
// Replay to say.
func Parse(file string, data []byte) (*Trace, error) {
	p := &parser{t: &Trace{Loop: -1, source: file, keys: map[string]int{}}}
	if err := p.file(data); err != nil {
		return nil, &Error{file, max(p.line, 1), err}
	}
	return p.t, nil
}

// A parser reads a trace line by line.
type parser struct {
	t       *Trace
	line    int // being read, from 1
	inSteps bool
	comment []string
}

func (p *parser) file(data []byte) error {
	if len(data) > MaxFile {
		return fmt.Errorf("the file is too large: expected at most %d bytes", MaxFile)
	}
	for line := range bytes.Lines(data) {
		p.line++
		if err := p.next(string(line)); err != nil {
			return err
		}
	}
	if !p.inSteps {
		if err := p.endHeader(); err != nil {
			return err
		}
	}
	if p.t.Loop == len(p.t.Steps) {
		return errors.New("the trace ends after loop: expected the steps of the loop")
	}
	return p.checkLoop()
}

// next reads one line.
func (p *parser) next(line string) error {
	line = strings.TrimRightFunc(line, unicode.IsSpace)
	switch {
	case !utf8.ValidString(line):
		return errors.New("not UTF-8: expected text")
	case strings.ContainsFunc(line, func(r rune) bool { return !unicode.IsPrint(r) && r != '\t' }):
		return errors.New("a control character: expected printable text")
	case strings.HasPrefix(line, "#"):
		if len(p.t.keys) == 0 {
			p.comment = append(p.comment, strings.TrimPrefix(line[1:], " "))
		}
		return nil
	case line == "":
		if len(p.t.keys) > 0 && !p.inSteps {
			return p.endHeader()
		}
		return nil
	case !p.inSteps:
		return p.header(line)
	case line == loopLine:
		return p.loop()
	}
	return p.step(line)
}

func (p *parser) loop() error {
	if p.t.Loop >= 0 {
		return errors.New("a second loop: expected one loop, up to the end")
	}
	p.t.Loop = len(p.t.Steps)
	return nil
}

// The keys of a header. The others may be left out.
var (
	required = []string{"scenario", "size", "variant", "scheduler", "granularity", "property", "verdict", "kind"}
	optional = []string{"file", "task", "repaired-by"}
)

// header reads a line of the header.
func (p *parser) header(line string) error {
	key, value, ok := strings.Cut(line, ":")
	value = strings.TrimSpace(value)
	switch {
	case len(p.t.keys) == 0 && (key != "cilcheck-trace" || !ok):
		return fmt.Errorf("%q is not the start of a trace: expected \"cilcheck-trace: %d\"", clip(line), Version)
	case !ok:
		return fmt.Errorf("%q is no header: expected \"key: value\", or an empty line before the first step", clip(line))
	case p.t.keys[key] != 0:
		return fmt.Errorf("a second %s: the first is in line %d", clip(key), p.t.keys[key])
	case value == "":
		return fmt.Errorf("%s has no value", clip(key))
	}
	if err := p.t.set(key, value); err != nil {
		return fmt.Errorf("%s: %w", clip(key), err)
	}
	p.t.keys[key] = p.line
	return nil
}

// set stores one value of the header.
func (t *Trace) set(key, value string) (err error) {
	switch key {
	case "cilcheck-trace":
		err = want(value, fmt.Sprint(Version))
	case "scenario":
		t.Scenario = value
	case "size":
		t.Size, err = spec.ParseSize(value)
	case "file":
		t.File = value
	case "variant":
		t.Variant = readVariant(value)
	case "scheduler":
		t.Scheduler, err = spec.ParseScheduler(value)
	case "granularity":
		t.Fine = value == fine
		err = want(value, coarse, fine)
	case "property":
		t.Property = value
	case "verdict":
		err = want(value, violated)
	case "kind":
		t.Kind, err = parseKind(value)
	case "task":
		t.Task = value
	case "repaired-by":
		err = t.setRepairedBy(value)
	default:
		err = fmt.Errorf("unknown key: expected %s, %s", strings.Join(required, ", "), strings.Join(optional, ", "))
	}
	return err
}

func (t *Trace) setRepairedBy(value string) error {
	for v := range strings.SplitSeq(value, ";") {
		if v = strings.TrimSpace(v); v == "" {
			return fmt.Errorf("an empty variant: expected variants with one semicolon between, such as %s", currentKernel)
		}
		t.RepairedBy = append(t.RepairedBy, readVariant(v))
	}
	return nil
}

// want says that a value is none of the words.
func want(value string, words ...string) error {
	for _, w := range words {
		if value == w {
			return nil
		}
	}
	return fmt.Errorf("%q: expected %s", clip(value), strings.Join(words, " or "))
}

// readVariant is the inverse of spellVariant.
func readVariant(v string) string {
	if v == currentKernel {
		return ""
	}
	return v
}

func parseKind(s string) (statespace.Kind, error) {
	var names []string
	for k := statespace.StateKind; k <= statespace.StarvedKind; k++ {
		if k.String() == s {
			return k, nil
		}
		names = append(names, k.String())
	}
	return 0, want(s, names...)
}

// endHeader checks that the header is whole.
func (p *parser) endHeader() error {
	if len(p.t.keys) == 0 {
		return fmt.Errorf("the file is empty: expected \"cilcheck-trace: %d\"", Version)
	}
	for _, key := range required {
		if p.t.keys[key] == 0 {
			return fmt.Errorf("the header ends without %s: expected all of %s", key, strings.Join(required, ", "))
		}
	}
	p.inSteps = true
	p.t.Comment = strings.Join(p.comment, "\n")
	return p.checkTask()
}

// checkTask checks that the trace names a task if its kind speaks of one.
func (p *parser) checkTask() error {
	speaksOfState := p.t.Kind == statespace.StateKind || p.t.Kind == statespace.TerminalKind
	switch {
	case speaksOfState && p.t.Task != "":
		p.line = p.t.keys["task"]
		return fmt.Errorf("task: a violation of kind %s speaks of no task: expected none", p.t.Kind)
	case !speaksOfState && p.t.Task == "":
		return fmt.Errorf("the header ends without task: a violation of kind %s is one of a task", p.t.Kind)
	}
	return nil
}

// checkLoop checks that the trace has a loop if its kind speaks of one.
func (p *parser) checkLoop() error {
	speaksOfLoop := p.t.Kind == statespace.SpinKind || p.t.Kind == statespace.StarvedKind
	switch {
	case speaksOfLoop && p.t.Loop < 0:
		return fmt.Errorf("the trace ends without a loop: expected %q in a violation of kind %s", loopLine, p.t.Kind)
	case !speaksOfLoop && p.t.Loop >= 0:
		p.line = p.t.Steps[p.t.Loop].line
		return fmt.Errorf("a loop: expected none in a violation of kind %s", p.t.Kind)
	}
	return nil
}

// number reads a number of a file, without sign or leading zeros.
func number(s string) (int, error) {
	n, err := strconv.Atoi(s)
	if err != nil || n < 0 || strconv.Itoa(n) != s {
		return 0, fmt.Errorf("%q: expected a number", clip(s))
	}
	return n, nil
}

// clip shortens a text of a file for a message.
func clip(s string) string {
	const most = 60
	if r := []rune(s); len(r) > most {
		return string(r[:most]) + "..."
	}
	return s
}
