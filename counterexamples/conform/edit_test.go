package conform

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"cilcheck/cil"
)

// A recording that is falsified must be rejected, at the edit or soon after.

// line is an ftrace line.
func line(pid, cpu, time int, rest string) string {
	return fmt.Sprintf("            load-%-7d [%03d] .....  %d: %s\n", pid, cpu, time, rest)
}

// write puts a recording into a file.
func write(t *testing.T, text string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "recording.trace")
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// firstLines is the beginning of a recording of testdata.
func firstLines(t *testing.T, name string, n int) [][]byte {
	t.Helper()
	f, err := os.Open(filepath.Join("testdata", name+".trace.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	all, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	lines := bytes.SplitAfter(all, []byte("\n"))
	return lines[:min(n, len(lines))]
}

// place is an event that an edit can be made at.
type place struct {
	line  int // index
	e     Event
	after int // index of the same thread's next event that the check uses; 0: none
}

// places lists the events that the check uses.
func places(t *testing.T, lines [][]byte) []place {
	t.Helper()
	r := NewReader("edit", bytes.NewReader(bytes.Join(lines, nil)))
	var ps []place
	last := map[int]int{}
	var e Event
	for {
		err := r.Next(&e)
		if errors.Is(err, io.EOF) {
			return ps
		}
		if err != nil {
			t.Fatal(err)
		}
		if unused(&e) {
			continue
		}
		if i, ok := last[e.PID]; ok {
			ps[i].after = e.Line - 1
		}
		last[e.PID] = len(ps)
		ps = append(ps, place{line: e.Line - 1, e: e})
	}
}

// An edit falsifies a recording at a place: it returns the new lines and the
// first, from 1, that is not true any more; nil if it does not apply there.
type edit func(lines [][]byte, p place) (edited [][]byte, first int)

func swap(lines [][]byte, p place) ([][]byte, int) {
	_, a, _ := bytes.Cut(lines[p.line], []byte(": "))
	_, b, _ := bytes.Cut(lines[p.after], []byte(": "))
	if bytes.Equal(a, b) {
		return nil, 0 // the same event twice
	}
	lines[p.line], lines[p.after] = lines[p.after], lines[p.line]
	return lines, p.line + 1
}

// drop leaves out an event, but not one that need not be there: without an fsync,
// the force in it is one of a synchronous transaction; a thread that comes too
// late to wait shows no xlog_iclog_wait_on; and a flush that is passed on to the
// next colour has one flush_prep_ret more than another. Returns are another edit.
func drop(lines [][]byte, p place) ([][]byte, int) {
	if p.e.Kind == Fsync || p.e.Kind == IclogWaitOn || p.e.Kind == FlushPrepRet || entryOf(p.e.Kind) != Other {
		return nil, 0
	}
	return append(lines[:p.line:p.line], lines[p.line+1:]...), p.line + 1
}

// dropReturn leaves out a return, which a recording of many threads can miss.
func dropReturn(lines [][]byte, p place) ([][]byte, int) {
	if entryOf(p.e.Kind) == Other {
		return nil, 0
	}
	return append(lines[:p.line:p.line], lines[p.line+1:]...), p.line + 1
}

func renumber(lines [][]byte, p place) ([][]byte, int) {
	if kinds[p.e.Kind].needs&hasSeq == 0 {
		return nil, 0
	}
	was, is := fmt.Sprintf(" seq=%d", p.e.Seq), fmt.Sprintf(" seq=%d", p.e.Seq+1)
	lines[p.line] = bytes.Replace(lines[p.line], []byte(was), []byte(is), 1)
	return lines, p.line + 1
}

func misread(lines [][]byte, p place) ([][]byte, int) {
	if kinds[p.e.Kind].needs&hasPushSeq == 0 {
		return nil, 0
	}
	was, is := fmt.Sprintf(" push_seq=%d", p.e.PushSeq), fmt.Sprintf(" push_seq=%d", p.e.PushSeq+1)
	lines[p.line] = bytes.Replace(lines[p.line], []byte(was), []byte(is), 1)
	return lines, p.line + 1
}

// wake lets a flush return that waits for a work, before the work is done.
func wake(lines [][]byte, p place) ([][]byte, int) {
	if p.e.Kind != FlushPrepRet || !p.e.Wait {
		return nil, 0
	}
	woken := lines[p.after]
	lines = append(lines[:p.after:p.after], lines[p.after+1:]...)
	return append(lines[:p.line+1:p.line+1], append([][]byte{woken}, lines[p.line+1:]...)...), p.line + 2
}

func repeat(lines [][]byte, p place) ([][]byte, int) {
	if p.e.Kind == FlushPrepRet {
		return nil, 0
	}
	return append(lines[:p.line+1:p.line+1], lines[p.line:]...), p.line + 2
}

func TestEditsAreRejected(t *testing.T) {
	recordings := map[string]int{ // and how many of its lines
		"6.12-nf-full-smp1-t1":                       900,
		"6.12-stock-voluntary-smp2-meta-churn-m2-t1": 900,
		"6.12-stock-none-smp2-t4":                    1200,
		"6.12-nfb-none-smp2-t4":                      1200,
		"6.12-stock-full-smp2-t16":                   2400,
	}
	edits := map[string]edit{"swap": swap, "drop": drop, "drop return": dropReturn, "renumber": renumber,
		"misread": misread, "wake": wake, "repeat": repeat}
	for name, n := range recordings {
		lines := firstLines(t, name, n)
		ps := places(t, lines)
		for what, edit := range edits {
			many := strings.HasSuffix(name, "-t16")
			if many && what == "drop return" {
				continue
			}
			t.Run(name+"/"+what, func(t *testing.T) {
				t.Parallel()
				checkEdits(t, lines, ps, func(lines [][]byte, p place) ([][]byte, int) {
					if many && p.e.Kind == Fsync {
						return nil, 0 // it can be one that returned at once, unseen
					}
					return edit(lines, p)
				}, variants[module(name)])
			})
		}
	}
}

// TestLazyAgreesWithFull compares the reduced search with one that takes the
// hidden steps of all threads in every order for every event: whether it
// conforms, and if not the line, is the same, for edited recordings too.
func TestLazyAgreesWithFull(t *testing.T) {
	for _, name := range []string{"6.12-nf-full-smp1-t1", "6.12-nf-full-smp2-t2", "7.2-stock-lazy-smp2-t2"} {
		lines := firstLines(t, name, 450)
		ps := places(t, lines)
		for what, edit := range map[string]edit{"as it is": nil, "swap": swap, "drop": drop, "repeat": repeat} {
			t.Run(name+"/"+what, func(t *testing.T) {
				t.Parallel()
				for i := 3; i < len(ps); i += 1 + len(ps)/12 {
					edited := append([][]byte{}, lines...)
					if edit != nil && ps[i].after > 0 {
						edited, _ = edit(edited, ps[i])
					}
					if edited == nil {
						continue
					}
					recording := write(t, string(bytes.Join(edited, nil)))
					reduced := check(t, recording, Options{Variant: variants[module(name)]})
					all := check(t, recording, Options{Variant: variants[module(name)], unreduced: true})
					if reduced.Verdict != all.Verdict || reduced.Line != all.Line {
						t.Errorf("edit at line %d: %s at %d, unreduced %s at %d", ps[i].line+1,
							reduced.Verdict, reduced.Line, all.Verdict, all.Line)
					}
					if edit == nil {
						break
					}
				}
			})
		}
	}
}

// TestAnyNonsenseHasAVerdict: recordings with many lines dropped, repeated and
// moved are checked to a verdict, against every variant.
func TestAnyNonsenseHasAVerdict(t *testing.T) {
	for _, name := range []string{"6.12-nf-full-smp1-t1", "6.12-stock-voluntary-smp2-meta-churn-m2-t1", "6.12-nfb-none-smp2-t4"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			lines := firstLines(t, name, 400)
			rng := rand.New(rand.NewPCG(3, uint64(len(name))))
			for range 60 {
				edited := append([][]byte{}, lines...)
				for range 1 + rng.IntN(30) {
					i, j := 13+rng.IntN(len(edited)-13), 13+rng.IntN(len(edited)-13)
					switch rng.IntN(3) {
					case 0:
						edited = append(edited[:i], edited[i+1:]...)
					case 1:
						edited = append(edited[:i+1:i+1], edited[i:]...)
					case 2:
						edited[i], edited[j] = edited[j], edited[i]
					}
				}
				recording := write(t, string(bytes.Join(edited, nil)))
				for _, v := range variants {
					res := check(t, recording, Options{Variant: v, Limit: 2000})
					if (res.Verdict == Conforms) != (res.Why == "") {
						t.Errorf("%s, because %q", res.Verdict, res.Why)
					}
				}
			}
		})
	}
}

// TestSkew: a work that starts before it was queued fits only if the clocks of
// the two CPUs may differ by as much.
func TestSkew(t *testing.T) {
	const name = "6.12-stock-none-smp2-t4"
	lines := firstLines(t, name, 400)
	ps := places(t, lines)
	for i := range ps {
		if ps[i].e.Kind != QueueWork {
			continue
		}
		start := i
		for ps[start].e.Kind != ExecuteStart {
			start++
		}
		early := ps[start].line
		at := func(e Event) []byte { return fmt.Appendf(nil, " %d: ", e.Time) }
		moved := append(append([][]byte{}, lines[:ps[i].line]...),
			bytes.Replace(lines[early], at(ps[start].e), at(ps[i].e), 1))
		moved = append(append(moved, lines[ps[i].line:early]...), lines[early+1:]...)
		recording := write(t, string(bytes.Join(moved, nil)))
		// The kworker shows its start at once, the queueing thread its own
		// events up to the work's a little later.
		wide := ps[start].e.Time - ps[i].e.Time
		if res := check(t, recording, Options{Skew: wide}); res.Verdict != Conforms || res.Skewed == 0 {
			t.Errorf("skew %d: %s at line %d, %s, %d skewed", wide, res.Verdict, res.Line, res.Event, res.Skewed)
		}
		moved[ps[i].line+1] = bytes.Replace(moved[ps[i].line+1], at(ps[i].e), at(Event{Time: ps[i].e.Time + 2*wide}), 1)
		if res := check(t, write(t, string(bytes.Join(moved, nil))), Options{Skew: wide}); res.Verdict != Rejected || res.Line != ps[i].line+1 {
			t.Errorf("too far apart: %s at line %d", res.Verdict, res.Line)
		}
		return
	}
	t.Fatal("no push in the recording")
}

// checkEdits makes an edit at a number of places, each by itself.
func checkEdits(t *testing.T, lines [][]byte, ps []place, edit edit, v cil.Variant) {
	const within = 200 // lines
	tried := 0
	for i := 3; i < len(ps) && tried < 20; i++ {
		if ps[i].after == 0 || ps[i].line > len(lines)-within {
			continue
		}
		edited, first := edit(append([][]byte{}, lines...), ps[i])
		if edited == nil {
			continue
		}
		tried++
		kind := ps[i].e.Kind
		i += 1 + len(ps)/40
		res := check(t, write(t, string(bytes.Join(edited, nil))), Options{Variant: v})
		if res.Verdict != Rejected {
			t.Errorf("line %d, %s: %s", first, kind, res.Verdict)
		} else if res.Line < first || res.Line > first+within {
			t.Errorf("line %d, %s: rejected at line %d", first, kind, res.Line)
		}
	}
}
