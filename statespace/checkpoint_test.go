package statespace_test

import (
	"context"
	"encoding/json"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"cilcheck/statespace"
	"cilcheck/statespace/internal/toys"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// wide is two-phase commit whose packed states are of five words.
type wide struct{ toys.TwoPhase }

func (wide) Words() int { return 5 }

func (m wide) Pack(s *toys.TwoPhaseState, words []uint64) error {
	var w [1]uint64
	err := m.TwoPhase.Pack(s, w[:])
	for i := range words {
		words[i] = w[0] >> (12 * i) & 0xfff
	}
	return err
}

func (m wide) Unpack(words []uint64, s *toys.TwoPhaseState) {
	var w uint64
	for i, part := range words {
		w |= part << (12 * i)
	}
	m.TwoPhase.Unpack([]uint64{w}, s)
}

// TestWide: a search of states of several words counts the same.
func TestWide(t *testing.T) {
	want, got := answerOf(toys.TwoPhase{N: 5}, liveTwoPhase(), 1, 64), answerOf(wide{toys.TwoPhase{N: 5}}, liveTwoPhase(), 1, 64)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	sameAnswers(t, wide{toys.TwoPhase{N: 5}}, killOptions(false), 8)
}

// killOptions ask for something of every kind.
func killOptions(graph bool) twoPhaseOptions {
	o := twoPhaseOptions{}
	if graph {
		o = liveTwoPhase()
	}
	o.Invariants = []statespace.Invariant[toys.TwoPhaseState]{
		{Name: "consistent", Holds: toys.Consistent},
		{Name: "not all received", Holds: func(s *toys.TwoPhaseState) bool { return s.TMPrepared != 0b11111 }},
	}
	o.StepInvariants = []statespace.StepInvariant[toys.TwoPhaseState]{{Name: "no commit", Holds: func(_, after *toys.TwoPhaseState, _ *statespace.Move) bool {
		return !after.SentCommit
	}}}
	o.Maxima = []statespace.Maximum[toys.TwoPhaseState]{{Name: "sent", Value: func(s *toys.TwoPhaseState) int { return int(s.Sent) }}}
	o.Antecedents = []statespace.Antecedent[toys.TwoPhaseState]{{Name: "abort", State: func(s *toys.TwoPhaseState) bool { return s.SentAbort }}}
	return o
}

// killCase is one search of the test that kills; it takes a second or so.
func killCase(name string, checkpoint statespace.Checkpoint) answer {
	o := killOptions(strings.Contains(name, "graph"))
	o.Checkpoint = checkpoint
	o.Compact = strings.Contains(name, "compact")
	workers := 1 + strings.Count(name, "+")
	if strings.Contains(name, "wide") {
		return answerOf(wide{toys.TwoPhase{N: 6}}, o, workers, 64)
	}
	return answerOf(toys.TwoPhase{N: 6}, o, workers, 64)
}

// killedChild is the program that TestKill kills: the name of a case, and the
// file of its checkpoint.
func killedChild(told string) error {
	name, file, _ := strings.Cut(told, "=")
	a := killCase(name, statespace.Checkpoint{File: file, Every: time.Millisecond, Identity: name})
	out, err := json.Marshal(a)
	if err != nil {
		return err
	}
	return os.WriteFile(file+".answer", out, 0o644)
}

// TestKill kills searches at random moments until they are done: they end with
// the same answer, to the byte, as without.
func TestKill(t *testing.T) {
	rng := rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 1))
	kills := 0
	for _, name := range []string{"safety", "safety++", "wide+", "graph+", "wide graph", "compact wide+", "compact wide", "compact wide graph"} {
		file := filepath.Join(t.TempDir(), "checkpoint")
		want, err := json.Marshal(killCase(name, statespace.Checkpoint{}))
		if err != nil {
			t.Fatal(err)
		}
		for n := 0; ; n++ {
			cmd := child("kill", name+"="+file)
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			if n < 12 {
				timer := time.AfterFunc(time.Duration(rng.IntN(250))*time.Millisecond, func() { cmd.Process.Kill() })
				defer timer.Stop()
			}
			if err := cmd.Wait(); err == nil {
				break
			}
			if kills++; n >= 12 {
				t.Fatalf("%s: it fails by itself", name)
			}
		}
		if got, err := os.ReadFile(file + ".answer"); err != nil || string(got) != string(want) {
			t.Errorf("%s: %v\n%s\nwant\n%s", name, err, got, want)
		}
		if _, err := os.Stat(file); err == nil {
			t.Errorf("%s: the checkpoint is still there", name)
		}
	}
	t.Logf("%d kills", kills)
}

// TestCheckpointRandom interrupts searches of random systems again and again,
// after every few states.
func TestCheckpointRandom(t *testing.T) {
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		m := drawSystem(t, rapid.Bool().Draw(t, "truncates"))
		q := drawQuestions(t, m.tasks)
		o := q.safety()
		if rapid.Bool().Draw(t, "graph") {
			o = q.all()
		}
		o.StopAtFirst = rapid.Bool().Draw(t, "stop")
		want := answerOf(m, o, 1, 1)
		o.Checkpoint.File = filepath.Join(dir, "c")
		defer os.Remove(o.Checkpoint.File)
		for range 50 {
			ctx, cancel := context.WithCancel(context.Background())
			steps := 0
			inner := &counted{system: m, count: func() {
				if steps++; steps > 3 {
					cancel()
				}
			}}
			o.Context = ctx
			got := answerOf(inner, o, 1, 1)
			cancel()
			if got.Reason == statespace.Interrupted {
				continue
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Fatalf("(-at once +resumed):\n%s", diff)
			}
			return
		}
		o.Context = nil
		if diff := cmp.Diff(want, answerOf(m, o, 1, 1)); diff != "" {
			t.Fatalf("(-at once +resumed):\n%s", diff)
		}
	})
}

// counted calls count for every state expanded.
type counted struct {
	*system
	count func()
}

func (c *counted) Step(s *node, task int, mv *statespace.Move) statespace.Status {
	if task == 0 {
		c.count()
	}
	return c.system.Step(s, task, mv)
}

// TestCheckpointRefuses: what differs, or is damaged, is said.
func TestCheckpointRefuses(t *testing.T) {
	file := filepath.Join(t.TempDir(), "checkpoint")
	search := func(change func(*twoPhaseOptions)) error {
		o := killOptions(false)
		o.Checkpoint = statespace.Checkpoint{File: file, Identity: "scenario one-force\nversion 1"}
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		o.Context = ctx
		o.Maxima[0].Value = func(s *toys.TwoPhaseState) int {
			if s.Sent == 0b111 {
				cancel()
			}
			return 0
		}
		change(&o)
		_, err := statespace.Explore(toys.TwoPhase{N: 5}, o)
		return err
	}
	if err := search(func(*twoPhaseOptions) {}); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for says, change := range map[string]func(*twoPhaseOptions){
		`it has "identity, line 2: version 1", this one "identity, line 2: version 2"`: func(o *twoPhaseOptions) { o.Checkpoint.Identity = "scenario one-force\nversion 2" },
		`it has "identity, line 2: version 1", this one "nothing more"`:                func(o *twoPhaseOptions) { o.Checkpoint.Identity = "scenario one-force" },
		`it has "stored graph: false", this one "stored graph: true"`:                  func(o *twoPhaseOptions) { o.Spin = []statespace.Spin{{Name: "spin"}} },
		`it has "invariants: \"consistent\" \"not all received\"", this one "invariants: \"consistent\""`: func(o *twoPhaseOptions) {
			o.Invariants = o.Invariants[:1]
		},
	} {
		says = strings.ReplaceAll(says, `"`, "")
		if err := search(change); err == nil || !strings.Contains(strings.NewReplacer(`"`, "", `\`, "").Replace(err.Error()), strings.ReplaceAll(says, `\`, "")) {
			t.Errorf("%v; want %s", err, says)
		}
	}
	for name, damaged := range map[string][]byte{
		"cut short":             whole[:len(whole)/2],
		"cut shorter":           whole[:10],
		"checksum":              append(append([]byte{}, whole[:len(whole)-40]...), append([]byte{whole[len(whole)-40] ^ 1}, whole[len(whole)-39:]...)...),
		"does not begin":        append([]byte("x"), whole[1:]...),
		"cut short, no content": {},
	} {
		if err := os.WriteFile(file, damaged, 0o644); err != nil {
			t.Fatal(err)
		}
		err := search(func(*twoPhaseOptions) {})
		var fault *statespace.ModelError
		if err == nil || errors.As(err, &fault) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
