// Command cilcheck checks the XFS CIL push and log force code by exploring
// every interleaving of a model of it.
//
//	cilcheck answer      may the flush go from xlog_cil_push_now()?
//	cilcheck check       search chosen scenarios, variants and properties
//	cilcheck verify-run  confirm a search without the explorer
//	cilcheck hunt        look for a violation where a search is too large
//	cilcheck history     find the bugs of the past, clear them by their fixes
//	cilcheck replay      take the steps of a trace again
//	cilcheck fuzz        walk at random where a search is too large
//	cilcheck validate    is a recording of a real kernel a behaviour of the model?
//	cilcheck stats       measure recordings
//	cilcheck monitor     watch a stream of events
//	cilcheck probes      print the script that makes a recording
//	cilcheck list        scenarios, toggles, properties, tags
//
// Every command is one file of this package and does little itself: verdicts
// come from package verdict, traces from package counterexamples. The exit
// codes are those of the constants below, and part of what the command promises.
package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"golang.org/x/term"

	"cilcheck/properties/verdict"
	"cilcheck/statespace"
)

// A status is an exit code, as an error: what led to it has been printed.
type status int

const (
	// differs: something is violated, or is not as recorded.
	differs status = 1
	// badInput: bad usage, bad input, or the job could not be done.
	badInput status = 2
	// notExhausted: nothing worse than searches that are not exhausted.
	notExhausted status = 3
)

func (s status) Error() string { return fmt.Sprintf("exit status %d", int(s)) }

// An inputError is about a file, and begins with its name and line.
type inputError struct{ err error }

func (e inputError) Error() string { return e.err.Error() }
func (e inputError) Unwrap() error { return e.err }

// An app is where commands write.
type app struct {
	out *bufio.Writer
	err io.Writer
	// terminal is standard error if that is a terminal, else nil.
	terminal *os.File
	style    verdict.Style
}

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// run is the program: it returns the exit code.
func run(args []string, stdout, stderr *os.File) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second Ctrl-C ends the program at once
	a := &app{out: bufio.NewWriter(stdout), err: stderr}
	if term.IsTerminal(int(stderr.Fd())) {
		a.terminal = stderr
	}
	if term.IsTerminal(int(stdout.Fd())) && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb" {
		a.style = verdict.Style{Bad: ansi("31"), Dim: ansi("2")}
	}
	root := newRoot(a)
	root.SetArgs(args)
	root.SetOut(a.out)
	root.SetErr(stderr)
	err := root.ExecuteContext(ctx)
	if flushed := a.out.Flush(); flushed != nil {
		err = fmt.Errorf("writing standard output: %w", flushed)
	}
	return exitCode(err, stderr)
}

// exitCode says on stderr what went wrong, if that has not been said.
func exitCode(err error, stderr io.Writer) int {
	var s status
	var input inputError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &s):
		return int(s)
	case errors.As(err, &input):
		fmt.Fprintln(stderr, input)
	default:
		fmt.Fprintln(stderr, "cilcheck:", err)
	}
	if fault := new(statespace.ModelError); errors.As(err, &fault) {
		fmt.Fprint(stderr, "cilcheck: the steps that led there (task, outcome):")
		for _, c := range fault.Path {
			fmt.Fprintf(stderr, " %d,%d", c.Task, c.Outcome)
		}
		fmt.Fprintln(stderr)
	}
	return int(badInput)
}

// bad marks what is bad, on a terminal.
func (a *app) bad(s string) string {
	if a.style.Bad == nil {
		return s
	}
	return a.style.Bad(s)
}

// ansi paints a text on a terminal.
func ansi(code string) func(string) string {
	return func(s string) string { return "\x1b[" + code + "m" + s + "\x1b[0m" }
}
