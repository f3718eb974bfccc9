package spec

import (
	"testing"

	"cilcheck/cil"

	"github.com/google/go-cmp/cmp"
)

// fits checks a configuration against the bounds of package cil.
func fits(t *testing.T, c cil.Config) {
	t.Helper()
	if err := c.Validate(); err != nil {
		t.Fatal(err)
	}
	in := func(what string, n uint8, lo, hi int) {
		if int(n) < lo || int(n) > hi {
			t.Fatalf("%s is %d, not %d to %d", what, n, lo, hi)
		}
	}
	in("iclogs", c.Iclogs, 1, cil.MaxIclogs)
	in("iclog units", c.IclogUnits, 1, cil.MaxUnits)
	in("contexts", c.Contexts, 2, cil.MaxContexts)
	in("lsns", c.LSNs, 2, cil.MaxLSNs)
	in("soft", c.Soft, 1, int(c.Hard))
	in("hard", c.Hard, 1, cil.MaxUnits)
	in("max active", c.MaxActive, 1, MaxActive)
	in("workers", c.Workers, 1, MaxTasks)
	if n := len(c.Scripts) + int(c.Workers) + int(c.Iclogs); len(c.Scripts) == 0 || n > MaxTasks {
		t.Fatalf("%d scripts, %d tasks", len(c.Scripts), n)
	}
	names := map[string]bool{}
	for _, s := range c.Scripts {
		if names[s.Name] {
			t.Fatalf("two tasks are called %s", s.Name)
		}
		names[s.Name] = true
		in("script", uint8(len(s.Ops)), 1, cil.MaxScript)
		in("inode", s.Inode, 0, cil.MaxInodes-1)
		for _, op := range s.Ops {
			in("inode", op.Inode, 0, cil.MaxInodes-1)
			if commits(op.Kind) {
				in("size", op.Size, 1, cil.MaxUnits)
			}
		}
	}
}

func TestConfig(t *testing.T) {
	sc, err := Parse("f", []byte(`
name: everything
title: every key at once
iclogs: {check: 3, soak: 4}
iclog_units: 5
contexts: 6
lsns: 7
soft: {check: 9, soak: 20}
max_active: 1
workers: 3
faults: [log_io_error]
schedulers: [any, cooperative(2), priority]
variants: ["", "flush=never,wait=commit"]
end: [done, frozen, throttled-after-shutdown]
tasks:
  - {name: fsync, count: {check: 2, soak: 1}, start: current, size: 2, do: [commit, fsync], fifo: true}
  - {name: shared, inode: 1, do: [{commit: {size: {check: 2, soak: 3}}}, {fsync: {inode: own}}, {commit: {inode: own, overrun: true}}, {commit: {shrink: 1}}]}
  - {name: older, inode: 1, start: previous, times: forever, do: [fsync]}
  - {name: xfsaild, count: {check: 0, soak: 1}, do: [cil_flush, log_force], times: {check: 2, soak: forever}}
  - {name: freezer, do: [freeze, thaw]}
`), nil)
	if err != nil {
		t.Fatal(err)
	}
	freezer := cil.Script{Name: "freezer", Times: 1, Ops: []cil.Op{{Kind: cil.OpFreeze}, {Kind: cil.OpThaw}}}
	older := cil.Script{Name: "older", Start: cil.StartPrevious, Inode: 1, Size: 1,
		Ops: []cil.Op{{Kind: cil.OpFsync, Inode: 1}}}
	fsync := func(name string, inode uint8) cil.Script {
		return cil.Script{Name: name, Times: 1, Start: cil.StartCurrent, Inode: inode, Size: 2, FIFO: true,
			Ops: []cil.Op{{Kind: cil.OpCommit, Inode: inode, Size: 1}, {Kind: cil.OpFsync, Inode: inode}}}
	}
	shared := func(size, inode uint8) cil.Script {
		return cil.Script{Name: "shared", Times: 1, Ops: []cil.Op{
			{Kind: cil.OpCommit, Inode: 1, Size: size},
			{Kind: cil.OpFsync, Inode: inode},
			{Kind: cil.OpCommit, Inode: inode, Size: 1, Overrun: true},
			{Kind: cil.OpCommit, Inode: 1, Size: 1, Shrink: 1},
		}}
	}
	xfsaild := cil.Script{Name: "xfsaild", Times: 0, Ops: []cil.Op{{Kind: cil.OpCilFlush}, {Kind: cil.OpLogForce}}}
	want := map[Size]cil.Config{
		Check: {Iclogs: 3, IclogUnits: 5, Contexts: 6, LSNs: 7, Soft: 9, Hard: 18, MaxActive: 1, Workers: 3, LogIOError: true,
			Scripts: []cil.Script{fsync("fsync0", 2), fsync("fsync1", 3), shared(2, 4), older, freezer}},
		Soak: {Iclogs: 4, IclogUnits: 5, Contexts: 6, LSNs: 7, Soft: 20, Hard: 30, MaxActive: 1, Workers: 3, LogIOError: true,
			Scripts: []cil.Script{fsync("fsync", 2), shared(3, 3), older, xfsaild, freezer}},
	}
	for size, want := range want {
		if diff := cmp.Diff(want, sc.Config(size)); diff != "" {
			t.Errorf("%v (-want +got):\n%s", size, diff)
		}
		fits(t, sc.Config(size))
	}
	parses(t, sc.Format())
	if !sc.MayEnd(EndThrottled) || !sc.Has(Soak) {
		t.Error("MayEnd or Has")
	}
}

func TestDefaults(t *testing.T) {
	sc, err := Parse("f", []byte(small), nil)
	if err != nil {
		t.Fatal(err)
	}
	want := &Scenario{
		Name: "a", Title: "b", Sizes: []Size{Check, Soak},
		Iclogs: N(2), IclogUnits: N(4), Contexts: N(4), LSNs: N(6), Soft: N(8), Hard: N(16),
		MaxActive: N(4), Workers: N(2), Schedulers: []Scheduler{{}}, Ends: []End{EndDone},
		Tasks: []Task{{Name: "c", Count: N(1), Size: N(1), Inode: Own, Times: N(1),
			Do: []Op{{Kind: cil.OpCommit, Inode: Own, Size: N(1)}}}},
	}
	if diff := cmp.Diff(want, sc); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestValidate(t *testing.T) {
	good := func() *Scenario {
		sc := *Library()[0]
		sc.Tasks = []Task{{Name: "c", Count: N(1), Size: N(1), Times: N(1), Do: []Op{{Kind: cil.OpCommit, Size: N(1)}}}}
		return &sc
	}
	for _, c := range []struct {
		change func(*Scenario)
		want   string
	}{
		{func(*Scenario) {}, ""},
		{func(sc *Scenario) { sc.Sizes = nil }, "sizes: none: expected check, soak or both"},
		{func(sc *Scenario) { sc.Sizes = []Size{7} }, "sizes: unknown size Size(7): expected check or soak"},
		{func(sc *Scenario) { sc.Sizes = []Size{Soak, Soak} }, `sizes[1]: "soak" is there twice: expected it once`},
		{func(sc *Scenario) { sc.LSNs = N(15) }, "lsns: 15 is out of range: expected 2 to 14"},
		{func(sc *Scenario) { sc.Tasks[0].Start = 9 }, "tasks[0].start: unknown start 9"},
		{func(sc *Scenario) { sc.Tasks[0].Do[0].Kind = 99 }, "tasks[0].do[0]: unknown operation 99"},
		{func(sc *Scenario) { sc.Tasks[0].Do[0].Kind = cil.OpFsync }, "tasks[0].do[0].size: fsync has no size"},
		{func(sc *Scenario) { sc.Tasks[0].Do[0].Kind = cil.OpFreeze },
			"tasks[0].do[0].inode: freeze has no inode\ntasks[0].do[0].size: freeze has no size"},
		{func(sc *Scenario) { sc.Tasks[0].Do[0] = Op{Kind: cil.OpThaw, Inode: Own, Overrun: true} },
			"tasks[0].do[0].overrun: thaw cannot overrun a reservation"},
	} {
		sc := good()
		c.change(sc)
		got := ""
		if err := sc.Validate(); err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("got  %s\nwant %s", got, c.want)
		}
	}
}
