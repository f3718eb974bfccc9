package cil

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"cilcheck/statespace"
	"cilcheck/wq"
)

// reducedFields are the fields that symmetry.go and early.go were written for. A
// new one of the state or of a script must be renumbered, swapped or compared by
// Canonical if it names a task, a kworker, an iclog or an inode. A new one of the
// configuration or the variant must leave the reasons of Early true, shutsDown
// and sound included. When it is so, add it here.
var reducedFields = map[reflect.Type][]string{
	reflect.TypeFor[State](): {"Ctx", "XcCtx", "Current", "PushSeq", "Stable", "Empty", "Committing", "Readers", "Writer",
		"PushLock", "IclogLock", "Iclog", "Head", "NextLSN", "Disk", "DiskTail", "AILHead", "Started", "Shutdown", "CPU", "Buf", "AIL", "Grant", "Torn", "PCPSpace", "Wq", "Inode", "Logged",
		"Returned", "Async", "Task"},
	reflect.TypeFor[Task](): {"PC", "Frame", "Wait", "Rank", "OnCPU", "Op", "Left", "Seq", "Lsn", "Iclog", "Pos", "First",
		"Ctx", "List", "Work", "White", "Rest", "Space", "Args", "Local", "Own", "Data"},
	reflect.TypeFor[Ctx]():      {"Life", "Space", "Start", "Commit", "Iclog", "Next", "CbNext", "Inodes", "Queued", "CPUs", "Joined", "Bufs", "Fail", "OnAIL", "White"},
	reflect.TypeFor[Iclog]():    {"State", "Ref", "Offset", "Flags", "Cb", "Lsn", "Sema", "FUA", "Late", "Tail", "Early"},
	reflect.TypeFor[wq.Queue](): {"Work", "Worker", "Frozen", "FlushWorks", "FlushRuns"},
	reflect.TypeFor[wq.Work]():  {"Pending", "Place", "Rank"},
	reflect.TypeFor[Script]():   {"Name", "Ops", "Times", "Start", "Inode", "Size", "Buffer", "CPU", "FIFO"},
	reflect.TypeFor[Op]():       {"Kind", "Inode", "Size", "Shrink", "Overrun", "Buffer", "Hold", "Whiteout", "CPU"},
	reflect.TypeFor[Config](): {"Iclogs", "IclogUnits", "Contexts", "LSNs", "Soft", "Hard", "MaxActive", "Workers",
		"CPUs", "Tail", "LogUnits", "IOEndWorkers", "LogIOError", "DataFlushError", "ExternalLog", "Scripts"},
	reflect.TypeFor[Variant](): {"Flush", "Wait", "StableOR", "ForceStarted", "RecheckShutdown", "IOErrorAnyway", "RingNewest",
		"TailInserted", "UnmountDrain", "IclogErrors", "Without", "Faults"},
}

// What only options use is zero elsewhere, and a system with options is not reduced.
func TestReductionsKnowEveryField(t *testing.T) {
	for typ, want := range reducedFields {
		var got []string
		for i := range typ.NumField() {
			got = append(got, typ.Field(i).Name)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s has the fields\n%q, the reductions were written for\n%q", typ, got, want)
		}
	}
}

// alikeMachine has two classes of scripts with inodes of their own and a shared
// one, three kworkers and three iclogs.
func alikeMachine(t *testing.T, fine bool) *Machine {
	t.Helper()
	fsync := func(name string, own uint8) Script {
		return Script{Name: name, Times: 2, Start: StartCurrent, Inode: own, Size: 1,
			Ops: []Op{{Kind: OpCommit, Inode: 7, Size: 2}, {Kind: OpFsync, Inode: own}, {Kind: OpFsync, Inode: 7}}}
	}
	m, err := New(Config{
		Iclogs: 3, IclogUnits: 3, Contexts: 6, LSNs: 9, Soft: 3, Hard: 8, MaxActive: 4, Workers: 3,
		Scripts: []Script{
			fsync("a", 0), {Name: "f", Times: 1, Ops: []Op{{Kind: OpLogForce}}},
			fsync("b", 1), {Name: "g", Times: 1, Ops: []Op{{Kind: OpLogForce}}}, fsync("c", 2),
			{Name: "other", Times: 2, Ops: []Op{{Kind: OpLogForce}}},
		},
	}, Variant{}, fine)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestAlikeScripts(t *testing.T) {
	m := alikeMachine(t, false)
	if want := [][]int{{0, 2, 4}, {1, 3}}; !reflect.DeepEqual(m.alike.classes, want) {
		t.Errorf("classes %v, want %v", m.alike.classes, want)
	}
	if want := []uint8{2}; !slices.Equal(m.alike.own[4], want) {
		t.Errorf("own inodes %v, want %v", m.alike.own[4], want)
	}
}

// All states of an orbit have one representative: exchange parts that are alike
// at random.
func TestCanonicalIsUnique(t *testing.T) {
	for _, fine := range []bool{false, true} {
		m := alikeMachine(t, fine)
		rng := rand.New(rand.NewPCG(1, 2))
		moved := 0
		for range 60 {
			walk(m, rng, 400, func(s *State) {
				other := *s
				m.shuffle(&other, rng)
				if other != *s {
					moved++
				}
				rep := *s
				m.Canonical(&rep)
				m.Canonical(&other)
				if rep != other {
					t.Fatalf("fine %v: two representatives of one orbit:\n%+v\n%+v", fine, rep, other)
				}
			})
		}
		if moved < 10000 {
			t.Errorf("fine %v: only %d states were changed by an exchange", fine, moved)
		}
	}
}

// Two kworkers whose works are forgotten may differ only in who waits for them.
func TestCanonicalOrdersTwins(t *testing.T) {
	m := alikeMachine(t, false)
	rng := rand.New(rand.NewPCG(3, 4))
	for range 1000 {
		s := m.Init()
		for w := range int(m.Workers) {
			s.Task[m.firstWorker+w].PC = pcRetire
			s.Wq.Worker[w] = wq.Gone
		}
		for _, f := range []int{0, 2, 4} {
			s.Wq.FlushRuns[f] = uint8(rng.IntN(8))
			s.Task[f].Wait = waitFlush
		}
		other := s
		m.shuffle(&other, rng)
		m.Canonical(&s)
		m.Canonical(&other)
		if s != other {
			t.Fatalf("two representatives of one orbit: %v %v, %v %v",
				s.Wq.FlushRuns, s.Inode, other.Wq.FlushRuns, other.Inode)
		}
	}
}

// shuffle exchanges parts that are alike.
func (m *Machine) shuffle(s *State, rng *rand.Rand) {
	m.turn(s, rng.IntN(int(m.Iclogs)))
	for range 4 {
		m.swapWorkers(s, rng.IntN(int(m.Workers)), rng.IntN(int(m.Workers)))
		for _, class := range m.alike.classes {
			m.swapScripts(s, class[rng.IntN(len(class))], class[rng.IntN(len(class))])
		}
	}
}

// walk takes random steps from the initial state.
func walk(m *Machine, rng *rand.Rand, steps int, visit func(*State)) {
	s := m.Init()
	for range steps {
		visit(&s)
		var next []State
		statespace.Successors(walker{m}, &s, func(_ statespace.Choice, to *State, mv *statespace.Move) {
			if mv.Truncated() == "" {
				next = append(next, *to)
			}
		})
		if len(next) == 0 {
			return
		}
		s = next[rng.IntN(len(next))]
	}
}

// walker is a machine as a model.
type walker struct{ *Machine }

func (w walker) Init(yield func(*State)) {
	s := w.Machine.Init()
	yield(&s)
}
