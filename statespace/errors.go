package statespace

import (
	"errors"
	"fmt"
	"runtime/debug"
)

// A ModelError says that the model is at fault: a state did not fit its packed
// form, a method or a property panicked, a cycle did not close when taken
// again. It is never a verdict about the system modelled.
type ModelError struct {
	Err error
	// Init and Path lead to the fault: the last choice is the step that failed,
	// unless the fault lies in judging the state that the path ends in. Init is
	// -1 when the fault comes before the first step or no path is known.
	Init int
	Path []Choice
	// Stack is the stack of a panic, else nil.
	Stack []byte
}

func (e *ModelError) Error() string {
	return fmt.Sprintf("model error after %d steps: %v", len(e.Path), e.Err)
}

// Unwrap returns Err.
func (e *ModelError) Unwrap() error { return e.Err }

var (
	errNoChoice  = errors.New("the outcome does not exist")
	errNotClosed = errors.New("a cycle does not close when taken again: the model is not deterministic")
	errNotAgain  = errors.New("a step cannot be taken again: the model is not deterministic")
)

// A fileError is about a file of the search, not about the model.
type fileError struct{ error }

func (e *fileError) Unwrap() error { return e.error }

func fileFault(format string, args ...any) error {
	return &fileError{fmt.Errorf(format, args...)}
}

// A place is where a search is, so that a fault can be located.
type place struct {
	property string // the property that is judged; "": the model runs
	state    uint64 // ref of the state concerned
	none     bool   // there is none yet
	hasStep  bool
	step     Choice // the step taken from state
}

func (p *place) String() string {
	switch {
	case p.property != "":
		return fmt.Sprintf("property %q", p.property)
	case p.none:
		return "an initial state"
	}
	return "a step"
}

// caught turns a recovered panic into an error.
func caught(what string, r any) *ModelError {
	err, ok := r.(error)
	if ok {
		err = fmt.Errorf("panic in %s: %w", what, err)
	} else {
		err = fmt.Errorf("panic in %s: %v", what, r)
	}
	return &ModelError{Err: err, Init: -1, Stack: debug.Stack()}
}
