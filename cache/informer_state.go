package cache

import (
	"maps"
	"slices"
	"time"
)

// PartitionState tells how a partition is.
type PartitionState struct {
	// Partition is its ID.
	Partition string
	// State is that of the stream that is worst off, with the counts of all that the partition has objects from. A stream
	// that feeds several partitions counts in each of them. Its Objects, Pending, Lags and Handlers are those of the partition, and
	// so is Cause if the partition is full.
	State
	// Applied is how many changes were applied, Rate how many in a second of late, and Received how many bytes they were.
	Applied  uint64
	Rate     float64
	Received int64
	// Merged is how many changes took the place of another that waited.
	Merged uint64
	// MovedIn and MovedOut is how many objects came from other partitions and went to others.
	MovedIn, MovedOut uint64
	// Full is not nil if something was left out.
	Full *LimitError
}

// Err is nil while all is well: see State. A partition that has left something out is not well.
func (s PartitionState) Err() error {
	if err := s.State.Err(); err != nil {
		return err
	}
	if s.Full != nil {
		return s.Full
	}
	return nil
}

// Partition tells how one partition is.
func (s *informer) Partition(id string) (PartitionState, bool) {
	p := s.partition(id)
	if p == nil {
		return PartitionState{}, false
	}
	return s.partitionState(p), true
}

// PartitionSynced is done when a partition has its objects in the store and on their way to the handlers. It is nil if there
// is no such partition.
func (s *informer) PartitionSynced(id string) <-chan struct{} {
	if p := s.partition(id); p != nil {
		return p.synced
	}
	return nil
}

func (s *informer) streamsOf(id string) (out []*Stream) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, t := range s.streams {
		if slices.Contains(t.partitions(), id) {
			out = append(out, t)
		}
	}
	return out
}

func (s *informer) partitionState(p *partition) PartitionState {
	out := PartitionState{Partition: p.config.ID, State: worstOf(s.streamsOf(p.config.ID))}
	out.Type, out.Synced = s.describe(), p.isSynced()
	out.Objects = s.indexer.table.CountOwned(p.config.ID)
	out.Pending, out.PendingSince, out.Merged = s.queue.waiting(p.inbox)
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
	out.Handlers = handlerStates(p.shared.States(), p.own.States())
	s.mark(&out.State)
	return out
}

// mark says in a state that the informer has ended.
func (s *informer) mark(state *State) {
	if s.IsStopped() {
		state.Phase = PhaseStopped
	}
}

// worstOf is the state of the stream that is worst off, with the counts of all.
func worstOf(streams []*Stream) (worst State) {
	var total State
	for i, t := range streams {
		state := t.State()
		total.count(&state)
		if i == 0 || state.worseThan(&worst) {
			worst = state
		}
	}
	worst.takeCounts(&total)
	return worst
}

// State tells what the informer is doing: it is the state of the stream that is worst off, with the counts of all.
func (s *informer) State() State {
	s.mu.Lock()
	streams := s.streams
	s.mu.Unlock()
	state := worstOf(streams)
	state.Type, state.Synced = s.describe(), s.HasSynced()
	state.Objects = s.indexer.table.Len()
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
		state.Handlers = append(state.Handlers, r.state())
	}
	s.mark(&state)
	return state
}

func (l *Lags) merge(more *Lags) {
	l.Batches += more.Batches
	l.Total += more.Total
	for i := range l.Within {
		l.Within[i] += more.Within[i]
	}
}

// state returns the state of the handler: that of all its listeners.
func (r *registration) state() HandlerState {
	s := r.informer
	s.applyMu.Lock()
	listeners := slices.Collect(maps.Values(r.listeners))
	s.applyMu.Unlock()
	out := HandlerState{Number: r.number, Handler: handlerType(r.handler), Synced: r.HasSynced()}
	for _, l := range listeners {
		one := l.State()
		out.Waiting += one.Waiting
		out.Merged += one.Coalesced
		out.Handled += one.Handled
		out.Panics += one.Panics
		out.Merging = out.Merging || one.Coalescing
		out.Oldest = earliest(out.Oldest, one.Oldest)
		out.Busy = earliest(out.Busy, one.Busy)
		if one.LastPanic != "" {
			out.LastPanic = one.LastPanic
		}
	}
	return out
}

// earliest is the earlier of two times, of which each may be zero for none.
func earliest(a, b time.Time) time.Time {
	if a.IsZero() || !b.IsZero() && b.Before(a) {
		return b
	}
	return a
}

func (s *State) count(more *State) {
	s.Events += more.Events
	s.Lists += more.Lists
	s.Watches += more.Watches
	s.Bytes += more.Bytes
	s.Undecodable += more.Undecodable
	s.Skipped += more.Skipped
	s.ListsFailed.add(&more.ListsFailed)
	s.WatchesFailed.add(&more.WatchesFailed)
}

// takeCounts makes the counts of another state those of this one.
func (s *State) takeCounts(total *State) {
	s.Events, s.Lists, s.Watches, s.Bytes = total.Events, total.Lists, total.Watches, total.Bytes
	s.Undecodable, s.Skipped = total.Undecodable, total.Skipped
	s.ListsFailed, s.WatchesFailed = total.ListsFailed, total.WatchesFailed
}

// worseThan tells whether a person should rather look at this one.
func (s *State) worseThan(other *State) bool {
	if failing := s.Cause != nil; failing != (other.Cause != nil) {
		return failing
	}
	return s.Phase != PhaseWatching && other.Phase == PhaseWatching
}
