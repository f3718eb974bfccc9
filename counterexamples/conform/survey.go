package conform

import (
	"errors"
	"io"
)

// Survey is what a first look at a whole recording finds: how much of each kind
// there is and how much goes on at once.
type Survey struct {
	Quality
	Unit  Unit
	Kinds [numKinds]int
	// Threads is the largest number of threads in forces at once, Works that of
	// push works running at once.
	Threads, Works int
	// Returns counts, for each kind of return, the entries whose return is
	// missing although the same thread goes on: the return probe had no free
	// instance.
	Returns [numKinds]int
}

// Look surveys the recording in a file.
func Look(name string) (*Survey, error) {
	r, err := Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = r.Close() }()
	sv := &Survey{}
	forces, works := map[int]bool{}, map[int]bool{}
	open := map[openCall]bool{}
	var e Event
	for {
		err := r.Next(&e)
		if errors.Is(err, io.EOF) {
			sv.Quality, sv.Unit = r.Quality, r.Unit
			return sv, nil
		}
		if err != nil {
			return nil, err
		}
		sv.Kinds[e.Kind]++
		sv.calls(&e, open)
		switch e.Kind {
		case Fsync, LogForceSeq, CilForceSeq, CilFlush:
			forces[e.PID] = true
		case FsyncRet:
			delete(forces, e.PID)
		case ExecuteStart:
			works[e.PID] = true
		case ExecuteEnd:
			delete(works, e.PID)
		}
		sv.Threads = max(sv.Threads, len(forces))
		sv.Works = max(sv.Works, len(works))
	}
}

// openCall is a call that has been entered: of whom, and into what.
type openCall struct {
	pid int
	in  Kind
}

// calls counts entries of a thread that is, as far as its events say, still in
// its last call of the same function.
func (sv *Survey) calls(e *Event, open map[openCall]bool) {
	for ret := Other + 1; ret < numKinds; ret++ {
		if entryOf(ret) == e.Kind && e.Kind != Other {
			if open[openCall{e.PID, e.Kind}] {
				sv.Returns[ret]++
			}
			open[openCall{e.PID, e.Kind}] = true
		}
	}
	if in := entryOf(e.Kind); in != Other {
		delete(open, openCall{e.PID, in})
	}
}
