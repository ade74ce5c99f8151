package record

import (
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/clock"
	"k8s.io/utils/lru"
)

// EventAggregatorKeyFunc tells which events are similar: those with the same aggregateKey. Their localKeys tell them apart.
type EventAggregatorKeyFunc func(event *corev1.Event) (aggregateKey string, localKey string)

// EventAggregatorMessageFunc makes the message of the event that stands for similar ones, of which this is the last.
type EventAggregatorMessageFunc func(event *corev1.Event) string

// EventAggregatorByReasonMessageFunc is the default EventAggregatorMessageFunc: the message of the last, with a remark.
func EventAggregatorByReasonMessageFunc(event *corev1.Event) string {
	return "(combined from similar events): " + event.Message
}

// EventAggregator puts one event in the place of similar ones. The first few that differ go their own ways, and so do those
// that are the same as one of these. When there are MaxEvents or more, all others become one event, until nothing
// similar has happened for a while.
type EventAggregator struct {
	sync.RWMutex // guards what is in groups

	groups      *lru.Cache // of *group, by the digest of the aggregateKey
	keyFunc     EventAggregatorKeyFunc
	messageFunc EventAggregatorMessageFunc
	maxEvents   int
	interval    time.Duration
	clock       clock.PassiveClock
}

// group is what is known of similar events.
type group struct {
	// Invariant: there are fewer than maxEvents, between two calls.
	own  map[digest]struct{}
	last time.Time
}

// NewEventAggregator makes an EventAggregator. CorrelatorOptions tell what the parameters mean, but there are no defaults.
func NewEventAggregator(lruCacheSize int, keyFunc EventAggregatorKeyFunc, messageFunc EventAggregatorMessageFunc,
	maxEvents int, maxIntervalInSeconds int, clock clock.PassiveClock) *EventAggregator {
	return &EventAggregator{
		groups:      newCache(lruCacheSize),
		keyFunc:     keyFunc,
		messageFunc: messageFunc,
		maxEvents:   maxEvents,
		interval:    time.Duration(maxIntervalInSeconds) * time.Second,
		clock:       clock,
	}
}

// EventAggregate returns the event itself or the one that stands for it, and the key by which its like are counted.
func (e *EventAggregator) EventAggregate(newEvent *corev1.Event) (*corev1.Event, string) {
	now := e.clock.Now()
	aggregateKey, localKey := e.keyFunc(newEvent)
	if e.isOneOfFew(digestOf(aggregateKey), digestOf(localKey), now) {
		return newEvent, sameEvent(newEvent)
	}
	return e.combined(newEvent, now), aggregateKey
}

// isOneOfFew notes an event of a group, and tells whether it goes its own way.
func (e *EventAggregator) isOneOfFew(key, local digest, now time.Time) bool {
	e.Lock()
	defer e.Unlock()
	var g *group
	if found, ok := e.groups.Get(key); ok {
		g = found.(*group)
	}
	if g == nil || now.Sub(g.last) > e.interval {
		g = &group{own: map[digest]struct{}{}}
		e.groups.Add(key, g)
	}
	g.last = now
	if _, known := g.own[local]; known {
		return true
	}
	if len(g.own)+1 >= e.maxEvents {
		return false
	}
	g.own[local] = struct{}{}
	return true
}

// combined makes the event that stands for similar ones. It has the name of the newest, which is not written itself. What
// the others may differ in, annotations and labels, it has not.
func (e *EventAggregator) combined(newest *corev1.Event, now time.Time) *corev1.Event {
	event := *newest
	event.ObjectMeta = metav1.ObjectMeta{Name: newest.Name, Namespace: newest.Namespace}
	if event.Name == "" {
		event.Name = eventName(newest.InvolvedObject.Name, now.UnixNano())
	}
	event.Count = 1
	event.FirstTimestamp, event.LastTimestamp = metav1.NewTime(now), metav1.NewTime(now)
	event.Message = shortened(e.messageFunc(newest))
	return &event
}
