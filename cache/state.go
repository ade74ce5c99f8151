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
	// PhaseIdle is before the start.
	PhaseIdle Phase = iota
	// PhaseListing is during a list in pages.
	PhaseListing
	// PhaseStreaming is during a streaming list.
	PhaseStreaming
	// PhaseWatching is during a watch.
	PhaseWatching
	// PhaseBackingOff is during a backoff.
	PhaseBackingOff
	// PhaseStopped is after the end.
	PhaseStopped
)

func (p Phase) String() string { return listwatch.Phase(p).String() }

// State is what an informer is doing, how far it is, and its error.
type State struct {
	// Name is the name of the reflector, Type what it lists and watches.
	Name, Type string

	Phase Phase
	// Since is when the phase began, Until when the next retry is due, if it is backing off.
	Since, Until time.Time
	// Cause is the error of the last attempt. It is reset when a list is complete, or when a watch has received
	// something or has lasted for a while: a second, or 40 seconds after one that was interrupted. So a recurring error
	// stays visible.
	Cause error
	// Failing is when Cause was first set, Failures the number of failed attempts since.
	Failing  time.Time
	Failures int

	// Synced reports whether the first list is in the store.
	Synced bool
	// ResourceVersion is the last version received from the server.
	ResourceVersion string
	// LastEvent is the time of the last event, bookmark or end of a list from the server. Zero if never.
	LastEvent time.Time
	// Objects is the number of objects in the store. It is 0 for a reflector alone.
	Objects int
	// Events, Lists, Watches and Bytes count what was received. Bytes are known only if the client returns raw frames.
	Events, Lists, Watches uint64
	Bytes                  int64
	// ListsFailed and WatchesFailed are the numbers of failed lists and watches, by reason. A watch that ends with its
	// timeout has not failed.
	ListsFailed, WatchesFailed FailureCounts

	// Undecodable is the number of objects that were skipped because they could not be decoded, LastUndecodable the
	// last of them.
	Undecodable     uint64
	LastUndecodable *UndecodableError
	// Skipped is the number of unexpected objects that were skipped: of another type or kind, without metadata, or
	// rejected by the store. LastSkipped is the error of the last one.
	Skipped     uint64
	LastSkipped error

	// Pending is the number of changes queued for the store, PendingSince the time of the oldest. Lags has how long
	// others have waited. A reflector alone has no pending changes.
	Pending      int
	PendingSince time.Time
	Lags         Lags

	// IndexErrors is the number of failures of index functions, LastIndexError the last of them.
	IndexErrors    uint64
	LastIndexError error

	// Storage is how the objects are stored, how much memory they take, and how much readers decode. A reflector alone stores nothing.
	Storage StorageState

	// Handlers has one entry for each handler of a shared informer, in the order in which they were added.
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

// informerState converts the state of an engine.
func informerState(s engine.State) State {
	out := stateFrom(s.State)
	out.Objects, out.Pending, out.PendingSince, out.Lags = s.Objects, s.Pending, s.PendingSince, Lags(s.Lags)
	out.IndexErrors, out.LastIndexError = s.IndexErrors, s.LastIndexError
	out.Storage = storageState(s)
	for _, h := range s.Handlers {
		out.Handlers = append(out.Handlers, handlerState(h))
	}
	return out
}

// publicError converts an error of a reflector to the type of this package, if there is one.
func publicError(err error) error {
	switch e := err.(type) {
	case *listwatch.UndecodableError:
		return (*UndecodableError)(e)
	case *listwatch.VeryShortWatchError:
		return (*VeryShortWatchError)(e)
	}
	return err
}

// StateReader is implemented by every informer of this package, and by [Reflector].
type StateReader interface {
	State() State
}

// UndecodableError is the error for an object that could not be decoded.
type UndecodableError struct {
	// Key is empty if it could not be decoded either.
	Key string
	Err error
}

func (e *UndecodableError) Error() string { return (*listwatch.UndecodableError)(e).Error() }

// Unwrap returns Err.
func (e *UndecodableError) Unwrap() error { return e.Err }

// StateOf returns the State of an informer, the zero value if it has none.
func StateOf(informer SharedInformer) State {
	if r, ok := informer.(StateReader); ok {
		return r.State()
	}
	return State{}
}

// Err returns nil while the informer is healthy: the initial list is in the store and a watch is running. Otherwise it
// returns the error, for a health check. A watch that was interrupted and is running again is healthy, unless it was
// interrupted more than once without receiving anything.
func (s State) Err() error {
	inner := listwatch.State{
		Name: s.Name, Type: s.Type, Phase: listwatch.Phase(s.Phase), Synced: s.Synced,
		Cause: s.Cause, Failing: s.Failing, Failures: s.Failures,
	}
	return inner.Err()
}

// FailureCounts is the number of failures of lists or watches, by reason.
type FailureCounts struct {
	// Expired: the requested version is too old, or the server has not reached it.
	Expired uint64
	// Throttled: the server had too many requests.
	Throttled uint64
	// Refused: the request is forbidden, not found or invalid.
	Refused uint64
	// Server: an internal error of the server.
	Server uint64
	// Timeout: no data was received for too long.
	Timeout uint64
	// Connection: the server could not be reached, or the connection was lost.
	Connection uint64
	// Other: everything else, for example a response that could not be decoded or stored, or that ended too early.
	Other uint64
}

func failureCounts(c listwatch.FailureCounts) FailureCounts {
	return FailureCounts{
		Expired: c[listwatch.FailureExpired], Throttled: c[listwatch.FailureThrottled], Refused: c[listwatch.FailureRefused],
		Server: c[listwatch.FailureServer], Timeout: c[listwatch.FailureTimeout], Connection: c[listwatch.FailureConnection],
		Other: c[listwatch.FailureOther],
	}
}

// All returns the name of each reason, in lower case, with its count, in a fixed order.
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

// HandlerState is the state of a handler.
type HandlerState struct {
	// Number identifies the handler within the informer: the first that was added is 1. It does not change when others
	// are removed.
	Number int
	// Handler is the Go type of the handler, or the result of its method HandlerName() string, if it has one.
	Handler string
	// Synced reports whether the handler has been called for every object that existed when it was added.
	Synced bool
	// Waiting is the number of pending notifications, Oldest the time of the oldest. Zero if there are none.
	Waiting int
	Oldest  time.Time
	// Coalescing is true if the handler is so far behind that pending notifications are coalesced by key, and Coalesced the
	// number of notifications that were coalesced.
	Coalescing bool
	Coalesced  uint64
	// Handled is the number of calls that have returned, Busy when the current one started. Zero if there is none.
	Handled uint64
	Busy    time.Time
	// Panics is the number of calls that panicked, LastPanic the value of the last panic.
	Panics    uint64
	LastPanic string
}

// Lags is how long changes take from their receipt until they are in the store and in the log that handlers read. It is
// measured once per batch, for the oldest change in it; for a list, from when it was complete. It does not include the
// time from the server to here: events have no timestamp.
type Lags struct {
	// Batches is the number of batches, Total the sum of their lags.
	Batches uint64
	Total   time.Duration
	// Within is the number of batches within each of Bounds, and not within the one before.
	Within [6]uint64
}

// Bounds returns the bounds that Within counts by.
func (Lags) Bounds() []time.Duration { return slices.Clone(engine.LagBounds[:]) }
