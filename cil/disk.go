package cil

// The log device has a volatile write cache. A crash keeps what is stable and
// any subset of what is in the cache or in flight.
//
// A write completes in the step of its completion, the latest moment that a
// device may choose. Its preflush takes effect either when it is issued, when
// the fewest writes are flushed, or when it completes, when they are flushed
// last: between the two, a device leaves less on disk at no moment.

// issue sends the write of an iclog to the device and clears its flags.
func (r *run) issue(c *Iclog) {
	if c.Flags&needFlush != 0 && r.m.anyCached(r.s) {
		if r.mv.Choose(2) == 0 {
			r.m.flushDevice(r.s)
		} else {
			c.Late = 1
		}
	}
	if c.Flags&needFUA != 0 {
		c.FUA = 1
	}
	c.Flags = 0
	r.s.Disk[c.Lsn-FirstLSN] = InFlight
}

func (m *Machine) anyCached(s *State) bool {
	for _, d := range s.Disk[:m.LSNs] {
		if d == Cached {
			return true
		}
	}
	return false
}

// complete ends the write of an iclog with success.
func (m *Machine) complete(s *State, c *Iclog) {
	if c.Late != 0 {
		m.flushDevice(s)
	}
	d := &s.Disk[c.Lsn-FirstLSN]
	*d = Cached
	if c.FUA != 0 {
		*d = Stable
	}
	m.forgetWrite(c)
}

// forgetWrite drops what was known of the write in flight.
func (m *Machine) forgetWrite(c *Iclog) { c.FUA, c.Late, c.Early = 0, 0, 0 }

// flushDevice makes everything in the cache stable.
func (m *Machine) flushDevice(s *State) {
	for i, d := range s.Disk {
		if d == Cached {
			s.Disk[i] = Stable
		}
	}
}
