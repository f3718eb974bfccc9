package spec

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"cilcheck/cil"

	"go.yaml.in/yaml/v3"
)

// A decoder turns the nodes of a file into a Scenario. Every method for a value
// takes the path of the value; when the node does not fit, it reports that,
// remembers the path as bad and leaves the default.
type decoder struct {
	errs     []misfit
	places   map[string]place // where the value of a path stands
	bad      map[string]bool  // paths about which there is an error already
	validate func(string) error
}

func (d *decoder) errorf(at place, format string, args ...any) {
	d.errs = append(d.errs, misfit{at, fmt.Sprintf(format, args...)})
}

// fail reports what is wrong with the value of a path.
func (d *decoder) fail(n *yaml.Node, path, format string, args ...any) {
	d.bad[path] = true
	msg := fmt.Sprintf(format, args...)
	if k := key(path); k != "" {
		msg = k + ": " + msg
	}
	d.errorf(at(n), "%s", msg)
}

// wrong reports a value of the wrong type.
func (d *decoder) wrong(n *yaml.Node, path, expected string) {
	d.fail(n, path, "found %s: expected %s", describe(n), expected)
}

func describe(n *yaml.Node) string {
	switch {
	case n.Kind == yaml.MappingNode:
		return "a map"
	case n.Kind == yaml.SequenceNode:
		return "a list"
	case n.Tag == "!!null":
		return "nothing"
	case n.Tag == "!!str":
		return strconv.Quote(n.Value)
	}
	return n.Value
}

// placeOf is where the value of a path stands, or what is around it.
func (d *decoder) placeOf(path string) place {
	for path != "" {
		if at, ok := d.places[path]; ok {
			return at
		}
		path = path[:max(0, strings.LastIndexAny(path, ".["))]
	}
	return place{line: 1}
}

// An entry is a key of a map: whether it must be there, and what decodes its
// value.
type entry struct {
	key      string
	required bool
	decode   func(path string, n *yaml.Node)
}

// entries decodes a map. The values are decoded in the order of the entries,
// not of the file. It reports which keys the map has.
func (d *decoder) entries(path string, n *yaml.Node, what string, entries []entry) map[string]bool {
	if n.Kind != yaml.MappingNode {
		d.wrong(n, path, what)
		return nil
	}
	keys := make([]string, len(entries))
	for i, e := range entries {
		keys[i] = e.key
	}
	found := d.keys(n, keys)
	has := map[string]bool{}
	for _, e := range entries {
		inner := strings.TrimPrefix(path+"."+e.key, ".")
		if i, ok := found[e.key]; ok {
			has[e.key] = true
			d.places[inner] = at(n.Content[i])
			e.decode(inner, n.Content[i+1])
		} else if e.required {
			d.bad[inner] = true
			d.errorf(at(n), "%s is missing: expected it in %s", e.key, what)
		}
	}
	return has
}

// keys finds the known keys of a map, as indices of its contents, and reports
// the others.
func (d *decoder) keys(n *yaml.Node, known []string) map[string]int {
	found := map[string]int{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		k := n.Content[i]
		first, twice := found[k.Value]
		switch {
		case k.Kind != yaml.ScalarNode:
			d.errorf(at(k), "found %s as a key: expected a word", describe(k))
		case !slices.Contains(known, k.Value):
			d.errorf(at(k), "unknown key %q%s", k.Value, hint(k.Value, known))
		case twice:
			d.errorf(at(k), "duplicate key %q: expected it once, it is in line %d", k.Value, n.Content[first].Line)
		default:
			found[k.Value] = i
		}
	}
	return found
}

// list decodes the elements of a list.
func (d *decoder) list(path string, n *yaml.Node, what string, element func(path string, n *yaml.Node)) {
	if n.Kind != yaml.SequenceNode {
		d.wrong(n, path, "a list of "+what)
		return
	}
	for i, child := range n.Content {
		inner := fmt.Sprintf("%s[%d]", path, i)
		d.places[inner] = at(child)
		element(inner, child)
	}
}

// words decodes the elements of a list that are not there already.
func (d *decoder) words(path string, n *yaml.Node, what string, element func(path string, n *yaml.Node)) {
	seen := map[string]bool{}
	d.list(path, n, what, func(path string, n *yaml.Node) {
		if n.Kind == yaml.ScalarNode && seen[n.Value] {
			d.fail(n, path, "%q is there twice: expected it once", n.Value)
			return
		}
		seen[n.Value] = true
		element(path, n)
	})
}

// text decodes a string.
func (d *decoder) text(path string, n *yaml.Node, what string) (string, bool) {
	if n.Kind != yaml.ScalarNode || n.Tag != "!!str" {
		d.wrong(n, path, what)
		return "", false
	}
	return n.Value, true
}

// word decodes one of the names, and returns its index.
func (d *decoder) word(path string, n *yaml.Node, names []string) (int, bool) {
	s, ok := d.text(path, n, "one of "+strings.Join(names, ", "))
	if !ok {
		return 0, false
	}
	i := slices.Index(names, s)
	if i < 0 {
		d.fail(n, path, "unknown word %q%s", s, hint(s, names))
	}
	return i, i >= 0
}

func (d *decoder) boolean(path string, n *yaml.Node) bool {
	if n.Kind != yaml.ScalarNode || n.Tag != "!!bool" || n.Value != "true" && n.Value != "false" {
		d.wrong(n, path, "true or false")
		return false
	}
	return n.Value == "true"
}

// decimal is the only spelling of a number; it is short enough for any int.
var decimal = regexp.MustCompile(`^-?(0|[1-9][0-9]{0,8})$`)

// integer decodes a plain number.
func (d *decoder) integer(path string, n *yaml.Node, what string) (int, bool) {
	if n.Kind != yaml.ScalarNode || n.Tag != "!!int" || !decimal.MatchString(n.Value) {
		d.wrong(n, path, what)
		return 0, false
	}
	i, err := strconv.Atoi(n.Value)
	return i, err == nil
}

// number decodes a number, or a map with one for each of the sizes, into num.
func (d *decoder) number(num *Number, sizes []Size) func(string, *yaml.Node) {
	return d.perSize(num, sizes, d.integer, "a decimal number")
}

// perSize decodes a value, or a map with one for each of the sizes, into num.
func (d *decoder) perSize(num *Number, sizes []Size,
	value func(path string, n *yaml.Node, what string) (int, bool), what string,
) func(string, *yaml.Node) {
	return func(path string, n *yaml.Node) {
		if n.Kind != yaml.MappingNode {
			if v, ok := value(path, n, what+", or a map of one for each size"); ok {
				*num = N(v)
			}
			return
		}
		var entries []entry
		for _, size := range sizes {
			entries = append(entries, entry{size.String(), true, func(inner string, n *yaml.Node) {
				v, ok := value(inner, n, what)
				if ok {
					num[size] = v
				}
			}})
		}
		d.entries(path, n, "a map of one for each size", entries)
		num.fill(sizes)
	}
}

// fill repeats the number of one of the sizes at those that are not there.
func (n *Number) fill(sizes []Size) {
	for size := range NumSizes {
		if len(sizes) > 0 && !slices.Contains(sizes, size) {
			n[size] = n[sizes[0]]
		}
	}
}

// scenario decodes the whole file into sc, which holds the defaults.
func (d *decoder) scenario(sc *Scenario, n *yaml.Node) {
	d.sizes(sc, n)
	number := func(num *Number) func(string, *yaml.Node) { return d.number(num, sc.Sizes) }
	has := d.entries("", n, "a scenario", []entry{
		{"name", true, func(path string, n *yaml.Node) { sc.Name, _ = d.text(path, n, "a name") }},
		{"title", true, func(path string, n *yaml.Node) { sc.Title, _ = d.text(path, n, "a line of text") }},
		{"story", false, func(path string, n *yaml.Node) { sc.Story = d.story(path, n) }},
		{"sizes", false, func(string, *yaml.Node) {}}, // done first
		{"iclogs", false, number(&sc.Iclogs)},
		{"iclog_units", false, number(&sc.IclogUnits)},
		{"contexts", false, number(&sc.Contexts)},
		{"lsns", false, number(&sc.LSNs)},
		{"soft", false, number(&sc.Soft)},
		{"hard", false, number(&sc.Hard)},
		{"max_active", false, number(&sc.MaxActive)},
		{"workers", false, number(&sc.Workers)},
		{"cpus", false, number(&sc.CPUs)},
		{"log_units", false, number(&sc.LogUnits)},
		{"ioend_workers", false, number(&sc.IOEndWorkers)},
		{"faults", false, func(path string, n *yaml.Node) { d.faults(sc, path, n) }},
		{"tail", false, func(path string, n *yaml.Node) { sc.Tail = d.boolean(path, n) }},
		{"external_log", false, func(path string, n *yaml.Node) { sc.ExternalLog = d.boolean(path, n) }},
		{"schedulers", false, func(path string, n *yaml.Node) { d.schedulers(sc, path, n) }},
		{"variants", false, func(path string, n *yaml.Node) { d.variants(sc, path, n) }},
		{"end", false, func(path string, n *yaml.Node) { d.ends(sc, path, n) }},
		{"tasks", true, func(path string, n *yaml.Node) { d.tasks(sc, path, n) }},
	})
	if !has["hard"] && has["soft"] {
		sc.Hard = defaultHard(sc.Soft)
		d.places["hard"] = d.places["soft"]
		if d.badInside("soft") {
			d.bad["hard"] = true
		}
	}
}

// sizes decodes the sizes before everything else, for a map of one number for
// each size must have just these.
func (d *decoder) sizes(sc *Scenario, n *yaml.Node) {
	for i := 0; i+1 < len(n.Content); i += 2 {
		if k := n.Content[i]; k.Kind != yaml.ScalarNode || k.Value != "sizes" {
			continue
		}
		sc.Sizes = nil
		d.words("sizes", n.Content[i+1], "sizes", func(path string, n *yaml.Node) {
			if size, ok := d.word(path, n, sizeNames); ok {
				sc.Sizes = append(sc.Sizes, Size(size))
			}
		})
		if d.badInside("sizes") { // go on as if all were there
			sc.Sizes = []Size{Check, Soak}
		}
		slices.Sort(sc.Sizes)
		return // keys reports a second one
	}
}

// badInside reports whether there is an error at or inside of the path.
func (d *decoder) badInside(path string) bool {
	for bad := range d.bad {
		if within(bad, path) {
			return true
		}
	}
	return false
}

// story decodes the story; the spaces around it and at the ends of its lines
// are not part of it.
func (d *decoder) story(path string, n *yaml.Node) string {
	s, _ := d.text(path, n, "lines of text")
	lines := strings.Split(s, "\n")
	for i := range lines {
		lines[i] = strings.TrimRight(lines[i], " ")
	}
	return strings.TrimSpace(strings.Join(lines, "\n"))
}

func (d *decoder) faults(sc *Scenario, path string, n *yaml.Node) {
	d.words(path, n, "faults", func(path string, n *yaml.Node) {
		switch fault, ok := d.word(path, n, faultNames); {
		case !ok:
		case fault == 0:
			sc.LogIOError = true
		default:
			sc.DataFlushError = true
		}
	})
}

func (d *decoder) schedulers(sc *Scenario, path string, n *yaml.Node) {
	sc.Schedulers = nil
	d.words(path, n, "schedulers", func(path string, n *yaml.Node) {
		s, ok := d.text(path, n, "any, cooperative(n) or priority")
		if !ok {
			return
		}
		scheduler, err := ParseScheduler(s)
		if err != nil {
			d.fail(n, path, "%v", err)
			return
		}
		sc.Schedulers = append(sc.Schedulers, scheduler)
	})
}

func (d *decoder) variants(sc *Scenario, path string, n *yaml.Node) {
	sc.Variants = []string{}
	d.words(path, n, "variants", func(path string, n *yaml.Node) {
		v, ok := d.text(path, n, "a comma list of toggles")
		if !ok {
			return
		}
		if d.validate != nil {
			if err := d.validate(v); err != nil {
				d.fail(n, path, "%v", err)
				return
			}
		}
		sc.Variants = append(sc.Variants, v)
	})
}

func (d *decoder) ends(sc *Scenario, path string, n *yaml.Node) {
	sc.Ends = nil
	d.words(path, n, "ends", func(path string, n *yaml.Node) {
		if end, ok := d.word(path, n, endNames); ok {
			sc.Ends = append(sc.Ends, End(end))
		}
	})
}

func (d *decoder) tasks(sc *Scenario, path string, n *yaml.Node) {
	d.list(path, n, "tasks", func(path string, n *yaml.Node) {
		sc.Tasks = append(sc.Tasks, d.task(path, n, sc.Sizes))
	})
}

func (d *decoder) task(path string, n *yaml.Node, sizes []Size) Task {
	t := Task{Count: N(1), Size: N(1), Inode: Own, Buffer: NoBuffer, Times: N(1)}
	has := d.entries(path, n, "a task", []entry{
		{"name", true, func(path string, n *yaml.Node) { t.Name, _ = d.text(path, n, "a name") }},
		{"count", false, d.number(&t.Count, sizes)},
		{"start", false, func(path string, n *yaml.Node) {
			start, _ := d.word(path, n, startNames)
			t.Start = cil.Start(max(start, 0))
		}},
		{"size", false, d.number(&t.Size, sizes)},
		{"inode", false, func(path string, n *yaml.Node) { t.Inode = d.inode(path, n) }},
		{"buffer", false, func(path string, n *yaml.Node) { t.Buffer = d.buffer(path, n) }},
		{"cpu", false, func(path string, n *yaml.Node) { t.CPU = d.cpu(path, n) }},
		{"do", true, func(path string, n *yaml.Node) {
			d.list(path, n, "operations", func(path string, n *yaml.Node) {
				t.Do = append(t.Do, d.op(path, n, t.Inode, sizes))
			})
		}},
		{"times", false, d.times(&t.Times, sizes)},
		{"fifo", false, func(path string, n *yaml.Node) { t.FIFO = d.boolean(path, n) }},
	})
	d.unused(path, &t, has)
	return t
}

// unused reports parameters of a task that mean nothing for it.
func (d *decoder) unused(path string, t *Task, has map[string]bool) {
	if t.Start != cil.StartClean || d.badInside(path+".start") {
		return
	}
	if has["size"] && !d.badInside(path+".size") {
		d.errorf(d.placeOf(path+".size"), "size: it is that of the first transaction: "+
			"expected start: current or previous (a commit has its own size)")
	}
	if has["inode"] && !slices.Contains(t.inodes(), t.Inode) && !d.badInside(path+".do") && !d.badInside(path+".inode") {
		d.errorf(d.placeOf(path+".inode"), "inode: no operation uses it: expected a commit or an fsync")
	}
}

func (d *decoder) inode(path string, n *yaml.Node) int {
	if n.Kind == yaml.ScalarNode && n.Value == "own" {
		return Own
	}
	i, ok := d.integer(path, n, "a number or own")
	if ok && i < 0 {
		d.fail(n, path, "%d is out of range: expected 0 to %d or own", i, cil.MaxInodes-1)
		ok = false
	}
	if !ok {
		return Own
	}
	return i
}

func (d *decoder) buffer(path string, n *yaml.Node) int {
	i, ok := d.integer(path, n, "the number of a buffer")
	if ok && i < 0 {
		d.fail(n, path, "%d is out of range: expected 0 to %d", i, cil.MaxBuffers-1)
		return NoBuffer
	}
	if !ok {
		return NoBuffer
	}
	return i + 1
}

func (d *decoder) cpu(path string, n *yaml.Node) int {
	cpu, _ := d.integer(path, n, "the number of a CPU")
	return cpu
}

// times decodes a number of times, or forever.
func (d *decoder) times(num *Number, sizes []Size) func(string, *yaml.Node) {
	return d.perSize(num, sizes, func(path string, n *yaml.Node, what string) (int, bool) {
		if n.Kind == yaml.ScalarNode && n.Value == "forever" {
			return Forever, true
		}
		i, ok := d.integer(path, n, what)
		if ok && i == 0 {
			d.fail(n, path, "0 is out of range: expected 1 to %d or forever", MaxTimes)
			return 1, false
		}
		return i, ok
	}, "a decimal number or forever")
}

// op decodes an operation of a task with the given inode.
func (d *decoder) op(path string, n *yaml.Node, inode int, sizes []Size) Op {
	op := Op{Inode: Own, Buffer: NoBuffer}
	name, params := n, (*yaml.Node)(nil)
	if n.Kind == yaml.MappingNode {
		if len(n.Content) != 2 {
			d.fail(n, path, "found a map of %d keys: expected one operation", len(n.Content)/2)
			return op
		}
		name, params = n.Content[0], n.Content[1]
	}
	s, ok := d.text(path, name, "an operation")
	if !ok {
		return op
	}
	kind, err := cil.ParseOp(s)
	if err != nil {
		d.fail(name, path, "%v%s", err, hint(s, opNames()))
		return op
	}
	op.Kind = kind
	var entries []entry
	if commits(kind) {
		op.Size = N(1)
		entries = append(entries, entry{"size", false, d.number(&op.Size, sizes)},
			entry{"shrink", false, d.number(&op.Shrink, sizes)},
			entry{"overrun", false, func(path string, n *yaml.Node) { op.Overrun = d.boolean(path, n) }},
			entry{"hold", false, func(path string, n *yaml.Node) { op.Hold = d.boolean(path, n) }},
			entry{"whiteout", false, func(path string, n *yaml.Node) { op.Whiteout = d.boolean(path, n) }})
	}
	if commits(kind) || forces(kind) {
		entries = append(entries, entry{"buffer", false, func(path string, n *yaml.Node) { op.Buffer = d.buffer(path, n) }})
	}
	if kind == cil.OpCPUOffline {
		op.CPU = 1
		entries = append(entries, entry{"cpu", false, func(path string, n *yaml.Node) { op.CPU = d.cpu(path, n) }})
	}
	if usesInode(kind) {
		op.Inode = inode
		entries = append(entries, entry{"inode", false, func(path string, n *yaml.Node) {
			op.Inode = d.inode(path, n)
		}})
	}
	d.params(path, params, s, entries)
	return op
}

// params decodes the parameters of an operation, if there are any.
func (d *decoder) params(path string, n *yaml.Node, op string, entries []entry) {
	switch {
	case n == nil:
	case len(entries) == 0:
		d.fail(n, path, "%s has no parameters: expected the name alone", op)
	default:
		d.entries(path, n, "a map of the parameters of "+op, entries)
	}
}
