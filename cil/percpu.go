package cil

// What each CPU has of the CIL (Config.CPUs): the items logged on it since the
// last push, and the space they take as far as it is not folded into the
// context's counter. Without that option every commit adds to the context, and
// nobody sees the difference but who counts.

// MaxListCPUs bounds the CPUs that have lists of their own.
const MaxListCPUs = 2

// taskCPU is the CPU that a task runs on: its own, or the first if that is gone.
func (m *Machine) taskCPU(s *State, id int) uint8 {
	cpu := m.Scripts[id].CPU
	if s.CPU[cpu].Offline != 0 {
		return 0
	}
	return cpu
}

// joinCPU sets the task's CPU in cil_pcpmask [ctx r]; from here to C4e it does
// not leave the CPU.
func (r *run) joinCPU() {
	if r.m.CPUs > 0 {
		r.ctx(r.s.XcCtx).CPUs |= 1 << r.m.taskCPU(r.s, r.id)
	}
}

// insertOnCPU is C4d and C4e [ctx r, preemption off]: the item goes on the CPU's
// list; its space into the counter of the CPU, or of the context once that is
// near its soft limit.
func (r *run) insertOnCPU(c *Ctx, size uint8) {
	s := r.s
	cpu := &s.CPU[r.m.taskCPU(s, r.id)]
	cpu.Items = min(cpu.Items+size, MaxUnits)
	c.Joined = min(c.Joined+size, MaxUnits)
	limit := r.m.Soft
	if r.m.Without&WithoutSoftFold != 0 {
		limit = r.m.Hard
	}
	switch {
	case s.PCPSpace == 0:
		r.foldSpace(c, size)
	case cpu.Space+size <= limit/r.m.CPUs:
		cpu.Space += size
	default:
		r.foldSpace(c, cpu.Space+size)
		cpu.Space = 0
		if c.Space >= r.m.Soft && r.m.Without&WithoutSoftFold == 0 {
			s.PCPSpace = 0
			r.foldCPUs(c)
		}
	}
}

// foldCPUs folds the counters of all CPUs of the context into it.
func (r *run) foldCPUs(c *Ctx) {
	for i := range r.s.CPU[:r.m.CPUs] {
		if c.CPUs&(1<<i) != 0 {
			r.foldSpace(c, r.s.CPU[i].Space)
			r.s.CPU[i].Space = 0
		}
	}
}

func (r *run) foldSpace(c *Ctx, units uint8) { c.Space = min(c.Space+units, r.m.Hard) }

// gather takes the items and the space of the context off the CPUs, for its
// push. It notes whether these are what joined the context, and the space theirs.
func (r *run) gather(seq Seq) {
	if r.m.CPUs == 0 {
		return
	}
	c, items := r.ctx(seq), uint8(0)
	for i := range r.s.CPU[:r.m.CPUs] {
		cpu := &r.s.CPU[i]
		taken := c.CPUs&(1<<i) != 0
		if r.m.Without&WithoutContextMask != 0 {
			taken = cpu.Offline == 0
		}
		if taken {
			items += cpu.Items
			r.foldSpace(c, cpu.Space)
			cpu.Items, cpu.Space = 0, 0
		}
	}
	verdict := uint8(0)
	switch {
	case items < c.Joined:
		verdict = 1
	case items > c.Joined:
		verdict = 2
	case c.Space != min(c.Joined, r.m.Hard):
		verdict = 3
	}
	r.mv.Note(NoteGathered, seq, verdict)
}

// hotplug is a CPU that goes away. Its lists stay where they are, in the mask of
// their context; before ecd49f7a36fb a callback moved them when the CPU was dead.
func (r *run) hotplug() {
	s := r.s
	gone := r.m.op(s, r.id).CPU
	switch r.t.PC {
	case pcCPUOffline: // nobody is between C4b and C4e on it
		s.CPU[gone].Offline = 1
		if r.m.Without&WithoutContextMask != 0 {
			r.t.PC = pcCPUDead
			return
		}
		r.ret()

	case pcCPUDead:
		r.downWrite(pcCPUDeadFold)

	case pcCPUDeadFold: // [ctx w] into the current context, as those of CPU 0 are
		s.CPU[0].Items += s.CPU[gone].Items
		r.foldSpace(r.ctx(s.XcCtx), s.CPU[gone].Space)
		s.CPU[gone].Items, s.CPU[gone].Space = 0, 0
		r.upWrite()
		r.ret()
	}
}

// leavesCPU reports whether a CPU can go offline: stop_machine waits until no
// task on it has preemption off.
func (m *Machine) leavesCPU(s *State, cpu uint8) bool {
	for i := range m.Scripts {
		if s.Task[i].PC == pcC4d && m.taskCPU(s, i) == cpu {
			return false
		}
	}
	return true
}
