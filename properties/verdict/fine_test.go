package verdict_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"cilcheck/spec"
)

// twoForcesCommitterShutdown is like the library's
// two-forces-shutdown-committer, with plain log forces and a shutdown that does not force the log first, which the finer mode can
// exhaust in seconds; the library's own is in the soak.
const twoForcesCommitterShutdown = `name: two-forces-committer-shutdown
title: two forces, a committer and a shutdown for a log I/O error
contexts: 3
workers: 1
tasks:
  - name: force
    count: 2
    do: [log_force]
  - name: committer
    do: [commit]
  - name: shutdown
    do: [shutdown_io]
`

const forceXfsaildCommitter = `name: force-xfsaild-committer
title: a force, the flush of xfsaild and a committer
contexts: 3
workers: 1
tasks:
  - name: force
    do: [log_force]
  - name: xfsaild
    do: [cil_flush]
  - name: committer
    do: [commit]
`

// The finer mode, in which every racy access is a step and spinlocks are taken
// and dropped, gives the verdicts of the coarse one.
func TestFineModeAgrees(t *testing.T) {
	twoForces, err := spec.Lookup("two-forces")
	if err != nil {
		t.Fatal(err)
	}
	scenarios := []*spec.Scenario{twoForces}
	for _, text := range []string{twoForcesCommitterShutdown, forceXfsaildCommitter} {
		sc, err := spec.Parse("test.yaml", []byte(text), nil)
		if err != nil {
			t.Fatal(err)
		}
		scenarios = append(scenarios, sc)
	}
	for _, sc := range scenarios {
		for _, variant := range []string{"", "flush=never", "flush=never,wait=commit"} {
			t.Run(sc.Name+"/"+variant, func(t *testing.T) {
				t.Parallel()
				coarse, fine := searchScenario(t, sc, variant, false), searchScenario(t, sc, variant, true)
				if diff := cmp.Diff(violated(coarse), violated(fine)); diff != "" {
					t.Errorf("violated (-coarse +fine):\n%s", diff)
				}
				if fine.Search.States <= coarse.Search.States {
					t.Errorf("%d states fine, %d coarse: the finer mode is not finer", fine.Search.States, coarse.Search.States)
				}
				t.Logf("%d states coarse, %d fine", coarse.Search.States, fine.Search.States)
			})
		}
	}
}
