package properties_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"cilcheck/cil"
	"cilcheck/properties"
	"cilcheck/spec"
	"cilcheck/statespace"
)

func system(t *testing.T) *spec.System {
	t.Helper()
	sc, err := spec.Parse("test.yaml", []byte(`name: test
title: three checkpoints
contexts: 4
cpus: 2
tasks:
  - name: force
    do: [commit, fsync, log_force]
  - name: xfsaild
    do: [cil_flush]
  - name: shutdown
    do: [shutdown]
  - name: unmount
    do: [unmount]
`), nil)
	if err != nil {
		t.Fatal(err)
	}
	sys, err := spec.NewSystem(sc, spec.Check, cil.Variant{}, spec.Scheduler{})
	if err != nil {
		t.Fatal(err)
	}
	return sys
}

// two is a state with two written checkpoints and an empty current one: commit
// records in iclog 0 and 1, all stable.
func two(sys *spec.System) cil.State {
	s := sys.Machine.Init()
	s.Ctx[0] = cil.Ctx{Life: cil.Live, Space: 1, Start: 2, Commit: 2, Iclog: 1, Queued: 1}
	s.Ctx[1] = cil.Ctx{Life: cil.Live, Space: 1, Start: 2, Commit: 3, Iclog: 2, Queued: 1, Next: 2}
	s.Ctx[2] = cil.Ctx{Life: cil.Live}
	s.Current, s.XcCtx, s.PushSeq, s.Committing = 4, 4, 3, 3
	s.Iclog[0] = cil.Iclog{State: cil.DoneSync, Lsn: 2, Cb: 2}
	s.Iclog[1] = cil.Iclog{State: cil.DoneSync, Lsn: 3, Cb: 3}
	s.NextLSN = 4
	s.Disk[0], s.Disk[1] = cil.Stable, cil.Stable
	return s
}

// note is a step that makes notes.
func note(notes ...statespace.Note) *statespace.Move {
	mv := &statespace.Move{}
	for _, n := range notes {
		mv.Note(n.Kind, n.A, n.B)
	}
	return mv
}

func tagged(tag statespace.Tag) *statespace.Move {
	mv := &statespace.Move{}
	mv.Tag(tag)
	return mv
}

// Every state, step and end property is true of a good state or step and false
// of a bad one: none is true by construction.
func TestPropertiesCanFail(t *testing.T) {
	sys := system(t)
	quiet := &statespace.Move{}
	for _, c := range []struct {
		property, why string
		spoil         func(*cil.State)
		step          *statespace.Move
	}{
		{"start-order", "the older start record is later", func(s *cil.State) { s.Ctx[0].Start = 3 }, quiet},
		{"start-order", "the older one has none", func(s *cil.State) { s.Ctx[0].Start = 0 }, quiet},
		{"commit-order", "the older commit record is later", func(s *cil.State) { s.Ctx[0].Commit = 4 }, quiet},
		{"commit-order", "callbacks in the wrong order", func(s *cil.State) {
			s.Iclog[0].Cb, s.Ctx[1].CbNext, s.Iclog[1].Cb = 3, 2, 0
		}, quiet},
		{"callback-order", "the younger completes first", nil, note(statespace.Note{Kind: cil.NoteCompleted, A: 3})},
		{"lsn-once", "commit_lsn set again", nil, note(statespace.Note{Kind: cil.NoteCommitSetAgain, A: 3})},
		{"lsn-once", "commit_lsn without start_lsn", func(s *cil.State) { s.Ctx[1].Start = 0 }, quiet},
		{"push-seq-bounds", "xc_push_seq two behind", func(s *cil.State) { s.PushSeq = 2 }, quiet},
		{"queued-once", "queued again", nil, note(statespace.Note{Kind: cil.NoteQueuedAgain, A: 3})},
		{"queued-once", "an old work is queued", func(s *cil.State) { s.Wq.QueueWork(0, 4) }, quiet},
		{"push-never-skipped", "skipped", nil, tagged(cil.TagSKIP)},
		{"no-lost-push", "one is queued", func(s *cil.State) { s.Wq.QueueWork(2, 4) }, quiet},
		{"list-order", "oldest first", func(s *cil.State) { s.Committing, s.Ctx[0].Next, s.Ctx[1].Next = 2, 3, 0 }, quiet},
		{"list-order", "a live context is missing", func(s *cil.State) { s.Ctx[1].Next = 0 }, quiet},
		{"asserts", "an ASSERT fails", nil, note(statespace.Note{Kind: cil.NoteAssert})},
		{"no-use-after-free", "a touch", nil, note(statespace.Note{Kind: cil.NoteUseAfterFree, A: 2})},
		{"shutdown-callbacks", "a reference", nil, note(statespace.Note{Kind: cil.NoteSpliced, A: 0, B: 1})},
		{"no-lost-completion", "the context is on no list", func(s *cil.State) { s.Iclog[0].Cb = 0 }, quiet},
		{"no-lost-completion", "the log is shut down", func(s *cil.State) { s.Shutdown = 1 }, quiet},
		{"no-lost-unpin", "the checkpoint is freed", func(s *cil.State) {
			s.Inode[0], s.Ctx[0].Inodes, s.Ctx[0].Life = 2, 1, cil.Freed
		}, quiet},
		{"no-lost-unpin", "the checkpoint is gone", func(s *cil.State) { s.Inode[0] = cil.GoneSeq }, quiet},
		{"no-lost-unpin", "the checkpoint does not pin it", func(s *cil.State) { s.Inode[0] = 3 }, quiet},
		{"force-durable", "the write is only cached", func(s *cil.State) { s.Disk[1] = cil.Cached },
			note(statespace.Note{Kind: cil.NoteReturned, A: uint8(cil.OpFsync)}, statespace.Note{Kind: cil.NoteOwn, A: 3})},
		{"force-durable", "an older write is in flight", func(s *cil.State) { s.Disk[0] = cil.InFlight },
			note(statespace.Note{Kind: cil.NoteReturned, A: uint8(cil.OpLogForce)}, statespace.Note{Kind: cil.NoteOwn, A: 3})},
		{"force-durable", "the file data is only cached", nil,
			note(statespace.Note{Kind: cil.NoteReturned, A: uint8(cil.OpFsync)}, statespace.Note{Kind: cil.NoteOwn, B: 1})},
		{"crash-prefix", "the older one has no commit record", func(s *cil.State) { s.Ctx[0].Commit = 0 }, quiet},
		{"crash-prefix", "no start record", func(s *cil.State) { s.Ctx[1].Start = 0 }, quiet},
		{"completed-durable", "the write is only cached", func(s *cil.State) { s.Disk[0] = cil.Cached },
			note(statespace.Note{Kind: cil.NoteCompleted, A: 2})},
		{"teardown", "the AIL is used", nil, note(statespace.Note{Kind: cil.NoteTornDown, A: cil.TornAIL})},
		{"accounting", "an item is left behind", nil, note(statespace.Note{Kind: cil.NoteGathered, A: 3, B: 1})},
		{"accounting", "the space is another", nil, note(statespace.Note{Kind: cil.NoteGathered, A: 3, B: 3})},
		{"accounting", "an item shrinks that is elsewhere", nil, note(statespace.Note{Kind: cil.NoteShrunk, A: 3, B: 1})},
		{"limit-seen", "the items reach the hard limit", func(s *cil.State) { s.Ctx[2].Joined = 16 }, quiet},
		{"async-honoured", "not durable at the end", func(s *cil.State) { s.Async, s.Disk[1] = 3, cil.Cached }, quiet},
	} {
		t.Run(c.property+"/"+c.why, func(t *testing.T) {
			good, bad := two(sys), two(sys)
			if !holds(t, sys, c.property, &good, quiet) {
				t.Errorf("%s is false of a good state", c.property)
			}
			if c.spoil != nil {
				c.spoil(&bad)
			}
			if holds(t, sys, c.property, &bad, c.step) {
				t.Errorf("%s holds although %s", c.property, c.why)
			}
		})
	}
}

// holds evaluates a property that is not about liveness.
func holds(t *testing.T, sys *spec.System, name string, s *cil.State, mv *statespace.Move) bool {
	t.Helper()
	p := properties.Lookup(name)
	if p == nil {
		t.Fatalf("no property %s", name)
	}
	o := properties.Options(sys, []*properties.Property{p})
	switch {
	case len(o.Invariants) == 1:
		return o.Invariants[0].Holds(s)
	case len(o.Terminal) == 1:
		return o.Terminal[0].Holds(s)
	}
	return o.StepInvariants[0].Holds(s, s, mv)
}

// A success that promises nothing, an error and an operation without a promise
// are no violation.
func TestForceDurableJudgesPromisesOnly(t *testing.T) {
	sys := system(t)
	s := two(sys)
	s.Disk[0], s.Disk[1] = cil.InFlight, cil.InFlight
	for name, mv := range map[string]*statespace.Move{
		"EIO":          note(statespace.Note{Kind: cil.NoteReturned, A: uint8(cil.OpFsync), B: 1}, statespace.Note{Kind: cil.NoteOwn, A: 3}),
		"async":        note(statespace.Note{Kind: cil.NoteReturned, A: uint8(cil.OpCilFlush)}, statespace.Note{Kind: cil.NoteOwn, A: 3}),
		"nothing owed": note(statespace.Note{Kind: cil.NoteReturned, A: uint8(cil.OpFsync)}, statespace.Note{Kind: cil.NoteOwn}),
		"gone by now": note(statespace.Note{Kind: cil.NoteReturned, A: uint8(cil.OpFsync)}, statespace.Note{Kind: cil.NoteOwn, A: 2},
			statespace.Note{Kind: cil.NoteSeqShift, A: 1}),
	} {
		if !holds(t, sys, "force-durable", &s, mv) {
			t.Errorf("%s: judged a violation", name)
		}
	}
}

// Names are unique, texts are there, and every tag, bug and property number that
// a reason cites is in the reference.
func TestEveryPropertyIsExplained(t *testing.T) {
	text := map[string]string{}
	for _, page := range []string{"cil.md", "workqueue.md", "bugs.md"} {
		b, err := os.ReadFile("../spec/reference/" + page)
		if err != nil {
			t.Fatal(err)
		}
		text[page] = string(b)
	}
	seen := map[string]bool{}
	cited := regexp.MustCompile(`(cil|workqueue|bugs)\.md#([A-Za-z0-9]+)`)
	for _, p := range properties.All() {
		if seen[p.Name] || p.Claim == "" || p.Reason == "" || p.Antecedent == "" || p.Kind == "" {
			t.Errorf("%s: a name twice, or a text missing", p.Name)
		}
		seen[p.Name] = true
		for _, c := range cited.FindAllStringSubmatch(p.Reason, -1) {
			page := text[c[1]+".md"]
			if !strings.Contains(page, "**"+c[2]+"**") && !strings.Contains(page, "## "+c[2]+" ") &&
				!strings.Contains(page, "**"+c[2]+"a**") {
				t.Errorf("%s cites %s, which the reference does not have", p.Name, c[0])
			}
		}
	}
}

// The head of the AIL may stand still and move on, but not back.
func TestAILHeadMovesOn(t *testing.T) {
	sys := system(t)
	p := properties.Lookup("ail-head")
	holds := properties.Options(sys, []*properties.Property{p}).StepInvariants[0].Holds
	for _, test := range []struct {
		before, after cil.Seq
		shutdown      uint8
		want          bool
	}{{3, 2, 0, false}, {2, 3, 0, true}, {3, 3, 0, true}, {3, 2, 1, true}} {
		before, after := two(sys), two(sys)
		before.AILHead, after.AILHead, after.Shutdown = test.before, test.after, test.shutdown
		if got := holds(&before, &after, &statespace.Move{}); got != test.want {
			t.Errorf("%+v: %v", test, got)
		}
	}
}
