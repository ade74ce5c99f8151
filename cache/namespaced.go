package cache

import (
	"errors"
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
	// that is left out, handlers hear that its objects are deleted, as DeletedFinalStateUnknown.
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
	s := &namespacedInformer{informer: newInformer(exampleObject, options), lw: lw}
	if err := s.SetNamespaces(namespaces...); err != nil {
		panic(err)
	}
	return s
}

type namespacedInformer struct {
	*informer
	lw func(namespace string) ListerWatcher
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
	left, err := s.change(namespaces)
	if err != nil {
		return err
	}
	var failed []error
	for _, f := range left {
		failed = append(failed, f.empty())
	}
	return errors.Join(failed...)
}

// change adds and removes feeds, and returns those that were removed.
func (s *namespacedInformer) change(namespaces []string) (left []*feed, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ending {
		return nil, errStopped
	}
	for namespace, f := range s.feeds {
		if !slices.Contains(namespaces, namespace) {
			delete(s.feeds, namespace)
			left = append(left, f)
		}
	}
	for _, namespace := range namespaces {
		if s.feeds[namespace] != nil {
			continue
		}
		f := &feed{lw: s.lw(namespace)}
		s.feeds[namespace] = f
		if s.started {
			s.reflect(namespace, f)
		}
	}
	return left, nil
}

// empty ends a feed and deletes what came from it.
func (f *feed) empty() error {
	if f.reflector == nil {
		return nil // it was never started
	}
	f.stop()
	<-f.ended
	return f.queue.refill().commit("")
}
