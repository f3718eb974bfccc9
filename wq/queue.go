// Package wq is the Linux workqueue as its users see it: works that are queued,
// claimed by kworkers, run and retired, and flushes that wait for them. It
// knows no XFS.
//
// This is the abstract queue: active slots are counted over the whole queue,
// and a flush waits for exactly the works that were in flight when it was
// called (workqueue.md#G1; a real flush may wait for more, workqueue.md#G5,
// which only delays it). Pools, pool_workqueues and flush colours are below
// this interface and none of its callers' business.
//
// Read Queue first; every method is one section under the pool lock.
package wq

const (
	// MaxWorks bounds the work items of a queue.
	MaxWorks = 8
	// MaxWorkers bounds the kworkers that serve it.
	MaxWorkers = 8
	// MaxFlushers bounds the tasks that may wait in a flush.
	MaxFlushers = 32
)

// Place says where a queued work is.
type Place = uint8

const (
	// Off: the work is not queued.
	Off Place = iota
	// Inactive: queued, but without an active slot (workqueue.md#Q8).
	Inactive
	// Worklist: on the pool's worklist, waiting for a kworker.
	Worklist
)

// Work is one work item.
type Work struct {
	Pending uint8 // the PENDING bit: test-and-set by QueueWork, cleared by Start
	Place   Place
	Rank    uint8 // place in the FIFO of inactive works, from 1; 0 if not in it
}

// Gone stands in Queue.Worker for a work item that was freed and forgotten while
// its function still runs: the core only compares its address
// (workqueue.md#P3).
const Gone = MaxWorks + 1

// Queue is one workqueue. The zero value is an empty queue that is not frozen.
// Its fields are read by properties and written by its methods only.
type Queue struct {
	Work   [MaxWorks]Work
	Worker [MaxWorkers]uint8 // the work that a kworker executes, number+1; 0 if none
	Frozen uint8             // max_active is 0 for new activations

	// What the flush of each task waits for: queued works, and executions.
	FlushWorks [MaxFlushers]uint8
	FlushRuns  [MaxFlushers]uint8
}

// QueueWork is queue_work: it reports false, and does nothing, if the work is
// pending already (workqueue.md#Q1). Otherwise the work becomes active if a slot
// is free and nothing inactive is ahead of it, else inactive (workqueue.md#Q8).
func (q *Queue) QueueWork(w, maxActive int) bool {
	work := &q.Work[w]
	if work.Pending != 0 {
		return false
	}
	work.Pending = 1
	if n := q.inactive(); n > 0 || q.Frozen != 0 || q.Active() >= maxActive {
		work.Place, work.Rank = Inactive, uint8(n)+1
		return true
	}
	work.Place = Worklist
	return true
}

// Active counts the works that hold an active slot: on the worklist or running.
func (q *Queue) Active() int {
	n := 0
	for i := range q.Work {
		if q.Work[i].Place == Worklist {
			n++
		}
	}
	return n + q.Running()
}

// Running counts the works that are being executed.
func (q *Queue) Running() int {
	n := 0
	for _, w := range q.Worker {
		if w != 0 {
			n++
		}
	}
	return n
}

func (q *Queue) inactive() int {
	n := 0
	for i := range q.Work {
		if q.Work[i].Place == Inactive {
			n++
		}
	}
	return n
}

// Startable is the set of works that a kworker may claim: those on the worklist
// that are not being executed (a second instance waits behind the first,
// workqueue.md#W4).
func (q *Queue) Startable() uint8 {
	var set uint8
	for i := range q.Work {
		if q.Work[i].Place == Worklist {
			set |= 1 << i
		}
	}
	return set &^ q.executing()
}

// executing is the set of works that are being executed.
func (q *Queue) executing() uint8 {
	var set uint8
	for _, w := range q.Worker {
		if w != 0 && w != Gone {
			set |= 1 << (w - 1)
		}
	}
	return set
}

// Start is worker claiming w: off the list, busy, and PENDING cleared before the
// function runs (workqueue.md#P1 to workqueue.md#P3).
func (q *Queue) Start(w, worker int) {
	q.Work[w] = Work{}
	q.Worker[worker] = uint8(w) + 1
	for f := range q.FlushWorks {
		if q.FlushWorks[f]&(1<<w) != 0 {
			q.FlushWorks[f] &^= 1 << w
			q.FlushRuns[f] |= 1 << worker
		}
	}
}

// Retire is what worker does after the function has returned: it gives back the
// slot, which the oldest inactive work may take, and completes the flushes that
// waited for nothing else (workqueue.md#P5, workqueue.md#P6). It returns the set
// of flushers completed.
func (q *Queue) Retire(worker, maxActive int) (completed uint32) {
	q.Worker[worker] = 0
	q.activate(maxActive)
	for f := range q.FlushRuns {
		if q.FlushRuns[f]&(1<<worker) == 0 {
			continue
		}
		if q.FlushRuns[f] &^= 1 << worker; q.FlushRuns[f]|q.FlushWorks[f] == 0 {
			completed |= 1 << f
		}
	}
	return completed
}

// activate moves inactive works to the worklist, oldest first, while slots are
// free.
func (q *Queue) activate(maxActive int) {
	for q.Frozen == 0 && q.Active() < maxActive {
		first := -1
		for i := range q.Work {
			if q.Work[i].Rank == 1 {
				first = i
			}
		}
		if first < 0 {
			return
		}
		q.Work[first].Place = Worklist
		for i := range q.Work {
			if q.Work[i].Rank > 0 {
				q.Work[i].Rank--
			}
		}
	}
}

// Queued is the set of works that are queued and not started.
func (q *Queue) Queued() uint8 {
	var set uint8
	for i := range q.Work {
		if q.Work[i].Place != Off {
			set |= 1 << i
		}
	}
	return set
}

// Flush starts a flush_workqueue by flusher and reports whether it has to wait.
// It waits until every work in flight now has returned (workqueue.md#G1).
func (q *Queue) Flush(flusher int) bool {
	q.FlushWorks[flusher] = q.Queued()
	for worker, w := range q.Worker {
		if w != 0 {
			q.FlushRuns[flusher] |= 1 << worker
		}
	}
	return q.FlushWorks[flusher]|q.FlushRuns[flusher] != 0
}

// FlushWork starts a flush_work of w alone and reports whether it has to wait:
// for the queued instance if there is one, else for the executed one
// (workqueue.md#S2, workqueue.md#S3).
func (q *Queue) FlushWork(flusher, w int) bool {
	if q.Work[w].Place != Off {
		q.FlushWorks[flusher] = 1 << w
		return true
	}
	for worker, executed := range q.Worker {
		if int(executed) == w+1 {
			q.FlushRuns[flusher] = 1 << worker
			return true
		}
	}
	return false
}

// Freeze makes new works inactive until Thaw; active and running ones go on
// (workqueue.md section 9).
func (q *Queue) Freeze() { q.Frozen = 1 }

// Thaw ends Freeze and activates what waits.
func (q *Queue) Thaw(maxActive int) {
	q.Frozen = 0
	q.activate(maxActive)
}

// Shift forgets work 0, which must not be queued, and renumbers the others down
// by one.
func (q *Queue) Shift() {
	copy(q.Work[:], q.Work[1:])
	q.Work[MaxWorks-1] = Work{}
	for i, w := range q.Worker {
		switch w {
		case 0, Gone:
		case 1:
			q.Worker[i] = Gone
		default:
			q.Worker[i] = w - 1
		}
	}
	for f := range q.FlushWorks {
		q.FlushWorks[f] >>= 1
	}
}
