package statespace

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/gob"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// A Checkpoint says where a search is saved, so that it can go on after the
// program was killed. If the file is there, the search goes on from it, and
// ends as it would have without a break; it is removed when the search is
// exhausted. A file of another search is an error that says what differs.
type Checkpoint struct {
	File string // "" is none
	// Every is how much time lies between two savings; 0 saves after every
	// level. A search that is cancelled, or out of time, is saved at its end.
	Every time.Duration
	// Identity says what is searched, beyond what the options tell: scenario,
	// variant, version of the program, a line each.
	Identity string
}

// checkpointMagic begins every checkpoint; its number is that of the format.
// After it come the length of the header and the header, the tables, and the
// SHA-256 of all that.
const checkpointMagic = "cilcheck checkpoint 4\n"

// A savedHeader is all of a search but its tables.
type savedHeader struct {
	Of []string // what the search is of, a line each

	Levels, InitNos          []int
	Inits                    []uint64
	End, Expanded            int
	Transitions, Terminals   int
	Truncated                string
	Coverage                 [MaxTags]uint64
	Invariants, Steps, Terms []savedFinding
	Met                      []bool
	Maxima                   []Peak
	PeakRefs                 []uint64
	Found                    int
	Peak                     int64

	Dict, Numbers int // keys
	Set           [shardCount]savedShard
	Current, Next int // keys of the frontier
	Graph         savedGraph
}

type savedShard struct {
	Keys  int
	Scale uint64
	Deep  bool
}

type savedFinding struct {
	States []uint64
	Steps  []savedStep
	Closed bool
}

type savedStep struct {
	State   uint64
	Outcome uint32
	Task    uint8
}

type savedGraph struct {
	Base          []uint64
	States, Edges int
	Cut           map[uint32]uint64
}

// searchOf is what must be the same for a search to go on.
func (e *explorer[S]) searchOf() []string {
	names := func(of string, n int, name func(i int) string) string {
		list := make([]string, n)
		for i := range list {
			list[i] = fmt.Sprintf("%q", name(i))
		}
		return of + ": " + strings.Join(list, " ")
	}
	o := e.o
	of := []string{
		fmt.Sprintf("tasks: %d", e.tasks), fmt.Sprintf("words: %d", e.words),
		fmt.Sprintf("stored graph: %v", e.graph != nil), fmt.Sprintf("compact: %v", o.Compact), fmt.Sprintf("stop at first: %v", o.StopAtFirst),
		names("invariants", len(o.Invariants), func(i int) string { return o.Invariants[i].Name }),
		names("step invariants", len(o.StepInvariants), func(i int) string { return o.StepInvariants[i].Name }),
		names("terminal", len(o.Terminal), func(i int) string { return o.Terminal[i].Name }),
		names("antecedents", len(o.Antecedents), func(i int) string { return o.Antecedents[i].Name }),
		names("maxima", len(o.Maxima), func(i int) string { return o.Maxima[i].Name }),
	}
	for i, line := range strings.Split(o.Checkpoint.Identity, "\n") {
		of = append(of, fmt.Sprintf("identity, line %d: %s", i+1, line))
	}
	return of
}

// saveDue says whether the search is to be saved after the next batch. While it is,
// nobody may change a shard: the batch must be alone.
func (e *explorer[S]) saveDue() bool {
	c := &e.o.Checkpoint
	return c.File != "" && c.Every > 0 && time.Since(e.saved) >= c.Every
}

// saveLevel saves the search after a level, if it is to be saved then.
func (e *explorer[S]) saveLevel() error {
	if c := &e.o.Checkpoint; c.File == "" || c.Every > 0 || e.watch.reason != "" {
		return nil
	}
	return e.save()
}

// save writes the checkpoint: it appears whole or not at all.
func (e *explorer[S]) save() error {
	file := e.o.Checkpoint.File
	f, err := os.CreateTemp(filepath.Dir(file), filepath.Base(file)+".*.tmp")
	if err != nil {
		return fileFault("cannot write a checkpoint: %w", err)
	}
	err = e.writeCheckpoint(f)
	if err = errors.Join(err, f.Sync(), f.Close()); err == nil {
		err = os.Rename(f.Name(), file)
	}
	if err != nil {
		os.Remove(f.Name())
		return fileFault("cannot write a checkpoint: %w", err)
	}
	e.saved = time.Now()
	if err := syncDir(filepath.Dir(file)); err != nil {
		return fileFault("cannot write a checkpoint: %w", err)
	}
	return nil
}

func (e *explorer[S]) writeCheckpoint(f io.Writer) error {
	sum := sha256.New()
	w := bufio.NewWriterSize(io.MultiWriter(f, sum), 1<<20)
	var head bytes.Buffer
	if err := gob.NewEncoder(&head).Encode(e.header()); err != nil {
		return err
	}
	w.WriteString(checkpointMagic) // the writer keeps its first error
	w.Write(binary.LittleEndian.AppendUint64(nil, uint64(head.Len())))
	w.Write(head.Bytes())
	err := e.tables(func(b []byte) error {
		_, err := w.Write(b)
		return err
	})
	if err := errors.Join(err, w.Flush()); err != nil {
		return err
	}
	_, err = f.Write(sum.Sum(nil))
	return err
}

func (e *explorer[S]) header() *savedHeader {
	c := &e.checks
	h := &savedHeader{
		Of: e.searchOf(), Levels: e.levels, InitNos: e.initNos, Inits: e.inits,
		End: e.end, Expanded: e.expanded, Transitions: e.transitions, Terminals: e.terminals,
		Truncated: e.truncated, Coverage: *e.coverage,
		Invariants: savedFindings(c.invariants), Steps: savedFindings(c.steps), Terms: savedFindings(c.terminal),
		Met: c.met, Maxima: c.maxima, PeakRefs: c.peakRefs, Found: c.found, Peak: e.watch.peak,
	}
	if e.fold != nil {
		h.Dict = e.fold.dict.n
	}
	if g := e.graph; g != nil {
		h.Graph = savedGraph{g.base, g.states, g.to.n, g.cut}
	}
	if e.numbers != nil {
		h.Numbers = e.numbers.n
		return h
	}
	for i, s := range e.set.shards {
		h.Set[i] = savedShard{s.n, s.scale, s.high != nil}
	}
	h.Current, h.Next = e.frontier.cur.n-e.frontier.cur.dropped, e.frontier.next.n
	return h
}

func savedFindings(list []finding) []savedFinding {
	saved := make([]savedFinding, len(list))
	for i := range list {
		saved[i] = savedFinding{States: list[i].states, Closed: list[i].closed}
		for _, s := range list[i].steps {
			saved[i].Steps = append(saved[i].Steps, savedStep{s.state, s.outcome, s.task})
		}
	}
	return saved
}

func restoreFindings(list []finding, saved []savedFinding) {
	for i := range list {
		list[i].states, list[i].closed = saved[i].States, saved[i].Closed
		for _, s := range saved[i].Steps {
			list[i].steps = append(list[i].steps, stepAt{s.State, s.Outcome, s.Task})
		}
	}
}

// tables passes the memory of every table to do, piece by piece, always in the
// same order: to be written, or to be filled.
func (e *explorer[S]) tables(do func([]byte) error) error {
	if e.fold != nil {
		if err := e.fold.dict.pieces(do); err != nil {
			return err
		}
	}
	if g := e.graph; g != nil {
		if err := g.pieces(do); err != nil {
			return err
		}
	}
	if e.numbers != nil {
		return e.numbers.pieces(do)
	}
	for _, s := range e.set.shards {
		if err := do(bytesOf(s.slots)); err != nil {
			return err
		}
		if err := do(bytesOf(s.high)); err != nil {
			return err
		}
	}
	return e.frontier.pieces(do)
}

// pieces passes the keys of an index to do.
func (x *index) pieces(do func([]byte) error) error {
	for i := 0; i < x.n; i += chunkLen {
		if err := do(bytesOf(x.arena[i>>chunkBits][:min(chunkLen, x.n-i)*x.words])); err != nil {
			return err
		}
	}
	return nil
}

// pieces passes the vectors of a graph to do.
func (g *graph) pieces(do func([]byte) error) error {
	return errors.Join(piecesOf(&g.row, do), piecesOf(&g.to, do),
		piecesOf(&g.by, do), piecesOf(&g.blocked.bytes, do))
}

// piecesOf passes the elements of a vector to do.
func piecesOf[T any](v *vector[T], do func([]byte) error) error {
	for _, chunk := range v.chunks {
		if err := do(bytesOf(chunk)); err != nil {
			return err
		}
	}
	return nil
}

// pieces passes the keys of both levels to do: of the current one those that
// are left.
func (f *frontier) pieces(do func([]byte) error) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, q := range [...]*queue{f.cur, f.next} {
		for i := q.dropped; i < q.n; {
			n := min(q.n-i, queueChunkLen-i%queueChunkLen)
			words, err := f.chunkOf(q, i/queueChunkLen)
			if err == nil {
				err = do(bytesOf(words[i%queueChunkLen:][:n]))
			}
			if err != nil {
				return err
			}
			i += n
		}
	}
	return nil
}

// resume goes on from the checkpoint, if there is one.
func (e *explorer[S]) resume() (resumed bool, err error) {
	file := e.o.Checkpoint.File
	if file == "" {
		return false, nil
	}
	f, err := os.Open(file)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, fileFault("checkpoint: %w", err)
	}
	defer f.Close()
	r := &summed{r: bufio.NewReaderSize(f, 1<<20), sum: sha256.New()}
	if err := e.readCheckpoint(r); err != nil {
		return false, fileFault("checkpoint %s: %w", file, err)
	}
	return true, nil
}

// A summed reader keeps the sum of what was read.
type summed struct {
	r   io.Reader
	sum hash.Hash
}

// fill reads all of b.
func (s *summed) fill(b []byte) error {
	if _, err := io.ReadFull(s.r, b); err != nil {
		return fmt.Errorf("it is cut short: %w", err)
	}
	s.sum.Write(b)
	return nil
}

const maxHeader = 1 << 32 // bytes

func (e *explorer[S]) readCheckpoint(r *summed) error {
	start := make([]byte, len(checkpointMagic)+8)
	if err := r.fill(start); err != nil {
		return err
	}
	size := binary.LittleEndian.Uint64(start[len(checkpointMagic):])
	if string(start[:len(checkpointMagic)]) != checkpointMagic || size > maxHeader {
		return fmt.Errorf("it does not begin with %q", checkpointMagic)
	}
	head := make([]byte, size)
	if err := r.fill(head); err != nil {
		return err
	}
	var h savedHeader
	if err := gob.NewDecoder(bytes.NewReader(head)).Decode(&h); err != nil {
		return fmt.Errorf("its header is damaged: %w", err)
	}
	if err := sameSearch(h.Of, e.searchOf()); err != nil {
		return err
	}
	if err := e.restore(&h, r); err != nil {
		return err
	}
	sum, want := r.sum.Sum(nil), make([]byte, sha256.Size)
	if _, err := io.ReadFull(r.r, want); err != nil || !bytes.Equal(sum, want) {
		return errors.New("its checksum is wrong: it is damaged")
	}
	return nil
}

// sameSearch says how two searches differ.
func sameSearch(saved, now []string) error {
	for i := range max(len(saved), len(now)) {
		a, b := "nothing more", "nothing more"
		if i < len(saved) {
			a = saved[i]
		}
		if i < len(now) {
			b = now[i]
		}
		if a != b {
			return fmt.Errorf("it is of another search: it has %q, this one %q", a, b)
		}
	}
	return nil
}

// restore brings the explorer to where the saved search was.
func (e *explorer[S]) restore(h *savedHeader, r *summed) error {
	c := &e.checks
	e.levels, e.initNos, e.inits = h.Levels, h.InitNos, h.Inits
	e.end, e.expanded, e.transitions, e.terminals = h.End, h.Expanded, h.Transitions, h.Terminals
	e.truncated, *e.coverage = h.Truncated, h.Coverage
	restoreFindings(c.invariants, h.Invariants)
	restoreFindings(c.steps, h.Steps)
	restoreFindings(c.terminal, h.Terms)
	copy(c.met, h.Met)
	copy(c.maxima, h.Maxima)
	copy(c.peakRefs, h.PeakRefs)
	c.found, e.watch.peak = h.Found, h.Peak
	need := 16*int64(h.Dict+h.Numbers*e.keyWords()) + 8*int64(h.Graph.Edges)
	for _, s := range h.Set {
		need += int64(s.Scale) * scaleUnit * 4
	}
	if !e.watch.mayHold(need) {
		return fmt.Errorf("it needs more than the limit of %d bytes", e.watch.limits.Memory)
	}
	if err := e.prepare(h); err != nil {
		return err
	}
	if err := e.tables(r.fill); err != nil {
		return err
	}
	if e.fold != nil {
		e.fold.dict.rebuild()
	}
	if e.numbers != nil {
		e.numbers.rebuild()
	} else {
		e.set.measure()
	}
	return nil
}

// prepare gives the tables the sizes that they had.
func (e *explorer[S]) prepare(h *savedHeader) error {
	if e.fold != nil {
		e.fold.dict.prepare(h.Dict)
	}
	if e.graph != nil {
		e.graph.prepare(&h.Graph)
	}
	if e.numbers != nil {
		e.numbers.prepare(h.Numbers)
		return nil
	}
	for i, s := range h.Set {
		e.set.shards[i].prepare(s.Keys, s.Scale, s.Deep)
	}
	return e.frontier.prepare(h.Current, h.Next)
}

// prepare gives an empty graph the sizes of a saved one.
func (g *graph) prepare(h *savedGraph) {
	g.base, g.states = h.Base, h.States
	if h.Cut != nil {
		g.cut = h.Cut
	}
	g.row.resize(g.states)
	g.to.resize(h.Edges)
	g.by.resize(h.Edges)
	g.blocked.bytes.resize(g.states * g.blocked.width)
}

// prepare makes an empty index one of n keys, which are still to be filled in.
func (x *index) prepare(n int) {
	x.reserve(n)
	x.n = n
}

// rebuild enters the keys that were filled in.
func (x *index) rebuild() {
	n := x.n
	for x.n = 0; x.n < n; {
		key := x.row(uint32(x.n))
		x.insert(key, hashState(key))
	}
}

// resize makes an empty vector one of n elements.
func (v *vector[T]) resize(n int) {
	var zero T
	for v.n < n {
		v.push(zero)
	}
}

// prepare makes an empty set one of n keys, whose slots are still to be filled
// in.
func (s *keyset) prepare(n int, scale uint64, deep bool) {
	s.space.extend(slotsOf(scale))
	s.setScale(scale)
	s.n, s.longest = n, ^uint64(0)
	if deep {
		s.high = make([]uint16, len(s.slots))
	}
}

// prepare makes an empty frontier one of so many keys, still to be filled in.
func (f *frontier) prepare(current, next int) error {
	for range current {
		if err := f.push(0); err != nil {
			return err
		}
	}
	f.swap()
	for range next {
		if err := f.push(0); err != nil {
			return err
		}
	}
	return nil
}
