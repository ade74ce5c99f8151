package engine

import (
	"maps"
	"slices"

	"vedette.dev/internal/listwatch"
)

// Namespaces are the streams of an informer that is not divided, one for each namespace. They can change while it runs.
type Namespaces struct {
	*Informer
	// byName has the stream of each namespace. It is guarded by mu of the informer.
	byName map[string]*Stream
	// leaving has a channel for each namespace that was left out and whose objects are not deleted yet. It is closed when they are,
	// and a stream that takes the place of the last one waits for it. It is guarded by mu of the informer.
	leaving map[string]<-chan struct{}
}

// NewNamespaces returns the streams of an informer that has none.
func NewNamespaces(s *Informer) *Namespaces {
	return &Namespaces{Informer: s, byName: map[string]*Stream{}, leaving: map[string]<-chan struct{}{}}
}

// Names returns the namespaces, sorted.
func (s *Namespaces) Names() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Sorted(maps.Keys(s.byName))
}

// StoreVersion returns the version up to which the store has everything of a namespace, empty if that is not known.
func (s *Namespaces) StoreVersion(namespace string) string {
	s.mu.Lock()
	t := s.byName[namespace]
	s.mu.Unlock()
	if t == nil {
		return "" // it is not watched
	}
	// What the stream has brought is in the queue before the version of the stream moves.
	return s.queue.applied(t, t.received())
}

// Set makes the streams those of the namespaces, in one step. If there is no source for some of them, it changes nothing and
// returns their names. It waits for nothing, so that any code may call it, even code that a stream calls.
func (s *Namespaces) Set(namespaces []string, sources map[string]listwatch.Source) (missing []string, err error) {
	s.applyMu.Lock()
	defer s.applyMu.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ending {
		return nil, ErrStopped
	}
	for _, namespace := range namespaces {
		if s.byName[namespace] == nil && sources[namespace].List == nil {
			missing = append(missing, namespace)
		}
	}
	if len(missing) > 0 {
		return missing, nil
	}
	for namespace, t := range s.byName {
		if !slices.Contains(namespaces, namespace) {
			delete(s.byName, namespace)
			s.leave(namespace, t)
		}
	}
	for _, namespace := range namespaces {
		if s.byName[namespace] != nil {
			continue
		}
		t := s.addStream(StreamConfig{Source: sources[namespace], Covers: func(e *Envelope) bool { return e.Namespace == namespace }})
		t.after = s.leaving[namespace]
		s.byName[namespace] = t
		if s.started {
			s.start(t)
		}
	}
	if s.started {
		s.only.noteSynced()
		s.noteSynced()
	}
	return nil, nil
}

// leave ends a stream, and deletes what came from it when it has ended, under applyMu and mu.
func (s *Namespaces) leave(namespace string, t *Stream) {
	s.streams = slices.DeleteFunc(slices.Clone(s.streams), func(other *Stream) bool { return other == t })
	delete(s.only.awaited, t)
	if t.reflector == nil {
		return // it was never started
	}
	t.stopping.Store(true)
	t.cancel()
	s.queue.wake(s.only.inbox)
	left := make(chan struct{})
	s.leaving[namespace] = left
	s.work.Go(func() {
		<-t.ended
		s.replace(newRelist(t), "") // with a list that is empty
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.leaving[namespace] == left {
			delete(s.leaving, namespace)
		}
		close(left)
	})
}
