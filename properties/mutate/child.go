package mutate

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"io"

	"cilcheck/cil"
	"cilcheck/properties"
	"cilcheck/properties/mutate/schemata"
	"cilcheck/properties/verdict"
	"cilcheck/spec"
	"cilcheck/statespace"
)

// A request asks the mutated program to search a case.
type request struct {
	Case   int // in Cases
	States int // the limit
}

// An answer is what the mutated program found in a case.
type answer struct {
	States, Transitions, Depth int
	// Coverage is a hash of how often each tag was passed.
	Coverage uint64
	// Reason is why the search was not exhausted; "" if it was.
	Reason string
	// Verdicts are those of the properties, in their order.
	Verdicts []verdict.Verdict
	// Fault is why there is no verdict: the model is at fault.
	Fault string
	// Reached are the mutants whose guards the search passed.
	Reached []int
}

// Serve is the mutated program: it answers requests with mutant n active (0: the
// model as it is) until there are no more.
func Serve(n int, in io.Reader, out io.Writer) error {
	cases, err := Cases()
	if err != nil {
		return err
	}
	schemata.Active = n
	dec, enc := json.NewDecoder(in), json.NewEncoder(out)
	for {
		var req request
		if err := dec.Decode(&req); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		if req.Case < 0 || req.Case >= len(cases) {
			return fmt.Errorf("case %d of %d", req.Case, len(cases))
		}
		if err := enc.Encode(search(cases[req.Case], req.States)); err != nil {
			return err
		}
	}
}

// search is verdict.Run with steps that may not be endless.
func search(c verdict.Case, states int) answer {
	schemata.Reached = [schemata.Max]bool{}
	schemata.Refuel()
	sys, err := c.System()
	if err != nil {
		return answer{Fault: err.Error()}
	}
	props := properties.All()
	o := properties.Options(sys, props)
	o.Limits.States = states
	res, err := statespace.Explore[cil.State](bounded{sys}, o)
	if err != nil {
		return answer{Fault: err.Error()}
	}
	out := verdict.Outcome{Case: c, System: sys, Search: res, Properties: props}
	a := answer{States: res.States, Transitions: res.Transitions, Depth: res.Depth, Coverage: coverage(res)}
	if !res.Exhausted {
		a.Reason = res.Reason
	}
	for _, p := range props {
		a.Verdicts = append(a.Verdicts, out.Of(p))
	}
	for n, reached := range schemata.Reached {
		if reached && n > 0 {
			a.Reached = append(a.Reached, n)
		}
	}
	return a
}

func coverage(res *statespace.Result[cil.State]) uint64 {
	h := fnv.New64a()
	for _, n := range res.Coverage {
		fmt.Fprintln(h, n)
	}
	return h.Sum64()
}

// bounded is a system whose steps, and judgements of a state, may pass only so
// many guards each.
type bounded struct{ *spec.System }

func (b bounded) Step(s *cil.State, task int, mv *statespace.Move) statespace.Status {
	schemata.Refuel()
	return b.System.Step(s, task, mv)
}

func (b bounded) Unpack(words []uint64, s *cil.State) {
	schemata.Refuel()
	b.System.Unpack(words, s)
}
