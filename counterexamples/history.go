package counterexamples

import (
	"embed"
	"io/fs"

	"cilcheck/cil"
	"cilcheck/spec"
	"cilcheck/statespace"
)

//go:embed history/*.trace
var historyFiles embed.FS

// HistoryFile is the kept trace of a mutant: how the bug goes without its fix.
func HistoryFile(mutant string) string { return "history/" + mutant + ".trace" }

// History returns the kept traces of the mutants, sorted by file name. Each is
// repaired by what its mutant was made from.
func History() ([]*Trace, error) {
	files, err := fs.Glob(historyFiles, "history/*.trace")
	if err != nil {
		return nil, err
	}
	return parseAll(historyFiles, files)
}

// RecordToRest is Record; the trace of a task that is stuck goes on until
// nothing moves any more, so that it shows what the task waits for in vain. A
// task goes on as long as it can, then the first that can.
func RecordToRest(sys *spec.System, v statespace.Violation, file string) (*Trace, error) {
	if v.Kind == statespace.StuckKind {
		if rest, err := toRest(sys, v.Path); err != nil {
			return nil, err
		} else if rest != nil {
			v.Path = rest
		}
	}
	return Record(sys, v, file)
}

// maxToRest bounds the steps that a trace goes on.
const maxToRest = 1000

// toRest goes on from the end of a path until nothing moves; nil if that does
// not come.
func toRest(sys *spec.System, path []statespace.Choice) ([]statespace.Choice, error) {
	p, err := newPlayer(sys)
	if err != nil {
		return nil, err
	}
	for _, c := range path {
		if err := p.take(c, nil); err != nil {
			return nil, err
		}
	}
	var rest []statespace.Choice
	task := -1
	for len(rest) < maxToRest {
		if task = mover(sys, &p.state, task); task < 0 {
			return append(append([]statespace.Choice{}, path...), rest...), nil
		}
		c := statespace.Choice{Task: task}
		if err := p.take(c, nil); err != nil {
			return nil, err
		}
		rest = append(rest, c)
	}
	return nil, nil
}

// mover is the task that moved last if it can move, else the first that can; -1
// if none can.
func mover(sys *spec.System, s *cil.State, last int) int {
	if last >= 0 && status(sys, s, last) == statespace.Moved {
		return last
	}
	for i := range sys.Tasks() {
		if status(sys, s, i) == statespace.Moved {
			return i
		}
	}
	return -1
}
