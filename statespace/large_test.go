//go:build large

package statespace_test

import (
	"fmt"
	"os"
	"strconv"
	"testing"

	"cilcheck/statespace"
)

// go test -tags large -bench Large -benchtime 1x -timeout 0 ./statespace/ searches
// spaces that take minutes and gigabytes; WORKERS says by how many workers.
func largeWorkers() int {
	n, err := strconv.Atoi(os.Getenv("WORKERS"))
	if err != nil {
		return 2
	}
	return n
}

// BenchmarkLargeTwoPhaseCommit has eleven managers.
func BenchmarkLargeTwoPhaseCommit(b *testing.B) {
	benchmarkTwoPhaseCommit(b, 11, twoPhaseOptions{Workers: largeWorkers()})
}

// longTable is the dining philosophers at a table for 24, the last of them
// left-handed, packed into one word: who holds which forks says which are taken.
type longTable struct{}

const seats = 24

type longTableState struct{ Holds [seats]uint8 }

func (longTable) Init(yield func(*longTableState)) { yield(&longTableState{}) }
func (longTable) Tasks() int                       { return seats }
func (longTable) Words() int                       { return 1 }

// forks are those of a philosopher, in the order in which they are taken.
func forks(p int) [2]int {
	if p == seats-1 {
		return [2]int{0, p}
	}
	return [2]int{p, p + 1}
}

// taken says whether a neighbour of p holds a fork.
func (s *longTableState) taken(p, fork int) bool {
	q := p - 1
	if fork != p {
		q = p + 1
	}
	q = (q + seats) % seats
	f := forks(q)
	return s.Holds[q] > 0 && f[0] == fork || s.Holds[q] > 1 && f[1] == fork
}

func (longTable) Step(s *longTableState, p int, _ *statespace.Move) statespace.Status {
	if s.Holds[p] == 2 {
		s.Holds[p] = 0
		return statespace.Moved
	}
	if s.taken(p, forks(p)[s.Holds[p]]) {
		return statespace.Blocked
	}
	s.Holds[p]++
	return statespace.Moved
}

func (longTable) Pack(s *longTableState, words []uint64) error {
	var w uint64
	for p, h := range s.Holds {
		w |= uint64(h) << (2 * p)
	}
	words[0] = w
	return nil
}

func (longTable) Unpack(words []uint64, s *longTableState) {
	for p := range s.Holds {
		s.Holds[p] = uint8(words[0] >> (2 * p) & 3)
	}
}

// longTableStates counts the ways to hold forks of which no two are one, by
// going round the table: an independent count.
func longTableStates() int {
	total := 0
	for first := range 3 {
		ways := [3]int{}
		ways[first] = 1
		for p := 1; p < seats; p++ {
			var next [3]int
			for before, n := range ways {
				for h := range 3 {
					clash := before == 2 && h >= 1
					if p == seats-1 {
						clash = before == 2 && h == 2 || first >= 1 && h >= 1
					}
					if !clash {
						next[h] += n
					}
				}
			}
			ways = next
		}
		total += ways[0] + ways[1] + ways[2]
	}
	return total
}

// BenchmarkLargeTable searches more than a billion states.
func BenchmarkLargeTable(b *testing.B) {
	workers := largeWorkers()
	start := cpuTime(b)
	for b.Loop() {
		r, err := statespace.Explore(longTable{}, statespace.Options[longTableState]{Workers: workers})
		if err != nil || !r.Exhausted {
			b.Fatal(err, r)
		}
		if want := longTableStates(); r.States != want {
			b.Fatalf("%d states; want %d", r.States, want)
		}
		b.ReportMetric(float64(r.States), "states")
		b.ReportMetric(float64(r.States)/(cpuTime(b)-start).Seconds(), "states/cpu-s")
		b.ReportMetric(r.BytesPerState(), "bytes/state")
		fmt.Fprintln(b.Output(), r.Transitions, "transitions")
	}
}
