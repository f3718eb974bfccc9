package cil

// Locks are queued: they grant in arrival order, as the kernel's do in effect. In the
// coarse mode a spinlock is never held between two steps, so only the sleeping
// locks xc_ctx_lock and ic_sema have waiters there.

func (r *run) owner(l lock) *uint8 {
	if l == pushLock {
		return &r.s.PushLock
	}
	return &r.s.IclogLock
}

func (r *run) holds(l lock) bool { return *r.owner(l) == uint8(r.id)+1 }

func (r *run) holdsSpinlock() bool { return r.holds(pushLock) || r.holds(iclogLock) }

// lock takes a spinlock, or joins its queue and reports false.
func (r *run) lock(l lock) bool {
	owner := r.owner(l)
	if *owner != 0 {
		marks := r.mv.Marks
		r.queue(waitPushLock+(l-pushLock), r.t.PC)
		r.mv.Marks = marks // spinning is not a sleep
		return false
	}
	*owner = uint8(r.id) + 1
	return true
}

// unlock releases the spinlock that the task holds and hands it to the first
// that waits.
func (r *run) unlock() {
	l := pushLock
	if r.holds(iclogLock) {
		l = iclogLock
	}
	owner := r.owner(l)
	*owner = 0
	if next := r.dequeue(waitPushLock + (l - pushLock)); next >= 0 {
		*owner = uint8(next) + 1
	}
}

// queue puts the task at the end of the queue of a lock.
func (r *run) queue(w wait, pc Label) {
	r.sleepOn(w, pc)
	r.t.Rank = 1
	for i := range r.s.Task[:r.m.tasks] {
		if i != r.id && sameQueue(r.s.Task[i].Wait, w) {
			r.t.Rank++
		}
	}
}

// sameQueue: readers and writers of xc_ctx_lock wait in one queue.
func sameQueue(a, b wait) bool {
	return a == b || (a == waitCtxRead || a == waitCtxWrite) && (b == waitCtxRead || b == waitCtxWrite)
}

// first returns the task at the head of the queue of w, or -1.
func (r *run) first(w wait) int {
	for i := range r.s.Task[:r.m.tasks] {
		if t := &r.s.Task[i]; t.Rank == 1 && sameQueue(t.Wait, w) {
			return i
		}
	}
	return -1
}

// dequeue wakes the task at the head of a lock's queue and returns it, or -1.
func (r *run) dequeue(w wait) int {
	task := r.first(w)
	if task < 0 {
		return -1
	}
	r.wake(task)
	for i := range r.s.Task[:r.m.tasks] {
		if t := &r.s.Task[i]; t.Rank > 0 && sameQueue(t.Wait, w) {
			t.Rank--
		}
	}
	return task
}

// downRead takes xc_ctx_lock for read; a waiting writer stops later readers.
func (r *run) downRead(pc Label) {
	if r.s.Writer != 0 || r.first(waitCtxRead) >= 0 {
		r.queue(waitCtxRead, pc)
		return
	}
	r.s.Readers++
	r.t.PC = pc
}

func (r *run) upRead() {
	r.s.Readers--
	r.grantCtx()
}

// downWrite takes xc_ctx_lock for write.
func (r *run) downWrite(pc Label) {
	if r.s.Writer != 0 || r.s.Readers > 0 || r.first(waitCtxWrite) >= 0 {
		r.queue(waitCtxWrite, pc)
		return
	}
	r.s.Writer = uint8(r.id) + 1
	r.t.PC = pc
}

func (r *run) upWrite() {
	r.s.Writer = 0
	r.grantCtx()
}

// grantCtx hands xc_ctx_lock to the waiters that may have it, in order.
func (r *run) grantCtx() {
	for r.s.Writer == 0 {
		task := r.first(waitCtxRead)
		if task < 0 {
			return
		}
		if r.s.Task[task].Wait == waitCtxWrite {
			if r.s.Readers == 0 {
				r.s.Writer = uint8(r.dequeue(waitCtxWrite)) + 1
			}
			return
		}
		r.dequeue(waitCtxRead)
		r.s.Readers++
	}
}

// downSema takes ic_sema of iclog i.
func (r *run) downSema(i int, pc Label) {
	if r.s.Iclog[i].Sema != 0 {
		r.queue(waitSema+wait(i), pc)
		return
	}
	r.s.Iclog[i].Sema = 1
	r.t.PC = pc
}

// upSema releases ic_sema of iclog i, or hands it to the first that waits.
func (r *run) upSema(i int) {
	if r.dequeue(waitSema+wait(i)) < 0 {
		r.s.Iclog[i].Sema = 0
	}
}
