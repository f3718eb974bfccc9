package cil

// The log device has a volatile write cache. A crash keeps what is stable and
// any subset of what is in the cache or in flight.
//
// A preflush takes effect when the write is issued, and a write completes in
// the step of its completion: the earliest and the latest moment that a device
// may choose, so no crash of a real device leaves less on disk than some crash
// here does.

// issue sends the write of an iclog to the device and clears its flags.
func (m *Machine) issue(s *State, c *Iclog) {
	if c.Flags&needFlush != 0 {
		m.flushDevice(s)
	}
	c.FUA = 0
	if c.Flags&needFUA != 0 {
		c.FUA = 1
	}
	c.Flags = 0
	s.Disk[c.Lsn-FirstLSN] = InFlight
}

// complete ends the write of an iclog with success.
func (m *Machine) complete(s *State, c *Iclog) {
	d := &s.Disk[c.Lsn-FirstLSN]
	*d = Cached
	if c.FUA != 0 {
		*d = Stable
	}
	c.FUA = 0
}

// flushDevice makes everything in the cache stable.
func (m *Machine) flushDevice(s *State) {
	for i, d := range s.Disk {
		if d == Cached {
			s.Disk[i] = Stable
		}
	}
}
