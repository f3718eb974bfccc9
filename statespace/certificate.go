package statespace

import (
	"bufio"
	"compress/flate"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// CertificateMagic begins every certificate; its number is that of the format.
//
// After it come, as unsigned varints, the length of the identity, its bytes,
// and the words per state, the states, the transitions and the terminal states;
// then a DEFLATE stream with the states; then the SHA-256 of all that.
//
// The states are sorted, the first word weighing most. Each is coded against
// the one before it (the first against zeroes), by unsigned varints: the number
// of the first word that differs, how much that word grew, and the exclusive or
// of every later word with its predecessor. The first state, which may be all
// zeroes, is coded as if its first word differed.
const CertificateMagic = "cilcheck certificate 1\n"

// WriteCertificate writes the reachable set of a finished search to w, for
// package certify to check without the explorer. The identity says what was
// searched (model, variant, granularity, versions); a certificate is refused for
// any other. Claims are not in it: the checker is told which it is to check, so
// a search that found one of several claims violated certifies the others.
//
// The set is sorted in pieces of bounded size, on temporary files where it has
// more than one. What a search that is not exhausted has seen proves nothing,
// and is refused.
func WriteCertificate[S any](w io.Writer, r *Result[S], identity string) error {
	return writeCertificate(w, r, identity, os.TempDir(), sortedPiece)
}

// WriteCertificateFile writes a certificate to a file that appears whole or not
// at all. Temporary files lie beside it.
func WriteCertificateFile[S any](path string, r *Result[S], identity string) (err error) {
	dir := filepath.Dir(path)
	f, err := os.CreateTemp(dir, filepath.Base(path)+".*.tmp")
	if err != nil {
		return fmt.Errorf("cannot write a certificate: %w", err)
	}
	defer func() {
		if err != nil {
			f.Close()
			os.Remove(f.Name())
		}
	}()
	if err := writeCertificate(f, r, identity, dir, sortedPiece); err != nil {
		return err
	}
	if err := errors.Join(f.Chmod(0o644), f.Sync(), f.Close()); err != nil {
		return fmt.Errorf("cannot write a certificate: %w", err)
	}
	if err := os.Rename(f.Name(), path); err != nil {
		return fmt.Errorf("cannot write a certificate: %w", err)
	}
	return syncDir(dir)
}

// syncDir makes a renaming in dir last.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return fmt.Errorf("cannot sync a directory: %w", err)
	}
	if err := errors.Join(d.Sync(), d.Close()); err != nil {
		return fmt.Errorf("cannot sync a directory: %w", err)
	}
	return nil
}

// writeCertificate sorts pieces of so many words, on files in dir.
func writeCertificate[S any](w io.Writer, r *Result[S], identity, dir string, piece int) error {
	if !r.Exhausted {
		return fmt.Errorf("a search that is not exhausted (%s) cannot be certified", r.Reason)
	}
	words := r.model.Words()
	sum := sha256.New()
	out := bufio.NewWriterSize(io.MultiWriter(w, sum), 1<<16)
	head := append([]byte(CertificateMagic), binary.AppendUvarint(nil, uint64(len(identity)))...)
	head = append(head, identity...)
	for _, n := range [...]int{words, r.States, r.Transitions, r.Terminals} {
		head = binary.AppendUvarint(head, uint64(n))
	}
	if _, err := out.Write(head); err != nil {
		return fmt.Errorf("cannot write a certificate: %w", err)
	}
	if err := writeStates(out, r, words, dir, piece); err != nil {
		return err
	}
	if err := out.Flush(); err != nil {
		return fmt.Errorf("cannot write a certificate: %w", err)
	}
	if _, err := w.Write(sum.Sum(nil)); err != nil {
		return fmt.Errorf("cannot write a certificate: %w", err)
	}
	return nil
}

// writeStates writes the states of r, sorted, coded and compressed.
func writeStates[S any](w io.Writer, r *Result[S], words int, dir string, piece int) error {
	order := newSorter(words, piece, dir)
	defer order.close()
	if err := r.store.each(order.add); err != nil {
		return err
	}
	z, err := flate.NewWriter(w, flate.DefaultCompression)
	if err != nil {
		return err
	}
	buffered := bufio.NewWriterSize(z, 1<<16)
	c := stateCoder{last: make([]uint64, words), first: true}
	err = order.each(func(state []uint64) error {
		code, err := c.next(state)
		if err == nil {
			_, err = buffered.Write(code)
		}
		return err
	})
	if err := errors.Join(err, buffered.Flush(), z.Close()); err != nil {
		return fmt.Errorf("cannot write the states: %w", err)
	}
	return nil
}

// A stateCoder codes each state against the one before it.
type stateCoder struct {
	last  []uint64
	first bool
	code  []byte
}

var errSameState = errors.New("two states are packed alike")

// next codes a state, which must be greater than the last; the code is valid
// until the next call.
func (c *stateCoder) next(state []uint64) ([]byte, error) {
	differs := 0
	for !c.first && differs < len(state) && state[differs] == c.last[differs] {
		differs++
	}
	if differs == len(state) {
		return nil, errSameState
	}
	c.first = false
	c.code = binary.AppendUvarint(c.code[:0], uint64(differs))
	c.code = binary.AppendUvarint(c.code, state[differs]-c.last[differs])
	for i := differs + 1; i < len(state); i++ {
		c.code = binary.AppendUvarint(c.code, state[i]^c.last[i])
	}
	copy(c.last, state)
	return c.code, nil
}
