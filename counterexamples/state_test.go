package counterexamples

import (
	"strings"
	"testing"
)

func TestStateAfter(t *testing.T) {
	sys, tr := spinning(t)
	values, err := StateAfter(tr, sys, 9)
	if err != nil {
		t.Fatal(err)
	}
	golden(t, "one-force-state-9.txt", FormatState(values))
}

// The changes that a trace tells are those between the states that StateAfter
// gives.
func TestStatesAgreeWithChanges(t *testing.T) {
	sys := system(t, "older-force-xfsaild", "flush=never")
	for _, v := range search(t, sys, "") {
		tr, err := Record(sys, v, "")
		if err != nil {
			t.Fatal(err)
		}
		for i := range tr.Steps {
			after := valuesAfter(t, tr, i+1)
			for _, c := range tr.Steps[i].Changes {
				// What a step forgets is not in the state after it.
				if got, ok := after[c.what()]; ok && got != c.New {
					t.Errorf("step %d: %s is %s after %v", i+1, c.what(), got, c)
				}
			}
		}
	}
}

// valuesAfter are the values of the shared fields by their full name.
func valuesAfter(t *testing.T, tr *Trace, step int) map[string]string {
	t.Helper()
	sys, err := tr.System()
	if err != nil {
		t.Fatal(err)
	}
	fields, err := StateAfter(tr, sys, step)
	if err != nil {
		t.Fatal(err)
	}
	values := map[string]string{}
	for _, f := range fields {
		values[strings.TrimSpace(f.Object+" "+f.Field)] = f.Value
	}
	return values
}

func TestStateAfterRefuses(t *testing.T) {
	sys, tr := spinning(t)
	if _, err := StateAfter(tr, sys, 12); err == nil || !strings.Contains(err.Error(), "there is no step 12: expected 0 to 11") {
		t.Errorf("step 12 of 11: got error %v", err)
	}
	edited, err := Parse("edited", []byte(edit("  7 fsync ", "  7 kworker0 ")(t, string(tr.Format()))))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := StateAfter(edited, sys, 9); err == nil || !strings.HasPrefix(err.Error(), "edited:18: step 7: kworker0 is not enabled") {
		t.Errorf("a step that cannot be taken: got error %v", err)
	}
}
