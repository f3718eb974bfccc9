package statespace_test

import (
	"fmt"
	"testing"
	"time"

	"cilcheck/statespace"
	"cilcheck/statespace/internal/toys"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"
)

// An answer is everything that a search reports.
type answer struct {
	Exhausted                             bool
	Reason                                string
	States, Transitions, Depth, Terminals int
	Violations                            []statespace.Violation
	Exercised                             map[string]bool
	Maxima                                []statespace.Peak
	Longest                               []statespace.Length
	Coverage                              [statespace.MaxTags]uint64
	Error                                 string
}

// answerOf searches m with so many workers, which take blocks of so many states.
func answerOf[S any](m statespace.Model[S], o statespace.Options[S], workers, block int) answer {
	o.Workers = workers
	statespace.SetBlock(&o, block)
	r, err := statespace.Explore(m, o)
	if err != nil {
		return answer{Error: err.Error()}
	}
	return answer{
		r.Exhausted, r.Reason, r.States, r.Transitions, r.Depth, r.Terminals, r.Violations,
		r.Exercised, r.Maxima, r.Longest, *r.Coverage, "",
	}
}

// sameAnswers compares several numbers of workers with one, and compact searches
// with others.
func sameAnswers[S any](t rapid.TB, m statespace.Model[S], o statespace.Options[S], block int) {
	t.Helper()
	var wants [2]answer
	for i := range wants {
		o.Compact = i == 1
		wants[i] = answerOf(m, o, 0, block)
		for _, workers := range []int{1, 2, 3, 4, 8} {
			if diff := cmp.Diff(wants[i], answerOf(m, o, workers, block)); diff != "" {
				t.Fatalf("compact %v: %d workers (-one +more):\n%s", o.Compact, workers, diff)
			}
		}
	}
	numbering := cmpopts.IgnoreFields(statespace.Peak{}, "State")
	if diff := cmp.Diff(wants[0], wants[1], numbering); diff != "" {
		t.Fatalf("compact (-without +with):\n%s", diff)
	}
}

// TestWorkersOnToys: whatever the number of workers, the answer is the same.
func TestWorkersOnToys(t *testing.T) {
	consistent := twoPhaseOptions{
		Invariants: []statespace.Invariant[toys.TwoPhaseState]{{Name: "never all prepared", Holds: func(s *toys.TwoPhaseState) bool {
			return s.TMPrepared != 0b11111
		}}},
		Maxima: []statespace.Maximum[toys.TwoPhaseState]{{Name: "sent", Value: func(s *toys.TwoPhaseState) int { return int(s.Sent) }}},
	}
	for _, block := range []int{1, 4, 64} {
		t.Run(fmt.Sprint("blocks of ", block), func(t *testing.T) {
			sameAnswers(t, toys.TwoPhase{N: 5}, consistent, block)
			sameAnswers(t, toys.TwoPhase{N: 4}, liveTwoPhase(), block)
			sameAnswers(t, toys.Philosophers{N: 5}, tableOptions(5), block)
			sameAnswers(t, toys.Lock{Algorithm: toys.TestAndSet, Busy: true}, lockOptions(0b11), block)
			for _, limit := range []int{1, 77, 500, 8000} {
				limited := consistent
				limited.Limits.States = limit
				sameAnswers(t, toys.TwoPhase{N: 5}, limited, block)
			}
			stopped := consistent
			stopped.StopAtFirst = true
			sameAnswers(t, toys.TwoPhase{N: 5}, stopped, block)
		})
	}
}

// TestWorkersMemory: the memory of a set is counted when batches are committed; so
// it is the same, too.
func TestWorkersMemory(t *testing.T) {
	for _, limit := range []int64{0, 1 << 20, 2 << 20} {
		var want *statespace.Result[toys.TwoPhaseState]
		for _, workers := range []int{1, 2, 3, 8} {
			r, err := statespace.Explore(toys.TwoPhase{N: 6}, twoPhaseOptions{
				Workers: workers, Limits: statespace.Limits{Memory: limit}, SpillDir: t.TempDir(),
			})
			if err != nil {
				t.Fatal(err)
			}
			if want == nil {
				want = r
			}
			if r.Memory != want.Memory || r.States != want.States || r.Transitions != want.Transitions {
				t.Errorf("limit %d, %d workers: %d bytes, %d states, %d transitions; want %d, %d, %d", limit, workers,
					r.Memory, r.States, r.Transitions, want.Memory, want.States, want.Transitions)
			}
		}
	}
}

// TestWorkersOnRandomSystems: on random systems, those included that are
// truncated, or at fault.
func TestWorkersOnRandomSystems(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := drawSystem(t, rapid.Bool().Draw(t, "truncates"))
		if rapid.IntRange(0, 4).Draw(t, "faulty") == 0 {
			m.unfit[rapid.Uint32Range(0, 7).Draw(t, "unfit")] = true
		}
		q := drawQuestions(t, m.tasks)
		o := q.safety()
		if rapid.Bool().Draw(t, "graph") {
			o = q.all()
		}
		o.StopAtFirst = rapid.Bool().Draw(t, "stop")
		o.Limits.States = rapid.SampledFrom([]int{0, 0, 1, 3, 5}).Draw(t, "limit")
		sameAnswers(t, m, o, rapid.SampledFrom([]int{1, 2}).Draw(t, "block"))
	})
}

// TestDroppedTransitions: where a limit drops states, the transitions to them do
// not count, however often a state is met that is dropped; a stored graph, which
// remembers numbers only, says how many are left.
func TestDroppedTransitions(t *testing.T) {
	for limit := 1; limit < 600; limit += 7 {
		o, graph := twoPhaseOptions{}, liveTwoPhase()
		o.Limits.States, graph.Limits.States = limit, limit
		got, want := answerOf(toys.TwoPhase{N: 5}, o, 1, 64), answerOf(toys.TwoPhase{N: 5}, graph, 1, 64)
		if got.States != limit || got.Transitions != want.Transitions {
			t.Errorf("limit %d: %d states, %d transitions; want %d", limit, got.States, got.Transitions, want.Transitions)
		}
	}
}

// TestWorkersInterrupted stops several workers by time and by a panic in the
// progress report.
func TestWorkersInterrupted(t *testing.T) {
	o := twoPhaseOptions{Workers: 4, Limits: statespace.Limits{Time: 50 * time.Millisecond}}
	r := mustExplore(t, toys.TwoPhase{N: 9}, o)
	if r.Exhausted || r.Reason != statespace.TimeLimit || r.States == 0 {
		t.Errorf("exhausted %v, reason %q, %d states", r.Exhausted, r.Reason, r.States)
	}
	o = twoPhaseOptions{Workers: 4, Progress: func(statespace.Progress) { panic("planted") }}
	if _, err := statespace.Explore(toys.TwoPhase{N: 9}, o); err == nil {
		t.Error("a panic is lost")
	}
}
