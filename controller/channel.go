package controller

import (
	"context"
	"fmt"
	"time"
)

// Channel is a source of the keys that come through a channel, until it is closed.
func Channel[K comparable](name string, keys <-chan K) Source[K] {
	return &channel[K]{name: name, keys: keys}
}

type channel[K comparable] struct {
	name string
	keys <-chan K
}

func (c *channel[K]) String() string { return "channel " + c.name }

// Run implements Source.
func (c *channel[K]) Run(ctx context.Context, inlet Inlet[K], ready func()) error {
	ready()
	keys := c.keys
	for {
		select {
		case key, ok := <-keys:
			if !ok {
				keys = nil // and wait for the end
				continue
			}
			inlet.Add(key, Sent)
		case <-ctx.Done():
			return nil
		}
	}
}

// Every is a source of keys whose time comes round: all those that a function returns, at the start and every period.
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
func (t *timer[K]) Run(ctx context.Context, inlet Inlet[K], ready func()) error {
	if t.period <= 0 || t.keys == nil {
		return fmt.Errorf("the source %s has a period of %v, and needs one above zero and a function that returns keys", t, t.period)
	}
	tick := time.NewTicker(t.period)
	defer tick.Stop()
	for {
		for _, key := range t.keys() {
			inlet.Add(key, Ticked)
		}
		ready()
		select {
		case <-tick.C:
		case <-ctx.Done():
			return nil
		}
	}
}
