package verdict

import (
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"cilcheck/cil"
	"cilcheck/properties"
	"cilcheck/statespace"
)

// A How says how searches go about it. Nothing that they find depends on it, but
// for Safety, which leaves questions out.
type How struct {
	// Workers is how many goroutines a search may have; 0 is one.
	Workers int
	// Compact folds every state into one word: see statespace.Options.
	Compact bool
	// Safety leaves out the restart metrics, so that a search of state, step and
	// end properties need not store the transitions.
	Safety bool
	// Spill is the directory for what of a frontier finds no room in memory; "" is
	// that for temporary files.
	Spill string
	// Checkpoints is the directory where searches are saved, and from which they go
	// on; "" is none. Every is the time between two savings; 0 saves every level.
	Checkpoints string
	Every       time.Duration
	// Certificates is the directory for certificates of the searches that are
	// exhausted; "" writes none.
	Certificates string
}

// options adds how to search c to o.
func (h *How) options(c Case, props []*properties.Property, o *statespace.Options[cil.State]) error {
	o.Workers, o.Compact, o.SpillDir = h.Workers, h.Compact, h.Spill
	if h.Checkpoints == "" {
		return nil
	}
	program, err := programSum()
	if err != nil {
		return fmt.Errorf("cannot save searches: %w", err)
	}
	o.Checkpoint = statespace.Checkpoint{
		File:     filepath.Join(h.Checkpoints, FileName(c, "checkpoint")),
		Every:    h.Every,
		Identity: identity(c, props) + "program " + program + "\n",
	}
	return nil
}

// programSum tells programs apart: a search goes on only in the one that saved
// it, since any change may be one of the model.
var programSum = sync.OnceValues(func() (string, error) {
	name, err := os.Executable()
	if err != nil {
		return "", err
	}
	f, err := os.Open(name)
	if err != nil {
		return "", err
	}
	defer f.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, f); err != nil {
		return "", err
	}
	return fmt.Sprintf("%x", sum.Sum(nil)[:8]), nil
})

// FileName is a name for a file about a case that needs no quoting in a shell
// and is the same in every run.
func FileName(c Case, what string) string {
	variant := c.Variant.String()
	if variant == "" {
		variant = "current"
	}
	parts := []string{c.Scenario.Name}
	if c.Size.String() != "check" {
		parts = append(parts, c.Size.String())
	}
	scheduler := strings.TrimSuffix(strings.ReplaceAll(c.Scheduler.String(), "(", "-"), ")")
	parts = append(parts, scheduler, variant)
	if c.Fine {
		parts = append(parts, "fine")
	}
	return strings.Join(append(parts, what), ".")
}
