package statespace_test

import (
	"bytes"
	"errors"
	"testing"

	"cilcheck/statespace"
	"cilcheck/statespace/internal/toys"
)

// TestCertificatePieces: the certificate does not depend on how it was sorted.
func TestCertificatePieces(t *testing.T) {
	for _, n := range []int{2, 5} {
		r := mustExplore(t, toys.Philosophers{N: n}, statespace.Options[toys.TableState]{})
		var want []byte
		for _, piece := range []int{1 << 20, 2, 3, 64, 2 * r.States, 2*r.States - 1} {
			var b bytes.Buffer
			if err := statespace.WriteCertificateIn(&b, r, t.TempDir(), piece); err != nil {
				t.Fatal(err)
			}
			if want == nil {
				want = b.Bytes()
			}
			if !bytes.Equal(b.Bytes(), want) {
				t.Errorf("%d philosophers, pieces of %d words: another certificate", n, piece)
			}
		}
	}
}

var errFull = errors.New("full")

// A bounded writer fails after so many bytes.
type bounded int

func (b *bounded) Write(p []byte) (int, error) {
	if *b -= bounded(len(p)); *b < 0 {
		return 0, errFull
	}
	return len(p), nil
}

// TestCertificateUnwritable: an error of the writer is never lost.
func TestCertificateUnwritable(t *testing.T) {
	r := mustExplore(t, toys.Philosophers{N: 3}, statespace.Options[toys.TableState]{})
	var b bytes.Buffer
	if err := statespace.WriteCertificate(&b, r, "test"); err != nil {
		t.Fatal(err)
	}
	for size := range b.Len() {
		w := bounded(size)
		if err := statespace.WriteCertificate(&w, r, "test"); !errors.Is(err, errFull) {
			t.Fatalf("room for %d of %d bytes: %v", size, b.Len(), err)
		}
	}
}

func BenchmarkCertificate(b *testing.B) {
	r := mustExplore(b, toys.TwoPhase{N: 7}, statespace.Options[toys.TwoPhaseState]{})
	var out bytes.Buffer
	for b.Loop() {
		out.Reset()
		if err := statespace.WriteCertificate(&out, r, "benchmark"); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(r.States)*float64(b.N)/b.Elapsed().Seconds(), "states/s")
	b.ReportMetric(float64(out.Len())/float64(r.States), "bytes/state")
}
