package conform

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"
)

// A Scale says how the times of a recording are shown.
type Scale struct {
	// TicksPerMicrosecond is the rate of a raw clock; 0: not known, so ticks are
	// shown as they are. Recordings in nanoseconds do not need it.
	TicksPerMicrosecond float64
}

// of is the unit in which the times of a recording are shown, and how many of the
// recording's own make one.
func (sc Scale) of(s *Stats) (unit string, per float64) {
	switch {
	case s.Unit == Nanoseconds.String():
		return "us", 1000
	case sc.TicksPerMicrosecond > 0:
		return "us", sc.TicksPerMicrosecond
	}
	return s.Unit, 1
}

// WriteTable writes recordings side by side, one row each: what forces and pushes
// did, the time of a force and that from the queueing of a push to its start.
func WriteTable(w io.Writer, all []*Stats, sc Scale) error {
	p := printer{w: w}
	width := len("recording")
	for _, s := range all {
		width = max(width, len(s.name()))
	}
	p.printf("%-*s %6s %6s %6s %6s %6s %6s %5s %5s %5s  %5s %8s %8s %8s %8s\n", width, "recording", "forces", "pushes",
		"spun", "slept", "waited", "idle", "ovlap", "first", "backg", "times", "force50", "force99", "start50", "start99")
	for _, s := range all {
		unit, per := sc.of(s)
		at := func(d *Dist, q float64) string { return fmt.Sprintf("%.0f", float64(d.Quantile(q))/per) }
		p.printf("%-*s %6d %6d %6d %6d %6d %6d %5d %5d %5d  %5s %8s %8s %8s %8s\n", width, s.name(), s.Forces, s.Pushes,
			s.TotalSpun, s.TotalSlept, s.TotalWaited, s.TotalIdle, s.Overlapping, s.ReturnFirst, s.Background, unit,
			at(&s.Time, 0.5), at(&s.Time, 0.99), at(&s.QueueDelay, 0.5), at(&s.QueueDelay, 0.99))
	}
	return p.err
}

// name is the recording's file without its folder and endings.
func (s *Stats) name() string {
	name, _, _ := strings.Cut(filepath.Base(s.File), ".trace")
	return name
}

// WriteDistributions writes the distributions of a recording.
func (s *Stats) WriteDistributions(w io.Writer, sc Scale) error {
	p := printer{w: w}
	unit, scale := sc.of(s)
	p.printf("%s (times in %s)\n", s.name(), unit)
	p.printf("  %-22s %8s %12s %12s %12s %12s %12s\n", "", "count", "p50", "p90", "p99", "p99.9", "max")
	for _, d := range s.dists() {
		per := 1.0
		if d.time {
			per = scale
		}
		p.printf("  %-22s %8d", d.name, d.d.Count)
		for _, v := range []uint64{d.d.Quantile(0.5), d.d.Quantile(0.9), d.d.Quantile(0.99), d.d.Quantile(0.999), d.d.Max} {
			p.printf(" %12.0f", float64(v)/per)
		}
		p.printf("\n")
	}
	for _, warning := range s.Warnings {
		p.printf("  warning: %s\n", warning)
	}
	return p.err
}

// named is a distribution with what it is of.
type named struct {
	name string
	d    *Dist
	time bool // of times, not of counts
}

func (s *Stats) dists() []named {
	return []named{
		{"restarts spun/force", &s.Spun, false}, {"restarts slept/force", &s.Slept, false},
		{"flushes waited/force", &s.FlushWaited, false}, {"force", &s.Time, true},
		{"  in flush_workqueue", &s.InFlush, true}, {"  on xc_commit_wait", &s.InWait, true},
		{"  in turns otherwise", &s.InTurns, true}, {"  at the iclog", &s.InIclog, true},
		{"queue to start", &s.QueueDelay, true}, {"push work", &s.PushTime, true},
	}
}

// WriteHistograms writes a bar chart of every distribution that is not empty.
func (s *Stats) WriteHistograms(w io.Writer) error {
	for _, d := range s.dists() {
		if d.d.Count == 0 {
			continue
		}
		if _, err := fmt.Fprintln(w, d.name); err != nil {
			return err
		}
		if err := d.d.Histogram(w, ""); err != nil {
			return err
		}
	}
	return nil
}

// printer keeps the first error of many writes.
type printer struct {
	w   io.Writer
	err error
}

func (p *printer) printf(format string, args ...any) {
	if p.err == nil {
		_, p.err = fmt.Fprintf(p.w, format, args...)
	}
}
