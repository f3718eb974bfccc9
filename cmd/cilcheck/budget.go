package main

import (
	"errors"
	"fmt"
	"math"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"cilcheck/properties/verdict"
)

// A budget is the flags that bound searches.
type budget struct {
	states  int
	memory  byteSize
	time    time.Duration
	workers int
}

func (b *budget) flags(c *cobra.Command) {
	b.limitFlags(c)
	workersFlag(c, &b.workers)
}

// limitFlags are the flags of a command that decides itself how many workers it
// has.
func (b *budget) limitFlags(c *cobra.Command) {
	b.workers = 1
	f := c.Flags()
	f.IntVar(&b.states, "states", 0, "end a search after `N` states (default: no limit)")
	f.Var(&b.memory, "mem", "`BYTES` of memory for all searches together, such as 4G (default: 3/4 of what there is)")
	f.DurationVar(&b.time, "time", 0, "end a search after a `DURATION` such as 90s (default: no limit)")
}

func workersFlag(c *cobra.Command, n *int) {
	c.Flags().IntVar(n, "workers", runtime.GOMAXPROCS(0), "treat `N` cases side by side, or search one with N workers; changes nothing but the time")
}

// check refuses values that mean nothing.
func (b *budget) check() error {
	if b.states < 0 {
		return fmt.Errorf("--states %d: expected a number of states", b.states)
	}
	return errors.Join(checkTime(b.time), atLeastOne("workers", b.workers))
}

func checkTime(d time.Duration) error {
	if d < 0 {
		return fmt.Errorf("--time %s: expected a duration such as 90s", d)
	}
	return nil
}

func atLeastOne(flag string, n int) error {
	if n < 1 {
		return fmt.Errorf("--%s %d: expected at least 1", flag, n)
	}
	return nil
}

func (b *budget) limits() verdict.Limits { return verdict.Limits{States: b.states, Time: b.time} }

// bytes is the memory for all searches, and makes the collector keep to it.
func (b *budget) bytes() int64 {
	n := int64(b.memory)
	if n == 0 {
		n = available(systemFiles) / 4 * 3
	}
	// The searches count what they hold, not what they have dropped.
	debug.SetMemoryLimit(max(n+n/8, leastHeap))
	return n
}

// leastHeap is what the program needs beside the searches.
const leastHeap = 64 << 20

// A byteSize is a flag with a number of bytes.
type byteSize int64

var byteUnits = []string{"", "K", "M", "G", "T"}

func (b *byteSize) String() string {
	if *b == 0 {
		return ""
	}
	n, unit := int64(*b), 0
	for unit+1 < len(byteUnits) && n%1024 == 0 {
		n, unit = n/1024, unit+1
	}
	return fmt.Sprint(n, byteUnits[unit])
}

// Type is what the flag library calls the values.
func (*byteSize) Type() string { return "bytes" }

// Set reads a number with an optional unit.
func (b *byteSize) Set(text string) error {
	digits := strings.TrimRight(strings.ToUpper(text), "IB")
	shift := 0
	for i, unit := range byteUnits[1:] {
		if rest, ok := strings.CutSuffix(digits, unit); ok {
			digits, shift = rest, 10*(i+1)
			break
		}
	}
	n, err := strconv.ParseInt(digits, 10, 64)
	switch {
	case err != nil:
		return err
	case n < 1:
		return strconv.ErrSyntax
	case n > math.MaxInt64>>shift:
		return strconv.ErrRange
	}
	*b = byteSize(n << shift)
	return nil
}
