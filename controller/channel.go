package controller

import (
	"context"
	"fmt"
	"time"
)

// Channel returns a source of the keys received from a channel, until the channel is closed.
func Channel[K comparable](name string, keys <-chan K) Source[K] {
	return &channel[K]{name: name, keys: keys}
}

type channel[K comparable] struct {
	name string
	keys <-chan K
}

func (c *channel[K]) String() string { return "channel " + c.name }

// Run implements Source.
func (c *channel[K]) Run(ctx context.Context, enqueuer Enqueuer[K], ready func()) error {
	ready()
	keys := c.keys
	for {
		select {
		case key, ok := <-keys:
			if !ok {
				keys = nil // a nil channel blocks: wait for ctx
				continue
			}
			enqueuer.Add(key, Sent)
		case <-ctx.Done():
			return nil
		}
	}
}

// Every returns a source that enqueues all keys returned by keys, at the start and then once every period.
func Every[K comparable](name string, period time.Duration, keys func() []K) Source[K] {
	return &timer[K]{name: name, period: period, keys: keys}
}

type timer[K comparable] struct {
	name   string
	period time.Duration
	keys   func() []K
}

func (t *timer[K]) String() string { return "timer " + t.name }

// Run implements Source.
func (t *timer[K]) Run(ctx context.Context, enqueuer Enqueuer[K], ready func()) error {
	if t.period <= 0 || t.keys == nil {
		return fmt.Errorf("source %s needs a function that returns keys and a period above zero, got %v", t, t.period)
	}
	tick := time.NewTicker(t.period)
	defer tick.Stop()
	for {
		for _, key := range t.keys() {
			enqueuer.Add(key, Ticked)
		}
		ready()
		select {
		case <-tick.C:
		case <-ctx.Done():
			return nil
		}
	}
}
