package record

import (
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/clock"
)

// CorrelatorOptions change the defaults of an EventCorrelator. The zero value means all of them.
type CorrelatorOptions struct {
	// LRUCacheSize is how many sorts of events are remembered, those that happened last. 0 means 4,096.
	LRUCacheSize int
	// BurstSize is how many events of one source about one object are let through at once, and QPS how many more in a second.
	// 0 means 25, and one in five minutes.
	BurstSize int
	QPS       float32
	// KeyFunc tells which events are similar. Nil means EventAggregatorByReasonFunc.
	KeyFunc EventAggregatorKeyFunc
	// MessageFunc makes the message of an event that stands for similar ones. Nil means EventAggregatorByReasonMessageFunc.
	MessageFunc EventAggregatorMessageFunc
	// MaxEvents is the number of similar events with different messages from which on they are combined. 0 means 10.
	MaxEvents int
	// MaxIntervalInSeconds is how long after the last of them similar events are forgotten. 0 means 600.
	MaxIntervalInSeconds int
	// Clock is for tests. Nil means the real one.
	Clock clock.PassiveClock
	// SpamKeyFunc tells which events share a limit. Nil means those with the same source, object and type.
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
		if !(field.value >= 0) { // or it is not a number
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

// EventFilterFunc tells whether an event is to be left out.
type EventFilterFunc func(event *corev1.Event) bool

// EventCorrelator keeps events from flooding a server and those who read them. An event goes through three steps:
//
//  1. EventAggregator puts one event in the place of similar ones, when there are many;
//  2. events that are the same are counted: the first is created, and then changed;
//  3. EventSourceObjectSpamFilter leaves out what is too much from one source about one object. It was counted, though, so that
//     the next one that gets through has the right count.
//
// What it remembers is bounded by CorrelatorOptions.LRUCacheSize, whatever the length of messages. It may be used by many
// goroutines, but then the order of writes is theirs to keep.
type EventCorrelator struct {
	filter     EventFilterFunc
	aggregator *EventAggregator
	counter    *counter
}

// EventCorrelateResult is what to do with an event.
type EventCorrelateResult struct {
	// Event is the one to write: to create if its count is one, and to patch otherwise.
	Event *corev1.Event
	// Patch is a strategic merge patch of the event as it was last time.
	Patch []byte
	// Skip tells not to write it.
	Skip bool

	key string // what UpdateState of the server's copy is about
}

// NewEventCorrelator makes an EventCorrelator with the defaults.
func NewEventCorrelator(clock clock.PassiveClock) *EventCorrelator {
	return NewEventCorrelatorWithOptions(CorrelatorOptions{Clock: clock})
}

// NewEventCorrelatorWithOptions makes an EventCorrelator. It panics if an option is negative.
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

// EventCorrelate tells what to do with an event, which it leaves as it is.
func (c *EventCorrelator) EventCorrelate(newEvent *corev1.Event) (*EventCorrelateResult, error) {
	if newEvent == nil {
		return nil, errors.New("record: the event to correlate is nil")
	}
	event, key := c.aggregator.EventAggregate(newEvent)
	event, patch, err := c.counter.observe(event, key)
	if c.filter(event) {
		return &EventCorrelateResult{Skip: true}, nil
	}
	return &EventCorrelateResult{Event: event, Patch: patch, key: key}, err
}

// UpdateState takes over what a server returned when the event was written.
func (c *EventCorrelator) UpdateState(event *corev1.Event) {
	if event != nil {
		c.counter.update(event, sameEvent(event))
	}
}

// written is UpdateState for the key by which the event was found. A server may return other words than it was given, and
// an event that stands for similar ones is not found by its words at all.
func (c *EventCorrelator) written(result *EventCorrelateResult, event *corev1.Event) {
	if event != nil {
		c.counter.update(event, result.key)
	}
}
