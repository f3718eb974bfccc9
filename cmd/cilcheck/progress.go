package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"cilcheck/properties/verdict"
	"cilcheck/statespace"
)

// A progress shows on a terminal how far something is that takes more than a
// second, or writes it as JSON. It is for one goroutine at a time.
type progress struct {
	to    *os.File  // the terminal; nil shows nothing
	json  io.Writer // nil writes nothing
	start time.Time
	drawn time.Time
	shown bool

	total, done int
}

// progressFlag is how progress is told: auto, json or none.
type progressFlag struct{ word string }

func (f *progressFlag) flags(c *cobra.Command) {
	c.Flags().StringVar(&f.word, "progress", "auto", "auto (a line, on a terminal), json (lines on standard error) or none")
}

func (a *app) newProgress(total int) *progress {
	return &progress{to: a.terminal, start: time.Now(), total: total}
}

// newProgressIn is newProgress in the form that a flag asks for.
func (a *app) newProgressIn(f progressFlag, total int) (*progress, error) {
	p := a.newProgress(total)
	switch f.word {
	case "auto":
	case "json":
		p.to, p.json = nil, a.err
	case "none":
		p.to = nil
	default:
		return nil, fmt.Errorf("--progress %q: expected auto, json or none", f.word)
	}
	return p, nil
}

// watch makes a plan tell its progress.
func (p *progress) watch(plan *verdict.Plan) {
	if p.to == nil && p.json == nil {
		return
	}
	plan.Progress = func(_ int, c verdict.Case, at statespace.Progress) {
		if p.json != nil {
			p.write(c, &at)
			return
		}
		p.draw(fmt.Sprintf("[%d/%d] %s", p.done, p.total, line(c, &at)))
	}
}

// line is where a search is, for people; what matters most comes first, since a
// terminal may be narrow.
func line(c verdict.Case, at *statespace.Progress) string {
	text := fmt.Sprintf("%s: %s states, %s/s, level %d, %s left, %sB: %s, %.0f bytes a state", at.Phase,
		short(float64(at.States)), short(at.StatesPerSecond), at.Level, short(float64(at.Frontier)),
		short(float64(at.Memory)), c, at.BytesPerState)
	if at.Remaining > 0 {
		text += fmt.Sprintf(", about %s to go", at.Remaining.Round(time.Second))
	}
	if len(at.Spilled) > 0 {
		text += ", spilled to " + strings.Join(at.Spilled, ", ")
	}
	return text
}

// A progressReport is where a search is, for machines. Rates are since the last
// report; remaining_seconds is 0 where nothing can be said.
type progressReport struct {
	Case                 string   `json:"case"`
	Done                 int      `json:"done"`
	Total                int      `json:"total"`
	Phase                string   `json:"phase"`
	States               int      `json:"states"`
	Transitions          int      `json:"transitions"`
	Level                int      `json:"level"`
	Frontier             int      `json:"frontier"`
	Memory               int64    `json:"memory_bytes"`
	BytesPerState        float64  `json:"bytes_per_state"`
	Load                 float64  `json:"table_load"`
	Elapsed              float64  `json:"elapsed_seconds"`
	StatesPerSecond      float64  `json:"states_per_second"`
	TransitionsPerSecond float64  `json:"transitions_per_second"`
	Remaining            float64  `json:"remaining_seconds"`
	Spilled              []string `json:"spilled,omitempty"`
}

// write writes a line of JSON.
func (p *progress) write(c verdict.Case, at *statespace.Progress) {
	text, err := json.Marshal(progressReport{
		c.String(), p.done, p.total, at.Phase, at.States, at.Transitions, at.Level, at.Frontier,
		at.Memory, at.BytesPerState, at.Load, at.Elapsed.Seconds(),
		at.StatesPerSecond, at.TransitionsPerSecond, at.Remaining.Seconds(), at.Spilled,
	})
	if err == nil {
		fmt.Fprintf(p.json, "%s\n", text)
	}
}

// draw shows a line, cut to the width of the terminal, at most every 100 ms.
func (p *progress) draw(line string) {
	now := time.Now()
	if p.to == nil || now.Sub(p.start) < time.Second || now.Sub(p.drawn) < 100*time.Millisecond {
		return
	}
	width, _, err := term.GetSize(int(p.to.Fd()))
	if err != nil || width < 20 {
		width = 80
	}
	if len(line) >= width {
		line = line[:width-1]
	}
	fmt.Fprint(p.to, "\r\x1b[K", line)
	p.drawn, p.shown = now, true
}

// clear takes the line away, before other output.
func (p *progress) clear() {
	if p.shown {
		fmt.Fprint(p.to, "\r\x1b[K")
		p.shown = false
	}
}

// short is a number in three digits or so.
func short(n float64) string {
	for _, unit := range []string{"", "k", "M", "G"} {
		if n < 1000 {
			if unit == "" || n >= 100 {
				return fmt.Sprintf("%.0f%s", n, unit)
			}
			return fmt.Sprintf("%.1f%s", n, unit)
		}
		n /= 1000
	}
	return fmt.Sprintf("%.1fT", n)
}
