package statespace

// Status says what a task did when it was asked for its next step.
type Status uint8

const (
	// Moved: the step was taken and the state changed in place. The new state
	// may equal the old one (a self loop).
	Moved Status = iota
	// Blocked: the task has more to do but cannot take a step in this state: it
	// sleeps, waits for a lock, or the scheduler does not let it run. The state
	// is unchanged.
	Blocked
	// Done: the task has nothing to do in this state. Others may give it work
	// later, so Done need not be final. The state is unchanged.
	Done
)

// MaxTasks is the largest number of tasks of a model: sets of tasks are kept in
// one 64-bit word.
const MaxTasks = 64

// A Model is a system of concurrent tasks over states of type S. S is a plain
// value of fixed size: no pointers, no maps, equal states are equal bytes.
//
// The explorer owns every state it passes; a model keeps no reference to one.
// All methods must be deterministic, and safe to call from several goroutines
// with distinct arguments.
type Model[S any] interface {
	// Init passes every initial state to yield, in a fixed order.
	Init(yield func(*S))
	// Tasks is the number of tasks, from 1 to MaxTasks.
	Tasks() int
	// Step applies the next step of the task to *s, in place, and reports what
	// it did to mv. A step with several outcomes asks mv.Choose; the explorer
	// calls Step again on a fresh copy for each. A step must not touch *s when
	// it returns Blocked or Done.
	Step(s *S, task int, mv *Move) Status
	// Words is the number of 64-bit words of a packed state.
	Words() int
	// Pack writes *s to words. It returns an error when a value of the state
	// does not fit its place: the search then ends with that error.
	Pack(s *S, words []uint64) error
	// Unpack is the inverse of Pack; it overwrites all of *s.
	Unpack(words []uint64, s *S)
}

// Tag names something a step passed through; the model gives it its meaning.
// Tags are below MaxTags.
type Tag uint16

// MaxTags bounds the tags of a model, so that coverage is a fixed array.
const MaxTags = 512

// Mark is a set of facts about a step that the analyses of the stored graph
// need. The explorer keeps one byte of marks with every transition.
type Mark uint8

const (
	// Return: the task finished one of its operations. A cycle with a Return of
	// the task neither spins nor starves it.
	Return Mark = 1 << iota
	// Slept: the task went to sleep in this step (on a wait queue, a completion or
	// a lock that was not free).
	Slept
	// FirstFree is the first of the marks that a model may use as it likes.
	FirstFree
)

// A Note is a fact about a step that the state does not hold, for properties
// and traces: an assertion that failed, a task that was woken, a value
// returned. The model gives kinds and values their meaning.
type Note struct {
	Kind uint8
	A, B uint8
}

// Bounds of one step. Exceeding one panics inside Step, which the explorer
// reports as a *ModelError.
const (
	maxChoices   = 8
	maxStepTags  = 48
	maxStepNotes = 48
	// maxAlternatives keeps an alternative in a byte; a larger number would wrap
	// and lose outcomes in silence.
	maxAlternatives = 255
)

// A Move collects what one step did. The explorer reuses it: copy what is to be
// kept.
type Move struct {
	// Task is the task that moves.
	Task int
	// Outcome numbers the outcomes of the step from 0, in the order in which
	// they are enumerated.
	Outcome int
	// Marks are the facts the graph analyses need.
	Marks Mark

	truncated string
	chosen    [maxChoices]uint8
	among     [maxChoices]uint8
	nchosen   uint8 // choices made so far by this call of Step
	nforced   uint8 // choices whose value the enumeration fixes
	ntags     uint8
	nnotes    uint8
	tags      [maxStepTags]Tag
	notes     [maxStepNotes]Note
}

// Choose asks for one of n alternatives, 0 to n-1, of a step with several
// outcomes. The same calls must be made when the step is taken again from the
// same state.
func (m *Move) Choose(n int) int {
	if n <= 1 {
		return 0
	}
	if n > maxAlternatives {
		panic("statespace: Choose among too many alternatives")
	}
	i := m.nchosen
	m.nchosen++
	if i >= m.nforced {
		m.chosen[i] = 0
		m.nforced++
	}
	m.among[i] = uint8(n)
	return int(m.chosen[i])
}

// Tag says that the step passed t.
func (m *Move) Tag(t Tag) {
	m.tags[m.ntags] = t
	m.ntags++
}

// Tags are the tags passed, in order; valid until the Move is used again.
func (m *Move) Tags() []Tag { return m.tags[:m.ntags] }

// Note records a fact about the step.
func (m *Move) Note(kind, a, b uint8) {
	m.notes[m.nnotes] = Note{kind, a, b}
	m.nnotes++
}

// Notes are the facts recorded, in order; valid until the Move is used again.
func (m *Move) Notes() []Note { return m.notes[:m.nnotes] }

// Truncate says that the successor lies beyond a bound of the model (it ran out
// of slots, say): the explorer drops it and the search counts as not exhausted
// for the reason given.
func (m *Move) Truncate(reason string) { m.truncated = reason }

// Truncated is the reason given to Truncate, or "".
func (m *Move) Truncated() string { return m.truncated }

// begin prepares m for the first outcome of a step of task.
func (m *Move) begin(task int) {
	m.Task, m.Outcome = task, 0
	m.nforced = 0
	m.rewind()
}

// rewind prepares m for one call of Step with the choices fixed so far.
func (m *Move) rewind() {
	m.Marks, m.truncated = 0, ""
	m.nchosen, m.ntags, m.nnotes = 0, 0, 0
}

// next moves on to the next outcome and reports whether there is one.
func (m *Move) next() bool {
	for i := int(m.nchosen) - 1; i >= 0; i-- {
		if m.chosen[i]+1 < m.among[i] {
			m.chosen[i]++
			m.nforced = uint8(i) + 1
			m.Outcome++
			m.rewind()
			return true
		}
	}
	return false
}
