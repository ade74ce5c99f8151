package controller

import (
	"fmt"
	"strings"
	"time"

	"vedette.dev/internal/activity"
	"vedette.dev/workqueue"
)

// findings is what a stage is told from. It has no type parameter, so that the rules are there once.
type findings struct {
	phase Phase
	// item is what the queue knows, without the key.
	item workqueue.Item[struct{}]
	// working is what the worker of the key does, if one does.
	working bool
	since   time.Time
	wait    activity.Kind
	waitFor string
	waiting time.Time
	// busy is how many workers there are and how many of them have work, and the oldest of that.
	workers, busy int
	oldest        Busy
	queued        int
	// last is the last record, lastEnd the last end of a reconcile, lastAsked the last time that somebody asked for the key.
	last, lastEnd, lastAsked *Record
}

func (c *Controller[K]) findings(key K, e Explanation) findings {
	item := c.find(key)
	f := findings{
		phase:   Phase(c.phase.Load()),
		workers: c.config.Workers,
		queued:  c.queue.Len(),
		item: workqueue.Item[struct{}]{
			QueuedSince: item.QueuedSince, ProcessingSince: item.ProcessingSince, Due: item.Due, Retries: item.Retries,
		},
	}
	for _, w := range c.busy() {
		if f.busy++; f.busy == 1 {
			f.oldest = Busy{Key: fmt.Sprint(w.key), Since: w.since}
		}
		if w.key == key {
			f.working, f.since = true, w.since
			f.wait, f.waitFor, f.waiting = w.waits.Now()
		}
	}
	for i := range e.History {
		r := &e.History[i]
		f.last = r
		switch {
		case r.Reconciled:
			f.lastEnd = r
		case !r.Filtered:
			f.lastAsked = r
		}
	}
	return f
}

// stages are looked at in this order; the first that says yes has filled in the explanation. What is happening to the key comes
// first, then what keeps something from happening, then what happened last.
var stages = []func(f *findings, e *Explanation) bool{
	notRunning, atWork, turn, later, notReady, notWatched, notDelivered, givenUp, leftOut, done,
}

func notRunning(f *findings, e *Explanation) bool {
	if f.phase == PhaseSyncing || f.phase == PhaseRunning || f.working {
		return false
	}
	e.Stage = StageNotRunning
	e.Because = fmt.Sprintf("the controller is %s", f.phase)
	if f.phase == PhaseIdle {
		e.Because += ": nobody has called Run, or it waits to be the leader"
	}
	return true
}

func atWork(f *findings, e *Explanation) bool {
	if !f.working {
		return false
	}
	e.Stage, e.Since = StageWorking, f.since
	e.Because = "a worker reconciles it"
	switch f.wait {
	case activity.Throttled:
		e.Stage = StageThrottled
		e.Because = fmt.Sprintf("its reconcile waits for the rate limiter of the client, since %s, to send %s", clock(f.waiting), f.waitFor)
	case activity.Request:
		e.Stage = StageRequesting
		e.Because = fmt.Sprintf("its reconcile waits for the answer to %s, since %s", f.waitFor, clock(f.waiting))
	}
	return true
}

func turn(f *findings, e *Explanation) bool {
	if f.item.QueuedSince.IsZero() {
		return false
	}
	if f.phase == PhaseSyncing {
		return notReady(f, e)
	}
	e.Stage, e.Since = StageWaiting, f.item.QueuedSince
	e.Because = fmt.Sprintf("%d keys wait, and %d of %d workers are busy", f.queued, f.busy, f.workers)
	if f.busy > 0 {
		e.Because += fmt.Sprintf(", the longest with %s since %s", f.oldest.Key, clock(f.oldest.Since))
	}
	return true
}

func later(f *findings, e *Explanation) bool {
	if f.item.Due.IsZero() {
		return false
	}
	e.Until = f.item.Due
	if f.lastEnd != nil {
		e.Since = f.lastEnd.At
	}
	if f.item.Retries == 0 {
		e.Stage = StageDelayed
		e.Because = "its last reconcile asked to be called again then; something that happens to it will come before"
		return true
	}
	e.Stage = StageBackingOff
	e.Because = fmt.Sprintf("it failed %d times in a row", f.item.Retries)
	if f.lastEnd != nil && f.lastEnd.Reconciled && !f.lastEnd.outcome.Failed() {
		e.Because = "its last reconcile asked for a time that had passed, which is treated like a failure"
	}
	if f.lastEnd != nil && f.lastEnd.outcome.Failed() {
		e.Because += ", the last time with: " + f.lastEnd.What
	}
	return true
}

func notReady(f *findings, e *Explanation) bool {
	if f.phase != PhaseSyncing {
		return false
	}
	if notWatched(f, e) {
		return true
	}
	e.Stage = StageNotReady
	var missing []string
	for _, s := range e.Sources {
		if !s.Ready {
			missing = append(missing, s.Source)
		}
	}
	e.Because = "nothing is reconciled before all sources have brought what was there; missing: " + strings.Join(missing, ", ")
	return true
}

func notWatched(_ *findings, e *Explanation) bool {
	for _, s := range e.Sources {
		if !s.observed {
			continue
		}
		state := s.observation.Informer
		switch {
		case s.Trouble != "":
			e.Stage, e.Because, e.Since = StageNotWatched, s.Trouble, state.Since
		case state.LastUndecodable != nil && state.LastUndecodable.Key == e.Key:
			e.Stage, e.Because = StageNotWatched, state.LastUndecodable.Error()
		case state.Cause != nil:
			e.Stage, e.Because, e.Since = StageNotWatched, "the watch has trouble: "+state.Cause.Error(), state.Failing
		default:
			continue
		}
		e.Because = s.Source + ": " + e.Because
		return true
	}
	return false
}

// behind is how long a notification may wait before the source is said to be behind.
const behind = time.Second

func notDelivered(_ *findings, e *Explanation) bool {
	for _, s := range e.Sources {
		h := s.observation.Handler
		stuck := !h.Busy.IsZero() && time.Since(h.Busy) > behind
		if h.Waiting == 0 && !stuck || !stuck && (h.Oldest.IsZero() || time.Since(h.Oldest) < behind) {
			continue
		}
		e.Stage, e.Since = StageNotDelivered, h.Oldest
		e.Because = fmt.Sprintf("%s: %d notifications wait", s.Source, h.Waiting)
		if stuck {
			e.Because += fmt.Sprintf(", and a predicate or mapping function has not returned since %s", clock(h.Busy))
		}
		if h.Panics > 0 {
			e.Because += fmt.Sprintf(", and %d calls panicked, the last with: %s", h.Panics, h.LastPanic)
		}
		return true
	}
	return false
}

func givenUp(f *findings, e *Explanation) bool {
	if f.lastEnd == nil || f.lastEnd.outcome != OutcomeTerminal || f.lastAsked != nil && f.lastAsked.At.After(f.lastEnd.At) {
		return false
	}
	e.Stage, e.Since = StageGivenUp, f.lastEnd.At
	e.Because = "its last reconcile ended with an error that trying again does not mend; it waits until something happens to it"
	return true
}

func leftOut(f *findings, e *Explanation) bool {
	if f.last == nil || !f.last.Filtered {
		return false
	}
	e.Stage, e.Since = StageFiltered, f.last.At
	e.Because = fmt.Sprintf("a predicate of the source %s left out the last thing that happened to it (%s)", f.last.Source, f.last.What)
	if f.lastEnd != nil {
		e.Because += fmt.Sprintf("; its last reconcile was before, at %s, and ended with: %s", clock(f.lastEnd.At), f.lastEnd.What)
	}
	return true
}

func done(f *findings, e *Explanation) bool {
	cached := false
	for _, s := range e.Sources {
		cached = cached || s.observation.Cached
	}
	switch {
	case f.lastEnd != nil:
		e.Stage, e.Since = StageDone, f.lastEnd.At
		e.Because = fmt.Sprintf("its last reconcile ended with: %s; nothing has happened to it since", f.lastEnd.What)
	case cached:
		e.Stage = StageDone
		e.Because = "an object of this name is in the cache; the records do not go back to what happened to it last"
	default:
		return false
	}
	return true
}

// hot is how many reconciles within hotSpan make a key that somebody should look at.
const (
	hot     = 30
	hotSpan = time.Minute
)

// sayHot adds that a key is reconciled very often.
func (e *Explanation) sayHot() {
	count, since := 0, time.Now().Add(-hotSpan)
	for _, r := range e.History {
		if r.Reconciled && r.At.After(since) {
			count++
		}
	}
	if count >= hot {
		e.Because += fmt.Sprintf("; it is hot: it was reconciled at least %d times within the last minute", count)
	}
}

func clock(at time.Time) string { return at.Format("15:04:05.000") }
