package cil

// The log tail (Config.Tail): every log write carries the tail, the first
// checkpoint that recovery replays if that write is the last it finds. It is kept
// as a sequence, for start records are in sequence order. Metadata is never
// written back here, so every completed checkpoint is needed for ever.

// tail is what xlog_assign_tail_lsn returns: the first item of the AIL, or where
// the head of an empty one stands.
func (m *Machine) tail(s *State) Seq {
	for i := range s.Ctx[:m.Contexts] {
		if s.Ctx[i].OnAIL != 0 {
			return FirstSeq + Seq(i)
		}
	}
	return max(s.AILHead+1, FirstSeq)
}

// stampTail is RI1 [icl].
func (r *run) stampTail(c *Iclog) {
	if r.m.Tail && c.Tail == NoSeq && (c.State == WantSync || c.Flags&needFUA != 0) {
		c.Tail = r.m.tail(r.s)
	}
}

// moveHead is K3a [ail]: the head of the AIL moves to the commit record of the
// checkpoint, whose items are not there yet.
func (r *run) moveHead() {
	r.tag(TagK3a)
	r.s.AILHead = r.t.Ctx
}

// insertOnAIL is K3b.
func (r *run) insertOnAIL(c *Ctx) {
	if !r.m.Tail || r.t.Local&localAbort != 0 {
		return
	}
	c.OnAIL = 1
	if r.m.TailInserted {
		r.moveHead()
	}
}

// LostByTail is the first checkpoint that recovery does not replay, although its
// metadata is nowhere else, if a crash leaves log write l as the last; NoSeq if
// there is none, or a crash cannot leave it so.
func (m *Machine) LostByTail(s *State, l LSN) Seq {
	if !m.mayEndLog(s, l) {
		return NoSeq
	}
	for seq := FirstSeq; seq < s.DiskTail[l-FirstLSN]; seq++ {
		if c := s.context(seq); c.Life != Unused && !c.Blank() {
			return seq
		}
	}
	return NoSeq
}

// mayEndLog reports whether a crash now may leave l as the last log write: it and
// all before it may survive, and the next one may not.
func (m *Machine) mayEndLog(s *State, l LSN) bool {
	for before := FirstLSN; before <= l; before++ {
		if s.Disk[before-FirstLSN] == Unwritten || m.beforeFlush(s, before) {
			return false
		}
	}
	next := int(l - FirstLSN + 1)
	return next >= int(m.LSNs) || s.Disk[next] != Stable
}

// beforeFlush reports whether a write in flight waits for its preflush.
func (m *Machine) beforeFlush(s *State, l LSN) bool {
	i := m.findLSN(s, l)
	return i >= 0 && s.Iclog[i].Late != 0
}
