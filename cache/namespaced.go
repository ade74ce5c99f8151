package cache

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"

	"vedette.dev/internal/engine"
	"vedette.dev/internal/listwatch"
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
	config, indexer := engineConfig(exampleObject, options)
	s := &namespacedInformer{informer: newInformer(engine.New(config), indexer), lw: lw}
	s.streams = engine.NewNamespaces(s.engine)
	if err := s.SetNamespaces(namespaces...); err != nil {
		panic(err)
	}
	return s
}

type namespacedInformer struct {
	*informer
	lw      func(namespace string) ListerWatcher
	streams *engine.Namespaces
}

func (s *namespacedInformer) Namespaces() []string { return s.streams.Names() }

func (s *namespacedInformer) StoreVersion(namespace string) string {
	return s.streams.StoreVersion(namespace)
}

func (s *namespacedInformer) SetNamespaces(namespaces ...string) error {
	for _, namespace := range namespaces {
		if namespace == "" || strings.Contains(namespace, "/") {
			return fmt.Errorf("%q is not the name of a namespace", namespace)
		}
	}
	sources := map[string]listwatch.Source{}
	for {
		missing, err := s.streams.Set(namespaces, sources)
		if err != nil || len(missing) == 0 {
			return err
		}
		for _, namespace := range missing { // not under the lock: lw is the code of the user
			sources[namespace] = sourceOf(s.lw(namespace))
		}
	}
}
