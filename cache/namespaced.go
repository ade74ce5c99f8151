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
	s := &namespacedInformer{informer: newInformer(exampleObject, options), lw: lw, leaving: map[string]<-chan struct{}{}}
	if err := s.SetNamespaces(namespaces...); err != nil {
		panic(err)
	}
	return s
}

type namespacedInformer struct {
	*informer
	lw func(namespace string) ListerWatcher
	// leaving has a channel for each namespace that was left out and whose objects are not queued for deletion yet. It is closed
	// when they are, and a feed that takes the place of the last one waits for it. It belongs to the lock of the informer.
	leaving map[string]<-chan struct{}
}

func (s *namespacedInformer) Namespaces() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Sorted(maps.Keys(s.feeds))
}

func (s *namespacedInformer) StoreVersion(namespace string) string {
	s.mu.Lock()
	f := s.feeds[namespace]
	var queue *informerQueue
	if f != nil {
		queue = f.queue
	}
	s.mu.Unlock()
	if queue == nil {
		return "" // it is not looked at, or not yet
	}
	return queue.storeVersion()
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

// change makes the feeds those of the namespaces, in one step. If there is no source for some of them, it changes nothing and
// returns their names. It waits for nothing, so that any code may call SetNamespaces, also that which a feed calls.
func (s *namespacedInformer) change(namespaces []string, sources map[string]ListerWatcher) (missing []string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ending {
		return nil, errStopped
	}
	for _, namespace := range namespaces {
		if s.feeds[namespace] == nil && sources[namespace] == nil {
			missing = append(missing, namespace)
		}
	}
	if len(missing) > 0 {
		return missing, nil
	}
	for namespace, f := range s.feeds {
		if !slices.Contains(namespaces, namespace) {
			delete(s.feeds, namespace)
			s.leave(namespace, f)
		}
	}
	for _, namespace := range namespaces {
		if s.feeds[namespace] != nil {
			continue
		}
		f := &feed{lw: sources[namespace], after: s.leaving[namespace]}
		s.feeds[namespace] = f
		if s.started {
			s.reflect(namespace, f)
		}
	}
	return nil, nil
}

// leave ends a feed, and deletes what came from it when it has ended, under the lock of the informer.
func (s *namespacedInformer) leave(namespace string, f *feed) {
	if f.reflector == nil {
		return // it was never started
	}
	f.stop()
	left := make(chan struct{})
	s.leaving[namespace] = left
	s.reflecting.Go(func() {
		<-f.ended
		_ = f.queue.refill().commit("") // which fails for no list that is empty
		s.set(func() {
			if s.leaving[namespace] == left {
				delete(s.leaving, namespace)
			}
		})
		close(left)
	})
}
