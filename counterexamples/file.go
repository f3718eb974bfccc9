package counterexamples

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"syscall"
)

// Load reads a trace file; see Parse.
func Load(file string) (*Trace, error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, MaxFile+1))
	if err != nil {
		return nil, fmt.Errorf("reading %s: %w", file, err)
	}
	return Parse(file, data)
}

// Save writes the trace to a file, which appears whole or not at all: an older
// file of the name stays until the new one is on disk.
func (t *Trace) Save(file string) error {
	return WriteFile(file, func(w io.Writer) error {
		_, err := w.Write(t.Format())
		return err
	})
}

// WriteFile writes a file that appears whole or not at all: a temporary file
// beside it, made stable, then renamed.
func WriteFile(file string, write func(io.Writer) error) (err error) {
	if info, err := os.Stat(file); err == nil && !info.Mode().IsRegular() {
		return writeDevice(file, write) // a pipe or a terminal is not to be replaced
	}
	tmp, err := createBeside(file)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			tmp.Close() // the first error is the one to report
			os.Remove(tmp.Name())
			err = fmt.Errorf("writing %s: %w", file, err)
		}
	}()
	if err := errors.Join(write(tmp), tmp.Chmod(0o644), tmp.Sync()); err != nil {
		return err
	}
	if err := tmp.Close(); err != nil {
		return err
	}
	if err := os.Rename(tmp.Name(), file); err != nil {
		return err
	}
	return syncDir(filepath.Dir(file))
}

// Writable is the error that WriteFile is going to have because of where the file
// is, if any.
func Writable(file string) error {
	info, err := os.Stat(file)
	switch {
	case err == nil && info.IsDir():
		return fmt.Errorf("writing %s: %w", file, syscall.EISDIR)
	case err == nil && !info.Mode().IsRegular():
		return nil
	}
	tmp, err := createBeside(file)
	if err != nil {
		return err
	}
	return errors.Join(tmp.Close(), os.Remove(tmp.Name()))
}

// createBeside creates a temporary file in the directory of a file.
func createBeside(file string) (*os.File, error) {
	tmp, err := os.CreateTemp(filepath.Dir(file), "."+filepath.Base(file)+".*")
	if err != nil {
		return nil, fmt.Errorf("writing %s: %w", file, errors.Unwrap(err))
	}
	return tmp, nil
}

// writeDevice writes to what is there and is no regular file.
func writeDevice(file string, write func(io.Writer) error) error {
	f, err := os.OpenFile(file, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	if err := errors.Join(write(f), f.Close()); err != nil {
		return fmt.Errorf("writing %s: %w", file, err)
	}
	return nil
}

// syncDir makes a rename in the directory stable.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	return d.Sync()
}
