package cache

import (
	"iter"
	"slices"
	"time"

	"vedette.dev/internal/engine"
	"vedette.dev/internal/listwatch"
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
	// PhaseWatching is while it receives changes.
	PhaseWatching
	// PhaseBackingOff is while it waits to try again.
	PhaseBackingOff
	// PhaseStopped is after it ended.
	PhaseStopped
)

func (p Phase) String() string { return listwatch.Phase(p).String() }

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

	// Synced reports whether the first list is in the store.
	Synced bool
	// ResourceVersion is the last one received from the server.
	ResourceVersion string
	// LastEvent is when something was last received from the server: an event, a bookmark or the end of a list. Zero if never.
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

// stateFrom returns the state of a reflector.
func stateFrom(s listwatch.State) State {
	return State{
		Name: s.Name, Type: s.Type,
		Phase: Phase(s.Phase), Since: s.Since, Until: s.Until,
		Cause: publicError(s.Cause), Failing: s.Failing, Failures: s.Failures,
		Synced: s.Synced, ResourceVersion: s.ResourceVersion, LastEvent: s.LastEvent,
		Events: s.Events, Lists: s.Lists, Watches: s.Watches, Bytes: s.Bytes,
		ListsFailed: failureCounts(s.ListsFailed), WatchesFailed: failureCounts(s.WatchesFailed),
		Undecodable: s.Undecodable, LastUndecodable: (*UndecodableError)(s.LastUndecodable),
		Skipped: s.Skipped, LastSkipped: s.LastSkipped,
	}
}

// informerState returns the state of an engine as a State.
func informerState(s engine.State) State {
	out := stateFrom(s.State)
	out.Objects, out.Pending, out.PendingSince, out.Lags = s.Objects, s.Pending, s.PendingSince, Lags(s.Lags)
	out.IndexErrors, out.LastIndexError = s.IndexErrors, s.LastIndexError
	for _, h := range s.Handlers {
		out.Handlers = append(out.Handlers, handlerState(h))
	}
	return out
}

// publicError returns an error of a reflector as the type of this package, if it is of one.
func publicError(err error) error {
	switch e := err.(type) {
	case *listwatch.UndecodableError:
		return (*UndecodableError)(e)
	case *listwatch.VeryShortWatchError:
		return (*VeryShortWatchError)(e)
	}
	return err
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

func (e *UndecodableError) Error() string { return (*listwatch.UndecodableError)(e).Error() }

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
	inner := listwatch.State{
		Name: s.Name, Type: s.Type, Phase: listwatch.Phase(s.Phase), Synced: s.Synced,
		Cause: s.Cause, Failing: s.Failing, Failures: s.Failures,
	}
	return inner.Err()
}

// FailureCounts is how many times a list or a watch has failed, by the reason.
type FailureCounts struct {
	// Expired is when the server has forgotten the version that was asked for, or has not reached it.
	Expired uint64
	// Throttled is when the server had too many requests.
	Throttled uint64
	// Refused is when the request is forbidden, not found or invalid.
	Refused uint64
	// Server is an error inside the server.
	Server uint64
	// Timeout is when nothing came for too long.
	Timeout uint64
	// Connection is when the server could not be reached, or the connection broke.
	Connection uint64
	// Other is everything else: the response could not be read or stored, or was over before it began.
	Other uint64
}

func failureCounts(c listwatch.FailureCounts) FailureCounts {
	return FailureCounts{
		Expired: c[listwatch.FailureExpired], Throttled: c[listwatch.FailureThrottled], Refused: c[listwatch.FailureRefused],
		Server: c[listwatch.FailureServer], Timeout: c[listwatch.FailureTimeout], Connection: c[listwatch.FailureConnection],
		Other: c[listwatch.FailureOther],
	}
}

// All returns the name of each reason, in lower case, with its count. The order is always the same.
func (c FailureCounts) All() iter.Seq2[string, uint64] {
	return func(yield func(string, uint64) bool) {
		for _, r := range []struct {
			name string
			n    uint64
		}{
			{"expired", c.Expired}, {"throttled", c.Throttled}, {"refused", c.Refused}, {"server", c.Server},
			{"timeout", c.Timeout}, {"connection", c.Connection}, {"other", c.Other},
		} {
			if !yield(r.name, r.n) {
				return
			}
		}
	}
}

// Total returns the sum of all counts.
func (c FailureCounts) Total() (n uint64) {
	for _, count := range c.All() {
		n += count
	}
	return n
}

// HandlerState tells how far a handler is.
type HandlerState struct {
	// Number says which handler of the informer it is: the first that was added is 1. It stays when others are removed.
	Number int
	// Handler is the Go type of the handler, or what its method HandlerName() string returns, if it has one.
	Handler string
	// Synced reports whether the handler has been called for every object that was there when it was added.
	Synced bool
	// Waiting is how many notifications wait for the handler, and Oldest since when the first of them does. Zero if none.
	Waiting int
	Oldest  time.Time
	// Merging tells that the handler is so far behind that what waits is kept by key, and Merged how many notifications were
	// merged with another of the same key.
	Merging bool
	Merged  uint64
	// Handled is how many calls have returned, Busy since when the present one runs. Zero if none does.
	Handled uint64
	Busy    time.Time
	// Panics is how many calls ended in a panic, and LastPanic tells of the last.
	Panics    uint64
	LastPanic string
}

// Lags tells how long changes take from when they were received to when they are in the store and in the log that
// handlers read. It is measured once a batch, of the change in it that waited longest; of a list, from when it
// was complete. The way from the server to here is not in it: events do not say when they were made.
type Lags struct {
	// Batches is how many there were, and Total the sum of their lags.
	Batches uint64
	Total   time.Duration
	// Within is how many were within each of Bounds, and not within the one before.
	Within [6]uint64
}

// Bounds returns the bounds that Within counts by.
func (Lags) Bounds() []time.Duration { return slices.Clone(engine.LagBounds[:]) }
