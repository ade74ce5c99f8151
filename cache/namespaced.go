package cache

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"

	"vedette.dev/internal/engine"
	"vedette.dev/internal/listwatch"
)

// NamespacedInformer is an informer of the objects in a set of namespaces, which can change while it is running.
type NamespacedInformer interface {
	SharedIndexInformer
	// SetNamespaces sets the namespaces to watch. New ones are listed, others are not; for a removed one, handlers
	// receive the deletions of its objects, as DeletedFinalStateUnknown. It does not wait for either. If calls overlap,
	// the last one applies as a whole. Handlers, transforms and other functions that the informer calls may call it.
	SetNamespaces(namespaces ...string) error
	// Namespaces returns the set, sorted.
	Namespaces() []string
	// StoreVersion returns the version up to which the store holds everything of one namespace, empty if unknown. The
	// store as a whole has no version, since each namespace has a watch of its own.
	StoreVersion(namespace string) string
}

// NewNamespacedInformer returns an informer of the objects in some namespaces. lw returns the source for one of them.
// It panics if the options or the namespaces are invalid.
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
			return fmt.Errorf("invalid namespace %q", namespace)
		}
	}
	sources := map[string]listwatch.Source{}
	for {
		missing, err := s.streams.Set(namespaces, sources)
		if err != nil || len(missing) == 0 {
			return err
		}
		for _, namespace := range missing { // not under the lock: lw is code of the program
			sources[namespace] = sourceOf(s.lw(namespace))
		}
	}
}
