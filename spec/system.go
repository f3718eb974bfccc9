package spec

import (
	"fmt"
	"math/bits"

	"cilcheck/cil"
	"cilcheck/statespace"
)

// System is a scenario at one size, a variant and a scheduler: the system under
// check, as a statespace.Model.
type System struct {
	Scenario  *Scenario
	Size      Size
	Variant   cil.Variant
	Scheduler Scheduler
	Machine   *cil.Machine

	fifo uint64 // tasks with a real-time priority
}

// NewSystem puts a scenario, a variant and a scheduler together. The error says
// what does not fit.
func NewSystem(sc *Scenario, size Size, v cil.Variant, sched Scheduler) (*System, error) {
	return newSystem(sc, size, v, sched, false)
}

// NewFineSystem is NewSystem with every access a step of its own.
func NewFineSystem(sc *Scenario, size Size, v cil.Variant, sched Scheduler) (*System, error) {
	return newSystem(sc, size, v, sched, true)
}

func newSystem(sc *Scenario, size Size, v cil.Variant, sched Scheduler, fine bool) (*System, error) {
	if !sc.Has(size) {
		return nil, fmt.Errorf("scenario %s has no size %s", sc.Name, size)
	}
	m, err := cil.New(sc.Config(size), v, fine)
	if err != nil {
		return nil, fmt.Errorf("scenario %s: %w", sc.Name, err)
	}
	if fine && sched.Policy != Any {
		return nil, fmt.Errorf("the finer mode goes with the scheduler any, not with %s", sched)
	}
	sys := &System{Scenario: sc, Size: size, Variant: v, Scheduler: sched, Machine: m}
	for i, script := range m.Scripts {
		if script.FIFO {
			sys.fifo |= 1 << i
		}
	}
	return sys, nil
}

// Init passes the initial state.
func (sys *System) Init(yield func(*cil.State)) {
	s := sys.Machine.Init()
	yield(&s)
}

// Tasks is the number of tasks.
func (sys *System) Tasks() int { return sys.Machine.Tasks() }

// Words is the number of words of a packed state.
func (sys *System) Words() int { return sys.Machine.Words() }

// Pack packs a state.
func (sys *System) Pack(s *cil.State, words []uint64) error { return sys.Machine.Pack(s, words) }

// Unpack unpacks a state.
func (sys *System) Unpack(words []uint64, s *cil.State) { sys.Machine.Unpack(words, s) }

// Step takes the next step of a task if the scheduler lets it run.
func (sys *System) Step(s *cil.State, task int, mv *statespace.Move) statespace.Status {
	switch sys.Scheduler.Policy {
	case Cooperative:
		return sys.stepCooperative(s, task, mv)
	case Priority:
		return sys.stepPriority(s, task, mv)
	}
	return sys.Machine.Step(s, task, mv)
}

// stepCooperative: a task that runs keeps its CPU until it blocks, ends an
// operation (every kernel may reschedule on the way to user space) or yields;
// only then another may have it.
func (sys *System) stepCooperative(s *cil.State, task int, mv *statespace.Move) statespace.Status {
	if st := sys.Machine.Status(s, task); st != statespace.Moved {
		return st
	}
	if s.Task[task].OnCPU == 0 && bits.OnesCount64(sys.running(s)) >= int(sys.Scheduler.CPUs) {
		return statespace.Blocked
	}
	s.Task[task].OnCPU = 1
	sys.Machine.Step(s, task, mv)
	if mv.Marks&statespace.Return != 0 || sys.Machine.Yields(s, task) {
		s.Task[task].OnCPU = 0
	}
	for running := sys.running(s); running != 0; running &= running - 1 {
		if t := bits.TrailingZeros64(running); sys.Machine.Status(s, t) != statespace.Moved {
			s.Task[t].OnCPU = 0
		}
	}
	return statespace.Moved
}

// running is the set of tasks that have a CPU.
func (sys *System) running(s *cil.State) uint64 {
	var set uint64
	for i := range s.Task[:sys.Machine.Tasks()] {
		set |= uint64(s.Task[i].OnCPU) << i
	}
	return set
}

// stepPriority: one CPU, and no ordinary task runs while a real-time task can.
func (sys *System) stepPriority(s *cil.State, task int, mv *statespace.Move) statespace.Status {
	st := sys.Machine.Status(s, task)
	if st != statespace.Moved || sys.fifo&(1<<task) != 0 {
		return sys.Machine.Step(s, task, mv)
	}
	for rt := sys.fifo; rt != 0; rt &= rt - 1 {
		if sys.Machine.Status(s, bits.TrailingZeros64(rt)) == statespace.Moved {
			return statespace.Blocked
		}
	}
	return sys.Machine.Step(s, task, mv)
}
