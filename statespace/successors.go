package statespace

// Successors calls visit for every step that can be taken from s, in order of
// task and outcome: the choice, the state it leads to and what the step
// reported; visit keeps neither. A successor beyond a bound of the model is
// passed too: see Move.Truncated.
func Successors[S any](m Model[S], s *S, visit func(c Choice, next *S, mv *Move)) {
	var mv Move
	for task := range m.Tasks() {
		mv.begin(task)
		for {
			next := *s
			// An outcome that is blocked says nothing about the others.
			if m.Step(&next, task, &mv) == Moved {
				visit(Choice{task, mv.Outcome}, &next, &mv)
			}
			if !mv.next() {
				break
			}
		}
	}
}
