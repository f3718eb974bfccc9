package wq

import (
	"math/bits"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// instance is one queueing of a work, from QueueWork to Retire.
type instance struct {
	work    int
	started bool
	worker  int
}

// reference is the queue told naively: every queueing is an instance of its own,
// and a flush waits for the instances that exist when it is called.
type reference struct {
	instances []*instance
	flushes   map[int][]*instance
}

func (r *reference) pending(w int) bool {
	for _, i := range r.instances {
		if i.work == w && !i.started {
			return true
		}
	}
	return false
}

func (r *reference) running() int {
	n := 0
	for _, i := range r.instances {
		if i.started {
			n++
		}
	}
	return n
}

// A random history of one queue: it agrees with the naive one on what is
// pending, how many run, and which flushes still wait.
func TestQueueAgainstInstances(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		maxActive := rapid.IntRange(1, 3).Draw(t, "max_active")
		var q Queue
		ref := &reference{flushes: map[int][]*instance{}}
		for range 60 {
			act(t, &q, ref, maxActive)
			compare(t, &q, ref, maxActive)
		}
	})
}

func act(t *rapid.T, q *Queue, ref *reference, maxActive int) {
	w, f := rapid.IntRange(0, 3).Draw(t, "work"), rapid.IntRange(0, 2).Draw(t, "flusher")
	switch rapid.SampledFrom([]string{"queue", "start", "retire", "flush", "flush work", "freeze", "thaw"}).Draw(t, "act") {
	case "queue":
		if q.QueueWork(w, maxActive) == ref.pending(w) {
			t.Fatalf("QueueWork(%d) succeeds although pending is %v", w, ref.pending(w))
		}
		if !ref.pending(w) {
			ref.instances = append(ref.instances, &instance{work: w})
		}
	case "start":
		start(t, q, ref)
	case "retire":
		retire(t, q, ref, maxActive)
	case "flush":
		if len(ref.flushes[f]) == 0 {
			ref.flushes[f] = append([]*instance(nil), ref.instances...)
			if waits := q.Flush(f); waits != (len(ref.instances) > 0) {
				t.Fatalf("Flush waits: %v with %d instances", waits, len(ref.instances))
			}
		}
	case "flush work":
		if len(ref.flushes[f]) == 0 {
			flushWork(t, q, ref, f, w)
		}
	case "freeze":
		q.Freeze()
	case "thaw":
		q.Thaw(maxActive)
	}
}

func start(t *rapid.T, q *Queue, ref *reference) {
	worker := -1
	for k := range q.Worker[:3] {
		if q.Worker[k] == 0 {
			worker = k
		}
	}
	set := q.Startable()
	if set == 0 || worker < 0 {
		return
	}
	var works []int
	for ; set != 0; set &= set - 1 {
		works = append(works, bits.TrailingZeros8(set))
	}
	w := rapid.SampledFrom(works).Draw(t, "claimed")
	for _, i := range ref.instances {
		if i.work == w && i.started {
			t.Fatalf("work %d would run twice at once", w)
		}
	}
	q.Start(w, worker)
	for _, i := range ref.instances {
		if i.work == w && !i.started {
			i.started, i.worker = true, worker
		}
	}
}

func retire(t *rapid.T, q *Queue, ref *reference, maxActive int) {
	for n, i := range ref.instances {
		if !i.started {
			continue
		}
		ref.instances = append(ref.instances[:n:n], ref.instances[n+1:]...)
		var want uint32
		for f, waits := range ref.flushes {
			before := len(waits)
			ref.flushes[f] = without(waits, i)
			if before > 0 && len(ref.flushes[f]) == 0 {
				want |= 1 << f
			}
		}
		if got := q.Retire(i.worker, maxActive); got != want {
			t.Fatalf("Retire completes flushers %b, want %b", got, want)
		}
		return
	}
}

func flushWork(t *rapid.T, q *Queue, ref *reference, f, w int) {
	var last *instance
	for _, i := range ref.instances {
		if i.work == w && (last == nil || !i.started) {
			last = i
		}
	}
	if last != nil {
		ref.flushes[f] = []*instance{last}
	}
	if waits := q.FlushWork(f, w); waits != (last != nil) {
		t.Fatalf("FlushWork(%d) waits: %v", w, waits)
	}
}

func without(list []*instance, gone *instance) []*instance {
	var rest []*instance
	for _, i := range list {
		if i != gone {
			rest = append(rest, i)
		}
	}
	return rest
}

func compare(t *rapid.T, q *Queue, ref *reference, maxActive int) {
	type view struct {
		Pending [4]bool
		Running int
		Waiting [3]bool
	}
	var got, want view
	for w := range got.Pending {
		got.Pending[w], want.Pending[w] = q.Work[w].Pending != 0, ref.pending(w)
	}
	got.Running, want.Running = q.Running(), ref.running()
	for f := range got.Waiting {
		got.Waiting[f], want.Waiting[f] = q.FlushWorks[f]|q.FlushRuns[f] != 0, len(ref.flushes[f]) > 0
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("(-naive +queue):\n%s", diff)
	}
	if q.Active() > maxActive && q.Frozen == 0 {
		t.Fatalf("%d active works, max_active is %d", q.Active(), maxActive)
	}
	if q.Frozen == 0 && q.Active() < maxActive && q.inactive() > 0 {
		t.Fatal("a work is inactive although a slot is free")
	}
}

// Inactive works become active in the order in which they were queued.
func TestInactiveWorksAreFirstInFirstOut(t *testing.T) {
	var q Queue
	for _, w := range []int{3, 1, 2, 0} {
		q.QueueWork(w, 1)
	}
	for _, want := range []int{3, 1, 2, 0} {
		if set := q.Startable(); set != 1<<want {
			t.Fatalf("startable %b, want work %d alone", set, want)
		}
		q.Start(want, 0)
		q.Retire(0, 1)
	}
}

// A frozen queue starts no new work, and a flush of it waits until thaw.
func TestFreeze(t *testing.T) {
	var q Queue
	q.Freeze()
	q.QueueWork(0, 4)
	if q.Startable() != 0 {
		t.Error("a work starts while frozen")
	}
	if !q.Flush(0) {
		t.Error("a flush does not wait for the frozen work")
	}
	q.Thaw(4)
	if q.Startable() != 1 {
		t.Error("the work does not start after thaw")
	}
}

// Shift renumbers works, executions and what flushes wait for.
func TestShift(t *testing.T) {
	var q Queue
	q.QueueWork(0, 4)
	q.Start(0, 1)
	q.QueueWork(1, 4)
	q.Flush(2)
	q.Shift()
	if q.Worker[1] != Gone || q.Work[0].Pending != 1 || q.FlushWorks[2] != 1 || q.FlushRuns[2] != 1<<1 {
		t.Errorf("after Shift: %+v", q)
	}
	if done := q.Retire(1, 4); done != 0 {
		t.Errorf("flusher completed by %b although a work is queued", done)
	}
	q.Start(0, 0)
	if done := q.Retire(0, 4); done != 1<<2 {
		t.Errorf("completed %b, want flusher 2", done)
	}
}
