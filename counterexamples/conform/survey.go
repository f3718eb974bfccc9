package conform

import (
	"errors"
	"io"
	"slices"
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
	// missing are the returns that are missing although their thread goes on (the
	// return probe had no free instance), by the line of the entry, or of the last
	// flush_prep_ret of a flush: its thread has not returned before that.
	missing map[int]KindSet
}

// Look surveys the recording in a file.
func Look(name string) (*Survey, error) {
	r, err := Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { _ = r.Close() }()
	sv := &Survey{missing: map[int]KindSet{}}
	forces, works := map[int]bool{}, map[int]bool{}
	open := map[int]*openCalls{}
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

// nesting is the functions with probes at both ends, by how deep they nest in what
// a forcing thread or a kworker is in.
var nesting = [depths][]Kind{{Fsync, PushWork}, {LogForceSeq}, {CilForceSeq, OrderWrite}, {PushNow}, {FlushWq}}

const depths = 5

// depth is how deep a function nests; -1 if it does not.
func depth(entry Kind) int {
	return slices.IndexFunc(nesting[:], func(level []Kind) bool { return slices.Contains(level, entry) })
}

// outside is how deep the calls nest that a thread cannot be in when it shows an
// event which is not of a call; depths if it can be in any.
func outside(k Kind) int {
	switch {
	case k == RestartCur, k == RestartWait:
		return depth(PushNow)
	case k == QueueWork:
		return depth(FlushWq)
	case k == ExecuteEnd:
		return depth(PushWork)
	case k == SetCtxWriteState, k >= IclogGetSpace:
		return depth(CilForceSeq)
	}
	return depths
}

// openCalls are the calls that a thread is in: by depth, the entry and the line
// where its return is noted if it is missing.
type openCalls struct {
	entry    [depths]Kind
	line     [depths]int
	prepared bool // the flush has shown flush_prep_ret
}

// calls follows the nesting of calls. A thread that enters or leaves a function, or
// shows another event, is in none that nests in it: those that are open have
// returned unseen.
func (sv *Survey) calls(e *Event, threads map[int]*openCalls) {
	open := threads[e.PID]
	if open == nil {
		open = &openCalls{}
		threads[e.PID] = open
	}
	if e.Kind == FlushPrepRet {
		open.prepared = true
		open.line[depth(FlushWq)] = e.Line
		return
	}
	in, left := e.Kind, false
	if entry := entryOf(e.Kind); entry != Other {
		in, left = entry, true
	}
	at := depth(in)
	from := at
	if at < 0 {
		from = outside(e.Kind)
	}
	for d := depths - 1; d >= from; d-- {
		sv.ended(open, d, left && d == at)
	}
	if at >= 0 && !left {
		open.entry[at], open.line[at] = in, e.Line
		open.prepared = false
	}
}

// ended closes a call, if there is one; seen says whether its return was.
func (sv *Survey) ended(open *openCalls, depth int, seen bool) {
	entry, line := open.entry[depth], open.line[depth]
	if entry == Other {
		return
	}
	open.entry[depth] = Other
	var missing KindSet
	if !seen {
		missing = 1 << returnOf(entry)
	}
	if entry == FlushWq && !open.prepared {
		missing |= 1 << FlushPrepRet
	}
	if missing != 0 {
		sv.missing[line] = missing
	}
}
