package spec

import "cilcheck/cil"

// Canonical maps a state to the representative of those that differ only in
// which task, kworker or iclog of those that are alike is which.
//
// Tasks that are alike have the same priority, so no scheduler tells them apart.
func (sys *System) Canonical(s *cil.State) { sys.Machine.Canonical(s) }

// Early reports whether the next step of a task may as well be taken before
// whatever the others do. Under a scheduler that does not let all of them run,
// what one does decides what the others may do: then nothing is early.
func (sys *System) Early(s *cil.State, task int) bool {
	return sys.Scheduler.Policy == Any && sys.Machine.Early(s, task)
}
