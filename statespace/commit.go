package statespace

// nowhere is the ref of a successor that was dropped.
const nowhere = 1<<64 - 1

// commit adds what a batch has found. Batches are committed in order, one at a
// time. It reports whether the search goes on.
func (e *explorer[S]) commit(b *batch[S]) (goOn bool, err error) {
	if b.fault != nil {
		e.at = b.at
		return false, b.fault
	}
	if e.set == nil {
		goOn, err = e.enterNumbers(b)
	} else {
		goOn, err = e.enterKeys(b)
	}
	if err != nil || b.refused {
		return false, err
	}
	e.transitions += b.steps - b.dropped
	e.terminals += b.terminals
	e.expanded += len(b.rows)
	for tag, n := range b.coverage[:b.tags] {
		e.coverage[tag] += n
	}
	if e.truncated == "" {
		e.truncated = b.truncated
	}
	for i := range b.stepRemarks {
		r := &b.stepRemarks[i]
		e.remark(r, b.refs[r.at])
	}
	if !goOn || e.watch.reason != "" || !e.watch.tick(e.fillProgress) {
		return false, nil
	}
	if e.saveDue() && (e.set == nil || b.alone) {
		err = e.save()
	}
	return true, err
}

// enterNumbers enters the successors of a batch that are new into a store that
// numbers them, and the transitions to them.
func (e *explorer[S]) enterNumbers(b *batch[S]) (goOn bool, err error) {
	if b.recent != nil && e.states()+len(b.fresh) > e.watch.limits.States {
		b.again()
	}
	if goOn, err = e.makeRoom(b); !goOn || err != nil {
		b.refused = true
		return false, err
	}
	level := len(e.levels)
	remarks := b.stateRemarks
	for i := range b.fresh {
		f := &b.fresh[i]
		ref, added, err := e.admit(b, f.succ, f.place, level)
		if err != nil {
			return false, err
		}
		if e.graph != nil {
			b.to[f.succ] = ref
		}
		for ; len(remarks) > 0 && remarks[0].at == int32(i); remarks = remarks[1:] {
			if added {
				e.remark(&remarks[0], ref)
			}
		}
	}
	if e.graph != nil {
		e.storeRows(b)
	}
	return true, nil
}

// enterKeys does what is left to do about the successors of a batch that are in
// the set already.
func (e *explorer[S]) enterKeys(b *batch[S]) (goOn bool, err error) {
	if b.refused {
		return false, nil
	}
	for i := range b.fresh {
		if err := e.frontier.push(b.keyOf(b.fresh[i].place)[0]); err != nil {
			return false, err
		}
	}
	if !b.alone {
		for i := range b.parts {
			e.count(i, len(b.parts[i].fresh))
		}
	}
	for i := range b.stateRemarks {
		r := &b.stateRemarks[i]
		e.remark(r, b.keyOf(b.fresh[r.at].place)[0])
	}
	e.frontier.drop(len(b.rows))
	return e.room(0)
}

// count counts new keys in a shard, and the memory of all if they grow.
func (e *explorer[S]) count(shard, fresh int) {
	if grown, beside := e.set.count(shard, fresh); grown {
		e.watch.peak = max(e.watch.peak, e.memory()+beside)
	}
}

// growthFor is the memory that the dictionary needs for the strangers of a batch.
func (e *explorer[S]) growthFor(b *batch[S]) int64 {
	if b.strangers == 0 {
		return 0
	}
	return e.fold.dict.growth(b.strangers * e.fold.perState())
}

// makeRoom makes room for all of a batch but the keys of a set, if it may.
func (e *explorer[S]) makeRoom(b *batch[S]) (bool, error) {
	growth := e.growthFor(b)
	if e.numbers != nil {
		growth += e.numbers.growth(len(b.fresh))
	}
	if e.graph != nil {
		growth += e.graph.growth(len(b.rows), len(b.succ))
	}
	ok, err := e.room(growth)
	if !ok || err != nil {
		return false, err
	}
	if b.strangers > 0 {
		e.fold.reserve(b.strangers)
	}
	if e.numbers != nil {
		e.numbers.reserve(len(b.fresh))
	}
	return true, nil
}

// admit enters a successor, if a limit does not forbid it and it is not known. If
// there may be no room for it, it is dropped, and counted.
func (e *explorer[S]) admit(b *batch[S], succ, place int32, level int) (ref uint64, added bool, err error) {
	if b.succ[succ].form() == strange {
		e.acquaint(b, succ, place)
	}
	key, hash := b.keyOf(place), b.hashes[place]
	if e.watch.reason == "" && e.states() < e.watch.limits.States {
		ref, added, err = e.enter(key, hash, level)
		if e.watch.reason == "" || err != nil {
			return ref, added, err
		}
	}
	if ref, known := e.refOf(key, hash); known {
		return ref, false, nil
	}
	e.watch.stop(StateLimit)
	b.dropped++
	return nowhere, false, nil
}

// acquaint gives a stranger its key. There must be room for what is new of it.
func (e *explorer[S]) acquaint(b *batch[S], succ, place int32) {
	copy(b.into.words, b.wordsOf(place))
	key := e.addKey(&b.into, &b.from[b.succ[succ].row()])
	b.looked[place], b.hashes[place] = key[0], hashKey(key[0])
}

// storeRows adds the transitions of a batch to the graph.
func (e *explorer[S]) storeRows(b *batch[S]) {
	k := 0
	for _, row := range b.rows {
		for ; k < row.end; k++ {
			if b.to[k] != nowhere {
				e.graph.addEdge(uint32(b.to[k]), b.succ[k].task(), b.succ[k].marks())
			}
		}
		e.graph.endRow(row.blocked, row.cut)
	}
}
