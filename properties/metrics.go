package properties

import (
	"cilcheck/cil"
	"cilcheck/spec"
	"cilcheck/statespace"
)

// Names of the metrics, as in JSON.
const (
	MaxRunningPushes    = "max_running_pushes"
	MaxRestartsSleeping = "max_restarts_sleeping"
	MaxRestartsSpinning = "max_restarts_spinning"
	MaxBehindUnstarted  = "max_forces_behind_unstarted_push"
	MaxCallbacksHeld    = "max_callbacks_held"
)

// AddMetrics asks the explorer for the metrics: exact, over all schedules.
func AddMetrics(sys *spec.System, o *statespace.Options[cil.State]) {
	m := sys.Machine
	o.Maxima = append(o.Maxima,
		statespace.Maximum[cil.State]{Name: MaxRunningPushes, Value: m.RunningPushes},
		statespace.Maximum[cil.State]{Name: MaxBehindUnstarted, Value: m.BehindUnstarted},
		statespace.Maximum[cil.State]{Name: MaxCallbacksHeld, Value: m.CallbacksHeld},
	)
	scripts := uint64(1)<<len(m.Scripts) - 1
	o.Longest = append(o.Longest,
		statespace.Longest[cil.State]{
			Name: MaxRestartsSleeping, Tasks: scripts, Within: m.InForce, Count: cil.MarkRestartSlept,
		},
		statespace.Longest[cil.State]{
			Name: MaxRestartsSpinning, Tasks: scripts, Within: m.InForce,
			Count: cil.MarkRestartSpun, Cut: statespace.Slept,
		},
	)
}
