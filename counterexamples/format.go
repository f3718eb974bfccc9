package counterexamples

import (
	"fmt"
	"strings"
)

// Widths of the columns of a step, wide enough for nearly all: a wider one
// moves the rest of its line only, so that a change of one step never moves
// another line of a diff.
const (
	taskWidth     = 10
	functionWidth = 29
	tagsWidth     = 20
	effectsColumn = 3 + 1 + taskWidth + 1 + functionWidth + 1 + tagsWidth + 1
	lineWidth     = 120
)

// The spellings of header values that are not those of another package.
const (
	currentKernel = "flush=always" // the variant ""
	coarse        = "coarse"
	fine          = "fine"
	violated      = "violated"
	noFunction    = "-"
	loopLine      = "loop:"
)

// Format writes the trace as text. Parse reads an equal trace from it.
//
// A step is one line: number, task, kernel function and tags, and after a bar
// what the step did, with semicolons between. What does not fit goes on after a
// bar on the next line.
func (t *Trace) Format() []byte {
	var b strings.Builder
	if t.Comment != "" {
		for line := range strings.SplitSeq(t.Comment, "\n") {
			b.WriteString(strings.TrimRight("# "+line, " ") + "\n")
		}
	}
	for _, h := range t.header() {
		b.WriteString(h[0] + ": " + h[1] + "\n")
	}
	for i := range t.Steps {
		if i == 0 {
			b.WriteString("\n")
		}
		if i == t.Loop {
			b.WriteString(loopLine + "\n")
		}
		t.Steps[i].format(&b)
	}
	return []byte(b.String())
}

// header is the keys and values of the header, in order.
func (t *Trace) header() [][2]string {
	h := [][2]string{
		{"cilcheck-trace", fmt.Sprint(Version)},
		{"scenario", t.Scenario},
		{"size", t.Size.String()},
	}
	if t.File != "" {
		h = append(h, [2]string{"file", t.File})
	}
	h = append(h, [][2]string{
		{"variant", spellVariant(t.Variant)},
		{"scheduler", t.Scheduler.String()},
		{"granularity", granularity(t.Fine)},
		{"property", t.Property},
		{"verdict", violated},
		{"kind", t.Kind.String()},
	}...)
	if t.Task != "" {
		h = append(h, [2]string{"task", t.Task})
	}
	if len(t.RepairedBy) > 0 {
		names := make([]string, len(t.RepairedBy))
		for i, v := range t.RepairedBy {
			names[i] = spellVariant(v)
		}
		h = append(h, [2]string{"repaired-by", strings.Join(names, "; ")})
	}
	return h
}

// granularity spells Trace.Fine.
func granularity(isFine bool) string {
	if isFine {
		return fine
	}
	return coarse
}

// spellVariant spells the current kernel out: a header has no empty values.
func spellVariant(v string) string {
	if v == "" {
		return currentKernel
	}
	return v
}

// format writes the step and ends the line.
func (s *Step) format(b *strings.Builder) {
	function := s.Function
	if function == "" {
		function = noFunction
	}
	line := fmt.Sprintf("%3d %-*s %-*s %-*s", s.Number,
		taskWidth, s.Task, functionWidth, function, tagsWidth, strings.Join(s.Tags, " "))
	effects := s.Effects()
	if len(effects) == 0 {
		b.WriteString(strings.TrimRight(line, " ") + "\n")
		return
	}
	separator := " | "
	for _, e := range effects {
		if separator == "; " && len(line)+len(separator)+len(e) > lineWidth {
			b.WriteString(line + "\n")
			line, separator = strings.Repeat(" ", effectsColumn-1), " | "
		}
		line += separator + e
		separator = "; "
	}
	b.WriteString(line + "\n")
}
