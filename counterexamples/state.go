package counterexamples

import (
	"fmt"
	"strings"

	"cilcheck/cil"
	"cilcheck/spec"
)

// A FieldValue is one field of a state in the names of the kernel.
type FieldValue struct {
	Group  cil.Group
	Object string // "ctx 1", "iclog0", a task; "" for the CIL and the log
	Field  string // "" for the life of a context
	Value  string
}

// StateAfter returns the whole state after a step of a trace; step 0 is the
// initial state. Objects that do not exist are left out: slots without a
// checkpoint, log writes that nothing has started.
//
// It follows the schedule of the trace. Whether the trace is right is for Replay
// to say.
func StateAfter(t *Trace, sys *spec.System, step int) ([]FieldValue, error) {
	if step < 0 || step > len(t.Steps) {
		return nil, fmt.Errorf("%s: there is no step %d: expected 0 to %d", t.source, step, len(t.Steps))
	}
	if err := t.fits(sys); err != nil {
		return nil, err
	}
	v, err := t.Violation(sys)
	if err != nil {
		return nil, err
	}
	p, err := newPlayer(sys)
	if err != nil {
		return nil, err
	}
	for i, c := range v.Path[:step] {
		if err := p.take(c, nil); err != nil {
			return nil, &Error{t.source, t.Steps[i].line, fmt.Errorf("step %d: %w", i+1, err)}
		}
	}
	return newTeller(sys).fields(&p.state, p.base), nil
}

// fields are the fields of all objects that exist.
func (t *teller) fields(s *cil.State, b cil.Base) []FieldValue {
	var values []FieldValue
	fields := t.m.Fields()
	for i := range fields {
		f := &fields[i]
		if f.Kind == cil.KindHidden || !exists(s, f) {
			continue
		}
		values = append(values, FieldValue{f.Group, t.m.ObjectName(f, b), f.Name, t.text(f, f.Value(s), b)})
	}
	return values
}

// exists says whether the object of a field exists in a state.
func exists(s *cil.State, f *cil.Field) bool {
	switch f.Group {
	case cil.GroupCtx, cil.GroupWork:
		return s.Ctx[f.Index].Life != cil.Unused
	case cil.GroupDisk:
		return f.Index < int(s.NextLSN)-int(cil.FirstLSN)
	}
	return true
}

// groupTitles are the headings of FormatState, in its order.
var groupTitles = []struct {
	group cil.Group
	title string
}{
	{cil.GroupLog, "CIL and log"},
	{cil.GroupCtx, "contexts"},
	{cil.GroupWork, "workqueue"},
	{cil.GroupCPU, "CPUs"},
	{cil.GroupIclog, "iclogs"},
	{cil.GroupDisk, "disk"},
	{cil.GroupInode, "inodes"},
	{cil.GroupTask, "tasks"},
}

// FormatState writes a state for people: a heading for each group, a line for
// each object.
func FormatState(values []FieldValue) string {
	var b strings.Builder
	for _, g := range groupTitles {
		title := g.title + "\n"
		for _, of := range objects(values, g.group) {
			b.WriteString(title)
			title = ""
			for _, line := range of.lines() {
				b.WriteString(strings.TrimRight("  "+line, " ") + "\n")
			}
		}
	}
	return b.String()
}

// An object is the fields of one object, in order.
type object []FieldValue

// objects are the objects of a group, in order.
func objects(values []FieldValue, g cil.Group) []object {
	var all []object
	for _, v := range values {
		if v.Group != g {
			continue
		}
		if n := len(all); n > 0 && all[n-1][0].Object == v.Object {
			all[n-1] = append(all[n-1], v)
		} else {
			all = append(all, object{v})
		}
	}
	return all
}

// lines are the lines of an object: one, but a field a line for the log.
func (o object) lines() []string {
	switch o[0].Group {
	case cil.GroupLog:
		var lines []string
		for _, v := range o {
			lines = append(lines, fmt.Sprintf("%-24s %s", v.Field, v.Value))
		}
		return lines
	case cil.GroupTask:
		return []string{o.taskLine()}
	}
	words := []string{fmt.Sprintf("%-12s", o[0].Object)}
	for _, v := range o {
		words = append(words, strings.TrimSpace(v.Field+" "+v.Value))
	}
	return []string{strings.Join(words, "  ")}
}

// taskLine says where a task is, what it sleeps on, and its locals that are set.
func (o object) taskLine() string {
	at, waits, locals := "", "", []string(nil)
	for _, v := range o {
		switch {
		case v.Field == "at":
			at = v.Value
		case v.Field == "waits for":
			waits = v.Value
		case v.Value != "0" && v.Value != "none":
			locals = append(locals, v.Field+" "+v.Value)
		}
	}
	line := fmt.Sprintf("%-12s  %s", o[0].Object, at)
	if waits != "nothing" {
		line += ", " + waiting(waits)
	}
	if len(locals) > 0 {
		line += "; " + strings.Join(locals, ", ")
	}
	return line
}
