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

// Informers are some that are shown, by name: see Factory and Informer. It is asked whenever somebody looks, so that what it
// returns may change.
type Informers interface {
	Informers() map[string]cache.StateReader
}

// Informer shows one informer, by a name such as "pods". It may be a Reflector, which has no objects to look at.
func Informer(name string, informer cache.SharedInformer) Informers {
	reader, ok := informer.(cache.StateReader)
	if !ok {
		return badInformers(fmt.Sprintf("(%q) is a %T, which has no State; it must be of package cache", name, informer))
	}
	return fixed{name: reader}
}

// Factory shows all informers of a factory, also those that it makes later: an informers.SharedInformerFactory, a
// dynamicinformer.DynamicSharedInformerFactory, or that of package metadatainformer. The name tells it from others, such as the
// name of a cluster, and is put before those of its informers; it may be empty.
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
	return badInformers(fmt.Sprintf("(%q) is a %T, which has no method Informers; it must be a factory of informers", name, factory))
}

// badInformers is what is wrong with a source, for validate to say.
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

// Queue is a work queue that is shown. QueueOf makes one of a queue.
type Queue struct {
	Name     string
	Snapshot func(limit int) workqueue.Snapshot[string]
}

// QueueOf shows a queue. One that is not of package workqueue has only its length to tell.
func QueueOf[T comparable](name string, queue workqueue.TypedInterface[T]) Queue {
	return Queue{Name: name, Snapshot: func(limit int) workqueue.Snapshot[string] { return workqueue.TextSnapshot(queue, limit) }}
}
