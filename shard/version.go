package shard

import (
	"strings"

	"vedette.dev/internal/engine"
)

// scopes are the streams of an informer and their clusters and namespaces. It is immutable. A cluster whose streams are
// not started yet has an empty list.
type scopes map[string][]streamScope

type streamScope struct {
	namespace string // empty for all of them
	stream    *engine.Stream
}

// StoreVersionOf returns the version up to which the store has every change of the object under a key, and whether a
// shard watches the cluster and the namespace of that key. The version is empty if unknown: while shards change, before
// the first list, and while a change of this object is pending, because of Limits.EventsPerSecond for example. What is
// read from the store afterwards is at least as new.
//
// The store as a whole has no version, because each stream has its own.
func (s *TypedShardingInformer[T]) StoreVersionOf(key string) (version string, watched bool) {
	current := s.scopes.Load()
	if current == nil || len(*current) == 0 {
		return "", true
	}
	cluster, namespace := current.place(key)
	of, ok := (*current)[cluster]
	if !ok {
		return "", false
	}
	var streams []*engine.Stream
	for _, from := range of {
		if from.namespace == "" || from.namespace == namespace {
			streams = append(streams, from.stream)
		}
	}
	if len(streams) == 0 {
		return "", len(of) == 0
	}
	version = s.engine.StoreVersionOf(key, streams...)
	if s.scopes.Load() != current {
		return "", true // the streams have changed meanwhile
	}
	return version, true
}

// place returns the cluster and the namespace of a key. What is before a | is the cluster only if there is one of that
// name, since names of objects may contain a |.
func (s scopes) place(key string) (cluster, namespace string) {
	if prefix, rest, ok := strings.Cut(key, "|"); ok {
		if _, exists := s[prefix]; exists || s[""] == nil {
			cluster, key = prefix, rest
		}
	}
	if before, _, ok := strings.Cut(key, "/"); ok {
		namespace = before
	}
	return cluster, namespace
}

// publish publishes the shards and the streams to callers. It is called under changing.
func (s *TypedShardingInformer[T]) publish() {
	next := scopes{}
	for cluster := range s.layout.byCluster() {
		next[cluster] = []streamScope{}
	}
	for _, t := range s.streams {
		next[t.cluster] = append(next[t.cluster], streamScope{t.namespace, t.handle})
	}
	s.scopes.Store(&next)
	s.shown.Store(s.layout)
	s.count.Store(int64(len(s.streams)))
}
