package statespace

// findStarved looks for fair cycles on which a task owes something and never
// returns.
func (e *explorer[S]) findStarved() error {
	for i := range e.o.Starved {
		p := &e.o.Starved[i]
		var masks *maskVector
		poll := e.poll("starved", func() int64 { return 0 })
		if masks = e.taskMasks(p.Name, e.allTasks(), p.Owes, poll); masks == nil {
			return nil
		}
		e.analysis = masks.bytes.bytes()
		views := func(task int) (*view, bool) {
			owes, some := masks.column(e.states(), task)
			return &view{graph: e.graph, within: owes, movers: e.allTasks(), cutTask: task, cutMark: Return}, some
		}
		f := &finding{kind: StarvedKind, name: p.Name}
		err := e.findCycles(f, e.allTasks(), p.Fair&e.allTasks(), views)
		e.analysis = 0
		if err != nil || e.watch.reason != "" {
			return err
		}
	}
	return nil
}
