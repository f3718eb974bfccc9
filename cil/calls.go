package cil

// frame is a call stack: a node of the static call tree. Every stack that can
// occur is known, since the modelled functions do not recurse, so a whole stack
// fits in one byte of the state.
type frame = uint8

// call says that the function of a label calls another.
type call struct {
	at     Label
	callee function
}

// calls says who calls whom: the function of label `at` calls callee and goes on
// at that label when it returns.
var calls = []call{
	{pcReturn, fnCommit}, {pcReturn, fnFsync}, {pcReturn, fnLogForce},
	{pcReturn, fnCilFlush}, {pcReturn, fnShutdown}, {pcReturn, fnFreezer},
	{pcC6, fnShutdown}, {pcB1, fnShutdown},
	{pcReturn, fnHotplug}, {pcReturn, fnDqflush}, {pcReturn, fnUnmount}, {pcReturn, fnXfsaild},
	{pcF2, fnPushNow},
	{pcA3, fnPushNow},
	{pcG2, fnForceSeq}, {pcG3b, fnForceIclog},
	{pcFS2, fnForceSeq}, {pcFL4, fnForceIclog},
	{pcFY4, fnLogForceSeq},
	{pcW11ordered, fnOrderWrite}, {pcW12, fnWrite},
	{pcW12ordered, fnOrderWrite}, {pcW12written, fnWrite},
	{pcW13waited, fnWaitOnIclog}, {pcW16, fnRelease},
	{pcAbort, fnShutdown}, {pcRetire, fnCommittedList}, {pcAB3released, fnRelease},
	{pcGI4released, fnRelease}, {pcX4released, fnRelease},
	{pcRI3, fnShutdownCallbacks}, {pcRI6up, fnDoneSyncing},
	{pcIE1, fnShutdown}, {pcIE4, fnDoneSyncing},
	{pcDC1c, fnCommittedList},
	{pcD3, fnLogForce}, {pcD8, fnShutdownCallbacks},
	{pcSC2, fnCommittedList},
}

// optionalCalls are those that only options of scenarios make.
var optionalCalls = []call{{pcDQ2, fnLogForce}, {pcUM2, fnLogForce}}

// node is one stack: where its top function returns to, and the stack below.
type node struct {
	ret    Label
	parent frame
	child  [numLabels]frame // the stack after a call that returns to a label
}

// tree holds every stack; node 0 is the empty one. The first baseFrames are those
// of systems without options.
var (
	tree       []node
	baseFrames int
)

// growTree builds the tree; it needs the table of labels.
func growTree() {
	tree = []node{{}}
	roots := []function{fnScript, fnPushWork, fnIOEnd}
	for _, root := range roots {
		grow(0, root)
	}
	baseFrames = len(tree)
	calls = append(calls, optionalCalls...)
	for _, root := range roots {
		grow(0, root)
	}
	if len(tree) > 256 {
		panic("cil: call tree does not fit a frame")
	}
}

// grow adds the stacks of every call that fn makes when it runs on stack f, and
// of the functions it tail-calls.
func grow(f frame, fn function) {
	for _, c := range calls {
		if labels[c.at].fn != fn {
			continue
		}
		child := tree[f].child[c.at]
		if child == 0 {
			child = frame(len(tree))
			tree = append(tree, node{ret: c.at, parent: f})
			tree[f].child[c.at] = child
		}
		grow(child, c.callee)
	}
	for _, callee := range tailCalls[fn] {
		grow(f, callee)
	}
}

// tailCalls are calls whose result is the caller's: the callee returns to the
// caller's caller.
var tailCalls = map[function][]function{
	fnCommit:      {fnLogForceSeq},
	fnForceIclog:  {fnRelease},
	fnLogForce:    {fnWaitOnIclog},
	fnLogForceSeq: {fnWaitOnIclog},
	fnCilFlush:    {fnLogForce},
	fnXfsaild:     {fnCilFlush},
}

// call enters the function that starts at label entry; it returns to ret.
func (r *run) call(entry, ret Label) {
	r.t.Frame = tree[r.t.Frame].child[ret]
	if r.t.Frame == 0 {
		panic("cil: call missing from the call tree")
	}
	r.t.PC = entry
}

// ret returns from the function on top of the stack.
func (r *run) ret() {
	n := &tree[r.t.Frame]
	r.t.PC, r.t.Frame = n.ret, n.parent
}
