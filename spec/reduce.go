package spec

import "cilcheck/cil"

// Canonical maps a state to the representative of those that differ only in
// which task, kworker or iclog of those that are alike is which.
//
// Tasks that are alike have the same priority, so no scheduler tells them apart.
// The scheduler cooperative tells kworkers apart: one that ends a work keeps its
// CPU for the next if no kworker with a lower number is idle.
func (sys *System) Canonical(s *cil.State) {
	sys.Machine.Canonical(s, sys.Scheduler.Policy != Cooperative)
}
