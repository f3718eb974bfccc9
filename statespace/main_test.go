package statespace_test

import (
	"flag"
	"os"
	"testing"
)

// TestMain raises rapid's number of checks, unless one is given: our systems
// are small, and three thousand of each kind take about a second.
func TestMain(m *testing.M) {
	flag.Parse()
	if f := flag.Lookup("rapid.checks"); f.Value.String() == f.DefValue {
		if err := f.Value.Set("3000"); err != nil {
			panic(err)
		}
	}
	os.Exit(m.Run())
}
