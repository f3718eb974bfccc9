package properties

import (
	"cilcheck/cil"
	"cilcheck/spec"
	"cilcheck/statespace"
)

// lifetime: who may touch a context, and until when.
var lifetime = []*Property{
	{
		Name:       "no-use-after-free",
		Claim:      "no task, list or queued work touches a freed context",
		Reason:     "cil.md#P12; bugs.md#B07, bugs.md#B10, bugs.md#B11",
		Antecedent: "a context is freed",
		Kind:       StepKind,
		step:       noNote(cil.NoteUseAfterFree),
		met:        passed(cil.TagK6),
	},
	{
		Name:       "shutdown-callbacks",
		Claim:      "on shutdown the callbacks of an iclog run only when nobody holds a reference to it",
		Reason:     "cil.md#P19; 502a01fac098, bugs.md#B11",
		Antecedent: "the shutdown finds an iclog that is referenced",
		Kind:       StepKind,
		step: func(*spec.System) func(_, _ *cil.State, mv *statespace.Move) bool {
			return func(_, _ *cil.State, mv *statespace.Move) bool {
				for _, n := range mv.Notes() {
					if n.Kind == cil.NoteSpliced && n.B > 0 {
						return false
					}
				}
				return true
			}
		},
		met: passed(cil.TagSC1),
	},
}
