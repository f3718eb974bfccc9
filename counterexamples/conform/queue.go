package conform

// maxPeek bounds the events that a queue holds.
const maxPeek = 256

// A queue reads the events of a Reader one by one and can look a little ahead.
type queue struct {
	r    *Reader
	held []Event
	err  error // of the Reader, once everything held has been taken
}

// next takes the next event.
func (q *queue) next() (e Event, err error) {
	if len(q.held) > 0 {
		e = q.held[0]
		q.held = append(q.held[:0], q.held[1:]...)
		return e, nil
	}
	if q.err == nil {
		q.err = q.r.Next(&e)
	}
	return e, q.err
}

// peek gives the events that follow, at least those up to a time unless there
// are more than maxPeek. They stay in the queue.
func (q *queue) peek(until uint64) []Event {
	for q.err == nil && len(q.held) < maxPeek && (len(q.held) == 0 || q.held[len(q.held)-1].Time <= until) {
		var e Event
		if q.err = q.r.Next(&e); q.err == nil {
			q.held = append(q.held, e)
		}
	}
	return q.held
}
