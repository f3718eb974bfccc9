package statespace

import "sync"

// A team is the workers of one level at work. Workers take blocks of states in
// order, and work on them at the same time; finished batches are committed in
// order, by one worker at a time. So everything is found in the order in which
// a single worker would find it.
type team[S any] struct {
	e          *explorer[S]
	first, end int // the states of the level

	mu      sync.Mutex
	changed sync.Cond
	free    []*batch[S]
	done    map[int]*batch[S] // finished and not committed, by number
	taken   int               // batches handed out
	turn    int               // the batch to be committed next
	busy    bool              // somebody commits
	stopped bool
	fault   error
}

// batchesPerWorker lets a worker run ahead of one that takes longer.
const batchesPerWorker = 4

// level expands the states from first to end.
func (e *explorer[S]) level(first, end int) error {
	t := &team[S]{e: e, first: first, end: end, done: map[int]*batch[S]{}}
	t.changed.L = &t.mu
	workers := max(1, min(e.o.Workers, (end-first+e.block-1)/e.block))
	batches := 1
	if workers > 1 {
		batches = workers * batchesPerWorker
	}
	for len(e.batches) < batches {
		e.batches = append(e.batches, e.newBatch())
	}
	for len(e.recent) < workers {
		e.recent = append(e.recent, newRecent(e.words, e.graph != nil))
	}
	t.free = append(t.free, e.batches[:batches]...)
	var others sync.WaitGroup
	for i := range workers - 1 {
		others.Go(func() { t.work(i + 1) })
	}
	t.work(0)
	others.Wait()
	return t.fault
}

// work takes, runs and delivers batches until there are none left.
func (t *team[S]) work(worker int) {
	for {
		b, err := t.take()
		if err == nil && b != nil {
			b.recent = t.e.recent[worker]
			b.run()
			err = t.deliver(b)
		}
		if err != nil {
			t.stop(err)
		}
		if b == nil || err != nil {
			return
		}
	}
}

// stop ends the level with an error, unless it has one.
func (t *team[S]) stop(err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.fault == nil {
		t.fault = err
	}
	t.stopped = true
	t.changed.Broadcast()
}

// take hands out the next block; nil if there is none.
func (t *team[S]) take() (*batch[S], error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for len(t.free) == 0 && !t.stopped {
		t.changed.Wait()
	}
	first := t.first + t.taken*t.e.block
	if t.stopped || first >= t.end {
		return nil, nil
	}
	b := t.free[len(t.free)-1]
	t.free = t.free[:len(t.free)-1]
	b.number = t.taken
	t.taken++
	return b, b.load(first, min(t.e.block, t.end-first), first-t.first)
}

// load fetches the states of a batch: n from first on, which is number place of
// its level.
func (b *batch[S]) load(first, n, place int) (err error) {
	b.refs = b.refs[:0]
	if b.e.set != nil {
		b.refs, err = b.e.frontier.read(b.refs, place, n)
		return err
	}
	for i := first; i < first+n; i++ {
		b.refs = append(b.refs, uint64(i))
	}
	return nil
}

// deliver takes a finished batch, and commits it with those that waited for
// it, unless somebody else is about to.
func (t *team[S]) deliver(b *batch[S]) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.done[b.number] = b
	if t.busy {
		return nil
	}
	t.busy = true
	for !t.stopped && t.done[t.turn] != nil {
		next := t.done[t.turn]
		delete(t.done, t.turn)
		t.mu.Unlock()
		goOn := false
		err := t.e.guard(func() (err error) {
			goOn, err = t.e.commit(next)
			return err
		})
		t.mu.Lock()
		if t.fault == nil {
			t.fault = err
		}
		t.stopped = t.stopped || !goOn
		t.turn++
		t.free = append(t.free, next)
		t.changed.Broadcast()
	}
	t.busy = false
	return nil
}
