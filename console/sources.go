package console

import (
	"fmt"
	"maps"
	"reflect"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"vedette.dev/cache"
	"vedette.dev/internal/informername"
	"vedette.dev/workqueue"
)

// Informers are informers to show, by name: see [Factory] and [Informer]. They are read again for each reading, so that
// they may change.
type Informers interface {
	Informers() map[string]cache.StateReader
}

// Informer shows one informer, with a name such as "pods". It may be a Reflector, which has no objects to view.
func Informer(name string, informer cache.SharedInformer) Informers {
	reader, ok := informer.(cache.StateReader)
	if !ok {
		return badInformers(fmt.Sprintf("(%q) has type %T without a State method; want an informer of package cache", name, informer))
	}
	return fixed{name: reader}
}

// Factory shows all informers of a factory, including those created later: an informers.SharedInformerFactory, a
// dynamicinformer.DynamicSharedInformerFactory, or one of package metadatainformer. The name, for example that of a
// cluster, is the prefix of the names of its informers; it may be empty.
func Factory(name string, factory any) Informers {
	switch f := factory.(type) {
	case interface {
		Informers() map[reflect.Type]cache.SharedIndexInformer
	}:
		return pooled[reflect.Type]{name, f.Informers}
	case interface {
		Informers() map[schema.GroupVersionResource]cache.SharedIndexInformer
	}:
		return pooled[schema.GroupVersionResource]{name, f.Informers}
	}
	return badInformers(fmt.Sprintf("(%q) has type %T without an Informers method; want an informer factory", name, factory))
}

// badInformers is an error that validate reports.
type badInformers string

func (b badInformers) Informers() map[string]cache.StateReader { return nil }

type fixed map[string]cache.StateReader

func (f fixed) Informers() map[string]cache.StateReader { return maps.Clone(f) }

type pooled[K comparable] struct {
	name string
	list func() map[K]cache.SharedIndexInformer
}

func (p pooled[K]) Informers() map[string]cache.StateReader {
	found := map[string]cache.StateReader{}
	for key, informer := range p.list() {
		if reader, ok := informer.(cache.StateReader); ok {
			name := informername.Of(key)
			if p.name != "" {
				name = p.name + " " + name
			}
			found[name] = reader
		}
	}
	return found
}

// Queue is a work queue to show. [QueueOf] returns one.
type Queue struct {
	Name     string
	Snapshot func(limit int) workqueue.Snapshot[string]
}

// QueueOf returns a [Queue] for a queue. If it is not of package workqueue, only its length is known.
func QueueOf[T comparable](name string, queue workqueue.TypedInterface[T]) Queue {
	return Queue{Name: name, Snapshot: func(limit int) workqueue.Snapshot[string] { return workqueue.TextSnapshot(queue, limit) }}
}
