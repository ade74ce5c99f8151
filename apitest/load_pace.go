package apitest

import (
	"context"
	"time"
)

const (
	// shortestPause avoids a timer for each change at a high rate.
	shortestPause = time.Millisecond
	// largestBatch is the number of changes after which to check for a stop, and the time.
	largestBatch = 64
)

// run makes the changes that are due, and sleeps until the next one is. Due times are computed from the start, so that
// delays do not add up.
func (c *Churner) run(ctx, stop context.Context) {
	defer close(c.done)
	defer c.end()
	defer context.AfterFunc(stop, c.stop)()
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-timer.C:
		}
		for c.catchUp() {
			if ctx.Err() != nil {
				return
			}
		}
		timer.Reset(max(shortestPause, time.Until(c.dueAt(c.planned))))
	}
}

// catchUp makes a batch of due changes, and reports whether there are more.
func (c *Churner) catchUp() bool {
	now := time.Now()
	due := int64(now.Sub(c.began).Seconds() * c.rate)
	c.mu.Lock()
	c.stats.MaxLate = max(c.stats.MaxLate, c.late(now))
	c.mu.Unlock()
	for range min(due-c.planned, largestBatch) {
		c.change()
	}
	return c.planned < due
}

// change makes one change and counts it.
func (c *Churner) change() {
	sort, conflicts, ok := c.population.change()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.planned++
	c.stats.Conflicts += int64(conflicts)
	if !ok {
		c.stats.Skipped++
		return
	}
	switch sort {
	case sortUpdate:
		c.stats.Updates++
	case sortLabel:
		c.stats.Labels++
	case sortCreate:
		c.stats.Creates++
	case sortDelete:
		c.stats.Deletes++
	}
}

// dueAt returns when a change is due, the first one being number 0.
func (c *Churner) dueAt(change int64) time.Time {
	return c.began.Add(time.Duration(float64(change+1) / c.rate * float64(time.Second)))
}

// late returns how long the next change has been due.
func (c *Churner) late(now time.Time) time.Duration { return max(0, now.Sub(c.dueAt(c.planned))) }

func (c *Churner) end() {
	c.stop()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.ended = time.Now()
	c.stats.MaxLate = max(c.stats.MaxLate, c.late(c.ended))
}
