package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"
	"unsafe"

	"github.com/rogpeppe/go-internal/testscript"
)

// onTerminal runs a command with a pseudo-terminal as its standard output and
// error.
func onTerminal(ts *testscript.TestScript, _ bool, args []string) {
	want := codeOf(ts, args)
	cmd := command(ts, args[1:])
	master, slave, err := openTerminal()
	ts.Check(err)
	defer master.Close()
	cmd.Stdout, cmd.Stderr = slave, slave
	ts.Check(cmd.Start())
	slave.Close()
	shown, err := io.ReadAll(master)
	if !errors.Is(err, syscall.EIO) { // how the end of a terminal is read
		ts.Check(err)
	}
	ts.Check(os.WriteFile(ts.MkAbs("shown"), shown, 0o644))
	ended(ts, cmd.Wait(), want)
}

// openTerminal opens a new pseudo-terminal.
func openTerminal() (master, slave *os.File, err error) {
	master, err = os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		return nil, nil, err
	}
	var unlock, number int32
	for _, call := range []struct {
		request uintptr
		arg     *int32
	}{{syscall.TIOCSPTLCK, &unlock}, {syscall.TIOCGPTN, &number}} {
		_, _, errno := syscall.Syscall(syscall.SYS_IOCTL, master.Fd(), call.request, uintptr(unsafe.Pointer(call.arg)))
		if errno != 0 {
			return nil, nil, errno
		}
	}
	slave, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|syscall.O_NOCTTY, 0)
	return master, slave, err
}
