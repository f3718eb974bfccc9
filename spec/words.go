package spec

import (
	"fmt"
	"strconv"
	"strings"
)

// Size says how large a scenario is checked.
type Size uint8

const (
	// Check is the size that is exhausted for every variant, in minutes.
	Check Size = iota
	// Soak is a larger size, for a machine with time.
	Soak
	// NumSizes counts the sizes.
	NumSizes
)

var sizeNames = []string{"check", "soak"}

func (s Size) String() string {
	if s < NumSizes {
		return sizeNames[s]
	}
	return fmt.Sprintf("Size(%d)", uint8(s))
}

// ParseSize is the inverse of Size.String.
func ParseSize(s string) (Size, error) {
	i, err := parseWord("size", s, sizeNames)
	return Size(i), err
}

// Policy is the kind of a Scheduler.
type Policy uint8

const (
	// Any lets any enabled task go next: all interleavings.
	Any Policy = iota
	// Cooperative has a number of CPUs; a task that runs keeps its CPU until it
	// blocks or ends, as in a kernel without preemption.
	Cooperative
	// Priority has one CPU, on which a real-time (SCHED_FIFO) task is never
	// preempted by an ordinary one.
	Priority
)

// MaxCPUs bounds the CPUs of a cooperative scheduler: with more, every task has
// its own.
const MaxCPUs = MaxTasks

// A Scheduler says which of the enabled tasks may go next. The zero value is
// "any". Equal schedulers are equal values.
type Scheduler struct {
	// Policy is the kind of scheduler.
	Policy Policy
	// CPUs is the number of CPUs of a cooperative scheduler, otherwise 0.
	CPUs int
}

// String is the spelling of scenario files and of the command line.
func (s Scheduler) String() string {
	switch s.Policy {
	case Any:
		return "any"
	case Cooperative:
		return fmt.Sprintf("cooperative(%d)", s.CPUs)
	case Priority:
		return "priority"
	}
	return fmt.Sprintf("Scheduler(%d)", uint8(s.Policy))
}

// ParseScheduler is the inverse of Scheduler.String.
func ParseScheduler(s string) (Scheduler, error) {
	switch s {
	case "any":
		return Scheduler{}, nil
	case "priority":
		return Scheduler{Policy: Priority}, nil
	}
	if rest, ok := strings.CutPrefix(s, "cooperative("); ok {
		digits, closed := strings.CutSuffix(rest, ")")
		n, err := strconv.Atoi(digits)
		if closed && err == nil && strconv.Itoa(n) == digits && n >= 1 && n <= MaxCPUs {
			return Scheduler{Policy: Cooperative, CPUs: n}, nil
		}
		return Scheduler{}, fmt.Errorf("scheduler %q: expected cooperative(n) with n CPUs, 1 to %d", s, MaxCPUs)
	}
	return Scheduler{}, fmt.Errorf("unknown scheduler %q: expected any, cooperative(n) or priority", s)
}

// End is a way in which a scenario may end: what may remain when nothing moves
// any more. An end that a scenario does not allow is a stuck state.
type End uint8

const (
	// EndDone: every task has finished.
	EndDone End = iota
	// EndFrozen: tasks may sleep while the workqueues are frozen, because the
	// freezer may never thaw them.
	EndFrozen
	// EndThrottled: after a shutdown a committer may sleep on xc_push_wait,
	// which no step of the shutdown wakes (cil.md#5.3).
	EndThrottled
)

var endNames = []string{"done", "frozen", "throttled-after-shutdown"}

func (e End) String() string {
	if int(e) < len(endNames) {
		return endNames[e]
	}
	return fmt.Sprintf("End(%d)", uint8(e))
}

// ParseEnd is the inverse of End.String.
func ParseEnd(s string) (End, error) {
	i, err := parseWord("end", s, endNames)
	return End(i), err
}

// parseWord returns the index of s among names.
func parseWord(what, s string, names []string) (int, error) {
	for i, name := range names {
		if name == s {
			return i, nil
		}
	}
	return 0, fmt.Errorf("unknown %s %q%s", what, s, hint(s, names))
}

// hint ends the message about an unknown word: the known word that is nearest,
// or all of them.
func hint(word string, known []string) string {
	best, least := "", 3 // more than two changes are another word
	for _, k := range known {
		if n := Distance(word, k); n < least && n < len(k) {
			best, least = k, n
		}
	}
	if best != "" {
		return fmt.Sprintf(": did you mean %q?", best)
	}
	if n := len(known); n > 1 {
		return ": expected " + strings.Join(known[:n-1], ", ") + " or " + known[n-1]
	}
	return ": expected " + strings.Join(known, "")
}

// Distance is the number of bytes to insert, delete or replace to turn a into b:
// small for a word and its misspelling.
func Distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost = 1 + min(diagonal, row[j], row[j+1])
			}
			diagonal, row[j+1] = row[j+1], cost
		}
	}
	return row[len(b)]
}

// Count is a number with what it counts: one is the word for 1, many for others.
func Count[N int | uint64](n N, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
