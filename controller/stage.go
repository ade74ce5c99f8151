package controller

import (
	"fmt"
	"strings"
	"time"

	"vedette.dev/cache"
	"vedette.dev/internal/activity"
	"vedette.dev/workqueue"
)

// findings is the input of the stage functions. It has no type parameter, so that these are compiled once.
type findings struct {
	phase Phase
	// item is the state of the key in the queue, without the key itself.
	item workqueue.Item[struct{}]
	// working is true if a worker reconciles the key; worker is its number, zero if unknown.
	working bool
	worker  int
	since   time.Time
	wait    activity.Kind
	waitFor string
	waiting time.Time
	// workers is the number of workers, busy how many of them are reconciling, oldest the longest running of these.
	workers, busy int
	oldest        Busy
	queued        int
	// result is what Run returned.
	result error
	// last is the last record, lastEnd the last end of a reconcile, lastAsked the last time that the key was enqueued,
	// and failures the number of consecutive failures.
	last, lastEnd, lastAsked *Record
	failures                 int
}

func (c *Controller[K]) findings(key K) findings {
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
			f.oldest = w.busy()
		}
		if w.key == key {
			f.working, f.worker, f.since = true, w.worker, w.since
			f.wait, f.waitFor, f.waiting = w.waits.Now()
		}
	}
	if !f.working && !item.ProcessingSince.IsZero() {
		f.working, f.since = true, item.ProcessingSince // it was just taken, or is about to be done
	}
	if err := c.result.Load(); err != nil {
		f.result = *err
	}
	return f
}

// read evaluates the records of the key.
func (f *findings) read(history []Record) {
	for i := range history {
		r := &history[i]
		f.last = r
		switch {
		case r.Reconciled && r.outcome.Failed():
			f.lastEnd = r
			f.failures++
		case r.Reconciled:
			f.lastEnd = r
			f.failures = 0
		case !r.Filtered:
			f.lastAsked = r
		}
	}
}

// askedSince reports whether the key was enqueued after its last reconcile.
func (f *findings) askedSince() bool {
	return f.lastAsked != nil && (f.lastEnd == nil || f.lastAsked.At.After(f.lastEnd.At))
}

// stages are tried in this order; the first that returns true has filled in the explanation: first what is happening to
// the key now, then what blocks it, then what happened last.
var stages = []func(f *findings, e *Explanation) bool{
	notRunning, atWork, turn, backingOff, notReady, notWatched, notDelivered, delayed, givenUp, between, leftOut, done, unknown,
}

func notRunning(f *findings, e *Explanation) bool {
	if f.phase == PhaseSyncing || f.phase == PhaseRunning || f.working {
		return false
	}
	e.Stage = StageNotRunning
	e.Because = fmt.Sprintf("the controller is %s", f.phase)
	switch {
	case f.phase == PhaseIdle:
		e.Because += ": Run was not called, or it waits to become the leader"
	case f.result != nil:
		e.Because += ": " + f.result.Error()
	}
	return true
}

func atWork(f *findings, e *Explanation) bool {
	if !f.working {
		return false
	}
	e.Stage, e.Since = StageWorking, f.since
	e.Because = "being reconciled"
	if f.worker > 0 {
		e.Because = fmt.Sprintf("being reconciled by worker %d of %d", f.worker, f.workers)
	}
	switch f.wait {
	case activity.Throttled:
		e.Stage = StageThrottled
		e.Because = fmt.Sprintf("waiting for the client's rate limiter since %s, to send %s", clock(f.waiting), f.waitFor)
	case activity.Request:
		e.Stage = StageRequesting
		e.Because = fmt.Sprintf("waiting for the response to %s since %s", f.waitFor, clock(f.waiting))
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
	e.Because = fmt.Sprintf("%s in the queue, %d of %d workers are busy", plural(f.queued, "key"), f.busy, f.workers)
	if f.busy > 0 {
		e.Because += fmt.Sprintf(", the longest with %s since %s", f.oldest.Key, clock(f.oldest.Since))
	}
	return true
}

func backingOff(f *findings, e *Explanation) bool {
	if f.item.Due.IsZero() || f.item.Retries == 0 {
		return false
	}
	e.Stage, e.Until = StageBackingOff, f.item.Due
	e.Because = "the last reconcile failed"
	if f.lastEnd == nil {
		return true
	}
	e.Since = f.lastEnd.At
	if f.lastEnd.outcome.Failed() {
		e.Because = fmt.Sprintf("failed %s in a row, last outcome: %s", plural(f.failures, "time"), f.lastEnd.Event)
	} else {
		e.Because = "the last reconcile returned a negative RequeueAfter, which is treated as a failure"
	}
	return true
}

func delayed(f *findings, e *Explanation) bool {
	if f.item.Due.IsZero() {
		return false
	}
	e.Stage, e.Until = StageDelayed, f.item.Due
	e.Because = "the last reconcile returned a RequeueAfter; an event would enqueue it earlier"
	if f.lastEnd != nil {
		e.Since = f.lastEnd.At
	}
	if f.last != nil && f.last.Filtered {
		e.Because += fmt.Sprintf("; the last event (%s) was filtered by a predicate of source %s", f.last.Event, f.last.Source)
	}
	return true
}

func notReady(f *findings, e *Explanation) bool {
	if f.phase != PhaseSyncing {
		return false
	}
	if notWatched(f, e) || notDelivered(f, e) {
		return true
	}
	e.Stage = StageNotReady
	var missing []string
	for _, s := range e.Sources {
		if !s.Ready {
			missing = append(missing, s.Source)
		}
	}
	e.Because = "keys are reconciled once all sources are ready; not ready: " + strings.Join(missing, ", ")
	return true
}

func notWatched(f *findings, e *Explanation) bool {
	for _, s := range e.Sources {
		if !s.observed {
			continue
		}
		state := s.observation.Informer
		undecodable := state.LastUndecodable
		switch {
		case s.Error != "" && !f.toldSince(s.Source, state.Failing):
			e.Stage, e.Because, e.Since = StageNotWatched, s.Error, state.Since
		case undecodable != nil && undecodable.Key == e.Key && !s.observation.Unknown && !s.observation.Cached:
			e.Stage, e.Because = StageNotWatched, undecodable.Error()
		default:
			continue
		}
		e.Because = s.Source + ": " + e.Because
		return true
	}
	return false
}

// toldSince reports whether the source has enqueued the key since the source began to fail. An informer of several
// namespaces has the state of the one that is worst off, so the key may be of a namespace that works.
func (f *findings) toldSince(source string, failing time.Time) bool {
	return f.lastAsked != nil && f.lastAsked.Source == source && !failing.IsZero() && f.lastAsked.At.After(failing)
}

// behind is how long a notification may wait before the source is reported as behind.
const behind = time.Second

func notDelivered(_ *findings, e *Explanation) bool {
	for _, s := range e.Sources {
		h := s.observation.Handler
		stuck := !h.Busy.IsZero() && time.Since(h.Busy) > behind
		if h.Waiting == 0 && !stuck || !stuck && (h.Oldest.IsZero() || time.Since(h.Oldest) < behind) {
			continue
		}
		e.Stage, e.Since = StageNotDelivered, h.Oldest
		e.Because = s.Source + ": " + handlerDelay(h)
		return true
	}
	return false
}

// handlerDelay describes why a handler is behind.
func handlerDelay(h cache.HandlerState) string {
	text := plural(h.Waiting, "notification") + " waiting for delivery to the source"
	if !h.Busy.IsZero() && time.Since(h.Busy) > behind {
		text += fmt.Sprintf("; a predicate or mapping function has not returned since %s", clock(h.Busy))
	}
	return text
}

func givenUp(f *findings, e *Explanation) bool {
	if f.lastEnd == nil || f.lastEnd.outcome != OutcomeTerminal || f.askedSince() {
		return false
	}
	e.Stage, e.Since = StageGivenUp, f.lastEnd.At
	e.Because = "the last reconcile returned a terminal error; not retried until the next event"
	return true
}

// between is a key that was enqueued or has failed, and is neither queued, being reconciled nor delayed.
func between(f *findings, e *Explanation) bool {
	switch {
	case f.askedSince():
		e.Because = fmt.Sprintf("enqueued at %s, but neither queued nor being reconciled: it may be in transition", clock(f.lastAsked.At))
	case f.lastEnd != nil && f.lastEnd.outcome.Failed():
		e.Because = fmt.Sprintf("the last reconcile ended at %s with: %s, but no retry is scheduled: it may be in transition", clock(f.lastEnd.At), f.lastEnd.Event)
	default:
		return false
	}
	e.Stage = stageBetween
	return true
}

func leftOut(f *findings, e *Explanation) bool {
	if f.last == nil || !f.last.Filtered {
		return false
	}
	e.Stage, e.Since = StageFiltered, f.last.At
	e.Because = fmt.Sprintf("a predicate of source %s filtered the last event (%s)", f.last.Source, f.last.Event)
	if f.lastEnd != nil {
		e.Because += fmt.Sprintf("; the last reconcile, before that at %s, ended with: %s", clock(f.lastEnd.At), f.lastEnd.Event)
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
		e.Because = fmt.Sprintf("the last reconcile ended with: %s; no event since", f.lastEnd.Event)
	case cached:
		e.Stage = StageDone
		e.Because = "the object is in the cache; its last event is no longer in the records"
	default:
		return false
	}
	return true
}

func unknown(_ *findings, e *Explanation) bool {
	e.Stage, e.Because = StageUnknown, "no source has an object of this name or a recent event for it"
	return true
}

// sayPanics mentions panics of predicates and mapping functions, which may be why an event had no effect.
func (e *Explanation) sayPanics() {
	for _, s := range e.Sources {
		if s.Panics > 0 {
			e.Because += fmt.Sprintf("; predicates and mapping functions of source %s panicked %s, last panic: %s", s.Source, plural(int(s.Panics), "time"), s.LastPanic)
		}
	}
}

// A key with at least hot reconciles within hotSpan is reported as hot.
const (
	hot     = 30
	hotSpan = time.Minute
)

// sayHot mentions that a key is reconciled very often.
func (e *Explanation) sayHot() {
	count, since := 0, time.Now().Add(-hotSpan)
	for _, r := range e.History {
		if r.Reconciled && r.At.After(since) {
			count++
		}
	}
	if count >= hot {
		e.Because += fmt.Sprintf("; hot key: reconciled at least %d times within the last minute", count)
	}
}

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

func clock(at time.Time) string { return at.Format("15:04:05.000") }
