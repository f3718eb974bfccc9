package statespace_test

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// childEnv makes the test program one of the programs below instead, which tests
// kill or measure; its value is the program's name and what it is told.
const childEnv = "STATESPACE_CHILD"

var children = map[string]func(told string) error{"kill": killedChild, "memory": memoryChild}

// child is a command that runs such a program.
func child(name, told string) *exec.Cmd {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childEnv+"="+name+" "+told)
	return cmd
}

// TestMain raises rapid's number of checks, unless one is given: our systems
// are small, and three thousand of each kind take about a second.
func TestMain(m *testing.M) {
	if name, told, found := strings.Cut(os.Getenv(childEnv), " "); found {
		if err := children[name](told); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	flag.Parse()
	if f := flag.Lookup("rapid.checks"); f.Value.String() == f.DefValue {
		if err := f.Value.Set("3000"); err != nil {
			panic(err)
		}
	}
	os.Exit(m.Run())
}
