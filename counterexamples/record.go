package counterexamples

import (
	"fmt"

	"cilcheck/spec"
	"cilcheck/statespace"
)

// Record takes the path of a violation again and writes it down as a trace.
// file is where the scenario was read from, "" for one of the library.
//
// The trace is what Parse reads from its own Format, so its lines are known and
// it is sure to be readable.
func Record(sys *spec.System, v statespace.Violation, file string) (*Trace, error) {
	t := &Trace{
		Scenario:  sys.Scenario.Name,
		Size:      sys.Size,
		File:      file,
		Variant:   sys.Variant.String(),
		Scheduler: sys.Scheduler,
		Fine:      sys.Machine.Fine,
		Property:  v.Property,
		Kind:      v.Kind,
		Loop:      v.Loop,
	}
	if v.Task >= 0 {
		t.Task = sys.Machine.TaskName(v.Task)
	}
	p, err := newPlayer(sys)
	if err != nil {
		return nil, fmt.Errorf("recording %s: %w", v.Property, err)
	}
	tell := newTeller(sys)
	for i, c := range v.Path {
		st, err := p.tellStep(tell, i+1, c)
		if err != nil {
			return nil, fmt.Errorf("recording %s, step %d: %w", v.Property, i+1, err)
		}
		t.Steps = append(t.Steps, st)
	}
	parsed, err := Parse("recorded trace", t.Format())
	if err != nil {
		return nil, fmt.Errorf("recording %s: the trace cannot be read back: %w", v.Property, err)
	}
	return parsed, nil
}

// tellStep makes a move and puts it into words.
func (p *player) tellStep(tell *teller, number int, c statespace.Choice) (st Step, err error) {
	before := p.state
	err = p.take(c, func(d *deed) {
		d.outcomes = outcomes(p.sys, &before, c.Task)
		st = tell.tell(number, d)
	})
	return st, err
}
