package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/sys/unix"

	"cilcheck/counterexamples/conform/probes"
)

func newProbes(a *app) *cobra.Command {
	var kernel, tool string
	var run bool
	c := &cobra.Command{
		Use:   "probes [--kernel VERSION] [--tool TOOL] [--run MOUNTPOINT FILE [COMMAND...]]",
		Short: "print the script that records what validate needs",
		Long: `probes prints a POSIX sh script that records, on a machine with XFS and as root, the
events that validate, stats and monitor read. It looks up what differs from
build to build when it runs, says which events it has to do without, and removes
its probes whatever ends it. With --run the script is run instead of printed.`,
		Example: `  cilcheck probes --kernel 6.12 > record.sh
  sh record.sh /mnt my.trace fio my.job; cilcheck validate my.trace
  cilcheck probes --tool bpftrace --run /mnt my.trace`,
		Args: func(c *cobra.Command, args []string) error {
			switch {
			case run && len(args) < 2:
				return errors.New("--run: expected a mount point and a file")
			case !run:
				return noArguments(c, args)
			}
			return nil
		},
		RunE: func(c *cobra.Command, args []string) error {
			script, err := probeScript(kernel, tool)
			if err != nil {
				return err
			}
			if run {
				return a.record(c.Context(), script, args)
			}
			_, err = a.out.Write(script)
			return err
		},
	}
	c.Flags().SetInterspersed(false)
	c.Flags().StringVar(&kernel, "kernel", "", "for Linux `VERSION`, such as 6.12 (default: the one that runs)")
	c.Flags().StringVar(&tool, "tool", string(probes.Tracefs), "record with `TOOL`: tracefs, trace-cmd or bpftrace")
	c.Flags().BoolVar(&run, "run", false, "run the script")
	return c
}

// probeScript makes the script.
func probeScript(kernel, tool string) ([]byte, error) {
	if kernel == "" {
		var u unix.Utsname
		if err := unix.Uname(&u); err != nil {
			return nil, fmt.Errorf("version of the running kernel: %w", err)
		}
		kernel = unix.ByteSliceToString(u.Release[:])
	}
	v, err := probes.ParseVersion(kernel)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, t := range probes.Tools {
		if names = append(names, string(t)); string(t) == tool {
			var b bytes.Buffer
			err := probes.Write(&b, v, t)
			return b.Bytes(), err
		}
	}
	return nil, fmt.Errorf("--tool %s%s", tool, near(tool, names, ""))
}

// record runs the script, which ends by itself on a signal and cleans up.
func (a *app) record(ctx context.Context, script []byte, args []string) error {
	const patience = time.Minute
	cmd := exec.CommandContext(ctx, "sh", append([]string{"-c", string(script), "record.sh"}, args...)...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, a.out, a.err
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = patience
	if err := cmd.Run(); err != nil && cmd.ProcessState.ExitCode() != 0 {
		return fmt.Errorf("the recording: %w", err)
	}
	return nil
}
