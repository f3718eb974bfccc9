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
	if b.recent != nil && e.states()+len(b.fresh) > e.watch.limits.States {
		b.again()
	}
	if goOn, err = e.makeRoom(b); !goOn || err != nil {
		return false, err
	}
	dropped, err := e.arrive(b)
	if err != nil {
		return false, err
	}
	if e.graph != nil {
		e.storeRows(b)
	}
	e.transitions += b.steps - dropped
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
	if e.set != nil {
		e.frontier.drop(len(b.rows))
	}
	if e.watch.reason != "" || !e.watch.tick(e.fillProgress) {
		return false, nil
	}
	return true, e.saveAfter()
}

// makeRoom makes room for all of a batch but the keys of its states, if it may.
func (e *explorer[S]) makeRoom(b *batch[S]) (bool, error) {
	strangers := 0
	for i := range b.fresh {
		if b.succ[b.fresh[i].succ].form() == strange {
			strangers++
		}
	}
	growth := int64(0)
	if e.fold != nil {
		growth += e.fold.dict.growth(strangers * e.fold.perState())
	}
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
	if e.fold != nil {
		e.fold.reserve(strangers)
	}
	if e.numbers != nil {
		e.numbers.reserve(len(b.fresh))
	}
	return true, nil
}

// arrive adds the successors of a batch that are new. Those for which there may
// be no room are dropped, and counted.
func (e *explorer[S]) arrive(b *batch[S]) (dropped int, err error) {
	level := len(e.levels)
	remarks := b.stateRemarks
	for i := range b.fresh {
		f := &b.fresh[i]
		key, hash, far := b.keyOf(f.place), b.hashes[f.place], int(f.far)
		if e.set != nil && e.set.scale != b.scale {
			far = 0
		}
		if b.succ[f.succ].form() == strange {
			copy(b.into.words, b.wordsOf(f.place))
			key = e.addKey(&b.into, &b.from[b.succ[f.succ].row()])
			hash, far = hashKey(key[0]), 0
		}
		ref, added, err := e.admit(key, hash, far, level)
		if err != nil {
			return 0, err
		}
		if ref == nowhere {
			dropped++
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
	return dropped, nil
}

// admit enters a state, if a limit does not forbid it and it is not known.
func (e *explorer[S]) admit(key []uint64, hash uint64, far, level int) (ref uint64, added bool, err error) {
	if e.watch.reason == "" && e.states() < e.watch.limits.States {
		ref, added, err = e.enter(key, hash, far, level)
		if e.watch.reason == "" || err != nil {
			return ref, added, err
		}
	}
	if ref, known := e.refOf(key, hash); known {
		return ref, false, nil
	}
	e.watch.stop(StateLimit)
	return nowhere, false, nil
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
