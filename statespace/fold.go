package statespace

// A folder turns packed states into single keys and back, without loss (tree
// compression). The words of a state are numbered by a dictionary of all words
// that occur; pairs of numbers make words again, which the same dictionary
// numbers, and so on, until one pair is left: the key. A step changes few
// words, so almost all nodes of a state's tree are shared with other states,
// and a state costs little more than its key. A state has at least two words.
//
// One goroutine may add while others fold.
type folder struct {
	words int
	pairs [][2]int // of nodes: words come first, then pairs; the last is the root
	dict  *index
}

func newFolder(words int) *folder {
	f := &folder{words: words, dict: newIndex(1)}
	f.halve(0, words)
	return f
}

// halve makes the tree of the words from first to end, and returns its node. The
// halves of every node are about as long: a long one, beside a single word, would
// be new with most states.
func (f *folder) halve(first, end int) int {
	if end-first == 1 {
		return first
	}
	middle := (first + end + 1) / 2
	left, right := f.halve(first, middle), f.halve(middle, end)
	f.pairs = append(f.pairs, [2]int{left, right})
	return f.words + len(f.pairs) - 1
}

// fold is the key of the state in t.words, given a state that is like it, or
// nil: where the two agree nothing is looked up. It is not known if a node is not
// in the dictionary.
func (f *folder) fold(t, like *folding) (key uint64, known bool) {
	return f.build(t, like, f.dict.findKey)
}

// add is fold with what is missing added; reserve must have made room.
func (f *folder) add(t, like *folding) (key uint64) {
	key, _ = f.build(t, like, func(key uint64) (uint32, bool) {
		n, _ := f.dict.insertKey(key)
		return n, true
	})
	return key
}

// build numbers the nodes of t from the words on.
func (f *folder) build(t, like *folding, number func(uint64) (uint32, bool)) (key uint64, known bool) {
	for i, w := range t.words {
		if like != nil && w == like.words[i] {
			t.nodes[i] = like.nodes[i]
		} else if t.nodes[i], known = number(w); !known {
			return 0, false
		}
	}
	root := len(f.pairs) - 1
	for i, p := range f.pairs[:root] {
		a, b := t.nodes[p[0]], t.nodes[p[1]]
		if like != nil && a == like.nodes[p[0]] && b == like.nodes[p[1]] {
			t.nodes[f.words+i] = like.nodes[f.words+i]
		} else if t.nodes[f.words+i], known = number(pair(a, b)); !known {
			return 0, false
		}
	}
	p := f.pairs[root]
	return pair(t.nodes[p[0]], t.nodes[p[1]]), true
}

func pair(a, b uint32) uint64 { return uint64(a)<<32 | uint64(b) }

// unfold writes the state of a key to t.
func (f *folder) unfold(key uint64, t *folding) {
	for i := len(f.pairs) - 1; i >= 0; i-- {
		if i < len(f.pairs)-1 {
			key = f.dict.at(t.nodes[f.words+i])
		}
		t.nodes[f.pairs[i][0]] = uint32(key >> 32)
		t.nodes[f.pairs[i][1]] = uint32(key)
	}
	for i := range t.words {
		t.words[i] = f.dict.at(t.nodes[i])
	}
}

// perState bounds the nodes that one state can add.
func (f *folder) perState() int { return f.words + len(f.pairs) - 1 }

// reserve makes room for the nodes of so many states.
func (f *folder) reserve(states int) { f.dict.reserve(states * f.perState()) }
