package counterexamples

import (
	"fmt"
	"slices"
	"strings"
)

// A Difference is the first place at which a trace is not what a system does.
type Difference struct {
	Step   int // from 1
	Line   int // of the trace's file
	Reason string
}

func (d *Difference) String() string {
	return fmt.Sprintf("line %d, step %d: %s", d.Line, d.Step, d.Reason)
}

// compare returns the first difference between a step as the trace has it and
// as the model took it, or nil.
func compare(trace, model *Step) *Difference {
	differ := func(line int, format string, args ...any) *Difference {
		return &Difference{trace.Number, line, fmt.Sprintf(format, args...)}
	}
	switch {
	case trace.Function != model.Function:
		return differ(trace.line, "%s is in %s here, the trace says %s", model.Task, orNone(model.Function), orNone(trace.Function))
	case !slices.Equal(trace.Tags, model.Tags):
		return differ(trace.line, "%s passes %s here, the trace says %s", model.Task, tags(model), tags(trace))
	case trace.Outcome == Certain && model.Outcome != Certain:
		return differ(trace.line, "the step has several outcomes: expected \"outcome %d\" or another", model.Outcome)
	case trace.Outcome != Certain && model.Outcome == Certain:
		return differ(trace.whereIs(fmt.Sprintf("outcome %d", trace.Outcome)), "the step has one outcome only, so none is given")
	}
	does := model.Effects()
	for _, e := range trace.Effects() {
		if !slices.Contains(does, e) {
			return differ(trace.whereIs(e), "the trace says %q: %s", e, instead(trace, model, e))
		}
	}
	says := trace.Effects()
	for _, e := range does {
		if !slices.Contains(says, e) {
			return differ(trace.line, "the step also does this, which the trace does not say: %q", e)
		}
	}
	return nil
}

// whereIs is the line of an effect.
func (s *Step) whereIs(effect string) int {
	if line := s.where[effect]; line != 0 {
		return line
	}
	return s.line
}

// instead says what the model does where the trace has an effect of its own.
func instead(trace, model *Step, effect string) string {
	for i := range trace.Changes {
		if c := &trace.Changes[i]; c.String() == effect {
			return insteadOfChange(c, model)
		}
	}
	does := model.Effects()
	if len(does) == 0 {
		return "the step does nothing that shows"
	}
	return "the step does not; it does: " + strings.Join(does, "; ")
}

// insteadOfChange says what becomes of the field in the model.
func insteadOfChange(c *Change, model *Step) string {
	for i := range model.Changes {
		if other := &model.Changes[i]; other.what() == c.what() {
			return fmt.Sprintf("it goes %s -> %s", other.Old, other.New)
		}
	}
	return "the step does not change it"
}

func tags(s *Step) string {
	if len(s.Tags) == 0 {
		return "no tag"
	}
	return strings.Join(s.Tags, " ")
}

func orNone(function string) string {
	if function == "" {
		return "no kernel function"
	}
	return function
}
