package main

import (
	"fmt"
	"os"
	"time"

	"golang.org/x/term"

	"cilcheck/properties/verdict"
	"cilcheck/statespace"
)

// A progress shows on a terminal how far something is that takes more than a
// second. Without a terminal it does nothing. It is for one goroutine at a time.
type progress struct {
	to    *os.File
	start time.Time
	drawn time.Time
	shown bool

	total, done int
}

func (a *app) newProgress(total int) *progress {
	return &progress{to: a.terminal, start: time.Now(), total: total}
}

// watch makes a plan tell its progress.
func (p *progress) watch(plan *verdict.Plan) {
	if p.to == nil {
		return
	}
	plan.Progress = func(_ int, c verdict.Case, at statespace.Progress) {
		rate := float64(at.States) / max(at.Elapsed.Seconds(), 0.001)
		p.draw(fmt.Sprintf("[%d/%d] %s: %s states, %s/s, level %d, %sB: %s", p.done, p.total, at.Phase,
			short(float64(at.States)), short(rate), at.Level, short(float64(at.Memory)), c))
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
