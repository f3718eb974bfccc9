package statespace

import "sync"

// A team is the workers of one level at work. Workers take blocks of states in
// order, and expand them at the same time; finished batches are committed in
// order, each by the worker that ran it, for it has in its cache what they touch.
// So everything is found in the order in which a single worker would find it.
//
// Where the store is a set, a batch that is expanded is submitted to the shards.
// Each of them takes the batches in order, too, but does not wait for the others.
// A worker mostly enters keys in the same shards, which are then in its cache.
// When all shards have taken its part, a batch is settled, and then committed. What
// cannot be done beside others, because a limit is near or the search must be
// saved, is done with a batch that is alone: all before it are committed, and none
// after it is submitted.
type team[S any] struct {
	e          *explorer[S]
	first, end int // the states of the level
	workers    int
	batches    []*batch[S] // those on their way; the place of one is its number modulo their number

	mu      sync.Mutex
	changed sync.Cond
	taken   int // batches handed out
	entering
	turn    int // the batch to be committed next
	stopped bool
	fault   error
}

// batchesPerWorker lets a worker run ahead of one that takes longer.
const batchesPerWorker = 8

// level expands the states from first to end.
func (e *explorer[S]) level(first, end int) error {
	t := &team[S]{e: e, first: first, end: end}
	t.changed.L, t.room = &t.mu, e.roomBeside()
	t.workers = max(1, min(e.o.Workers, (end-first+e.block-1)/e.block))
	batches := 1
	if t.workers > 1 {
		batches = batchesPerWorker
	}
	for len(e.batches) < t.workers*batches {
		e.batches = append(e.batches, e.newBatch())
	}
	for len(e.recent) < t.workers {
		e.recent = append(e.recent, newRecent(e.words, e.graph != nil))
	}
	t.batches = make([]*batch[S], t.workers*batches)
	var others sync.WaitGroup
	for i := range t.workers {
		w := &worker[S]{team: t, id: i, own: e.batches[i*batches : (i+1)*batches], recent: e.recent[i]}
		if i < t.workers-1 {
			others.Go(w.work)
		} else {
			w.work()
		}
	}
	others.Wait()
	return t.fault
}

// A worker expands states, enters keys in shards and commits its batches, which it
// uses in turn: its n-th is one of its own, n modulo their number.
type worker[S any] struct {
	*team[S]
	id     int
	own    []*batch[S]
	recent *recent
	claims []claim // shards that it is at
	sum    uint64  // keeps the reads of touch from being optimised away

	ran, sent, settled, committed int // how many batches it has run, submitted, and so on
}

// A job is what a worker does next.
type job uint8

const (
	leave job = iota
	expand
	submit
	enterAlone
	enterShards
	settle
	commit
)

// work does what there is to do until nothing is left.
func (w *worker[S]) work() {
	for {
		switch w.choose() {
		case leave:
			return
		case expand:
			b := w.nth(w.ran)
			b.recent = w.recent
			b.run()
			w.ran++
			if w.e.set == nil {
				w.sent, w.settled = w.ran, w.ran
			}
		case submit:
			w.submit(w.nth(w.sent))
			w.sent++
		case enterAlone:
			w.enterAlone(w.nth(w.sent))
			w.sent++
		case enterShards:
			w.enterShards()
		case settle:
			w.nth(w.settled).settle()
			w.settled++
		case commit:
			w.commit(w.nth(w.committed))
			w.committed++
		}
	}
}

// nth is the batch that was the worker's n-th.
func (w *worker[S]) nth(n int) *batch[S] { return w.own[n%len(w.own)] }

// choose waits for something to do. What lets others go on comes first.
func (w *worker[S]) choose() job {
	w.mu.Lock()
	defer w.mu.Unlock()
	for w.fault == nil && !(w.stopped && w.e.set == nil) {
		switch {
		case w.committed < w.settled && w.nth(w.committed).number == w.turn:
			return commit
		case w.settled < w.sent && w.passed(w.nth(w.settled).number):
			return settle
		case w.claim(w.id):
			return enterShards
		case w.sent < w.ran && w.maySubmit(w.nth(w.sent)):
			if w.alone {
				return enterAlone
			}
			return submit
		case w.ran-w.committed < len(w.own) && w.take(w.nth(w.ran)):
			return expand
		case w.done():
			return leave
		case w.claim(anyWorker):
			return enterShards
		}
		if w.fault == nil {
			w.changed.Wait()
		}
	}
	return leave
}

// done says whether nothing is left to do for the worker. The lock must be held.
func (w *worker[S]) done() bool {
	switch {
	case w.e.set == nil:
		return w.committed == w.ran
	case w.stopped:
		return w.turn == w.submitted
	}
	return w.turn == w.taken
}

// take loads a batch with the next states, if there are any. The lock must be held.
func (t *team[S]) take(b *batch[S]) bool {
	first := t.first + t.taken*t.e.block
	if t.stopped || first >= t.end {
		return false
	}
	b.number = t.taken
	t.batches[b.number%len(t.batches)] = b
	t.taken++
	if err := b.load(first, min(t.e.block, t.end-first), first-t.first); err != nil {
		t.stop(err, false)
	}
	return !t.stopped
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
	room := t.e.roomBeside()
	t.mu.Lock()
	defer t.mu.Unlock()
	t.turn++
	t.room = room
	if t.e.set != nil {
		t.pending -= len(b.hashes)
	}
	t.alone = false
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
