// Package schemata is the switch in a mutated copy of the model: every mutant is
// compiled into the copy, guarded by On, and one of them is active. The model
// itself never imports it.
//
// It is for one goroutine: a mutated copy searches one case at a time.
package schemata

// Max bounds the mutants of a copy.
const Max = 4096

// fuel is how many guards one step may pass before it counts as endless. The
// longest step of the model passes some hundreds.
const fuel = 1 << 20

// Active is the number of the mutant that is switched on, from 1; 0 is the model
// as it is.
var Active int

// Reached are the mutants whose guards have been passed.
var Reached [Max]bool

var (
	armed int
	left  = fuel
)

// On guards mutant n: it reports whether it is active. It panics in a step that
// does not end.
func On(n int) bool {
	Reached[n] = true
	if left--; left < 0 {
		endless()
	}
	return Active == n
}

// endless stands alone so that On is inlined.
func endless() {
	Refuel()
	panic("the step does not end")
}

// Refuel begins a step, or anything else that may pass fuel guards.
func Refuel() { left = fuel }

// Arm says that mutant n would act at the end of the code of this label, unless
// a later Arm takes its place.
func Arm(n int) { armed = n }

// Armed takes back what Arm said: 0 if nothing.
func Armed() int {
	n := armed
	armed = 0
	return n
}

// Pick is the mutated value if mutant n is active, else the original.
func Pick[T any](n int, mutated, original T) T {
	if On(n) {
		return mutated
	}
	return original
}
