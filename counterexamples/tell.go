package counterexamples

import (
	"fmt"
	"slices"
	"strings"

	"cilcheck/cil"
	"cilcheck/spec"
	"cilcheck/statespace"
)

// The texts of notes, up to what they speak of.
const (
	noteReturns      = "returns "
	noteAssert       = "ASSERT failed: "
	noteUseAfterFree = "use after free of "
	noteCompletes    = "completes "
	noteAborts       = "aborts "
	noteDeclines     = "never does it"
	noteWriteFails   = "fails log write "
	noteReads        = "reads xc_ctx: "
	noteSamples      = "samples xc_push_commit_stable: "
	noteQueuesAgain  = "queues again "
	noteSetsAgain    = "sets again "
	noteGathers      = "gathers "
	noteTakesOff     = "takes off "
	noteTornDown     = "uses the destroyed "
	noteFlushFails   = "fails the flush of the data device before the write of "
	noteNotPinned    = "finds unpinned, without holding its lock: "
	noteOther        = "note "
)

// A teller puts into words what steps do.
//
// It tells changes of shared fields. Of the tasks themselves it tells who sleeps
// and who is woken: their locals follow from the code, and StateAfter has them.
type teller struct {
	sys    *spec.System
	m      *cil.Machine
	shared []*cil.Field
	byName map[fieldName]*cil.Field
}

type fieldName struct {
	group cil.Group
	index int
	name  string
}

func newTeller(sys *spec.System) *teller {
	t := &teller{sys: sys, m: sys.Machine, byName: map[fieldName]*cil.Field{}}
	fields := sys.Machine.Fields()
	for i := range fields {
		f := &fields[i]
		t.byName[fieldName{f.Group, f.Index, f.Name}] = f
		if f.Kind != cil.KindHidden && f.Group != cil.GroupTask {
			t.shared = append(t.shared, f)
		}
	}
	return t
}

// A deed is one step of the model, to be told.
type deed struct {
	before, after *cil.State
	mv            *statespace.Move
	outcomes      int      // that the step had
	base          cil.Base // of before
}

// lowering reads from the notes how far the relative numbers went down at the
// end of the step.
func (d *deed) lowering() cil.Base {
	var by cil.Base
	for _, n := range d.mv.Notes() {
		switch n.Kind {
		case cil.NoteSeqShift:
			by.Seq += int(n.A)
		case cil.NoteLSNShift:
			by.LSN += int(n.A)
		}
	}
	return by
}

// next is the base of the state after the step.
func (d *deed) next() cil.Base {
	by := d.lowering()
	return cil.Base{Seq: d.base.Seq + by.Seq, LSN: d.base.LSN + by.LSN}
}

// tell puts a step into words.
func (t *teller) tell(number int, d *deed) Step {
	st := Step{
		Number:   number,
		Task:     t.m.TaskName(d.mv.Task),
		Outcome:  Certain,
		Function: t.function(d.before, d.mv.Task),
		Changes:  t.changes(d),
	}
	if d.outcomes > 1 {
		st.Outcome = d.mv.Outcome
	}
	for _, tag := range d.mv.Tags() {
		st.Tags = append(st.Tags, cil.TagName(tag))
	}
	for _, n := range d.mv.Notes() {
		if n.Kind == cil.NoteWoken {
			st.Woken = addNew(st.Woken, t.m.TaskName(int(n.A)))
		}
	}
	st.Notes = t.notes(d)
	if d.after.Task[d.mv.Task].Wait != 0 {
		st.Sleeps = t.waitsFor(d.after, d.mv.Task)
	}
	return st
}

// function is the kernel function that the task is in. A kworker without work
// is about to start one.
func (t *teller) function(s *cil.State, task int) string {
	name := cil.FunctionName(s.Task[task].PC)
	if first := len(t.m.Scripts); name == "" && task >= first && task < first+int(t.m.Workers) {
		return "xlog_cil_push_work"
	}
	return name
}

// waitsFor is what a task sleeps on.
func (t *teller) waitsFor(s *cil.State, task int) string {
	f := t.byName[fieldName{cil.GroupTask, task, "waits for"}]
	return t.m.Text(f, f.Value(s), cil.Base{})
}

// changes are the shared fields that have another value after the step, not
// counting that relative numbers were lowered.
func (t *teller) changes(d *deed) []Change {
	by, next := d.lowering(), d.next()
	var changes []Change
	for _, f := range t.shared {
		old, was := t.before(f, d.before, by)
		is := f.Value(d.after)
		if lowered(f.Kind, was, by) == is {
			continue
		}
		changes = append(changes, Change{
			Object: t.m.ObjectName(f, next), Field: f.Name,
			Old: t.text(old, was, d.base), New: t.text(f, is, next),
		})
	}
	return append(changes, t.leaving(d, by)...)
}

// before finds the value of a field before the step. The object may have had
// another place then; one that had none was not in use.
func (t *teller) before(f *cil.Field, s *cil.State, by cil.Base) (*cil.Field, uint8) {
	at := f.Index
	switch f.Group {
	case cil.GroupCtx, cil.GroupWork:
		at += by.Seq
	case cil.GroupDisk:
		at += by.LSN
	}
	if old := t.byName[fieldName{f.Group, at, f.Name}]; old != nil {
		return old, old.Value(s)
	}
	return f, 0
}

// leaving tells the last change of what the step forgot: checkpoints leave the
// state only once they are freed, log writes once they are stable.
func (t *teller) leaving(d *deed, by cil.Base) []Change {
	var changes []Change
	for _, f := range t.shared {
		var last uint8
		switch {
		case f.Kind == cil.KindLife && f.Index < by.Seq:
			last = cil.Freed
		case f.Kind == cil.KindStability && f.Index < by.LSN:
			last = cil.Stable
		default:
			continue
		}
		if was := f.Value(d.before); was != last {
			changes = append(changes, Change{
				Object: t.m.ObjectName(f, d.base), Field: f.Name,
				Old: t.text(f, was, d.base), New: t.text(f, last, d.base),
			})
		}
	}
	return changes
}

// lowered is what becomes of a value when relative numbers are lowered.
func lowered(k cil.Kind, v uint8, by cil.Base) uint8 {
	n := 0
	switch k {
	case cil.KindSeq, cil.KindCtxRef:
		n = by.Seq
	case cil.KindLSN:
		n = by.LSN
	}
	if v < cil.FirstSeq {
		return v
	}
	return uint8(max(int(v)-n, int(cil.GoneSeq)))
}

// text is a value for people. What is older than the first checkpoint or log
// write of all is the kernel's 0.
func (t *teller) text(f *cil.Field, v uint8, b cil.Base) string {
	first := false
	switch f.Kind {
	case cil.KindSeq, cil.KindCtxRef:
		first = b.Seq == cil.FirstBase.Seq
	case cil.KindLSN:
		first = b.LSN == cil.FirstBase.LSN
	}
	if first && v == cil.GoneSeq {
		v = cil.NoSeq
	}
	return t.m.Text(f, v, b)
}

// notes puts the other notes of a step into words.
func (t *teller) notes(d *deed) []string {
	var notes []string
	for _, n := range d.mv.Notes() {
		if text := t.note(d, n); text != "" {
			notes = addNew(notes, text)
		}
	}
	return notes
}

// note is the text of a note, or "" for one that is told otherwise.
func (t *teller) note(d *deed, n statespace.Note) string {
	seq := func() int { return int(n.A) - int(cil.FirstSeq) + d.base.Seq }
	switch n.Kind {
	case cil.NoteWoken, cil.NoteSeqShift, cil.NoteLSNShift, cil.NoteSpliced:
		return ""
	case cil.NoteReturned:
		return noteReturns + cil.OpKind(n.A).String() + ": " + t.returned(d, n)
	case cil.NoteOwn:
		return "" // said with what returned
	case cil.NoteDeclined:
		return noteDeclines
	case cil.NoteWriteFailed:
		return fmt.Sprintf("%s%d", noteWriteFails, int(n.A)-int(cil.FirstLSN)+d.base.LSN)
	case cil.NoteReads:
		return fmt.Sprintf("%sctx %d", noteReads, seq())
	case cil.NoteSamples:
		return fmt.Sprintf("%s%d", noteSamples, n.A)
	case cil.NoteAssert:
		return noteAssert + cil.AssertName(n.A)
	case cil.NoteUseAfterFree:
		return fmt.Sprintf("%sctx %d", noteUseAfterFree, seq())
	case cil.NoteCompleted:
		if n.B != 0 {
			return fmt.Sprintf("%sctx %d", noteAborts, seq())
		}
		return fmt.Sprintf("%sctx %d", noteCompletes, seq())
	case cil.NoteNotPinned:
		return fmt.Sprintf("%sbuffer%d", noteNotPinned, n.A)
	case cil.NoteFlushFailed:
		return fmt.Sprintf("%siclog%d", noteFlushFails, n.A)
	case cil.NoteTornDown:
		if n.A == cil.TornAIL {
			return noteTornDown + "AIL"
		}
		return noteTornDown + "CIL"
	case cil.NoteGathered:
		return fmt.Sprintf("%s%s of ctx %d", noteGathers, gathered[n.B], seq()) + t.left(d, n.A)
	case cil.NoteShrunk:
		if n.B == 0 {
			return ""
		}
		return fmt.Sprintf("%sctx %d what it does not have", noteTakesOff, seq())
	case cil.NoteQueuedAgain:
		return fmt.Sprintf("%spush_work %d", noteQueuesAgain, seq())
	case cil.NoteCommitSetAgain:
		return fmt.Sprintf("%sctx %d commit_lsn", noteSetsAgain, seq())
	}
	return fmt.Sprintf("%s%d: %d %d", noteOther, n.Kind, n.A, n.B)
}

// returned is the result of an operation, and the newest checkpoint that its
// success promises to be durable.
func (t *teller) returned(d *deed, n statespace.Note) string {
	if n.B != 0 {
		return "EIO"
	}
	if cil.OpKind(n.A).Sync() {
		for _, own := range d.mv.Notes() {
			if own.Kind == cil.NoteOwn && own.A >= cil.FirstSeq {
				return fmt.Sprintf("success, which promises ctx %d", int(own.A)-int(cil.FirstSeq)+d.base.Seq)
			}
		}
	}
	return "success"
}

// left says on which CPUs in the mask of a context a push leaves items.
func (t *teller) left(d *deed, seq cil.Seq) string {
	var cpus []string
	for i := range d.before.CPU[:t.m.CPUs] {
		if d.before.Ctx[seq-cil.FirstSeq].CPUs&(1<<i) != 0 && d.after.CPU[i].Items > 0 {
			cpus = append(cpus, fmt.Sprintf("cpu%d", i))
		}
	}
	if cpus == nil {
		return ""
	}
	return ", leaves those on " + strings.Join(cpus, ", ")
}

// gathered is what a push took off the lists, by the value of NoteGathered.
var gathered = [...]string{"all items", "only a part of the items", "more than the items", "another space than the items take"}

// addNew adds a text that is not there yet.
func addNew(texts []string, text string) []string {
	if slices.Contains(texts, text) {
		return texts
	}
	return append(texts, text)
}
