package main

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// newRoot is the command line.
func newRoot(a *app) *cobra.Command {
	root := &cobra.Command{
		Use:   "cilcheck",
		Short: "a model checker for the XFS CIL push and log force code",
		Long: `cilcheck explores every interleaving of sync forces, commits, pushes, kworkers,
log I/O and shutdown in a model of the Linux XFS log, for the current kernel and
for proposed changes of it.

Exit codes: 0 every verdict as recorded (check: no violation); 1 something is
violated or differs from its record; 2 bad usage or bad input; 3 nothing worse
than a search that a limit or Ctrl-C ended. 1 wins over 3.`,
		Example: `  cilcheck answer
  cilcheck check --scenario two-forces --variant flush=never
  cilcheck replay traces/one-force.any.flush=never.no-spin.trace`,
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	commands := []*cobra.Command{
		newAnswer(a), newCheck(a), newVerify(a), newHunt(a), newHistory(a), newReplay(a), newFuzz(a),
		newValidate(a), newProbes(a), newStats(a), newMonitor(a), newList(a),
	}
	root.AddCommand(commands...)
	root.CompletionOptions.HiddenDefaultCmd = true
	var names []string
	for _, c := range commands {
		names = append(names, c.Name())
		c.DisableFlagsInUseLine = true
	}
	root.Args = cobra.ArbitraryArgs
	root.RunE = func(_ *cobra.Command, args []string) error {
		if len(args) == 0 {
			return fmt.Errorf("no command: expected %s (see cilcheck --help)", oneOf(names))
		}
		return fmt.Errorf("unknown command %q%s", args[0], near(args[0], names, ""))
	}
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		text, _, _ := strings.Cut(err.Error(), "\n")
		if bad := new(pflag.InvalidValueError); errors.As(err, &bad) {
			text = badValue(bad)
		}
		return fmt.Errorf("%s (see %s --help)", text, c.CommandPath())
	})
	return root
}

// values are the words for the values of flags, by the library's names of types.
var values = map[string]string{
	"bool": "true or false", "int": "a whole number", "uint64": "a whole number, 0 or more",
	"duration": "a duration such as 90s", "bytes": "a number of bytes such as 4G",
}

// badValue says that a flag has a value that cannot be read.
func badValue(err *pflag.InvalidValueError) string {
	f := err.GetFlag()
	want := values[f.Value.Type()]
	if errors.Is(err, strconv.ErrRange) {
		want += " that is not so large"
	}
	return fmt.Sprintf("--%s %q: expected %s", f.Name, err.GetValue(), want)
}

// noArguments refuses arguments: everything is a flag.
func noArguments(c *cobra.Command, args []string) error {
	if len(args) > 0 {
		return fmt.Errorf("unexpected argument %q (see %s --help)", args[0], c.CommandPath())
	}
	return nil
}
