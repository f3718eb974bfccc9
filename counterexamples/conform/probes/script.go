package probes

import (
	_ "embed"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/template"

	"cilcheck/counterexamples/conform"
)

// A Tool is what makes the recording.
type Tool string

// The tools.
const (
	Tracefs  Tool = "tracefs"
	TraceCmd Tool = "trace-cmd"
	Bpftrace Tool = "bpftrace"
)

// Tools are all tools.
var Tools = []Tool{Tracefs, TraceCmd, Bpftrace}

// Version is a kernel's version.
type Version struct{ Major, Minor int }

// oldest is the first kernel whose event filters compare a function by its name.
var oldest = Version{6, 6}

// String is the version as in 6.12.
func (v Version) String() string { return fmt.Sprintf("%d.%d", v.Major, v.Minor) }

// ParseVersion reads the beginning of a release such as 6.12.117+deb12-amd64.
func ParseVersion(release string) (Version, error) {
	major, rest, _ := strings.Cut(release, ".")
	end := strings.IndexFunc(rest, func(c rune) bool { return c < '0' || c > '9' })
	if end < 0 {
		end = len(rest)
	}
	var v Version
	var err error
	if v.Major, err = strconv.Atoi(major); err == nil {
		v.Minor, err = strconv.Atoi(rest[:end])
	}
	switch {
	case err != nil:
		return v, fmt.Errorf("kernel version %q: expected one such as 6.12", release)
	case v.Major < oldest.Major, v.Major == oldest.Major && v.Minor < oldest.Minor:
		return v, fmt.Errorf("kernel version %s: expected %s or later", v, oldest)
	}
	return v, nil
}

//go:embed record.sh.tmpl
var text string

var script = template.Must(template.New("record.sh").Parse(text))

// entry is a probe as the template shows it.
type entry struct {
	Event    string
	Function string // or the group of a tracepoint
	Kind     string // p at the entry, r at the return
	Fields   string // for kprobe_events
	Format   string // for bpftrace: of printf
	Values   string // and what is printed
}

// Write writes the script that records with a tool on a kernel.
func Write(w io.Writer, v Version, tool Tool) error {
	var kprobeEntries, pointEntries []entry
	var essential []string
	for _, p := range kprobes {
		if p.in(v) {
			kprobeEntries = append(kprobeEntries, p.entry())
		}
	}
	for _, p := range tracepoints {
		pointEntries = append(pointEntries, p.entry())
	}
	for k := conform.Other + 1; k <= conform.IclogWaitOn; k++ {
		if k.Essential() {
			essential = append(essential, k.String())
		}
	}
	switch tool {
	case Tracefs, TraceCmd, Bpftrace:
	default:
		return errors.New("unknown tool " + string(tool))
	}
	return script.Execute(w, map[string]any{
		"Version": v, "Tool": string(tool), "Kprobes": kprobeEntries, "Tracepoints": pointEntries,
		"Cur": insides[0].entry(), "Wait": insides[1].entry(), "Essential": strings.Join(essential, " "),
	})
}

// entry renders a probe.
func (p *probe) entry() entry {
	e := entry{Event: p.kind.String(), Function: p.function, Kind: "p"}
	if p.ret {
		e.Kind = "r"
	}
	if p.group != "" {
		e.Function = p.group
	}
	e.Fields = p.kprobeFields()
	e.Format, e.Values = p.bpfFields()
	if p.group == "workqueue" {
		e.Format = " function=xlog_cil_push_work"
	}
	return e
}
