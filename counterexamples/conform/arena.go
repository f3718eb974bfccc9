package conform

// An arena hands out nodes and takes them back all at once. Nodes are large and
// short-lived: with it a check makes no garbage.
type arena struct {
	blocks [][]node
	used   int
}

// blockSize is the number of nodes that an arena grows by.
const blockSize = 64

// copy returns a copy of n that lives until the next reset.
func (a *arena) copy(n *node) *node {
	block := a.used / blockSize
	if block == len(a.blocks) {
		a.blocks = append(a.blocks, make([]node, blockSize))
	}
	p := &a.blocks[block][a.used%blockSize]
	a.used++
	*p = *n
	return p
}

func (a *arena) reset() { a.used = 0 }

// nodes is a set of nodes in the order in which they were found.
type nodes struct {
	list []*node
	has  map[node]struct{} // built only when the set is large
}

// fewNodes is up to where comparing with every member is cheaper than a map.
const fewNodes = 24

// add adds a node and reports whether it was not in the set.
func (ns *nodes) add(n *node) bool {
	if ns.contains(n) {
		return false
	}
	ns.list = append(ns.list, n)
	if len(ns.list) == fewNodes {
		ns.has = map[node]struct{}{}
		for _, m := range ns.list {
			ns.has[*m] = struct{}{}
		}
	} else if ns.has != nil {
		ns.has[*n] = struct{}{}
	}
	return true
}

func (ns *nodes) contains(n *node) bool {
	if ns.has != nil {
		_, ok := ns.has[*n]
		return ok
	}
	for _, m := range ns.list {
		if *m == *n {
			return true
		}
	}
	return false
}

func (ns *nodes) reset() {
	ns.list, ns.has = ns.list[:0], nil
}
