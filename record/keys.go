package record

import (
	"crypto/sha256"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/lru"
)

// between two parts of a key, so that "ab"+"c" is not "a"+"bc". No name can contain it.
const between = "\x00"

func join(parts ...string) string { return strings.Join(parts, between) }

// digest stands for a key in a cache. Messages are part of keys and can be long; this is not.
type digest [sha256.Size]byte

func digestOf(key string) digest { return sha256.Sum256([]byte(key)) }

// newCache makes a cache that forgets what was used least recently. The cache's own 0 means that it grows without end.
func newCache(size int) *lru.Cache {
	if size <= 0 {
		size = defaultCacheSize
	}
	return lru.New(size)
}

// sameEvent is the key of events that are counted as one: all that a person would read in them is the same.
func sameEvent(event *corev1.Event) string {
	about := &event.InvolvedObject
	return join(event.Source.Component, event.Source.Host, about.Kind, about.Namespace, about.Name, about.FieldPath,
		string(about.UID), about.APIVersion, event.Type, event.Reason, event.Message)
}

// sameSourceAndObject is the key of events that share a limit.
func sameSourceAndObject(event *corev1.Event) string {
	about := &event.InvolvedObject
	return join(event.Source.Component, event.Source.Host, about.Kind, about.Namespace, about.Name,
		string(about.UID), about.APIVersion, event.Type)
}

// EventAggregatorByReasonFunc is the default EventAggregatorKeyFunc: events are similar if they differ in their messages
// alone.
func EventAggregatorByReasonFunc(event *corev1.Event) (string, string) {
	return join(sameSourceAndObject(event), event.Reason, event.ReportingController, event.ReportingInstance), event.Message
}
