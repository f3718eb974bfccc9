package statespace

import (
	"bufio"
	"container/heap"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
)

// sortedPiece is how many words a sorter sorts in memory at once: 64 MiB.
const sortedPiece = 8 << 20

// A sorter brings packed states into order, the first word weighing most, in
// bounded memory: what does not fit one piece goes, piece by piece, to temporary
// files, which are merged. Not safe for concurrent use.
type sorter struct {
	words int
	max   int // words of a piece
	dir   string
	piece []uint64
	files []*os.File
}

func newSorter(words, max int, dir string) *sorter {
	return &sorter{words: words, max: max / words * words, dir: dir}
}

func (s *sorter) add(state []uint64) error {
	if len(s.piece) > 0 && len(s.piece)+s.words > s.max {
		if err := s.spill(); err != nil {
			return fmt.Errorf("cannot sort the states: %w", err)
		}
	}
	s.piece = append(s.piece, state...)
	return nil
}

// spill writes the piece, sorted, to a file of its own. The file has no name any
// more: whatever becomes of this process, nothing is left behind.
func (s *sorter) spill() error {
	f, err := os.CreateTemp(s.dir, "cilcheck-sort-*")
	if err != nil {
		return err
	}
	s.files = append(s.files, f)
	if err := os.Remove(f.Name()); err != nil {
		return err
	}
	w := bufio.NewWriterSize(f, min(8*s.max, 1<<20))
	var buf [8]byte
	err = s.eachOfPiece(func(state []uint64) error {
		for _, word := range state {
			binary.LittleEndian.PutUint64(buf[:], word)
			if _, err := w.Write(buf[:]); err != nil {
				return err
			}
		}
		return nil
	})
	if err := errors.Join(err, w.Flush()); err != nil {
		return err
	}
	s.piece = s.piece[:0]
	_, err = f.Seek(0, io.SeekStart)
	return err
}

// eachOfPiece calls f for the states of the piece in order.
func (s *sorter) eachOfPiece(f func(state []uint64) error) error {
	if s.words == 1 {
		slices.Sort(s.piece)
		for i := range s.piece {
			if err := f(s.piece[i : i+1]); err != nil {
				return err
			}
		}
		return nil
	}
	at := func(i uint32) []uint64 { return s.piece[int(i)*s.words : (int(i)+1)*s.words] }
	order := make([]uint32, len(s.piece)/s.words)
	for i := range order {
		order[i] = uint32(i)
	}
	slices.SortFunc(order, func(a, b uint32) int { return slices.Compare(at(a), at(b)) })
	for _, i := range order {
		if err := f(at(i)); err != nil {
			return err
		}
	}
	return nil
}

// each calls f for all states in order; f does not keep the state.
func (s *sorter) each(f func(state []uint64) error) error {
	if len(s.files) == 0 {
		return s.eachOfPiece(f)
	}
	if err := s.spill(); err != nil {
		return err
	}
	s.piece = nil
	var h runHeap
	for _, file := range s.files {
		r := &run{r: bufio.NewReaderSize(file, min(8*s.max, 1<<18)), state: make([]uint64, s.words)}
		if more, err := r.next(); err != nil {
			return err
		} else if more {
			h = append(h, r)
		}
	}
	heap.Init(&h)
	for len(h) > 0 {
		if err := f(h[0].state); err != nil {
			return err
		}
		more, err := h[0].next()
		if err != nil {
			return err
		}
		if more {
			heap.Fix(&h, 0)
		} else {
			heap.Pop(&h)
		}
	}
	return nil
}

// close gives the temporary files back.
func (s *sorter) close() {
	for _, f := range s.files {
		f.Close()
	}
}

// A run is a sorted file that is being read.
type run struct {
	r     io.Reader
	state []uint64
	buf   [8]byte
}

// next reads the next state and reports whether there was one.
func (r *run) next() (bool, error) {
	for i := range r.state {
		if _, err := io.ReadFull(r.r, r.buf[:]); err == io.EOF && i == 0 {
			return false, nil
		} else if err != nil {
			return false, fmt.Errorf("cannot read a sorted piece: %w", err)
		}
		r.state[i] = binary.LittleEndian.Uint64(r.buf[:])
	}
	return true, nil
}

// A runHeap has the run with the least state first.
type runHeap []*run

func (h runHeap) Len() int           { return len(h) }
func (h runHeap) Less(i, j int) bool { return slices.Compare(h[i].state, h[j].state) < 0 }
func (h runHeap) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *runHeap) Push(x any)        { *h = append(*h, x.(*run)) }

func (h *runHeap) Pop() any {
	old := *h
	last := old[len(old)-1]
	*h = old[:len(old)-1]
	return last
}
