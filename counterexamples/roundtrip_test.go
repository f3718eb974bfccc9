package counterexamples

import (
	"testing"

	"cilcheck/cil"
	"cilcheck/spec"
	"cilcheck/statespace"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"
)

// withoutPlaces compares traces without where they were read from.
var withoutPlaces = cmpopts.IgnoreUnexported(Trace{}, Step{})

var roundTripScenarios = []string{
	"one-force", "two-forces", "two-forces-committer", "shutdown-force", "io-error-force", "freezer",
	"older-force-xfsaild", "spanning-checkpoint", "throttled-committers", "sync-transaction",
	"cooperative-two-forces", "priority-force", "looping-forces",
}

var roundTripVariants = []string{
	"", "flush=never", "flush=on-restart", "flush=work", "flush=never,wait=commit", "stable=or",
	"fault=free-before-unlink", "fault=no-ctx-lock",
}

// drawSystem draws a scenario of the library with a variant.
func drawSystem(t *rapid.T) *spec.System {
	sc, err := spec.Lookup(rapid.SampledFrom(roundTripScenarios).Draw(t, "scenario"))
	if err != nil {
		t.Fatal(err)
	}
	v, err := cil.ParseVariant(rapid.SampledFrom(roundTripVariants).Draw(t, "variant"))
	if err != nil {
		t.Fatal(err)
	}
	sched := rapid.SampledFrom(sc.Schedulers).Draw(t, "scheduler")
	build := spec.NewSystem
	if sched.Policy == spec.Any && rapid.Bool().Draw(t, "fine") {
		build = spec.NewFineSystem
	}
	sys, err := build(sc, spec.Check, v, sched)
	if err != nil {
		t.Fatal(err)
	}
	return sys
}

// drawPath draws a path: the one on which a claim that allows so many steps and
// no more is violated. The property that it names is a real one, and it need
// not be violated.
func drawPath(t *rapid.T, sys *spec.System) statespace.Violation {
	left := rapid.IntRange(1, 120).Draw(t, "steps")
	claim := statespace.StepInvariant[cil.State]{
		Name:  "force-durable",
		Holds: func(_, _ *cil.State, _ *statespace.Move) bool { left--; return left != 0 },
	}
	res, err := statespace.Walk[cil.State](sys, statespace.Options[cil.State]{
		StepInvariants: []statespace.StepInvariant[cil.State]{claim}, StopAtFirst: true,
	}, statespace.WalkOptions{Seed: rapid.Uint64().Draw(t, "seed"), Runs: 200, Steps: 200})
	if err != nil {
		t.Fatal(err)
	}
	if len(res.Violations) != 1 {
		t.Fatalf("the walk made fewer than the steps asked for")
	}
	return res.Violations[0]
}

func TestWhatPrintsCanBeParsedAndReplayed(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sys := drawSystem(t)
		v := drawPath(t, sys)
		tr, err := Record(sys, v, "")
		if err != nil {
			t.Fatal(err)
		}
		text := tr.Format()
		back, err := Parse("back", text)
		if err != nil {
			t.Fatalf("%v in\n%s", err, text)
		}
		if diff := cmp.Diff(tr, back, withoutPlaces); diff != "" {
			t.Fatalf("not what was printed (-printed +parsed):\n%s", diff)
		}
		report, err := Replay(back, sys)
		if err != nil {
			t.Fatal(err)
		}
		if report.Outcome == Refused {
			t.Fatalf("%v in\n%s", report, text)
		}
		again, err := back.Violation(sys)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(v, again); diff != "" {
			t.Fatalf("not the path recorded (-recorded +read):\n%s", diff)
		}
	})
}

// Every single thing that a trace says of a step is compared.
func TestEveryEffectIsCompared(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sys := drawSystem(t)
		tr, err := Record(sys, drawPath(t, sys), "")
		if err != nil {
			t.Fatal(err)
		}
		st := &tr.Steps[rapid.IntRange(0, len(tr.Steps)-1).Draw(t, "step")]
		effect := plant(t, st)
		back, err := Parse("planted", tr.Format())
		if err != nil {
			t.Fatal(err)
		}
		want := back.Steps[st.Number-1].whereIs(effect)
		report, err := Replay(back, sys)
		if err != nil {
			t.Fatal(err)
		}
		if report.Outcome != Refused || report.Step != st.Number || report.Line != want {
			t.Fatalf("got %v, want a refusal at line %d of\n%s", report, want, tr.Format())
		}
	})
}

// plant makes a step say something that the model does not do, and returns the
// text of the effect that is wrong; "" if the step as a whole is.
func plant(t *rapid.T, st *Step) (effect string) {
	kinds := []string{"function", "tag", "task", "wake", "sleep", "note", "change"}
	if len(st.Changes) > 0 {
		kinds = append(kinds, "number", "no change")
	}
	if len(st.Notes) > 0 {
		kinds = append(kinds, "no note")
	}
	switch kind := rapid.SampledFrom(kinds).Draw(t, "kind"); kind {
	case "function":
		st.Function = "xlog_cil_insert_format_items"
	case "tag":
		st.Tags = append(st.Tags, "W16")
	case "task":
		st.Task = "nobody"
	case "wake":
		st.Woken = append(st.Woken, "nobody")
		return "wakes nobody"
	case "sleep":
		st.Sleeps = "ic_force_wait of iclog9"
		return "sleeps on ic_force_wait of iclog9"
	case "note":
		st.Notes = append(st.Notes, "use after free of ctx 99")
		return "use after free of ctx 99"
	case "change":
		st.Changes = append(st.Changes, Change{"ctx 99", "commit_lsn", "0", "1"})
		return "ctx 99 commit_lsn: 0 -> 1"
	case "number":
		c := &st.Changes[rapid.IntRange(0, len(st.Changes)-1).Draw(t, "change")]
		c.New += "0"
		return c.String()
	case "no change":
		st.Changes = st.Changes[1:]
	case "no note":
		st.Notes = st.Notes[1:]
	}
	return ""
}
