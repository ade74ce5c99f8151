package cache

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"
)

// NamespacedInformer is an informer of the objects in a set of namespaces, which can change while it runs.
type NamespacedInformer interface {
	SharedIndexInformer
	// SetNamespaces says which namespaces to look at from now on. One that is new is listed, and the others are not; of one
	// that is left out, handlers hear that its objects are deleted, as DeletedFinalStateUnknown. It does not wait for either. Of
	// calls that overlap, the last one counts as a whole. Handlers, transforms and other functions that the informer calls may
	// call it.
	SetNamespaces(namespaces ...string) error
	// Namespaces returns the set, sorted.
	Namespaces() []string
	// StoreVersion is up to which version the store holds everything of one namespace, empty if that is not known. The store as
	// a whole has no version, since each namespace has a watch of its own.
	StoreVersion(namespace string) string
}

// NewNamespacedInformer returns an informer of the objects in some namespaces. lw returns the source for one of them. It
// panics if the options or the namespaces cannot be.
func NewNamespacedInformer(lw func(namespace string) ListerWatcher, exampleObject runtime.Object, namespaces []string, options SharedIndexInformerOptions) NamespacedInformer {
	s := &namespacedInformer{
		informer: newUndividedInformer(exampleObject, options), lw: lw,
		byName: map[string]*Stream{}, leaving: map[string]<-chan struct{}{},
	}
	if err := s.SetNamespaces(namespaces...); err != nil {
		panic(err)
	}
	return s
}

type namespacedInformer struct {
	*informer
	lw func(namespace string) ListerWatcher
	// byName has the stream of each namespace. It is guarded by mu of the informer.
	byName map[string]*Stream
	// leaving has a channel for each namespace that was left out and whose objects are not deleted yet. It is closed when they are,
	// and a stream that takes the place of the last one waits for it. It is guarded by mu of the informer.
	leaving map[string]<-chan struct{}
}

func (s *namespacedInformer) Namespaces() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Sorted(maps.Keys(s.byName))
}

func (s *namespacedInformer) StoreVersion(namespace string) string {
	s.mu.Lock()
	t := s.byName[namespace]
	s.mu.Unlock()
	if t == nil {
		return "" // it is not watched
	}
	// What the stream has brought is in the queue before the version of the stream moves.
	return s.queue.applied(t, t.received())
}

func (s *namespacedInformer) SetNamespaces(namespaces ...string) error {
	for _, namespace := range namespaces {
		if namespace == "" || strings.Contains(namespace, "/") {
			return fmt.Errorf("%q is not the name of a namespace", namespace)
		}
	}
	sources := map[string]ListerWatcher{}
	for {
		missing, err := s.change(namespaces, sources)
		if err != nil || len(missing) == 0 {
			return err
		}
		for _, namespace := range missing { // not under the lock: lw is the code of the user
			sources[namespace] = s.lw(namespace)
		}
	}
}

// change makes the streams those of the namespaces, in one step. If there is no source for some of them, it changes nothing and
// returns their names. It waits for nothing, so that any code may call SetNamespaces, also that which a stream calls.
func (s *namespacedInformer) change(namespaces []string, sources map[string]ListerWatcher) (missing []string, err error) {
	s.applyMu.Lock()
	defer s.applyMu.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ending {
		return nil, errStopped
	}
	for _, namespace := range namespaces {
		if s.byName[namespace] == nil && sources[namespace] == nil {
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
func (s *namespacedInformer) leave(namespace string, t *Stream) {
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
