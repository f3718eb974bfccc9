package spec

import (
	"bytes"
	"fmt"
	"strings"

	"cilcheck/cil"

	"go.yaml.in/yaml/v3"
)

// Format writes a valid scenario as a file: the numbers always, other keys only
// where they differ from their default. Parsing it gives an equal scenario.
func (sc *Scenario) Format() []byte {
	w := new(writer)
	w.linef("name: %s", scalar(sc.Name))
	w.linef("title: %s", scalar(sc.Title))
	if sc.Story != "" {
		w.linef("story: |")
		for line := range strings.Lines(sc.Story) {
			w.linef("%s", strings.TrimRight("  "+line, " \n"))
		}
	}
	w.linef("sizes: [%s]", words(sc.Sizes))
	for _, field := range []struct {
		key string
		num Number
	}{
		{"iclogs", sc.Iclogs}, {"iclog_units", sc.IclogUnits},
		{"contexts", sc.Contexts}, {"lsns", sc.LSNs},
		{"soft", sc.Soft}, {"hard", sc.Hard},
		{"max_active", sc.MaxActive}, {"workers", sc.Workers},
	} {
		w.linef("%s: %s", field.key, sc.number(field.num))
	}
	for _, field := range []struct {
		key string
		num Number
	}{{"cpus", sc.CPUs}, {"log_units", sc.LogUnits}, {"ioend_workers", sc.IOEndWorkers}} {
		if field.num != (Number{}) {
			w.linef("%s: %s", field.key, sc.number(field.num))
		}
	}
	if faults := sc.faults(); faults != nil {
		w.linef("faults: [%s]", strings.Join(faults, ", "))
	}
	if sc.Tail {
		w.linef("tail: true")
	}
	if sc.ExternalLog {
		w.linef("external_log: true")
	}
	w.linef("schedulers: [%s]", words(sc.Schedulers))
	if sc.Variants != nil {
		w.linef("variants:")
		for _, v := range sc.Variants {
			w.linef("  - %s", scalar(v))
		}
	}
	w.linef("end: [%s]", words(sc.Ends))
	w.linef("tasks:")
	for i := range sc.Tasks {
		sc.formatTask(w, &sc.Tasks[i])
	}
	return w.Bytes()
}

// faults are the names of the faults of the scenario.
func (sc *Scenario) faults() (names []string) {
	for i, has := range []bool{sc.LogIOError, sc.DataFlushError} {
		if has {
			names = append(names, faultNames[i])
		}
	}
	return names
}

type writer struct{ bytes.Buffer }

func (w *writer) linef(format string, args ...any) { fmt.Fprintf(w, format+"\n", args...) }

func (sc *Scenario) formatTask(w *writer, t *Task) {
	w.linef("  - name: %s", scalar(t.Name))
	if t.Count != N(1) {
		w.linef("    count: %s", sc.number(t.Count))
	}
	if t.Start != cil.StartClean {
		w.linef("    start: %s", startNames[t.Start])
		if t.Size != N(1) {
			w.linef("    size: %s", sc.number(t.Size))
		}
	}
	if t.Inode != Own {
		w.linef("    inode: %d", t.Inode)
	}
	if t.Buffer != NoBuffer {
		w.linef("    buffer: %d", t.Buffer-1)
	}
	if t.CPU != 0 {
		w.linef("    cpu: %d", t.CPU)
	}
	ops := make([]string, len(t.Do))
	for i := range t.Do {
		ops[i] = sc.op(&t.Do[i], t.Inode)
	}
	w.linef("    do: [%s]", strings.Join(ops, ", "))
	if t.Times != N(1) {
		w.linef("    times: %s", sc.times(t.Times))
	}
	if t.FIFO {
		w.linef("    fifo: true")
	}
}

// op is an operation of a task with the given inode.
func (sc *Scenario) op(op *Op, inode int) string {
	var params []string
	if commits(op.Kind) && op.Size != N(1) {
		params = append(params, "size: "+sc.number(op.Size))
	}
	if usesInode(op.Kind) && op.Inode != inode {
		params = append(params, "inode: "+inodeName(op.Inode))
	}
	if op.Shrink != (Number{}) {
		params = append(params, "shrink: "+sc.number(op.Shrink))
	}
	if op.Hold {
		params = append(params, "hold: true")
	}
	if op.Whiteout {
		params = append(params, "whiteout: true")
	}
	if op.Buffer != NoBuffer {
		params = append(params, fmt.Sprintf("buffer: %d", op.Buffer-1))
	}
	if op.CPU > 1 {
		params = append(params, fmt.Sprintf("cpu: %d", op.CPU))
	}
	if op.Overrun {
		params = append(params, "overrun: true")
	}
	if params == nil {
		return op.Kind.String()
	}
	return fmt.Sprintf("{%v: {%s}}", op.Kind, strings.Join(params, ", "))
}

func inodeName(inode int) string {
	if inode == Own {
		return "own"
	}
	return fmt.Sprint(inode)
}

func (sc *Scenario) number(num Number) string {
	return sc.perSize(num, func(n int) string { return fmt.Sprint(n) })
}

func (sc *Scenario) times(num Number) string {
	return sc.perSize(num, func(n int) string {
		if n == Forever {
			return "forever"
		}
		return fmt.Sprint(n)
	})
}

// perSize is one value if all sizes of the scenario have the same.
func (sc *Scenario) perSize(num Number, value func(int) string) string {
	same := true
	parts := make([]string, len(sc.Sizes))
	for i, size := range sc.Sizes {
		same = same && num[size] == num[sc.Sizes[0]]
		parts[i] = fmt.Sprintf("%v: %s", size, value(num[size]))
	}
	if same {
		return value(num[sc.Sizes[0]])
	}
	return "{" + strings.Join(parts, ", ") + "}"
}

// scalar is a string as YAML writes it, quoted if need be.
func scalar(s string) string {
	text, err := yaml.Marshal(s)
	if err != nil {
		return fmt.Sprintf("%q", s) // Marshal fails for no valid UTF-8 string
	}
	return strings.TrimSuffix(string(text), "\n")
}
