package main

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

var rewrite = flag.Bool("rewrite", false, "rewrite the expected output in the scripts")

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"cilcheck": main, "bpftrace": fakeTracer, "trace-cmd": fakeTracer})
}

// TestScripts runs the program as its users do. The scripts have these commands
// besides those of testscript, and $RECORDINGS is where those of real kernels are:
//
//	exits CODE COMMAND...        run a command, which must exit with the code
//	interrupted CODE COMMAND...  the same, with a Ctrl-C after the first line of output
//	onterminal CODE COMMAND...   the same, on a terminal; what it shows is "stdout"
//	masked FILE                  write the last stdout to a file, seconds masked
//	json FILE PATH VALUE         a value in a file, by keys and numbers with dots between
//	keys FILE PATH KEYS...       the keys of an object in a file, sorted
func TestScripts(t *testing.T) {
	recordings, err := filepath.Abs("../../counterexamples/conform/testdata")
	if err != nil {
		t.Fatal(err)
	}
	testscript.Run(t, testscript.Params{
		Setup: func(env *testscript.Env) error {
			env.Setenv("RECORDINGS", recordings)
			return nil
		},
		Dir:                 "testdata/script",
		UpdateScripts:       *rewrite,
		RequireExplicitExec: true,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits":       exits,
			"interrupted": interrupted,
			"onterminal":  onTerminal,
			"masked":      masked,
			"json":        jsonValue,
			"keys":        jsonKeys,
		},
	})
}

// codeOf reads the expected exit code.
func codeOf(ts *testscript.TestScript, args []string) int {
	if len(args) < 2 {
		ts.Fatalf("expected an exit code and a command")
	}
	code, err := strconv.Atoi(args[0])
	ts.Check(err)
	return code
}

// ended checks the exit code of a command.
func ended(ts *testscript.TestScript, err error, want int) {
	got := 0
	if exit := new(exec.ExitError); errors.As(err, &exit) {
		got = exit.ExitCode()
	} else {
		ts.Check(err)
	}
	if got != want {
		ts.Fatalf("exit code %d, expected %d", got, want)
	}
}

func exits(ts *testscript.TestScript, _ bool, args []string) {
	want := codeOf(ts, args)
	ended(ts, ts.Exec(args[1], args[2:]...), want)
}

// command is a command in the directory and environment of the script.
func command(ts *testscript.TestScript, args []string) *exec.Cmd {
	path, err := exec.LookPath(args[0])
	ts.Check(err)
	cmd := exec.Command(path, args[1:]...)
	cmd.Dir = ts.MkAbs(".")
	cmd.Env = append(os.Environ(), "NO_COLOR="+ts.Getenv("NO_COLOR"), "TERM=xterm")
	return cmd
}

func interrupted(ts *testscript.TestScript, _ bool, args []string) {
	want := codeOf(ts, args)
	cmd := command(ts, args[1:])
	out, err := cmd.StdoutPipe()
	ts.Check(err)
	ts.Check(cmd.Start())
	defer time.AfterFunc(time.Minute, func() { cmd.Process.Kill() }).Stop()
	var all []byte
	buf := make([]byte, 1<<16)
	for sent := false; ; {
		n, err := out.Read(buf)
		all = append(all, buf[:n]...)
		if err != nil {
			break
		}
		if !sent {
			ts.Check(cmd.Process.Signal(os.Interrupt))
			sent = true
		}
	}
	ts.Check(os.WriteFile(ts.MkAbs("output"), all, 0o644))
	ended(ts, cmd.Wait(), want)
}

var seconds = regexp.MustCompile(`\b\d+\.\d+s\b`)

func masked(ts *testscript.TestScript, _ bool, args []string) {
	text := seconds.ReplaceAllString(ts.ReadFile("stdout"), "N.Ns")
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(text), 0o644))
}

// lookup is a value in a file of JSON.
func lookup(ts *testscript.TestScript, file, path string) any {
	var at any
	ts.Check(json.Unmarshal([]byte(ts.ReadFile(file)), &at))
	for key := range strings.SplitSeq(path, ".") {
		switch v := at.(type) {
		case map[string]any:
			next, ok := v[key]
			if !ok {
				ts.Fatalf("%s: no key %q in %v", path, key, v)
			}
			at = next
		case []any:
			i, err := strconv.Atoi(key)
			ts.Check(err)
			if i >= len(v) {
				ts.Fatalf("%s: %d elements", path, len(v))
			}
			at = v[i]
		default:
			if path != "" {
				ts.Fatalf("%s: nothing below %v", path, v)
			}
		}
	}
	return at
}

func jsonValue(ts *testscript.TestScript, neg bool, args []string) {
	got := lookup(ts, args[0], args[1])
	text := fmt.Sprint(got)
	if list, ok := got.([]any); ok {
		text = fmt.Sprintf("%d elements", len(list))
	}
	if (text == args[2]) == neg {
		ts.Fatalf("%s is %s, expected %s", args[1], text, args[2])
	}
}

func jsonKeys(ts *testscript.TestScript, _ bool, args []string) {
	var object map[string]any
	if args[1] == "." {
		ts.Check(json.Unmarshal([]byte(ts.ReadFile(args[0])), &object))
	} else {
		object, _ = lookup(ts, args[0], args[1]).(map[string]any)
	}
	if got := slices.Sorted(maps.Keys(object)); !slices.Equal(got, args[2:]) {
		ts.Fatalf("the keys are %s", strings.Join(got, " "))
	}
}
