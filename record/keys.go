package record

import (
	"crypto/sha256"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/lru"
)

// between separates the parts of a key, so that "ab"+"c" differs from "a"+"bc". Names cannot contain it.
const between = "\x00"

func join(parts ...string) string { return strings.Join(parts, between) }

// digest is the hash of a key. Messages are part of keys and can be long; digests have a fixed size.
type digest [sha256.Size]byte

func digestOf(key string) digest { return sha256.Sum256([]byte(key)) }

// newCache returns an LRU cache. For the cache itself, size 0 would mean no limit.
func newCache(size int) *lru.Cache {
	if size <= 0 {
		size = defaultCacheSize
	}
	return lru.New(size)
}

// sameEvent returns the key of events that are counted as repetitions.
func sameEvent(event *corev1.Event) string {
	about := &event.InvolvedObject
	return join(event.Source.Component, event.Source.Host, about.Kind, about.Namespace, about.Name, about.FieldPath,
		string(about.UID), about.APIVersion, event.Type, event.Reason, event.Message)
}

// sameSourceAndObject returns the key of events that share a rate limit.
func sameSourceAndObject(event *corev1.Event) string {
	about := &event.InvolvedObject
	return join(event.Source.Component, event.Source.Host, about.Kind, about.Namespace, about.Name,
		string(about.UID), about.APIVersion, event.Type)
}

// EventAggregatorByReasonFunc is the default [EventAggregatorKeyFunc]: events are similar if they differ only in their
// messages.
func EventAggregatorByReasonFunc(event *corev1.Event) (string, string) {
	return join(sameSourceAndObject(event), event.Reason, event.ReportingController, event.ReportingInstance), event.Message
}
