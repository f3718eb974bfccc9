package probes

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"cilcheck/counterexamples/conform"
)

// TestEveryEventIsRecorded: each kind that conform knows has exactly one probe.
func TestEveryEventIsRecorded(t *testing.T) {
	count := map[conform.Kind]int{}
	for _, list := range [][]probe{kprobes, insides, tracepoints} {
		for _, p := range list {
			count[p.kind]++
		}
	}
	for k := conform.Other + 1; k.String() != "unknown"; k++ {
		if count[k] != 1 {
			t.Errorf("%s has %d probes", k, count[k])
		}
	}
}

var (
	clause = regexp.MustCompile(`(?m)^\t?(?:entry|leave|inside|point) ([a-z].*)$`)
	quoted = regexp.MustCompile(`'([^']*)'`)
	verb   = regexp.MustCompile(`%(?:[0-9]*l?l?[dux]|s)`)
	around = regexp.MustCompile(`printf\("%llu\\t(.*): \$2\\n",`)
)

// TestConformReadsWhatBpftracePrints: a line in the format of every clause is an
// event of its kind, with the values that were printed.
func TestConformReadsWhatBpftracePrints(t *testing.T) {
	for _, v := range []Version{{6, 12}, {7, 2}} {
		var b bytes.Buffer
		if err := Write(&b, v, Bpftrace); err != nil {
			t.Fatal(err)
		}
		text := b.String()
		frame := around.FindStringSubmatch(text)
		if frame == nil {
			t.Fatal("the script has no printf")
		}
		head := fmt.Sprintf(strings.NewReplacer("%llu.%09llu", "%d.%09d").Replace(frame[1]), "kworker/u8:3", 29, 1, 16182, 42)
		seen := 0
		for _, c := range clause.FindAllStringSubmatch(text, -1) {
			words := strings.Fields(c[1])
			event := words[0]
			if words[0] == "xfs" || words[0] == "workqueue" {
				event = words[1]
			}
			values := 0
			fields := verb.ReplaceAllStringFunc(quoted.FindStringSubmatch(c[1])[1], func(format string) string {
				if format == "%s" {
					return "xfs-cil/vda"
				}
				values++
				return fmt.Sprint(values % 2)
			})
			line := head + ": " + event + ":" + strings.ReplaceAll(fields, `\"`, `"`) + "\n"
			r := conform.NewReader("t", strings.NewReader(line))
			var e conform.Event
			if err := r.Next(&e); err != nil || e.Kind.String() != event || e.PID != 29 || e.CPU != 1 || e.Time != 16182000000042 {
				t.Errorf("%q: %+v, %v", line, e, err)
			}
			seen++
		}
		want := len(insides) + len(tracepoints)
		for _, p := range kprobes {
			if p.in(v) {
				want++
			}
		}
		if seen != want {
			t.Errorf("%s: %d clauses, expected %d", v, seen, want)
		}
	}
}

func TestParseVersion(t *testing.T) {
	for text, want := range map[string]Version{"6.12": {6, 12}, "7.2.13+deb14-amd64": {7, 2}, "6.6-rc1": {6, 6}} {
		if got, err := ParseVersion(text); err != nil || got != want {
			t.Errorf("%s: %v, %v", text, got, err)
		}
	}
	for _, text := range []string{"", "6", "x.1", "6.x", "5.15.1", "6.5"} {
		if v, err := ParseVersion(text); err == nil {
			t.Errorf("%q is %s", text, v)
		}
	}
}
