package certify

import (
	"bufio"
	"bytes"
	"compress/flate"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// magic begins a certificate. The format is described at
// statespace.CertificateMagic; this is an independent reading of it.
const magic = "cilcheck certificate 1\n"

// A Report says what a valid certificate is about.
type Report struct {
	Identity                       string
	States, Transitions, Terminals int
}

// A certificate is what a file claims: the sorted states, and their counts.
type certificate struct {
	Report
	words  int
	states []uint64
}

func (c *certificate) len() int { return len(c.states) / c.words }

func (c *certificate) state(i int) []uint64 { return c.states[i*c.words : (i+1)*c.words] }

// Identity is what the bytes of a certificate say that it is about. The error
// says that they are none, or damaged.
func Identity(data []byte) (string, error) {
	_, identity, err := open(data)
	return identity, err
}

// open checks the sum of a certificate and returns what it is about, and the rest.
func open(data []byte) (rest *bytes.Reader, identity string, err error) {
	end := len(data) - sha256.Size
	if !bytes.HasPrefix(data, []byte(magic)) {
		return nil, "", errors.New("not a certificate of this version")
	}
	if end < len(magic) || sha256.Sum256(data[:end]) != [sha256.Size]byte(data[end:]) {
		return nil, "", errors.New("the checksum is wrong: the certificate was cut short or changed")
	}
	r := bytes.NewReader(data[len(magic):end])
	length, err := binary.ReadUvarint(r)
	if err != nil || length > uint64(r.Len()) {
		return nil, "", fmt.Errorf("the identity is cut short: %d bytes, error %v", length, err)
	}
	text := make([]byte, length)
	r.Read(text) // never short
	return r, string(text), nil
}

// read reads a certificate about something, of states of so many words.
func read(data []byte, about string, words int) (*certificate, error) {
	r, identity, err := open(data)
	if err != nil {
		return nil, err
	}
	c := &certificate{Report: Report{Identity: identity}}
	for _, count := range []*int{&c.words, &c.States, &c.Transitions, &c.Terminals} {
		n, err := binary.ReadUvarint(r)
		if err != nil {
			return nil, fmt.Errorf("the counts are cut short: %w", err)
		}
		*count = int(n)
	}
	switch {
	case c.Identity != about:
		return nil, fmt.Errorf("the certificate is about %q, not about %q", c.Identity, about)
	case c.words != words:
		return nil, fmt.Errorf("the states have %d words, those of the model %d", c.words, words)
	}
	return c, c.readStates(r)
}

// readStates reads the states: they are sorted and distinct, because each is
// greater than the one before it.
func (c *certificate) readStates(r *bytes.Reader) error {
	in := bufio.NewReader(flate.NewReader(r))
	last := make([]uint64, c.words)
	for n := 0; ; n++ {
		if _, err := in.Peek(1); err == io.EOF {
			if n != c.States || r.Len() > 0 {
				return fmt.Errorf("there are %d states, then %d bytes; the certificate says %d states", n, r.Len(), c.States)
			}
			return nil
		}
		if err := nextState(in, last, n == 0); err != nil {
			return fmt.Errorf("state %d: %w", n, err)
		}
		c.states = append(c.states, last...)
	}
}

// nextState reads the state that follows state, in place.
func nextState(r io.ByteReader, state []uint64, first bool) error {
	differs, err := binary.ReadUvarint(r)
	if differs >= uint64(len(state)) || first && differs > 0 {
		return errors.New("it does not differ from the state before it")
	}
	for i := differs; err == nil && i < uint64(len(state)); i++ {
		var d uint64
		d, err = binary.ReadUvarint(r)
		if i > differs {
			d ^= state[i]
		} else if d += state[i]; d <= state[i] && !first {
			return errors.New("it is not greater than the state before it")
		}
		state[i] = d
	}
	if err != nil {
		return fmt.Errorf("it is cut short or damaged: %w", err)
	}
	return nil
}
