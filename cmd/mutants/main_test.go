package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// mutants runs the command in the root of the module.
func mutants(t *testing.T, args ...string) (out, log string, err error) {
	t.Helper()
	t.Chdir("../..")
	var o, l bytes.Buffer
	err = run(context.Background(), args, strings.NewReader(""), &o, &l)
	return o.String(), l.String(), err
}

func TestList(t *testing.T) {
	out, _, err := mutants(t, "-list", "-only", "startPush: drop-(assign|wake)")
	if err != nil {
		t.Fatal(err)
	}
	want := `cil/push_work.go startPush: drop-assign: t.Local |= localStable
cil/push_work.go startPush: drop-assign: s.Stable = 0
cil/push_work.go startPush: drop-wake: r.wakeAll(waitPush)
`
	if !strings.HasPrefix(out, want) {
		t.Errorf("got\n%s\nwant at first\n%s", out, want)
	}
}

// Kept results are reported again with the mutants and explanations of now: here
// one mutant is no more, the other survives and is not explained.
func TestLoad(t *testing.T) {
	file := filepath.Join(t.TempDir(), "r.json")
	kept := `[{"Mutant":{"Number":1,"File":"cil/a.go","Func":"f","Operator":"drop-wake","Text":"w()","Nth":1},"Fate":4},
		{"Mutant":{"Number":2,"File":"cil/push_work.go","Func":"startPush","Operator":"drop-wake","Text":"r.wakeAll(waitPush)","Nth":1},"Fate":4,"Case":"one-force","What":"2 states, not 1"}]`
	if err := os.WriteFile(file, []byte(kept), 0o666); err != nil {
		t.Fatal(err)
	}
	out, _, err := mutants(t, "-load", file)
	if err != errDiffers {
		t.Errorf("error %v, want %v", err, errDiffers)
	}
	if want := "unexplained (1): no reason in properties/mutate/survivors.yaml\n  cil/push_work.go startPush: drop-wake: r.wakeAll(waitPush) (other counts: 2 states, not 1 in one-force)\n"; !strings.Contains(out, want) {
		t.Errorf("missing %q in\n%s", want, out)
	}
}

func TestBadUsage(t *testing.T) {
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"-only", "("}, "-only: error parsing regexp: missing closing ): `(`"},
		{[]string{"stray"}, `unexpected argument "stray"`},
		{[]string{"-load", "none.json"}, "open none.json: no such file or directory"},
	} {
		t.Run(strings.Join(c.args, " "), func(t *testing.T) {
			if _, _, err := mutants(t, c.args...); err == nil || err.Error() != c.want {
				t.Errorf("error %v, want %s", err, c.want)
			}
		})
	}
}
