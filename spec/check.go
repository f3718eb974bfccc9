package spec

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"cilcheck/cil"
)

// MaxName bounds the names of scenarios and tasks, so that traces line up.
const MaxName = 48

// MaxTasks bounds the tasks of a scenario. The model has room for more
// (cil.MaxTasks), for recordings of many threads; no search of them would end.
const MaxTasks = 16

// MaxActive bounds max_active: with more, no work ever waits for another.
const MaxActive = MaxTasks

var (
	scenarioName = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)
	taskName     = regexp.MustCompile(`^[a-z]([a-z0-9_-]*[a-z0-9])?$`)
	// modelName are the names of tasks that the model adds by itself.
	modelName = regexp.MustCompile(`^(kworker|io)[0-9]+$`)
)

// Validate reports everything that is wrong with a scenario that was not read
// from a file. Parse reports the same with file and line.
func (sc *Scenario) Validate() error {
	var errs []error
	for _, p := range problems(sc, nil) {
		errs = append(errs, errors.New(p.path+": "+p.text))
	}
	return errors.Join(errs...)
}

// A problem is something wrong at a place of a scenario, such as
// "tasks[1].do[0].size".
type problem struct{ path, text string }

// problems checks a scenario at all its sizes. What holds at some sizes only
// names them. Nothing is said about the places in bad, nor about combinations
// with them: something is known to be wrong there already.
func problems(sc *Scenario, bad map[string]bool) []problem {
	var all []problem
	at := map[problem][]Size{}
	sizes := slices.Compact(slices.Sorted(slices.Values(sc.Sizes)))
	for _, size := range sizes {
		if size >= NumSizes {
			return []problem{{"sizes", fmt.Sprintf("unknown size %v: expected check or soak", size)}}
		}
		c := checker{sc: sc, size: size, bad: maps.Clone(bad)}
		if c.bad == nil {
			c.bad = map[string]bool{}
		}
		c.check()
		for _, p := range c.found {
			if at[p] == nil {
				all = append(all, p)
			}
			at[p] = append(at[p], size)
		}
	}
	for i, p := range all {
		if len(at[p]) < len(sizes) {
			all[i].text += " (at size " + words(at[p]) + ")"
		}
	}
	if len(sizes) == 0 && !bad["sizes"] {
		all = append(all, problem{"sizes", "none: expected check, soak or both"})
	}
	return all
}

// A checker checks a scenario at one size.
type checker struct {
	sc    *Scenario
	size  Size
	bad   map[string]bool
	found []problem
}

// failf records a problem and that the place is bad.
func (c *checker) failf(path, format string, args ...any) {
	c.found = append(c.found, problem{path, fmt.Sprintf(format, args...)})
	c.bad[path] = true
}

// ok reports whether nothing is wrong at or inside of the places so far.
func (c *checker) ok(paths ...string) bool {
	for bad := range c.bad {
		for _, path := range paths {
			if within(bad, path) || within(path, bad) {
				return false
			}
		}
	}
	return true
}

// okHere reports the same for the number of this size only.
func (c *checker) okHere(path string) bool {
	for bad := range c.bad {
		if within(path, bad) || within(bad, path+"."+c.size.String()) {
			return false
		}
	}
	return true
}

// within reports whether the path is the outer one or a place inside of it.
func within(path, outer string) bool {
	rest, ok := strings.CutPrefix(path, outer)
	return ok && (rest == "" || rest[0] == '.' || rest[0] == '[')
}

func taskPath(i int) string { return fmt.Sprintf("tasks[%d]", i) }

func opPath(task, op int) string { return fmt.Sprintf("tasks[%d].do[%d]", task, op) }

func (c *checker) check() {
	c.text()
	c.numbers()
	c.lists()
	switch n := len(c.sc.Tasks); {
	case n == 0 && c.ok("tasks"):
		c.failf("tasks", "none: expected at least one task")
	case n > MaxTasks:
		c.failf("tasks", "%d entries: expected at most %d", n, MaxTasks)
		return
	}
	for i := range c.sc.Tasks {
		c.task(i)
	}
	c.scheduling()
	c.ends()
	c.freezers()
	c.starts()
	c.instances()
}

// text checks what is only for the reader.
func (c *checker) text() {
	sc := c.sc
	if c.ok("name") && (!scenarioName.MatchString(sc.Name) || len(sc.Name) > MaxName) {
		c.failf("name", "%q: expected lower-case words and digits with hyphens between them, at most %d bytes",
			sc.Name, MaxName)
	}
	if c.ok("title") && (sc.Title == "" || !printable(sc.Title, "")) {
		c.failf("title", "%q: expected one line of printable text", sc.Title)
	}
	if c.ok("story") && !printable(sc.Story, "\n") {
		c.failf("story", "unprintable character: expected lines of printable text")
	}
}

// printable reports whether a text is printable but for the extra characters,
// and has no space around it.
func printable(s, extra string) bool {
	odd := func(r rune) bool { return !unicode.IsPrint(r) && !strings.ContainsRune(extra, r) }
	return !strings.ContainsFunc(s, odd) && strings.TrimSpace(s) == s
}

// between checks that a number is in its range.
func (c *checker) between(path string, num Number, lo, hi int) {
	if n := num[c.size]; c.okHere(path) && (n < lo || n > hi) {
		c.failf(path, "%d is out of range: expected %d to %d", n, lo, hi)
	}
}

func (c *checker) numbers() {
	sc := c.sc
	c.between("iclogs", sc.Iclogs, 1, cil.MaxIclogs)
	c.between("iclog_units", sc.IclogUnits, 1, cil.MaxUnits)
	c.between("contexts", sc.Contexts, 2, cil.MaxContexts)
	c.between("lsns", sc.LSNs, 2, cil.MaxLSNs)
	c.between("soft", sc.Soft, 1, cil.MaxUnits)
	c.between("hard", sc.Hard, 1, cil.MaxUnits)
	c.between("max_active", sc.MaxActive, 1, MaxActive)
	c.between("workers", sc.Workers, 1, cil.MaxWorkers)
	c.between("cpus", sc.CPUs, 0, cil.MaxListCPUs)
	c.between("log_units", sc.LogUnits, 0, cil.MaxUnits)
	c.between("ioend_workers", sc.IOEndWorkers, 0, cil.MaxIclogs)
	if soft, hard := sc.Soft[c.size], sc.Hard[c.size]; c.ok("soft", "hard") && soft > hard {
		c.failf("soft", "%d is above hard %d: expected at most hard", soft, hard)
	}
}

// lists checks that lists are not empty and name nothing twice.
func (c *checker) lists() {
	if c.sc.DataFlushError && !c.sc.ExternalLog && c.ok("faults", "external_log") {
		c.failf("faults", "data_flush_error without an external log: expected external_log: true")
	}
	distinct(c, "sizes", c.sc.Sizes)
	distinct(c, "schedulers", c.sc.Schedulers)
	distinct(c, "end", c.sc.Ends)
	distinct(c, "variants", c.sc.Variants)
	if c.sc.Variants == nil {
		return
	}
	if len(c.sc.Variants) == 0 && c.ok("variants") {
		c.failf("variants", "none: expected at least one, or no such key for all variants")
	}
	for i, v := range c.sc.Variants {
		if path := fmt.Sprintf("variants[%d]", i); c.ok(path) && !printable(v, "") {
			c.failf(path, "%q: expected a comma list of toggles", v)
		}
	}
}

// distinct checks a list of words; only variants may be none.
func distinct[T comparable](c *checker, path string, list []T) {
	if !c.ok(path) {
		return
	}
	if len(list) == 0 && path != "variants" {
		c.failf(path, "none: expected at least one")
	}
	for i, v := range list {
		if slices.Contains(list[:i], v) {
			c.failf(fmt.Sprintf("%s[%d]", path, i), "%q is there twice: expected it once", fmt.Sprint(v))
		}
	}
}

// task checks one task by itself.
func (c *checker) task(i int) {
	t, path := &c.sc.Tasks[i], taskPath(i)
	if name := path + ".name"; c.ok(name) {
		switch {
		case !taskName.MatchString(t.Name) || len(t.Name) > MaxName:
			c.failf(name, "%q: expected a lower-case word, at most %d bytes", t.Name, MaxName)
		case modelName.MatchString(t.Name):
			c.failf(name, "%q is a task of the model itself: expected another name", t.Name)
		}
	}
	if at := path + ".buffer"; c.ok(at) && (t.Buffer < 0 || t.Buffer > cil.MaxBuffers) {
		c.failf(at, "%d is out of range: expected 0 to %d", t.Buffer-1, cil.MaxBuffers-1)
	}
	if t.Start > cil.StartPrevious {
		c.failf(path+".start", "unknown start %d", t.Start)
	}
	c.between(path+".count", t.Count, 0, MaxTasks)
	if t.Start != cil.StartClean {
		c.between(path+".size", t.Size, 1, cil.MaxUnits)
	}
	c.inode(path+".inode", t.Inode)
	if last := max(c.sc.CPUs[c.size]-1, 0); c.okHere("cpus") && c.ok(path+".cpu") && (t.CPU < 0 || t.CPU > last) {
		c.failf(path+".cpu", "%d is out of range: expected 0 to %d, below cpus", t.CPU, last)
	}
	if n := t.Times[c.size]; c.okHere(path+".times") && n != Forever && (n < 1 || n > MaxTimes) {
		c.failf(path+".times", "%d is out of range: expected 1 to %d or forever", n, MaxTimes)
	}
	if n := len(t.Do); c.ok(path+".do") && (n < 1 || n > cil.MaxScript) {
		c.failf(path+".do", "%d operations: expected 1 to %d", n, cil.MaxScript)
	}
	for k := range t.Do {
		c.op(opPath(i, k), &t.Do[k])
	}
}

func (c *checker) op(path string, op *Op) {
	if c.bad[path] {
		return
	}
	if op.Kind >= cil.NumOps {
		c.failf(path, "unknown operation %d", uint8(op.Kind))
		return
	}
	if usesInode(op.Kind) {
		c.inode(path+".inode", op.Inode)
	} else if op.Inode != Own {
		c.failf(path+".inode", "%v has no inode", op.Kind)
	}
	c.cpuOffline(path+".cpu", op)
	c.lock(path, op)
	switch {
	case commits(op.Kind):
		c.between(path+".size", op.Size, 1, cil.MaxUnits)
		c.between(path+".shrink", op.Shrink, 0, cil.MaxUnits)
	case op.Shrink != Number{}:
		c.failf(path+".shrink", "%v does not log anything", op.Kind)
	case op.Size != Number{}:
		c.failf(path+".size", "%v has no size", op.Kind)
	case op.Overrun:
		c.failf(path+".overrun", "%v cannot overrun a reservation", op.Kind)
	}
}

// lock checks the buffer of an operation.
func (c *checker) lock(path string, op *Op) {
	if at := path + ".buffer"; c.ok(at) && op.Buffer != NoBuffer {
		switch {
		case !commits(op.Kind) && !forces(op.Kind):
			c.failf(at, "%v locks no buffer", op.Kind)
		case op.Buffer < 0 || op.Buffer > cil.MaxBuffers:
			c.failf(at, "%d is out of range: expected 0 to %d", op.Buffer-1, cil.MaxBuffers-1)
		}
	}
	needs := op.Kind == cil.OpDqflush || op.Kind == cil.OpDelwriSubmit
	if needs && op.Buffer == NoBuffer && c.ok(path+".buffer") {
		c.failf(path, "%v without a buffer: expected {%[1]v: {buffer: 0}}", op.Kind)
	}
	if op.Hold && (op.Buffer == NoBuffer || !commits(op.Kind)) {
		c.failf(path+".hold", "only a commit with a buffer can hold it")
	}
	if op.Whiteout && !commits(op.Kind) {
		c.failf(path+".whiteout", "%v cancels no intent", op.Kind)
	}
}

// cpuOffline checks which CPU an operation takes away: not the first.
func (c *checker) cpuOffline(path string, op *Op) {
	last := c.sc.CPUs[c.size] - 1
	switch offline := op.Kind == cil.OpCPUOffline; {
	case !offline && op.CPU != 0:
		c.failf(path, "%v takes no CPU away", op.Kind)
	case offline && c.okHere("cpus") && c.ok(path) && (op.CPU < 1 || op.CPU > last):
		c.failf(path, "CPU %d cannot go away: expected one from 1, below cpus", op.CPU)
	}
}

func (c *checker) inode(path string, inode int) {
	if c.ok(path) && inode != Own && (inode < 0 || inode >= cil.MaxInodes) {
		c.failf(path, "%d is out of range: expected 0 to %d or own", inode, cil.MaxInodes-1)
	}
}

// scheduling checks that priorities and the scheduler that knows them go
// together.
func (c *checker) scheduling() {
	if !c.ok("schedulers") {
		return
	}
	fifo := false
	at := slices.IndexFunc(c.sc.Schedulers, func(s Scheduler) bool { return s.Policy == Priority })
	for i, t := range c.sc.Tasks {
		fifo = fifo || t.FIFO
		if path := taskPath(i) + ".fifo"; t.FIFO && at < 0 && c.ok(path) {
			c.failf(path, "only the scheduler priority knows priorities: expected it among the schedulers")
		}
	}
	if at >= 0 && !fifo && c.ok("tasks") {
		c.failf(fmt.Sprintf("schedulers[%d]", at), "no task has a priority: expected fifo: true in one")
	}
}

// ends checks that the allowed ends can occur.
func (c *checker) ends() {
	if !c.ok("end", "tasks", "faults") {
		return
	}
	freeze, shutdown := false, c.sc.LogIOError
	for _, t := range c.sc.Tasks {
		freeze = freeze || t.does(cil.OpFreeze)
		shutdown = shutdown || t.does(cil.OpShutdown, cil.OpShutdownIO) ||
			slices.ContainsFunc(t.Do, func(op Op) bool { return op.Overrun })
	}
	for i, end := range c.sc.Ends {
		path := fmt.Sprintf("end[%d]", i)
		switch {
		case end == EndFrozen && !freeze:
			c.failf(path, "frozen, but no task freezes: expected a freeze")
		case end == EndThrottled && !shutdown:
			c.failf(path, "throttled-after-shutdown, but nothing shuts down: "+
				"expected a shutdown, an overrun or a fault")
		}
	}
}

// freezers checks that freeze and thaw alternate: there is one freezer.
func (c *checker) freezers() {
	first := -1
	for i, t := range c.sc.Tasks {
		path := taskPath(i)
		if !c.ok(path+".do", path+".times", path+".count") || !t.does(cil.OpFreeze, cil.OpThaw) {
			continue
		}
		if first >= 0 || t.Count[c.size] > 1 {
			c.failf(path+".do", "two tasks freeze: expected one freezer")
		}
		first = i
		c.freezer(path, &t)
	}
}

func (c *checker) freezer(path string, t *Task) {
	last := -1 // the freeze that is not thawed
	for k, op := range t.Do {
		at := fmt.Sprintf("%s.do[%d]", path, k)
		switch {
		case op.Kind == cil.OpFreeze && last >= 0:
			c.failf(at, "freeze while frozen: expected a thaw before it")
		case op.Kind == cil.OpFreeze:
			last = k
		case op.Kind == cil.OpThaw && last < 0:
			c.failf(at, "thaw without a freeze: expected a freeze before it")
		case op.Kind == cil.OpThaw:
			last = -1
		}
	}
	if last >= 0 && t.Times[c.size] != 1 {
		c.failf(fmt.Sprintf("%s.do[%d]", path, last), "the task repeats while frozen: expected a thaw after it")
	}
}

// starts checks that the transactions of the initial state can be there.
func (c *checker) starts() {
	var sum, last [3]int
	for i, t := range c.sc.Tasks {
		path := taskPath(i)
		if !c.ok(path+".start", path+".size", path+".count") || t.Start > cil.StartPrevious {
			return
		}
		if n := t.Count[c.size]; n > 0 {
			sum[t.Start] += n * t.Size[c.size]
			last[t.Start] = i
		}
	}
	if n := sum[cil.StartPrevious]; n > 0 {
		path := taskPath(last[cil.StartPrevious]) + ".start"
		if have := c.sc.Contexts[c.size]; c.okHere("contexts") && have < 3 {
			c.failf(path, "previous needs contexts for the previous, the current and the next checkpoint: "+
				"expected contexts of at least 3, found %d", have)
		}
		if room := c.sc.IclogUnits[c.size]; c.okHere("iclog_units") && n+1 > room {
			c.failf(path, "the previous checkpoint takes %d units and 1 for its commit record, iclog_units is %d: "+
				"expected it to fit into one iclog", n, room)
		}
	}
	if n, soft := sum[cil.StartCurrent], c.sc.Soft[c.size]; c.ok("soft") && n >= soft {
		c.failf(taskPath(last[cil.StartCurrent])+".start",
			"the current checkpoint takes %d units, soft is %d: expected less, for its commits would have queued a push",
			n, soft)
	}
}

// instances checks what needs the tasks expanded: names, numbers of tasks and
// inodes, and that what is synced was committed.
func (c *checker) instances() {
	if !c.ok("tasks") {
		return
	}
	tasks, inodes := 0, c.sc.sharedInodes()
	names := map[string]bool{}
	for i, t := range c.sc.Tasks {
		n := t.Count[c.size]
		tasks += n
		if t.usesOwn() {
			inodes += n
		}
		c.instanceNames(taskPath(i)+".name", &t, names)
	}
	if tasks == 0 && len(c.sc.Tasks) > 0 {
		c.failf("tasks", "every count is 0: expected at least one task")
	}
	if inodes > cil.MaxInodes {
		c.failf("tasks", "%d inodes, the own ones numbered after the shared: expected at most %d", inodes, cil.MaxInodes)
	}
	workers, iclogs := c.sc.Workers[c.size], c.sc.Iclogs[c.size]
	if n := tasks + workers + iclogs; c.ok("workers", "iclogs") && n > MaxTasks {
		c.failf("tasks", "%d tasks (%d that call into XFS, %d workers, an I/O completion for each of %d iclogs): "+
			"expected at most %d", n, tasks, workers, iclogs, MaxTasks)
	}
	c.synced()
}

// instanceNames adds the names of the instances of a task to names.
func (c *checker) instanceNames(path string, t *Task, names map[string]bool) {
	for i := range t.Count[c.size] {
		name := t.Name
		if t.Count[c.size] > 1 {
			name = fmt.Sprint(name, i)
		}
		if names[name] {
			c.failf(path, "two tasks are called %s: expected different names", name)
			return
		}
		names[name] = true
	}
}

// synced checks that somebody commits what is synced: an fsync of an inode that
// has never been logged returns at once.
func (c *checker) synced() {
	logged := map[int]bool{}
	for _, t := range c.sc.Tasks {
		if t.Count[c.size] == 0 {
			continue
		}
		for _, inode := range t.logs() {
			if inode != Own {
				logged[inode] = true
			}
		}
	}
	for i, t := range c.sc.Tasks {
		for k, op := range t.Do {
			if t.Count[c.size] == 0 || op.Kind != cil.OpFsync {
				continue
			}
			if op.Inode == Own && !slices.Contains(t.logs(), Own) {
				c.failf(opPath(i, k), "fsync of an own inode that the task never commits: expected a commit, or start: current")
			}
			if op.Inode != Own && !logged[op.Inode] {
				c.failf(opPath(i, k), "fsync of inode %d that no task commits: expected a commit of it", op.Inode)
			}
		}
	}
}

// logs are the inodes that transactions of the task log, Own included.
func (t *Task) logs() (inodes []int) {
	if t.Start != cil.StartClean {
		inodes = append(inodes, t.Inode)
	}
	for _, op := range t.Do {
		if commits(op.Kind) {
			inodes = append(inodes, op.Inode)
		}
	}
	return inodes
}
