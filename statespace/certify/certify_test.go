package certify_test

import (
	"bytes"
	"compress/flate"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"cilcheck/statespace"
	"cilcheck/statespace/certify"
	"cilcheck/statespace/internal/toys"

	"pgregory.net/rapid"
)

// A deed is a certificate in the making: tests change it before they seal it.
type deed struct {
	identity                              string
	words, states, transitions, terminals int
	list                                  [][]uint64
	more                                  []byte // after the code of the states
}

// seal encodes a deed, with a checksum that is right, by the description at
// statespace.CertificateMagic. It does not mind if the states are not sorted.
func (d *deed) seal() []byte {
	out := []byte(statespace.CertificateMagic)
	out = binary.AppendUvarint(out, uint64(len(d.identity)))
	out = append(out, d.identity...)
	for _, n := range []int{d.words, d.states, d.transitions, d.terminals} {
		out = binary.AppendUvarint(out, uint64(n))
	}
	var body []byte
	last := make([]uint64, d.words)
	for n, s := range d.list {
		i := 0
		for n > 0 && i < d.words-1 && s[i] == last[i] {
			i++
		}
		body = binary.AppendUvarint(body, uint64(i))
		body = binary.AppendUvarint(body, s[i]-last[i])
		for i++; i < d.words; i++ {
			body = binary.AppendUvarint(body, s[i]^last[i])
		}
		last = s
	}
	return checksummed(append(out, deflated(append(body, d.more...))...))
}

func deflated(data []byte) []byte {
	var z bytes.Buffer
	w, err := flate.NewWriter(&z, flate.DefaultCompression)
	if err != nil {
		panic(err)
	}
	w.Write(data)
	w.Close()
	return z.Bytes()
}

func checksummed(data []byte) []byte {
	sum := sha256.Sum256(data)
	return append(data, sum[:]...)
}

const identity = "toy, variant 0, any, version 1"

// deedOf makes the deed of a finished search.
func deedOf[S any](m statespace.Model[S], r *statespace.Result[S]) *deed {
	d := &deed{identity, m.Words(), r.States, r.Transitions, r.Terminals, nil, nil}
	for i := range r.States {
		s := r.State(i)
		words := make([]uint64, m.Words())
		if err := m.Pack(&s, words); err != nil {
			panic(err)
		}
		d.list = append(d.list, words)
	}
	slices.SortFunc(d.list, slices.Compare)
	return d
}

func explored[S any](t rapid.TB, m statespace.Model[S]) *statespace.Result[S] {
	t.Helper()
	r, err := statespace.Explore(m, statespace.Options[S]{})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func written[S any](t rapid.TB, r *statespace.Result[S]) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := statespace.WriteCertificate(&b, r, identity); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// certified writes a certificate, checks it, and compares it with the deed.
func certified[S any](t *testing.T, m statespace.Model[S], c certify.Claims[S]) {
	t.Helper()
	r := explored(t, m)
	data := written(t, r)
	rep, err := certify.Verify(data, m, identity, c)
	if err != nil {
		t.Fatal(err)
	}
	if *rep != (certify.Report{Identity: identity, States: r.States, Transitions: r.Transitions, Terminals: r.Terminals}) {
		t.Errorf("%+v", rep)
	}
	if !bytes.Equal(data, deedOf(m, r).seal()) {
		t.Error("the certificate is not the deed of the search")
	}
}

func TestToys(t *testing.T) {
	certified(t, toys.TwoPhase{N: 6}, certify.Claims[toys.TwoPhaseState]{
		States: []certify.Claim[toys.TwoPhaseState]{{Name: "consistent", Holds: toys.Consistent}},
		Steps: []certify.StepClaim[toys.TwoPhaseState]{{Name: "irrevocable", Holds: func(before, after *toys.TwoPhaseState, _ *statespace.Move) bool {
			return !before.SentCommit || after.SentCommit
		}}},
	})
	certified(t, toys.Philosophers{N: 5}, certify.Claims[toys.TableState]{
		Terminal: []certify.Claim[toys.TableState]{{Name: "all hold one", Holds: func(s *toys.TableState) bool {
			return s.Holds[0]+s.Holds[1]+s.Holds[2]+s.Holds[3]+s.Holds[4] == 5
		}}},
	})
	certified(t, toys.Lock{Algorithm: toys.Peterson, Busy: true}, certify.Claims[toys.LockState]{
		States: []certify.Claim[toys.LockState]{{Name: "exclusive", Holds: toys.Exclusive}},
	})
	certified(t, toys.LostWakeup{}, certify.Claims[toys.WakeupState]{})
}

// refused checks that a certificate is refused, with an error that says why.
func refused[S any](t *testing.T, what string, data []byte, m statespace.Model[S], c certify.Claims[S], why string) {
	t.Helper()
	rep, err := certify.Verify(data, m, identity, c)
	if err == nil || rep != nil || !strings.Contains(err.Error(), why) {
		t.Errorf("%s: report %v, error %v; want an error with %q", what, rep, err, why)
	}
}

func TestTampered(t *testing.T) {
	m := toys.Philosophers{N: 3}
	r := explored(t, m)
	none := certify.Claims[toys.TableState]{}
	honest := deedOf(m, r)
	for _, c := range []struct {
		what string
		edit func(d *deed)
		why  string
	}{
		{"identity", func(d *deed) { d.identity += "1" }, `about "toy, variant 0, any, version 11", not about "toy,`},
		{"words", func(d *deed) { d.words, d.list = 1, nil }, "states have 1 words"},
		{"states", func(d *deed) { d.states++ }, "certificate says"},
		{"transitions", func(d *deed) { d.transitions-- }, "transitions; the certificate says"},
		{"terminals", func(d *deed) { d.terminals = 0 }, "terminal states; the certificate says 0"},
		{"no states", func(d *deed) { d.states, d.list = 0, nil }, "initial states: [0 0] is reachable and missing"},
		{"dropped", func(d *deed) { d.states--; d.list = slices.Delete(d.list, 5, 6) }, "is reachable and missing"},
		{"dropped first", func(d *deed) { d.states--; d.list = d.list[1:] }, "initial states:"},
		{"added", func(d *deed) { d.states++; d.list = append(d.list, []uint64{1<<63 - 1, 7}) }, "is not reachable"},
		{"replaced", func(d *deed) { d.list[5] = []uint64{d.list[5][0], d.list[5][1] ^ 4} }, "is reachable and missing"},
		{"unsorted", func(d *deed) { d.list[3], d.list[4] = d.list[4], d.list[3] }, "not greater than the state before"},
		{"no difference", func(d *deed) { d.more = []byte{2} }, "it does not differ from the state before it"},
		{"half a state", func(d *deed) { d.states++; d.more = []byte{0, 1} }, "it is cut short or damaged"},
		{"overflow", func(d *deed) { d.more = binary.AppendUvarint([]byte{0}, 1<<64-2) }, "it is not greater than the state before it"},
		{"twice", func(d *deed) { d.states++; d.list = slices.Insert(d.list, 3, d.list[3]) }, "not greater than the state before"},
	} {
		d := *honest
		d.list = slices.Clone(honest.list)
		c.edit(&d)
		refused(t, c.what, d.seal(), m, none, c.why)
	}
}

// TestDamaged changes bytes: every one of the file, and cuts it at every length.
func TestDamaged(t *testing.T) {
	m := toys.Philosophers{N: 3}
	data := written(t, explored(t, m))
	none := certify.Claims[toys.TableState]{}
	for i := range data {
		bad := slices.Clone(data)
		bad[i] ^= 1 << (i % 8)
		why := "checksum is wrong"
		if i < len(statespace.CertificateMagic) {
			why = "not a certificate of this version"
		}
		refused(t, fmt.Sprintf("byte %d", i), bad, m, none, why)
		refused(t, fmt.Sprintf("cut at %d", i), data[:i], m, none, "")
		// A checksum made anew does not help, wherever the change is.
		if end := len(data) - sha256.Size; i < end {
			refused(t, fmt.Sprintf("byte %d, new sum", i), checksummed(bad[:end:end]), m, none, "")
			refused(t, fmt.Sprintf("cut at %d, new sum", i), checksummed(data[:i:i]), m, none, "")
		}
	}
	refused(t, "longer", checksummed(data[:len(data):len(data)]), m, none, "then 32 bytes")
}

// TestFalseClaims: a valid set of states does not make a false claim true.
func TestFalseClaims(t *testing.T) {
	m := toys.Philosophers{N: 3}
	data := written(t, explored(t, m))
	eats := func(s *toys.TableState) bool { return s.Holds[0] < 2 }
	refused(t, "state", data, m, certify.Claims[toys.TableState]{
		States: []certify.Claim[toys.TableState]{{Name: "never eats", Holds: eats}},
	}, `"never eats" is false`)
	refused(t, "step", data, m, certify.Claims[toys.TableState]{
		Steps: []certify.StepClaim[toys.TableState]{{Name: "never eats", Holds: func(_, s *toys.TableState, _ *statespace.Move) bool { return eats(s) }}},
	}, `task 0, outcome 0: "never eats" is false`)
	refused(t, "terminal", data, m, certify.Claims[toys.TableState]{
		Terminal: []certify.Claim[toys.TableState]{{Name: "no deadlock", Holds: func(*toys.TableState) bool { return false }}},
	}, `"no deadlock" is false`)
	refused(t, "panic", data, m, certify.Claims[toys.TableState]{
		States: []certify.Claim[toys.TableState]{{Name: "panics", Holds: func(s *toys.TableState) bool { panic("planted") }}},
	}, "panic: planted")
	refused(t, "forgetful", data, forgetful{m}, certify.Claims[toys.TableState]{}, "it is packed again as")
	refused(t, "bounded", data, bounded{m}, certify.Claims[toys.TableState]{}, "task 2, outcome 0: the step leaves the model: full")
	refused(t, "other model", data, toys.Philosophers{N: 3, LeftHanded: true}, certify.Claims[toys.TableState]{}, "")
}

// A forgetful model does not unpack all of a state.
type forgetful struct{ toys.Philosophers }

func (m forgetful) Unpack(words []uint64, s *toys.TableState) {
	m.Philosophers.Unpack(words, s)
	s.Taken[2] = false
}

// A bounded model has no room for the steps of task 2.
type bounded struct{ toys.Philosophers }

func (m bounded) Step(s *toys.TableState, task int, mv *statespace.Move) statespace.Status {
	if task == 2 {
		mv.Truncate("full")
	}
	return m.Philosophers.Step(s, task, mv)
}

// A table is a model with one or two words per state, given as its arrows.
type table struct {
	words  int
	arrows [][][]int // by state and task
}

type cell struct{ At int }

func (m *table) Init(yield func(*cell)) { yield(&cell{}) }
func (m *table) Tasks() int             { return 2 }
func (m *table) Words() int             { return m.words }

func (m *table) Step(s *cell, task int, mv *statespace.Move) statespace.Status {
	to := m.arrows[s.At][task]
	if len(to) == 0 {
		return statespace.Done
	}
	s.At = to[mv.Choose(len(to))]
	return statespace.Moved
}

// Pack spreads the number of a state over the words, so that their order is not
// that of the numbers.
func (m *table) Pack(s *cell, words []uint64) error {
	words[0] = uint64(s.At*5%11) << 60
	words[m.words-1] |= uint64(s.At) // the only word, or the second
	if m.words == 2 {
		words[1] = uint64(s.At)
	}
	return nil
}

func (m *table) Unpack(words []uint64, s *cell) { s.At = int(words[m.words-1] & 15) }

func drawTable(t *rapid.T) *table {
	n := rapid.IntRange(1, 9).Draw(t, "states")
	m := &table{words: rapid.IntRange(1, 2).Draw(t, "words")}
	state := rapid.IntRange(0, n-1)
	for range n {
		m.arrows = append(m.arrows, [][]int{
			rapid.SliceOfN(state, 0, 2).Draw(t, "first"), rapid.SliceOfN(state, 0, 2).Draw(t, "second"),
		})
	}
	return m
}

// TestRandomTables: what the explorer writes of random models is confirmed, and
// what differs from it in any one state or count is refused.
func TestRandomTables(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		m := drawTable(t)
		r, err := statespace.Explore(m, statespace.Options[cell]{})
		if err != nil {
			t.Fatal(err)
		}
		verify := func(data []byte) error {
			_, err := certify.Verify(data, m, identity, certify.Claims[cell]{})
			return err
		}
		honest := deedOf(m, r)
		if err := verify(written(t, r)); err != nil {
			t.Fatal(err)
		}
		if err := verify(honest.seal()); err != nil {
			t.Fatal(err)
		}
		d := *honest
		d.list = slices.Clone(d.list)
		i := rapid.IntRange(0, len(d.list)-1).Draw(t, "which")
		switch rapid.IntRange(0, 4).Draw(t, "edit") {
		case 0:
			d.list = slices.Delete(d.list, i, i+1)
			d.states--
		case 1: // a state that exists and is not reachable, or does not exist
			s := cell{rapid.IntRange(0, 15).Draw(t, "state")}
			if r.Contains(&s) {
				return
			}
			words := make([]uint64, m.words)
			m.Pack(&s, words)
			d.list = append(d.list, words)
			slices.SortFunc(d.list, slices.Compare)
			d.states++
		case 2:
			d.transitions += rapid.SampledFrom([]int{-1, 1}).Draw(t, "more")
		case 3:
			d.terminals += rapid.SampledFrom([]int{-1, 1}).Draw(t, "more")
		case 4:
			s := slices.Clone(d.list[i])
			s[rapid.IntRange(0, m.words-1).Draw(t, "word")] ^= 1 << rapid.IntRange(0, 63).Draw(t, "bit")
			d.list[i] = s
			slices.SortFunc(d.list, slices.Compare)
		}
		if err := verify(d.seal()); err == nil {
			t.Fatalf("accepted: %+v instead of %+v", d, honest)
		}
	})
}

// TestFile writes a file whole or not at all.
func TestFile(t *testing.T) {
	dir := t.TempDir()
	m := toys.TwoPhase{N: 4}
	r := explored(t, m)
	path := filepath.Join(dir, "run.cert")
	if err := statespace.WriteCertificateFile(path, r, identity); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil || !bytes.Equal(data, written(t, r)) {
		t.Errorf("the file differs from what is written to a writer: %v", err)
	}
	if err := statespace.WriteCertificateFile(filepath.Join(dir, "none", "run.cert"), r, identity); err == nil {
		t.Error("written to a directory that does not exist")
	}
	cut, err := statespace.Explore(m, statespace.Options[toys.TwoPhaseState]{Limits: statespace.Limits{States: 10}})
	if err != nil {
		t.Fatal(err)
	}
	if err := statespace.WriteCertificateFile(path, cut, identity); err == nil || !strings.Contains(err.Error(), "state limit") {
		t.Errorf("a search that is not exhausted is certified: %v", err)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "*")); len(left) != 1 {
		t.Errorf("left behind: %v", left)
	}
	if again, err := os.ReadFile(path); err != nil || !bytes.Equal(again, data) {
		t.Errorf("the old file is damaged: %v", err)
	}
}

func BenchmarkVerify(b *testing.B) {
	m := toys.TwoPhase{N: 7}
	r := explored(b, m)
	data := written(b, r)
	for b.Loop() {
		if _, err := certify.Verify(data, m, identity, certify.Claims[toys.TwoPhaseState]{}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(r.States)*float64(b.N)/b.Elapsed().Seconds(), "states/s")
}
