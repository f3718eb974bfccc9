package cil

// The log device has a volatile write cache. A crash keeps what is stable and
// any subset of what is in the cache or in flight.
//
// A write completes in the step of its completion, the latest moment that a
// device may choose. Its preflush takes effect either when it is issued, when
// the fewest writes are flushed, or when it completes, when they are flushed
// last: between the two, a device leaves less on disk at no moment.

// The file data that an fsync writes back is in the cache of the data device,
// which may be the log's. A preflush of an iclog write reaches both: with an
// external log, XFS flushes the data device itself before it writes.

// issue sends the write of an iclog to the device and clears its flags.
func (r *run) issue(c *Iclog) {
	if c.Flags&needFlush != 0 && r.m.anyCached(r.s) {
		if r.mv.Choose(2) == 0 {
			r.m.flushBoth(r.s)
		} else {
			c.Late = 1
		}
	}
	if c.Flags&needFUA != 0 {
		c.FUA = 1
	}
	c.Flags = 0
	r.s.Disk[c.Lsn-FirstLSN] = InFlight
	r.s.DiskTail[c.Lsn-FirstLSN] = c.Tail
}

func (m *Machine) anyCached(s *State) bool {
	for _, d := range s.Disk[:m.LSNs] {
		if d == Cached {
			return true
		}
	}
	for i := range s.Task[:m.firstWorker] {
		if s.Task[i].Data != 0 {
			return true
		}
	}
	return false
}

// complete ends the write of an iclog with success.
func (m *Machine) complete(s *State, c *Iclog) {
	if c.Late != 0 {
		m.flushBoth(s)
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

func (m *Machine) flushBoth(s *State) {
	m.flushLog(s)
	m.flushData(s)
}

// flushData makes the file data written back so far stable.
func (m *Machine) flushData(s *State) {
	for i := range s.Task[:m.firstWorker] {
		s.Task[i].Data = 0
	}
}

// flushLog makes every log write in the cache stable.
func (m *Machine) flushLog(s *State) {
	for i, d := range s.Disk {
		if d == Cached {
			s.Disk[i] = Stable
		}
	}
}
