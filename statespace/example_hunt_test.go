package statespace_test

import (
	"bytes"
	"fmt"

	"cilcheck/statespace"
	"cilcheck/statespace/certify"
)

// A hunt shows a fault with the fewest preemptions. A mutex whose look and
// whose taking are two steps fails when a process is preempted in between.
func ExampleHuntPreemptions() {
	o := statespace.Options[MutexState]{Invariants: []statespace.Invariant[MutexState]{{
		Name:  "one at a time",
		Holds: func(s *MutexState) bool { return s.PC != [2]uint8{2, 2} },
	}}}
	r, err := statespace.HuntPreemptions(Mutex{Atomic: false}, o, statespace.Unbounded)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, v := range r.Violations {
		fmt.Printf("%q is violated by %v, preemptions: %d\n", v.Property, v.Path, r.Preemptions[v.Property])
	}
	// Output:
	// "one at a time" is violated by [{0 0} {1 0} {1 0} {0 0}], preemptions: 2
}

// A certificate lets somebody else check what a search claims.
func ExampleWriteCertificate() {
	m := Mutex{Atomic: true}
	r, err := statespace.Explore(m, statespace.Options[MutexState]{})
	if err != nil {
		fmt.Println(err)
		return
	}
	var cert bytes.Buffer
	if err := statespace.WriteCertificate(&cert, r, "mutex, atomic"); err != nil {
		fmt.Println(err)
		return
	}
	report, err := certify.Verify(cert.Bytes(), m, "mutex, atomic", certify.Claims[MutexState]{
		States: []certify.Claim[MutexState]{{
			Name:  "one at a time",
			Holds: func(s *MutexState) bool { return s.PC != [2]uint8{2, 2} },
		}},
	})
	fmt.Println(report.States, "states,", report.Transitions, "transitions, error", err)
	// Output:
	// 3 states, 4 transitions, error <nil>
}
