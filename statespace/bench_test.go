package statespace_test

import (
	"fmt"
	"syscall"
	"testing"
	"time"

	"cilcheck/statespace"
	"cilcheck/statespace/internal/toys"
)

// cpuTime is the processor time of the process, the garbage collector included.
func cpuTime(tb testing.TB) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		tb.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func benchmarkTwoPhaseCommit(b *testing.B, managers int, o statespace.Options[toys.TwoPhaseState]) {
	b.ReportAllocs()
	var states, transitions int
	var perState float64
	start := cpuTime(b)
	for b.Loop() {
		r, err := statespace.Explore(toys.TwoPhase{N: managers}, o)
		if err != nil {
			b.Fatal(err)
		}
		if !r.Exhausted {
			b.Fatal(r.Reason)
		}
		states += r.States
		transitions += r.Transitions
		perState = r.BytesPerState()
	}
	seconds := (cpuTime(b) - start).Seconds()
	b.ReportMetric(float64(states)/seconds, "states/cpu-s")
	b.ReportMetric(float64(transitions)/seconds, "transitions/cpu-s")
	b.ReportMetric(perState, "bytes/state")
}

// BenchmarkTwoPhaseCommit is the search alone.
func BenchmarkTwoPhaseCommit(b *testing.B) {
	for _, n := range []int{7, 9} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			benchmarkTwoPhaseCommit(b, n, statespace.Options[toys.TwoPhaseState]{})
		})
	}
}

// BenchmarkTwoPhaseCommitWorkers is the search by two workers.
func BenchmarkTwoPhaseCommitWorkers(b *testing.B) {
	for _, n := range []int{7, 9} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			benchmarkTwoPhaseCommit(b, n, statespace.Options[toys.TwoPhaseState]{Workers: 2})
		})
	}
}

// BenchmarkTwoPhaseCommitLiveness stores the graph and decides stuck and spin.
func BenchmarkTwoPhaseCommitLiveness(b *testing.B) {
	for _, n := range []int{7, 9} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			benchmarkTwoPhaseCommit(b, n, statespace.Options[toys.TwoPhaseState]{
				Stuck: []statespace.Stuck[toys.TwoPhaseState]{{Name: "stuck"}},
			})
		})
	}
}
