package statespace

// A store holds the states that a search has seen, each under a key: the packed
// state or, in a compact store, what it is folded into. Two states are the same
// when their keys are.
//
// A store that has to number the states, because the transitions between them
// are stored, keeps the keys in an index; so does one whose keys have several
// words. Another keeps a set of keys, which is smaller. What a search knows a
// state by, its ref, is its number or, in a set, the key.
type store struct {
	words   int     // of a packed state
	fold    *folder // of a compact store
	set     *shardset
	numbers *index
}

func newStore(words int, numbered, compact bool) store {
	s := store{words: words}
	if compact && words > 1 {
		s.fold = newFolder(words)
	}
	if numbered || s.keyWords() > 1 {
		s.numbers = newIndex(s.keyWords())
	} else {
		f := roomy
		if s.fold != nil { // to find the key takes longer than to find its place
			f = dense
		}
		s.set = newShardset(f)
	}
	return s
}

// keyWords is the number of words of a key.
func (s *store) keyWords() int {
	if s.fold != nil {
		return 1
	}
	return s.words
}

// A folding is a packed state with what it is folded into.
type folding struct {
	words []uint64
	nodes []uint32 // of words, then of pairs; that of the root is not used
	root  [1]uint64
}

func (s *store) newFolding() folding { return s.newFoldings(1)[0] }

// newFoldings makes n foldings that one goroutine writes: they share no cache
// line with those of another.
func (s *store) newFoldings(n int) []folding {
	const slack = cacheLine / 8
	nodes := 0
	if s.fold != nil {
		nodes = s.words + len(s.fold.pairs)
	}
	words := make([]uint64, slack+n*s.words+slack)[slack:]
	numbers := make([]uint32, 2*slack+n*nodes+2*slack)[2*slack:]
	list := make([]folding, n)
	for i := range list {
		list[i].words, words = words[:s.words:s.words], words[s.words:]
		list[i].nodes, numbers = numbers[:nodes:nodes], numbers[nodes:]
	}
	return list
}

// cacheLine is the bytes of memory that processors pass on together, or more.
const cacheLine = 128

// states is how many states there are.
func (s *store) states() int {
	if s.numbers != nil {
		return s.numbers.n
	}
	return s.set.n
}

// addKey is the key of the state in t, which is like another one or, if that is
// nil, like none. What is new of it is entered; room for that must have been
// made.
func (s *store) addKey(t, like *folding) []uint64 {
	if s.fold == nil {
		return t.words
	}
	t.root[0] = s.fold.add(t, like)
	return t.root[:]
}

// read writes the state with a key to t.
func (s *store) read(key []uint64, t *folding) {
	if s.fold == nil {
		copy(t.words, key)
		return
	}
	s.fold.unfold(key[0], t)
}

// readRef writes a state to t.
func (s *store) readRef(ref uint64, t *folding) {
	if s.numbers != nil {
		s.read(s.numbers.row(uint32(ref)), t)
		return
	}
	s.read([]uint64{ref}, t)
}

// find returns the ref of the state in t, if the store has it.
func (s *store) find(t *folding) (ref uint64, found bool) {
	if s.fold == nil {
		return s.refOf(t.words, hashState(t.words))
	}
	if t.root[0], found = s.fold.fold(t, nil); !found {
		return 0, false
	}
	return s.refOf(t.root[:], hashKey(t.root[0]))
}

// refOf returns the ref of the state with a key, if the store has it.
func (s *store) refOf(key []uint64, hash uint64) (ref uint64, found bool) {
	if s.numbers != nil {
		n, found := s.numbers.find(key, hash)
		return uint64(n), found
	}
	return key[0], s.set.has(hash)
}

// bytes is the memory the store holds.
func (s *store) bytes() int64 {
	size := int64(0)
	if s.fold != nil {
		size = s.fold.dict.bytes()
	}
	if s.numbers != nil {
		return size + s.numbers.bytes()
	}
	return size + s.set.bytes()
}

// load is how full the table of keys is.
func (s *store) load() float64 {
	if s.numbers != nil {
		return s.numbers.load()
	}
	return s.set.load()
}

// rlock keeps the tables that several workers read from growing until runlock.
func (s *store) rlock() {
	if s.fold != nil {
		s.fold.dict.RLock()
	}
	if s.numbers != nil {
		s.numbers.RLock()
	}
}

func (s *store) runlock() {
	if s.fold != nil {
		s.fold.dict.RUnlock()
	}
	if s.numbers != nil {
		s.numbers.RUnlock()
	}
}

// each calls f for the packed states, in any order, until it fails.
func (s *store) each(f func(words []uint64) error) error {
	t := s.newFolding()
	if s.numbers != nil {
		for i := range s.numbers.n {
			s.readRef(uint64(i), &t)
			if err := f(t.words); err != nil {
				return err
			}
		}
		return nil
	}
	return s.set.all(func(key uint64) error {
		s.readRef(key, &t)
		return f(t.words)
	})
}
