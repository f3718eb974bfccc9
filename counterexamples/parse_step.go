package counterexamples

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"cilcheck/cil"
)

// step reads a line of a step, or one that continues the step before.
func (p *parser) step(line string) error {
	left, effects, bar := strings.Cut(line, "|")
	columns := strings.Fields(left)
	if len(columns) > 0 {
		if err := p.newStep(columns); err != nil {
			return err
		}
	}
	switch {
	case len(p.t.Steps) == 0:
		return errors.New("a line of effects before the first step: expected step 1")
	case !bar:
		return nil
	}
	if p.t.Loop == len(p.t.Steps) {
		return errors.New("a line of effects after loop: expected the first step of the loop")
	}
	st := &p.t.Steps[len(p.t.Steps)-1]
	for text := range strings.SplitSeq(effects, ";") {
		if err := p.effect(st, strings.Join(strings.Fields(text), " ")); err != nil {
			return fmt.Errorf("step %d: %w", st.Number, err)
		}
	}
	return nil
}

// newStep reads the columns before the bar.
func (p *parser) newStep(columns []string) error {
	if len(columns) < 3 {
		return fmt.Errorf("%q is no step: expected number, task, kernel function and tags", clip(strings.Join(columns, " ")))
	}
	n, err := number(columns[0])
	if err != nil {
		return fmt.Errorf("the number of a step is %w", err)
	}
	if next := len(p.t.Steps) + 1; n != next {
		return fmt.Errorf("step %d: expected step %d here", n, next)
	}
	st := Step{
		Number: n, Task: columns[1], Outcome: Certain, Function: columns[2],
		line: p.line, where: map[string]int{},
	}
	if st.Function == noFunction {
		st.Function = ""
	}
	for _, tag := range columns[3:] {
		if _, ok := cil.ParseTag(tag); !ok {
			return fmt.Errorf("step %d: unknown tag %q: expected a label of cil.md", n, clip(tag))
		}
		st.Tags = append(st.Tags, tag)
	}
	p.t.Steps = append(p.t.Steps, st)
	return nil
}

var (
	changeForm = regexp.MustCompile(`^(.+?): (.+) -> (.+)$`)
	// objectForm are the names that cil.Machine.ObjectName gives.
	objectForm = regexp.MustCompile(`^(ctx \d+|push_work \d+|iclog\d+|log write \d+|inode \d+|cpu\d+)(?: (.+))?$`)
)

// noteForms are the starts of the texts of notes.
var noteForms = []string{
	noteReturns, noteAssert, noteUseAfterFree, noteCompletes, noteAborts, noteDeclines, noteWriteFails, noteReads, noteSamples, noteQueuesAgain, noteSetsAgain, noteGathers, noteTakesOff, noteTornDown, noteFlushFails, noteNotPinned, noteOther,
}

// effect reads one thing that a step did.
func (p *parser) effect(st *Step, text string) error {
	if text == "" {
		return errors.New("an empty effect: expected effects with one semicolon between")
	}
	if st.where[text] != 0 {
		return fmt.Errorf("%q stands there twice", clip(text))
	}
	st.where[text] = p.line
	for _, form := range noteForms {
		if strings.HasPrefix(text, form) {
			st.Notes = append(st.Notes, text)
			return nil
		}
	}
	if task, ok := strings.CutPrefix(text, "wakes "); ok {
		st.Woken = append(st.Woken, task)
		return nil
	}
	for _, verb := range []string{sleepsOn, spinsOn} {
		if what, ok := strings.CutPrefix(text, verb); ok {
			return st.setSleeps(what)
		}
	}
	if n, ok := strings.CutPrefix(text, "outcome "); ok {
		return st.setOutcome(n)
	}
	return st.addChange(text)
}

func (s *Step) setSleeps(what string) error {
	if s.Sleeps != "" {
		return errors.New("the task sleeps twice: expected one \"sleeps on\"")
	}
	s.Sleeps = what
	return nil
}

func (s *Step) setOutcome(text string) error {
	n, err := number(text)
	switch {
	case err != nil:
		return fmt.Errorf("outcome %w", err)
	case s.Outcome != Certain:
		return errors.New("a second outcome: expected one")
	}
	s.Outcome = n
	return nil
}

func (s *Step) addChange(text string) error {
	m := changeForm.FindStringSubmatch(text)
	if m == nil {
		return fmt.Errorf("%q is no effect: expected \"field: old -> new\", \"wakes task\", \"sleeps on ...\", \"outcome n\" or one of %q",
			clip(text), noteForms)
	}
	c := Change{Field: strings.TrimSpace(m[1]), Old: strings.TrimSpace(m[2]), New: strings.TrimSpace(m[3])}
	if object := objectForm.FindStringSubmatch(c.Field); object != nil {
		c.Object, c.Field = object[1], object[2]
	}
	s.Changes = append(s.Changes, c)
	return nil
}
