package engine

import (
	"maps"
	"slices"
	"time"

	"vedette.dev/internal/codec"
	"vedette.dev/internal/fanout"
	"vedette.dev/internal/listwatch"
)

// State is what an informer is doing.
type State struct {
	// State is that of the stream in the worst state, with the counts of all.
	listwatch.State
	// Objects is how many are in the store.
	Objects int
	// Pending is how many events wait for the store, and PendingSince when the first of them came.
	Pending      int
	PendingSince time.Time
	Lags         Lags
	// Storage is what the codec knows, and Views how many views of the store were taken. Both are empty for a partition.
	Storage codec.Stats
	Views   uint64
	// IndexErrors is how many times an index function has failed, and LastIndexError the last error.
	IndexErrors    uint64
	LastIndexError error
	Handlers       []fanout.State
}

// PartitionState is what a partition is doing. Package shard documents the fields under the same names.
type PartitionState struct {
	Partition string
	State
	Applied           uint64
	Rate              float64
	Received          int64
	Coalesced         uint64
	MovedIn, MovedOut uint64
	Full              *LimitError // not nil if something was left out
}

// Lags is how long changes take from when they were received to when they are in the store and in the log. Package cache documents the
// fields under the same names.
type Lags struct {
	Batches uint64
	Total   time.Duration
	Within  [6]uint64
}

// LagBounds are the bounds that [Lags] counts by.
var LagBounds = [6]time.Duration{
	time.Millisecond, 10 * time.Millisecond, 100 * time.Millisecond, time.Second, 10 * time.Second, time.Minute,
}

func (l *Lags) add(lag time.Duration) {
	l.Batches++
	l.Total += lag
	for i, bound := range LagBounds {
		if lag <= bound {
			l.Within[i]++
			return
		}
	}
}

// Partition returns what one partition is doing.
func (s *Informer) Partition(id string) (PartitionState, bool) {
	p := s.partition(id)
	if p == nil {
		return PartitionState{}, false
	}
	return s.partitionState(p), true
}

// PartitionOf returns the partition that has the object under a key.
func (s *Informer) PartitionOf(key string) (partition string, ok bool) { return s.table.Owner(key) }

// PartitionSynced returns a channel that is closed when a partition has its objects in the store and on their way to the handlers. It is nil if there
// is no such partition.
func (s *Informer) PartitionSynced(id string) <-chan struct{} {
	if p := s.partition(id); p != nil {
		return p.synced
	}
	return nil
}

func (s *Informer) streamsOf(id string) (out []*Stream) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, t := range s.streams {
		if slices.Contains(t.partitions(), id) {
			out = append(out, t)
		}
	}
	return out
}

func (s *Informer) partitionState(p *partition) PartitionState {
	out := PartitionState{Partition: p.config.ID}
	out.State.State = worstOf(s.streamsOf(p.config.ID))
	out.Type, out.Synced = s.Describe(), p.isSynced()
	out.Objects = s.table.CountOwned(p.config.ID)
	out.Pending, out.PendingSince, out.Coalesced = s.queue.waiting(p.inbox)
	p.mu.Lock()
	out.Applied, out.Received, out.Lags = p.events, p.received, p.lags
	out.Rate = p.meter.rate(time.Now())
	p.mu.Unlock()
	s.applyMu.Lock()
	out.MovedIn, out.MovedOut, out.Full = p.movedIn, p.movedOut, p.room.full
	s.applyMu.Unlock()
	if out.Full != nil && out.Cause == nil {
		out.Cause = out.Full
	}
	out.Handlers = slices.Concat(p.shared.States(), p.own.States())
	s.mark(&out.State.State)
	return out
}

// mark sets the phase of a state if the informer has ended.
func (s *Informer) mark(state *listwatch.State) {
	if s.IsStopped() {
		state.Phase = listwatch.PhaseStopped
	}
}

// worstOf returns the state of the stream that is in the worst state, with the counts of all.
func worstOf(streams []*Stream) (worst listwatch.State) {
	var total listwatch.State
	for i, t := range streams {
		state := t.State()
		count(&total, &state)
		if i == 0 || isWorse(&state, &worst) {
			worst = state
		}
	}
	takeCounts(&worst, &total)
	return worst
}

// State returns the state of the informer: that of the stream in the worst state, with the counts of all.
func (s *Informer) State() State {
	s.mu.Lock()
	streams, used := s.streams, s.codec
	s.mu.Unlock()
	state := State{State: worstOf(streams), Storage: used.Stats(), Views: s.table.Views()}
	state.Type, state.Synced = s.Describe(), s.HasSynced()
	state.Objects = s.table.Len()
	for _, p := range s.routes.Load().partitions {
		n, since, _ := s.queue.waiting(p.inbox)
		state.Pending += n
		if !since.IsZero() && (state.PendingSince.IsZero() || since.Before(state.PendingSince)) {
			state.PendingSince = since
		}
		p.mu.Lock()
		state.Lags.merge(&p.lags)
		p.mu.Unlock()
	}
	s.applyMu.Lock()
	state.IndexErrors, state.LastIndexError = s.indexErrors, s.lastError
	registrations := slices.Clone(s.registrations)
	s.applyMu.Unlock()
	for _, r := range registrations {
		state.Handlers = append(state.Handlers, r.State())
	}
	s.mark(&state.State)
	return state
}

func (l *Lags) merge(more *Lags) {
	l.Batches += more.Batches
	l.Total += more.Total
	for i := range l.Within {
		l.Within[i] += more.Within[i]
	}
}

// State returns the state of the handler: that of all its listeners.
func (r *Registration) State() fanout.State {
	s := r.informer
	s.applyMu.Lock()
	listeners := slices.Collect(maps.Values(r.listeners))
	s.applyMu.Unlock()
	out := fanout.State{Number: r.number, Handler: r.handler.Name(), Synced: isClosed(r.synced)}
	for _, l := range listeners {
		one := l.State()
		out.Waiting += one.Waiting
		out.Coalesced += one.Coalesced
		out.Handled += one.Handled
		out.Panics += one.Panics
		out.Coalescing = out.Coalescing || one.Coalescing
		out.Oldest = earliest(out.Oldest, one.Oldest)
		out.Busy = earliest(out.Busy, one.Busy)
		if one.LastPanic != "" {
			out.LastPanic = one.LastPanic
		}
	}
	return out
}

// earliest returns the earlier of two times, of which each may be zero for none.
func earliest(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}

// count adds the counts of a state.
func count(to, more *listwatch.State) {
	to.Events += more.Events
	to.Lists += more.Lists
	to.Watches += more.Watches
	to.Bytes += more.Bytes
	to.Undecodable += more.Undecodable
	to.Skipped += more.Skipped
	to.ListsFailed.Add(&more.ListsFailed)
	to.WatchesFailed.Add(&more.WatchesFailed)
}

// takeCounts sets the counts of s to those of total.
func takeCounts(s, total *listwatch.State) {
	s.Events, s.Lists, s.Watches, s.Bytes = total.Events, total.Lists, total.Watches, total.Bytes
	s.Undecodable, s.Skipped = total.Undecodable, total.Skipped
	s.ListsFailed, s.WatchesFailed = total.ListsFailed, total.WatchesFailed
}

// isWorse reports whether a state is worse than another: it has an error, or the stream does not watch.
func isWorse(s, other *listwatch.State) bool {
	if failing := s.Cause != nil; failing != (other.Cause != nil) {
		return failing
	}
	return s.Phase != listwatch.PhaseWatching && other.Phase == listwatch.PhaseWatching
}
