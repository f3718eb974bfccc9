package statespace

import "sync"

// A team is the workers of one level at work. Workers take blocks of states in
// order, and work on them at the same time; finished batches are committed in
// order, each by the worker that ran it, for it has in its cache what they touch.
// So everything is found in the order in which a single worker would find it.
type team[S any] struct {
	e          *explorer[S]
	first, end int // the states of the level

	mu      sync.Mutex
	changed sync.Cond
	taken   int // batches handed out
	turn    int // the batch to be committed next
	stopped bool
	fault   error
}

// batchesPerWorker lets a worker run ahead of one that takes longer.
const batchesPerWorker = 8

// level expands the states from first to end.
func (e *explorer[S]) level(first, end int) error {
	t := &team[S]{e: e, first: first, end: end}
	t.changed.L = &t.mu
	workers := max(1, min(e.o.Workers, (end-first+e.block-1)/e.block))
	batches := 1
	if workers > 1 {
		batches = batchesPerWorker
	}
	for len(e.batches) < workers*batches {
		e.batches = append(e.batches, e.newBatch())
	}
	for len(e.recent) < workers {
		e.recent = append(e.recent, newRecent(e.words, e.graph != nil))
	}
	var others sync.WaitGroup
	for i := range workers - 1 {
		others.Go(func() { t.work(e.batches[(i+1)*batches:(i+2)*batches], e.recent[i+1]) })
	}
	t.work(e.batches[:batches], e.recent[0])
	others.Wait()
	return t.fault
}

// work takes, runs and commits batches until there are none left. It uses its own
// in turn: those from done on, before ran, are finished and not committed.
func (t *team[S]) work(own []*batch[S], recent *recent) {
	for done, ran := 0, 0; ; {
		var next *batch[S] // the one that it must commit first
		if done < ran {
			next = own[done%len(own)]
		}
		free := own[ran%len(own)]
		if ran-done == len(own) {
			free = nil
		}
		switch b := t.choose(next, free); {
		case b == nil:
			return
		case b == next:
			t.commit(b)
			done++
		default:
			b.recent = recent
			b.run()
			ran++
		}
	}
}

// choose waits for something to do: to commit next, when it is its turn, or to
// run free, which it then loads with states. Either may be nil. It returns nil at
// the end.
func (t *team[S]) choose(next, free *batch[S]) *batch[S] {
	t.mu.Lock()
	defer t.mu.Unlock()
	for !t.stopped {
		first := t.first + t.taken*t.e.block
		switch {
		case next != nil && next.number == t.turn:
			return next
		case free != nil && first < t.end:
			free.number = t.taken
			t.taken++
			if err := free.load(first, min(t.e.block, t.end-first), first-t.first); err != nil {
				t.stop(err, false)
				return nil
			}
			return free
		case next == nil:
			return nil
		}
		t.changed.Wait()
	}
	return nil
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

// commit commits a batch whose turn it is.
func (t *team[S]) commit(b *batch[S]) {
	goOn := false
	err := t.e.guard(func() (err error) {
		goOn, err = t.e.commit(b)
		return err
	})
	t.mu.Lock()
	defer t.mu.Unlock()
	t.turn++
	t.stop(err, goOn)
}

// stop ends the level unless it goes on, and tells the others that something has
// changed. The lock must be held.
func (t *team[S]) stop(err error, goOn bool) {
	if t.fault == nil {
		t.fault = err
	}
	t.stopped = t.stopped || !goOn
	t.changed.Broadcast()
}
