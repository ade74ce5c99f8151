package cache

import (
	"context"
	"maps"
	"slices"
	"strings"
)

// feed is where an informer has objects from: one list and watch.
type feed struct {
	lw        ListerWatcher
	queue     *informerQueue
	reflector *Reflector
	stop      context.CancelFunc
	ended     chan struct{}
	// after is closed when the feed may begin; nil means at once.
	after <-chan struct{}
}

// reflect starts the reflector of a feed, under the lock of the informer.
func (s *informer) reflect(namespace string, f *feed) {
	f.queue = &informerQueue{DeltaFIFO: s.queue, applier: s.applier, codec: s.codec, work: &s.reflecting}
	if namespace != "" {
		prefix := namespace + "/"
		f.queue.within = func(key string) bool { return strings.HasPrefix(key, prefix) }
	}
	f.reflector = NewReflectorWithOptions(f.lw, s.example, f.queue, ReflectorOptions{
		Logger:          &s.logger,
		TypeDescription: s.options.ObjectDescription,
		ResyncPeriod:    s.processor.period(),
		MinWatchTimeout: s.minWatchTimeout,
		Backoff:         s.options.Backoff,
	})
	f.reflector.codec, f.reflector.stored = s.codec, s.indexer.stored
	f.reflector.ShouldResync = s.processor.shouldResync
	f.reflector.OnInconsistency = s.options.OnInconsistency
	if s.onError != nil {
		f.reflector.onError = s.onError
	}
	f.ended = make(chan struct{})
	var ctx context.Context
	ctx, f.stop = context.WithCancel(s.running)
	s.reflecting.Go(func() {
		defer close(f.ended)
		defer f.stop()
		if f.after != nil {
			<-f.after // which is closed also if the informer ends
		}
		f.reflector.RunWithContext(ctx)
	})
}

func (s *informer) LastSyncResourceVersion() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if f := s.feeds[""]; f != nil && f.reflector != nil {
		return f.reflector.LastSyncResourceVersion()
	}
	return ""
}

// State tells what the informer is doing. If it has several feeds, it is the state of the one that is worst off, with
// the counts of all.
func (s *informer) State() State {
	state := s.feedState()
	state.Type, state.Synced = s.describe(), s.HasSynced()
	state.Objects = s.indexer.table.Len()
	s.showQueue(&state)
	s.applier.mu.Lock()
	state.IndexErrors, state.LastIndexError = s.applier.failures, s.applier.lastError
	state.Lags = s.applier.lags
	s.applier.mu.Unlock()
	state.Handlers = s.processor.states()
	return state
}

func (s *informer) feedState() (worst State) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stopped {
		worst.Phase = PhaseStopped
	}
	var total State
	for i, namespace := range slices.Sorted(maps.Keys(s.feeds)) {
		f := s.feeds[namespace]
		if f.reflector == nil {
			continue
		}
		state := f.reflector.State()
		total.count(&state)
		if i == 0 || state.worseThan(&worst) {
			worst = state
		}
	}
	worst.takeCounts(&total)
	if s.stopped {
		worst.Phase = PhaseStopped
	}
	return worst
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
