package conform

import (
	"hash/maphash"
	"unsafe"
)

// An arena hands out nodes, and lists of them, and takes them back all at once.
// Nodes are large and short-lived: with it a check makes no garbage.
type arena struct {
	tasks  int // that the machine has
	blocks [][]node
	used   int
	outs   []outcome
	list   []*node
}

// blockSize is the number of nodes that an arena grows by.
const blockSize = 64

// copy returns a copy of n that lives until the next reset. Threads beyond the
// machine's tasks are zero in all nodes.
func (a *arena) copy(n *node) *node {
	block := a.used / blockSize
	if block == len(a.blocks) {
		a.blocks = append(a.blocks, make([]node, blockSize))
	}
	p := &a.blocks[block][a.used%blockSize]
	a.used++
	p.s, p.base, p.lsn, p.ring = n.s, n.base, n.lsn, n.ring
	copy(p.threads[:a.tasks], n.threads[:a.tasks])
	return p
}

func (a *arena) reset() { a.used, a.outs, a.list = 0, a.outs[:0], a.list[:0] }

// nodes is a set of nodes in the order in which they were found.
type nodes struct {
	list  []*node
	sums  []uint64 // their hashes, once there are many
	table []int32  // by hash: a place in list, +1
}

// fewNodes is up to where comparing with every member is cheaper than hashing.
const fewNodes = 16

var hashSeed = maphash.MakeSeed()

func (n *node) sum() uint64 {
	return maphash.Bytes(hashSeed, unsafe.Slice((*byte)(unsafe.Pointer(n)), unsafe.Sizeof(*n)))
}

// add adds a node and reports whether it was not in the set.
func (ns *nodes) add(n *node) bool {
	if len(ns.list) < fewNodes {
		for _, m := range ns.list {
			if *m == *n {
				return false
			}
		}
		ns.list = append(ns.list, n)
		return true
	}
	if 2*len(ns.list) >= len(ns.table) {
		ns.grow()
	}
	sum := n.sum()
	place, found := ns.find(n, sum)
	if found {
		return false
	}
	ns.list, ns.sums = append(ns.list, n), append(ns.sums, sum)
	ns.table[place] = int32(len(ns.list))
	return true
}

// find gives the place of a node in the table, or the one where it belongs.
func (ns *nodes) find(n *node, sum uint64) (place int, found bool) {
	mask := len(ns.table) - 1
	for place = int(sum) & mask; ns.table[place] != 0; place = (place + 1) & mask {
		if i := ns.table[place] - 1; ns.sums[i] == sum && *ns.list[i] == *n {
			return place, true
		}
	}
	return place, false
}

// grow makes the table larger than twice the set, which holds no node twice.
func (ns *nodes) grow() {
	ns.table = make([]int32, max(8*fewNodes, 4*len(ns.table)))
	for i := len(ns.sums); i < len(ns.list); i++ {
		ns.sums = append(ns.sums, ns.list[i].sum())
	}
	for i, sum := range ns.sums {
		place, _ := ns.find(ns.list[i], sum)
		ns.table[place] = int32(i) + 1
	}
}

func (ns *nodes) reset() { ns.list, ns.sums, ns.table = ns.list[:0], ns.sums[:0], nil }
