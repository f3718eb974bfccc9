package main

import (
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"cilcheck/properties"
	"cilcheck/properties/verdict"
	"cilcheck/statespace"
)

// A method is the flags that say how to search.
type method struct {
	how    verdict.How
	reduce string
}

func (m *method) flags(c *cobra.Command) {
	f := c.Flags()
	f.BoolVar(&m.how.Compact, "compact", false, "fold every state into one word: slower, and a fraction of the memory")
	f.BoolVar(&m.how.Safety, "safety", false, "only properties of states, steps and ends; transitions need not be stored then")
	f.StringVar(&m.how.Spill, "spill", "", "`DIR` for what finds no room in memory (default: that for temporary files)")
	f.StringVar(&m.how.Checkpoints, "checkpoint", "", "save searches in `DIR`, and go on from what is saved there")
	f.DurationVar(&m.how.Every, "every", time.Minute, "save a search after every `DURATION`; 0s saves every level")
	f.StringVar(&m.how.Certificates, "certificates", "", "write a certificate of each exhausted search to `DIR`, for verify-run")
	reduceFlag(c, &m.reduce)
}

// reduction understands the flags, and leaves out properties that are not asked
// for. The directories are there afterwards.
func (m *method) reduction(c *chosen, explicit, every bool) (by statespace.Reduction, err error) {
	if every && m.how.Checkpoints == "" {
		return by, errors.New("--every goes with --checkpoint")
	}
	if m.how.Every < 0 {
		return by, fmt.Errorf("--every %s: expected a duration such as 30s", m.how.Every)
	}
	if m.how.Safety {
		if err := c.onlySafety("--safety", explicit); err != nil {
			return by, err
		}
	}
	if by, err = resolveReduction(m.reduce, c, m.how.Safety && !explicit); err != nil {
		return by, err
	}
	if by != (statespace.Reduction{}) && (m.how.Compact || m.how.Checkpoints != "" || m.how.Certificates != "" || m.how.Spill != "") {
		return by, fmt.Errorf("--reduce %s: a reduced search cannot be compact, saved, spilled or certified", by)
	}
	for _, dir := range []string{m.how.Spill, m.how.Checkpoints, m.how.Certificates} {
		if dir != "" {
			if err := os.MkdirAll(dir, 0o777); err != nil {
				return by, err
			}
		}
	}
	return by, nil
}

// onlySafety leaves out liveness, for the sake of something; that liveness was
// asked for is an error.
func (c *chosen) onlySafety(what string, explicit bool) error {
	var kept []*properties.Property
	for _, p := range c.properties {
		if p.Kind != properties.LivenessKind {
			kept = append(kept, p)
		} else if explicit {
			return fmt.Errorf("%s: property %s is about paths without end: expected another, or check without --safety", what, p.Name)
		}
	}
	c.properties = kept
	return nil
}
