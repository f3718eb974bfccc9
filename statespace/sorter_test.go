package statespace

import (
	"errors"
	"io"
	"os"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestSorter sorts in pieces of every size, and leaves no file behind.
func TestSorter(t *testing.T) {
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.IntRange(1, 3).Draw(t, "words")
		s := newSorter(words, words*rapid.SampledFrom([]int{6, 20, 100, 100, 100, 100, 100, 100, 100, 100, 100, 100}).Draw(t, "piece"), dir)
		defer s.close()
		var want [][]uint64
		for range rapid.IntRange(0, 60).Draw(t, "states") {
			state := rapid.SliceOfN(rapid.SampledFrom([]uint64{0, 1, 255, 256, 1 << 40, 1<<64 - 1}), words, words).Draw(t, "state")
			want = append(want, state)
			if err := s.add(state); err != nil {
				t.Fatal(err)
			}
		}
		slices.SortFunc(want, slices.Compare)
		n := 0
		err := s.each(func(state []uint64) error {
			if !slices.Equal(state, want[n]) {
				t.Fatalf("state %d is %x; want %x", n, state, want[n])
			}
			n++
			return nil
		})
		if err != nil || n != len(want) {
			t.Fatalf("%d of %d states: %v", n, len(want), err)
		}
	})
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// TestSorterErrors: what cannot be written or used is an error.
func TestSorterErrors(t *testing.T) {
	s := newSorter(1, 1, t.TempDir()+"/none")
	if err := errors.Join(s.add([]uint64{2}), s.add([]uint64{1})); err == nil {
		t.Error("sorted in a directory that does not exist")
	}
	planted := errors.New("planted")
	for _, piece := range []int{1, 10} {
		s := newSorter(1, piece, t.TempDir())
		if err := errors.Join(s.add([]uint64{2}), s.add([]uint64{1})); err != nil {
			t.Fatal(err)
		}
		if err := s.each(func([]uint64) error { return planted }); !errors.Is(err, planted) {
			t.Errorf("piece of %d: %v", piece, err)
		}
		s.close()
	}
}

// WriteCertificateIn lets external tests choose the size of the pieces.
func WriteCertificateIn[S any](w io.Writer, r *Result[S], dir string, piece int) error {
	return writeCertificate(w, r, "test", dir, piece)
}
