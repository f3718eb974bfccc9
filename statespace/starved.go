package statespace

// findStarved looks for fair cycles on which a task owes something and never
// returns.
func (e *explorer[S]) findStarved() error {
	for i := range e.o.Starved {
		p := &e.o.Starved[i]
		owes := &e.predicates[i]
		views := func(task int) (*view, bool) {
			within, some := e.where(owes, task)
			return &view{graph: e.graph, within: within, movers: e.allTasks(), cutTask: task, cutMark: Return}, some
		}
		f := &finding{kind: StarvedKind, name: p.Name}
		err := e.findCycles(f, e.allTasks(), p.Fair&e.allTasks(), views)
		if err != nil || e.watch.reason != "" {
			return err
		}
	}
	return nil
}
