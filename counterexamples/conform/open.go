package conform

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"os"

	"github.com/klauspost/compress/zstd"
)

// Open opens a recording: text, or the same compressed with gzip or zstd, which
// is told by its first bytes. The name "-" is standard input.
func Open(name string) (*Reader, error) {
	if name == "-" {
		return open("standard input", os.Stdin)
	}
	f, err := os.Open(name)
	if err != nil {
		return nil, fmt.Errorf("recording: %w", err)
	}
	r, err := open(name, f)
	if err != nil {
		_ = f.Close()
		return nil, err
	}
	return r, nil
}

// open puts the right decompressor before a reader. The Reader owns f.
func open(name string, f io.ReadCloser) (*Reader, error) {
	buf := bufio.NewReaderSize(f, 64<<10)
	magic, err := buf.Peek(4)
	if err != nil && err != io.EOF {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	var src io.Reader = buf
	closers := []func() error{f.Close}
	switch {
	case bytes.HasPrefix(magic, []byte{0x1f, 0x8b}):
		z, err := gzip.NewReader(buf)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		src = z
	case bytes.Equal(magic, []byte{0x28, 0xb5, 0x2f, 0xfd}):
		z, err := zstd.NewReader(buf, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(256<<20))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		src = z
		closers = append(closers, func() error { z.Close(); return nil })
	}
	r := NewReader(name, src)
	r.closers = closers
	return r, nil
}
