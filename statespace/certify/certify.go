// Package certify checks a certificate that statespace.WriteCertificate wrote:
// that the states in it are exactly those a model can reach, and that claims are
// true of all of them and of every step between them.
//
// It is small so that it can be read in one sitting, and shares nothing with the
// explorer but the model (its initial states, steps and packed form) and Move,
// which enumerates outcomes. States lie sorted in one array, found by bisection.
//
// Why the answer can be trusted: every initial state is in the array, and so is
// every successor of a state reached in it, so all reachable states are, by
// induction; and a state that is never reached is refused. The claims are judged
// on each state and step on the way. What remains to be trusted is this package,
// the model, and that the claims say what is meant.
package certify

import (
	"fmt"
	"slices"
	"sort"

	"cilcheck/statespace"
)

// A Claim is a claim about single states.
type Claim[S any] struct {
	Name  string
	Holds func(s *S) bool
}

// A StepClaim is a claim about single steps.
type StepClaim[S any] struct {
	Name  string
	Holds func(before, after *S, mv *statespace.Move) bool
}

// Claims are what must be true of every state, of every step, and of every state
// in which no task can move.
type Claims[S any] struct {
	States   []Claim[S]
	Steps    []StepClaim[S]
	Terminal []Claim[S]
}

// Verify checks the bytes of a certificate against the model, the identity and
// the claims. Anything that is not as the certificate says is an error, which
// names the state concerned.
func Verify[S any](data []byte, m statespace.Model[S], identity string, c Claims[S]) (rep *Report, err error) {
	cert, err := read(data, identity, m.Words())
	if err != nil {
		return nil, err
	}
	k := &checker[S]{m: m, Claims: c, cert: cert, reached: make([]bool, cert.len()), packed: make([]uint64, cert.words)}
	defer func() {
		if p := recover(); p != nil {
			rep, err = nil, k.located(fmt.Errorf("panic: %v", p))
		}
	}()
	if err := k.reachAll(); err != nil {
		return nil, k.located(err)
	}
	if err := k.compare(); err != nil {
		return nil, err
	}
	return &cert.Report, nil
}

// A checker visits the states of a certificate from the initial ones on.
type checker[S any] struct {
	Claims[S]
	m       statespace.Model[S]
	cert    *certificate
	reached []bool
	todo    []int // reached, not visited
	visited int
	steps   int
	ends    int
	packed  []uint64
	current int // the state visited last
	state   S
	next    S // its successor
	mv      statespace.Move
}

// located makes an error name the state visited.
func (k *checker[S]) located(err error) error {
	if k.visited == 0 {
		return fmt.Errorf("initial states: %w", err)
	}
	return fmt.Errorf("state %d (%x): %w", k.current, k.cert.state(k.current), err)
}

func (k *checker[S]) reachAll() (err error) {
	k.m.Init(func(s *S) {
		if err == nil {
			k.next = *s
			err = k.reach()
		}
	})
	for err == nil && len(k.todo) > 0 {
		k.current = k.todo[len(k.todo)-1]
		k.todo = k.todo[:len(k.todo)-1]
		k.visited++
		err = k.visit()
	}
	return err
}

// compare compares what was reached with what the certificate says.
func (k *checker[S]) compare() error {
	switch i := slices.Index(k.reached, false); {
	case i >= 0:
		return fmt.Errorf("state %d (%x) is not reachable: only %d of %d are", i, k.cert.state(i), k.visited, k.cert.len())
	case k.steps != k.cert.Transitions:
		return fmt.Errorf("there are %d transitions; the certificate says %d", k.steps, k.cert.Transitions)
	case k.ends != k.cert.Terminals:
		return fmt.Errorf("there are %d terminal states; the certificate says %d", k.ends, k.cert.Terminals)
	}
	return nil
}

// reach finds k.next in the certificate, and notes that it is to be visited.
func (k *checker[S]) reach() error {
	if err := k.m.Pack(&k.next, k.packed); err != nil {
		return fmt.Errorf("cannot pack %+v: %w", k.next, err)
	}
	i, found := sort.Find(k.cert.len(), func(i int) int { return slices.Compare(k.packed, k.cert.state(i)) })
	if !found {
		return fmt.Errorf("%x is reachable and missing", k.packed)
	}
	if !k.reached[i] {
		k.reached[i] = true
		k.todo = append(k.todo, i)
	}
	return nil
}

// visit judges the current state and takes all its steps.
func (k *checker[S]) visit() error {
	words := k.cert.state(k.current)
	k.m.Unpack(words, &k.state)
	if err := k.m.Pack(&k.state, k.packed); err != nil || !slices.Equal(words, k.packed) {
		return fmt.Errorf("it is packed again as %x, error %v", k.packed, err)
	}
	if err := k.judge(k.States); err != nil {
		return err
	}
	before := k.steps
	for task := range k.m.Tasks() {
		if err := k.step(task); err != nil {
			return fmt.Errorf("task %d, outcome %d: %w", task, k.mv.Outcome, err)
		}
	}
	if k.steps == before {
		k.ends++
		return k.judge(k.Terminal)
	}
	return nil
}

// judge checks claims about the current state.
func (k *checker[S]) judge(claims []Claim[S]) error {
	for _, c := range claims {
		if !c.Holds(&k.state) {
			return fmt.Errorf("%q is false", c.Name)
		}
	}
	return nil
}

// step takes every outcome of a task's step from the current state.
func (k *checker[S]) step(task int) error {
	for k.mv.Begin(task); ; {
		k.next = k.state
		if k.m.Step(&k.next, task, &k.mv) == statespace.Moved {
			if reason := k.mv.Truncated(); reason != "" {
				return fmt.Errorf("the step leaves the model: %s", reason)
			}
			k.steps++
			for _, c := range k.Steps {
				if !c.Holds(&k.state, &k.next, &k.mv) {
					return fmt.Errorf("%q is false", c.Name)
				}
			}
			if err := k.reach(); err != nil {
				return err
			}
		}
		if !k.mv.Next() {
			return nil
		}
	}
}
