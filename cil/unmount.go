package cil

import "slices"

// What unmount destroys (State.Torn).
const (
	TornWorker = 1 << iota // the log worker is cancelled
	TornAIL                // UM6: the AIL is destroyed
	TornCIL                // UM7: the CIL is freed
)

// unmount is xfs_unmountfs as far as the log goes. UM3 forces as UM2 does, so one
// force stands for both; the unmount record is not modelled: like every log write
// it is waited for, and an error of the last checkpoint's write shows as much. UM5
// waits for buffers that are pinned, which the wait of UM1 does here.
func (r *run) unmount() {
	s, t := r.s, r.t
	switch t.PC {
	case pcUM1:
		r.tag(TagUM1)
		r.call(pcG1, pcUM2)

	case pcUM2: // nothing is pinned any more, and the log worker does not run
		s.Torn |= TornWorker
		if t.Space == 0 {
			r.tag(TagUM2, TagUM3)
			t.Space = 1
			r.call(pcG1, pcUM2)
			return
		}
		r.tag(TagUM5)
		if t.Space = 0; r.m.UnmountDrain {
			t.PC = pcUM2drain
			return
		}
		r.tearDown(pcUM2)

	case pcUM2drain: // unmount=drain: before UM4, for a work may still issue a write
		if s.Wq.Flush(r.id) {
			r.sleepOn(waitFlush, pcUM2drain)
			return
		}
		r.tearDown(pcUM2)

	case pcUM4:
		r.tag(TagUM4)
		r.downSema(int(t.Pos-1), pcUM4held)

	case pcUM4held:
		r.upSema(int(t.Pos - 1))
		if t.PC = pcUM4; t.Pos < r.m.Iclogs {
			t.Pos++
			return
		}
		t.Pos = 0
		r.tearDown(pcUM4)

	case pcUM6: // xfsaild has stopped
		r.tag(TagUM6)
		s.Torn |= TornAIL
		r.tearDown(pcUM6)

	case pcUM7:
		r.tag(TagUM7)
		if s.Wq.Queued()&(1<<(s.XcCtx-FirstSeq)) != 0 {
			r.mv.Note(NoteUseAfterFree, s.XcCtx, 0)
		}
		r.ctx(s.XcCtx).Life = Freed
		t.PC = pcUM7drain

	case pcUM7drain: // destroy_workqueue
		t.PC = pcUM7free
		if s.Wq.Flush(r.id) {
			r.sleepOn(waitFlush, pcUM7drain)
		}

	case pcUM7free:
		s.Torn |= TornCIL
		r.tearDown(pcUM7)
	}
}

// tearDown goes on after a part of the unmount: the iclogs are waited for, then
// the AIL is destroyed, then the CIL is freed. Two fixes were about this order.
func (r *run) tearDown(after Label) {
	order := []Label{pcUM2, pcUM4, pcUM6, pcUM7, pcReturn}
	switch {
	case r.m.Without&WithoutIclogWaitBeforeCIL != 0:
		order = []Label{pcUM2, pcUM7, pcUM4, pcUM6, pcReturn}
	case r.m.Without&WithoutIclogWaitBeforeAIL != 0:
		order = []Label{pcUM2, pcUM6, pcUM4, pcUM7, pcReturn}
	}
	next := order[slices.Index(order, after)+1]
	switch next {
	case pcReturn:
		r.result(false)
		r.ret()
		return
	case pcUM4:
		r.t.Pos = 1
	}
	r.t.PC = next
}

// mayUnmount reports whether the unmount can go on: it begins when nobody uses
// the mount, and waits for what is pinned, for the log worker and for xfsaild.
func (m *Machine) mayUnmount(s *State, id int) bool {
	switch s.Task[id].PC {
	case pcUM1:
		for i := range m.Scripts {
			if i != id && s.Task[i].PC != pcDone && !m.inBackground(i) {
				return false
			}
		}
	case pcUM2:
		for c := range s.Ctx[:m.Contexts] {
			if s.Ctx[c].Inodes|s.Ctx[c].Bufs|s.Ctx[c].Fail != 0 {
				return false
			}
		}
		return !m.operating(s, OpLogWorker)
	case pcUM6:
		return !m.operating(s, OpCilFlush) && !m.operating(s, OpXfsaild) && !m.operating(s, OpDelwriSubmit)
	}
	return true
}

// inBackground reports whether a script is a thread of the mount itself.
func (m *Machine) inBackground(script int) bool {
	for _, op := range m.Scripts[script].Ops {
		switch op.Kind {
		case OpCilFlush, OpLogWorker, OpXfsaild, OpDelwriSubmit:
		default:
			return false
		}
	}
	return true
}

// operating reports whether a script is in an operation of the kind.
func (m *Machine) operating(s *State, kind OpKind) bool {
	for i := range m.Scripts {
		if s.Task[i].PC != pcDone && m.op(s, i).Kind == kind && !m.atEntry(s, i) {
			return true
		}
	}
	return false
}

// stopped reports whether the unmount has ended the thread that would begin an
// operation now.
func (m *Machine) stopped(s *State, id int) bool {
	if s.Torn == 0 || !m.atEntry(s, id) {
		return false
	}
	switch m.op(s, id).Kind {
	case OpLogWorker:
		return s.Torn&TornWorker != 0
	case OpCilFlush, OpXfsaild, OpDelwriSubmit:
		return s.Torn&TornAIL != 0
	}
	return false
}

// touch notes the use of something that unmount has destroyed.
func (r *run) touch(what uint8) {
	if r.s.Torn&what != 0 {
		r.mv.Note(NoteTornDown, what, 0)
	}
}

// touchesCIL reports whether a label uses the CIL.
func touchesCIL(pc Label) bool {
	l := &labels[pc]
	return l.lock == pushLock || l.fn == fnCommit || l.fn == fnPushNow || l.fn == fnCilFlush || pc == pcG1
}

// Unmounts reports whether a task of the scenario unmounts.
func (m *Machine) Unmounts() bool { return m.unmounts }
