package statespace

// Begin prepares m for the first outcome of the next step of task. With Next a
// caller outside this package takes every outcome of a step by itself:
//
//	for mv.Begin(task); ; {
//		next := *s
//		if m.Step(&next, task, &mv) == statespace.Moved {
//			// one outcome
//		}
//		if !mv.Next() {
//			break
//		}
//	}
func (m *Move) Begin(task int) { m.begin(task) }

// Next moves on to the next outcome of the step and reports whether there is
// one. The step must be taken once between two calls.
func (m *Move) Next() bool { return m.next() }
