package spec

import (
	"fmt"
	"math/bits"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"cilcheck/cil"
)

// What a state of a scenario takes when it is packed is a golden number: an
// option of the model that a scenario does not use must cost it nothing.
func TestPackedSizes(t *testing.T) {
	var b strings.Builder
	b.WriteString("# Words and bits of a packed state: the current kernel, any scheduler.\n")
	for _, sc := range Library() {
		for _, size := range sc.Sizes {
			sys, err := NewSystem(sc, size, cil.Variant{}, Scheduler{})
			if err != nil {
				t.Fatal(err)
			}
			n := 0
			for _, f := range sys.Machine.Fields() {
				n += bits.Len8(f.Max)
			}
			fmt.Fprintf(&b, "%s %s %d words %d bits\n", sc.Name, size, sys.Words(), n)
		}
	}
	const file = "testdata/sizes.txt"
	if *rewrite {
		if err := os.WriteFile(file, []byte(b.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), b.String()); diff != "" {
		t.Errorf("sizes differ (-want +got):\n%s", diff)
	}
}
