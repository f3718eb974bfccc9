package conform

import (
	"testing"

	"cilcheck/cil"
)

// TestDoze: who could have slept in FL3 while an iclog was written does not sleep
// for it again, and who came later does.
func TestDoze(t *testing.T) {
	c, err := newChecker(&Survey{Unit: Ticks}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	n := c.kept.copy(c.cur[0])
	const early, late = 1, 2
	at := func(task int) {
		n.threads[task] = thread{pid: int32(task), busy: true}
		n.s.Task[task].PC, n.s.Task[task].Lsn = cil.PlaceForceLsn, cil.FirstLSN+1
	}
	n.s.Iclog[0] = cil.Iclog{State: cil.Syncing, Lsn: cil.FirstLSN}
	n.s.Iclog[1] = cil.Iclog{State: cil.Active, Lsn: cil.FirstLSN + 1}
	at(early)
	c.doze(n)
	n.s.Iclog[0].State = cil.DoneSync
	at(late)
	c.doze(n)
	n.s.Iclog[0].State = cil.Syncing // as if it came round again
	if i := c.m.WouldSleep(&n.s, early); i >= 0 {
		t.Errorf("who has slept would sleep on iclog %d", i)
	}
	if i := c.m.WouldSleep(&n.s, late); i != 0 {
		t.Errorf("who has not slept would sleep on %d, not iclog 0", i)
	}
	n.threads[late].owed.push(expect{kind: CilForceSeqRet})
	c.doze(n)
	if n.threads[late].dozes != 0 {
		t.Error("who is not there yet dozes")
	}
}
