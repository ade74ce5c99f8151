package cache

import (
	"fmt"
	"time"
)

// Phase is what an informer is doing.
type Phase int

const (
	// PhaseIdle is before it was started.
	PhaseIdle Phase = iota
	// PhaseListing is while it reads a list, page by page.
	PhaseListing
	// PhaseStreaming is while it reads the objects at the beginning of a watch, in place of a list.
	PhaseStreaming
	// PhaseWatching is while it hears of changes as they are made.
	PhaseWatching
	// PhaseBackingOff is while it waits to try again.
	PhaseBackingOff
	// PhaseStopped is after it ended.
	PhaseStopped
)

var phases = [...]string{"idle", "listing", "streaming", "watching", "backing off", "stopped"}

func (p Phase) String() string {
	if p < 0 || int(p) >= len(phases) {
		return fmt.Sprintf("Phase(%d)", int(p))
	}
	return phases[p]
}

// State tells what an informer is doing, how far it is, and what keeps it from going on.
type State struct {
	// Name is that of the reflector, Type what it lists and watches.
	Name, Type string

	Phase Phase
	// Since is when the phase began, Until when the next try is due, if it is backing off.
	Since, Until time.Time
	// Cause is why the last try failed. It is nil from the moment at which a list is complete, a watch has brought something,
	// or has held for a while: a second, and after one that was cut 40 of them. So a person sees it for as long as it holds.
	Cause error
	// Failing is when Cause was first set, and Failures how many tries have failed since.
	Failing  time.Time
	Failures int

	// Synced tells whether the first list is in the store.
	Synced bool
	// ResourceVersion is the last one heard of from the server.
	ResourceVersion string
	// LastEvent is when the server was last heard of: an event, a bookmark or the end of a list. Zero if never.
	LastEvent time.Time
	// Objects is how many are in the store. A reflector alone does not know and says 0.
	Objects int
	// Events, Lists, Watches and Bytes count what was received. Bytes are known where the client hands out raw frames.
	Events, Lists, Watches uint64
	Bytes                  int64
	// ListsFailed and WatchesFailed are how many of the lists and watches failed, by reason. A watch that the server ends
	// when its time is over has not.
	ListsFailed, WatchesFailed FailureCounts

	// Undecodable is how many objects were left out because they could not be decoded, and LastUndecodable the last of them.
	Undecodable     uint64
	LastUndecodable *UndecodableError
	// Skipped is how many things were left out because they are not what was asked for: of another type or kind, without
	// metadata, or refused by the store. LastSkipped tells of the last.
	Skipped     uint64
	LastSkipped error

	// Pending is how many changes wait to be put into the store, and PendingSince since when the first of them does. Lags
	// tells how long others have waited. A reflector alone has nothing that waits.
	Pending      int
	PendingSince time.Time
	Lags         Lags

	// IndexErrors is how many times an index function has failed, and LastIndexError what it said.
	IndexErrors    uint64
	LastIndexError error

	// Handlers is one for each handler of a shared informer, in the order in which they were added.
	Handlers []HandlerState
}

// StateReader is what has a State: every informer of this package, and a Reflector.
type StateReader interface {
	State() State
}

// UndecodableError says which object could not be decoded.
type UndecodableError struct {
	// Key is empty if not even that could be read.
	Key string
	Err error
}

func (e *UndecodableError) Error() string {
	return fmt.Sprintf("object %q cannot be decoded: %v", e.Key, e.Err)
}

// Unwrap returns Err.
func (e *UndecodableError) Unwrap() error { return e.Err }

// StateOf is the State of an informer, the zero one if it has none to tell.
func StateOf(informer SharedInformer) State {
	if r, ok := informer.(StateReader); ok {
		return r.State()
	}
	return State{}
}

// Err is nil while all is well: the first list is in the store and a watch is under way. Otherwise it says what is wrong,
// for a health check. A watch that was cut and is under way again is well, unless it was cut more than once without
// bringing anything.
func (s State) Err() error {
	switch {
	case s.Phase == PhaseIdle, s.Phase == PhaseStopped:
		return fmt.Errorf("informer %s (%s) is %s", s.Name, s.Type, s.Phase)
	case s.Cause != nil && (s.Phase != PhaseWatching || s.Failures > 1 || !s.Synced):
		return fmt.Errorf("informer %s (%s) is %s, failing since %s: %w",
			s.Name, s.Type, s.Phase, s.Failing.Format(time.RFC3339), s.Cause)
	case !s.Synced:
		return fmt.Errorf("informer %s (%s) has not synced yet, and is %s", s.Name, s.Type, s.Phase)
	}
	return nil
}
