package record

import (
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/clock"
)

// CorrelatorOptions configure an [EventCorrelator]. Zero values mean the defaults.
type CorrelatorOptions struct {
	// LRUCacheSize is the number of distinct events that are remembered. 0 means 4,096.
	LRUCacheSize int
	// BurstSize is the burst of events of one source about one object that is allowed, QPS the rate after that. 0 means
	// 25, and one in five minutes.
	BurstSize int
	QPS       float32
	// KeyFunc determines which events are similar. Nil means EventAggregatorByReasonFunc.
	KeyFunc EventAggregatorKeyFunc
	// MessageFunc returns the message of an aggregate event. Nil means EventAggregatorByReasonMessageFunc.
	MessageFunc EventAggregatorMessageFunc
	// MaxEvents is the number of similar events with different messages from which on they are combined. 0 means 10.
	MaxEvents int
	// MaxIntervalInSeconds is how long a group of similar events is remembered after the last of them. 0 means 600.
	MaxIntervalInSeconds int
	// Clock is for tests. Nil means the real one.
	Clock clock.PassiveClock
	// SpamKeyFunc determines which events share a rate limit. Nil means those with the same source, object and type.
	SpamKeyFunc EventSpamKeyFunc
}

const (
	defaultCacheSize       = 4096
	defaultBurst           = 25
	defaultQPS             = 1. / 300
	defaultMaxEvents       = 10
	defaultIntervalSeconds = 600
)

func (o *CorrelatorOptions) validate() error {
	for _, field := range []struct {
		name  string
		value float64
	}{
		{"LRUCacheSize", float64(o.LRUCacheSize)}, {"BurstSize", float64(o.BurstSize)}, {"QPS", float64(o.QPS)},
		{"MaxEvents", float64(o.MaxEvents)}, {"MaxIntervalInSeconds", float64(o.MaxIntervalInSeconds)},
	} {
		if !(field.value >= 0) { // also false for NaN
			return fmt.Errorf("record: CorrelatorOptions.%s is %v; it must not be negative", field.name, field.value)
		}
	}
	return nil
}

func (o CorrelatorOptions) withDefaults() CorrelatorOptions {
	orDefault(&o.LRUCacheSize, defaultCacheSize)
	orDefault(&o.BurstSize, defaultBurst)
	orDefault(&o.QPS, defaultQPS)
	orDefault(&o.MaxEvents, defaultMaxEvents)
	orDefault(&o.MaxIntervalInSeconds, defaultIntervalSeconds)
	if o.KeyFunc == nil {
		o.KeyFunc = EventAggregatorByReasonFunc
	}
	if o.MessageFunc == nil {
		o.MessageFunc = EventAggregatorByReasonMessageFunc
	}
	if o.Clock == nil {
		o.Clock = clock.RealClock{}
	}
	if o.SpamKeyFunc == nil {
		o.SpamKeyFunc = sameSourceAndObject
	}
	return o
}

// EventFilterFunc reports whether an event should be dropped.
type EventFilterFunc func(event *corev1.Event) bool

// EventCorrelator protects the server and its users from floods of events. An event goes through three steps:
//
//  1. EventAggregator replaces similar events by one, if there are many;
//  2. repetitions of an event are counted: the first is created, later ones update it;
//  3. EventSourceObjectSpamFilter drops events above the rate limit of one source and object. They were counted, so
//     that the next one that passes has the right count.
//
// Its memory is bounded by CorrelatorOptions.LRUCacheSize, whatever the length of messages. It is safe for concurrent
// use, but then the callers have to order the writes.
type EventCorrelator struct {
	filter     EventFilterFunc
	aggregator *EventAggregator
	counter    *counter
}

// EventCorrelateResult is the result of EventCorrelate.
type EventCorrelateResult struct {
	// Event is the event to write: to create if its count is one, otherwise to patch.
	Event *corev1.Event
	// Patch is a strategic merge patch relative to the previous write of the event.
	Patch []byte
	// Skip means that the event should not be written.
	Skip bool

	key string // the key for UpdateState
}

// NewEventCorrelator returns an [EventCorrelator] with the defaults.
func NewEventCorrelator(clock clock.PassiveClock) *EventCorrelator {
	return NewEventCorrelatorWithOptions(CorrelatorOptions{Clock: clock})
}

// NewEventCorrelatorWithOptions returns an [EventCorrelator]. It panics if an option is negative.
func NewEventCorrelatorWithOptions(options CorrelatorOptions) *EventCorrelator {
	if err := options.validate(); err != nil {
		panic(err)
	}
	o := options.withDefaults()
	return &EventCorrelator{
		filter:     NewEventSourceObjectSpamFilter(o.LRUCacheSize, o.BurstSize, o.QPS, o.Clock, o.SpamKeyFunc).Filter,
		aggregator: NewEventAggregator(o.LRUCacheSize, o.KeyFunc, o.MessageFunc, o.MaxEvents, o.MaxIntervalInSeconds, o.Clock),
		counter:    newCounter(o.LRUCacheSize),
	}
}

// EventCorrelate returns what to do with an event. It does not modify the event.
func (c *EventCorrelator) EventCorrelate(newEvent *corev1.Event) (*EventCorrelateResult, error) {
	if newEvent == nil {
		return nil, errors.New("record: event is nil")
	}
	event, key := c.aggregator.EventAggregate(newEvent)
	event, patch, err := c.counter.observe(event, key)
	if c.filter(event) {
		return &EventCorrelateResult{Skip: true}, nil
	}
	return &EventCorrelateResult{Event: event, Patch: patch, key: key}, err
}

// UpdateState updates the correlator with the server's answer to a write.
func (c *EventCorrelator) UpdateState(event *corev1.Event) {
	if event != nil {
		c.counter.update(event, sameEvent(event))
	}
}

// written is UpdateState for the key that EventCorrelate used. The key cannot be computed from the answer: the server
// may have changed the event, and an aggregate event has another key.
func (c *EventCorrelator) written(result *EventCorrelateResult, event *corev1.Event) {
	if event != nil {
		c.counter.update(event, result.key)
	}
}
