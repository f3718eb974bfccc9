package statespace

// An entering is how far the keys of a level are entered in a set.
type entering struct {
	submitted int // the batch to be submitted next
	shards    [shardCount]shardState
	alone     bool // the batch submitted last is alone, and not committed
	pending   int  // keys of the batches that are submitted and not committed
	room      int  // for so many keys, beside those of the batches committed
}

// A shardState is how far a shard is.
type shardState struct {
	turn int  // the batch whose part it takes next
	busy bool // a worker is at it
}

// A claim is a shard that a worker takes a part of a batch to, or makes grow.
type claim struct {
	shard int
	batch int  // its number
	some  bool // there is such a batch
}

// roomBeside is how many keys may be entered in the set without looking at a limit.
func (e *explorer[S]) roomBeside() int {
	if e.set == nil {
		return 0
	}
	room := e.watch.limits.States - e.states()
	if !e.watch.mayHold(e.memory() + e.set.growth() + besides) {
		room = min(room, e.set.spare())
	}
	return room
}

// besides is for the memory that batches on their way need beside the set.
const besides = 1 << 20

// maySubmit says whether it is a batch's turn to be submitted. If it must be alone,
// it waits until it can, and says that it is. The lock must be held.
func (t *team[S]) maySubmit(b *batch[S]) bool {
	switch {
	case b.number != t.submitted || t.alone || t.stopped:
		return false
	case b.fault != nil || t.pending+len(b.hashes) <= t.room && !t.e.saveDue() && t.e.growthFor(b) == 0:
		return true
	}
	t.alone = t.turn == b.number && !t.busy()
	return t.alone
}

// submit passes a batch to the shards.
func (t *team[S]) submit(b *batch[S]) {
	if b.fault == nil && t.e.fold != nil {
		for place, s := range b.succ {
			if s.form() == strange {
				t.e.acquaint(b, int32(place), int32(place))
				b.dealOne(place, b.hashes[place])
			}
		}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.pending += len(b.hashes)
	t.submitted++
	t.changed.Broadcast()
}

// enterAlone enters all keys of a batch that is alone, as far as the limits allow.
func (t *team[S]) enterAlone(b *batch[S]) {
	if err := t.e.enterAlone(b); err != nil && b.fault == nil {
		b.fault = err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.pending += len(b.hashes)
	t.submitted++
	for i := range t.shards {
		t.shards[i].turn++
	}
	t.changed.Broadcast()
}

func (e *explorer[S]) enterAlone(b *batch[S]) error {
	if e.states()+len(b.hashes) > e.watch.limits.States {
		if b.again(); b.fault != nil {
			return nil
		}
	}
	b.alone = true
	if ok, err := e.makeRoom(b); !ok || err != nil {
		b.refused = true
		return err
	}
	place, level := int32(0), len(e.levels)
	for i, s := range b.succ {
		if s.form() == same {
			continue
		}
		_, added, err := e.admit(b, int32(i), place, level)
		if err != nil {
			return err
		}
		if added {
			b.fresh = append(b.fresh, fresh{succ: int32(i), place: place})
		}
		place++
	}
	return nil
}

// anyWorker claims the shards of all.
const anyWorker = -1

// claim claims the shards of a worker that have something to take, and says whether
// there are any. The lock must be held.
func (w *worker[S]) claim(worker int) bool {
	if w.claims = w.claims[:0]; w.e.set == nil || w.alone {
		return false
	}
	for i := range w.shards {
		s := &w.shards[i]
		if (worker == anyWorker || i%w.workers == worker) && !s.busy && (s.turn < w.submitted || w.e.set.behind(i)) {
			s.busy = true
			w.claims = append(w.claims, claim{i, s.turn, s.turn < w.submitted})
		}
	}
	return len(w.claims) > 0
}

// enterShards takes parts of batches to the shards claimed.
func (w *worker[S]) enterShards() {
	e, level := w.e, len(w.e.levels)
	for i := range w.claims {
		c := &w.claims[i]
		e.set.catchUp(c.shard)
		if c.some {
			w.sum += e.set.shards[c.shard].touch(w.part(c).hashes)
		}
	}
	for i := range w.claims {
		if c := &w.claims[i]; c.some {
			w.part(c).enter(e.set.shards[c.shard], level, func() { e.set.grow(c.shard) })
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	for i := range w.claims {
		c := &w.claims[i]
		s := &w.shards[c.shard]
		s.busy = false
		if c.some {
			s.turn++
		}
	}
	w.changed.Broadcast()
}

// part is what is to be taken to a shard.
func (w *worker[S]) part(c *claim) *part {
	return &w.batches[c.batch%len(w.batches)].parts[c.shard]
}

// busy says whether a worker is at a shard. The lock must be held.
func (t *team[S]) busy() bool {
	for i := range t.shards {
		if t.shards[i].busy {
			return true
		}
	}
	return false
}

// passed says whether all shards have taken a batch. The lock must be held.
func (t *team[S]) passed(batch int) bool {
	for i := range t.shards {
		if t.shards[i].turn <= batch {
			return false
		}
	}
	return true
}
