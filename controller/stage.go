package controller

import (
	"fmt"
	"strings"
	"time"

	"vedette.dev/cache"
	"vedette.dev/internal/activity"
	"vedette.dev/workqueue"
)

// findings is what a stage is told from. It has no type parameter, so that the rules are there once.
type findings struct {
	phase Phase
	// item is what the queue knows, without the key.
	item workqueue.Item[struct{}]
	// working is what the worker of the key does, if one does; worker is its number, zero if that is not known.
	working bool
	worker  int
	since   time.Time
	wait    activity.Kind
	waitFor string
	waiting time.Time
	// busy is how many workers there are and how many of them have work, and the oldest of that.
	workers, busy int
	oldest        Busy
	queued        int
	// result is what Run returned.
	result error
	// last is the last record, lastEnd the last end of a reconcile, lastAsked the last time that somebody asked for the key, and
	// failures how many ends in a row were failures.
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
		f.working, f.since = true, item.ProcessingSince // it has just been taken, or is about to be given back
	}
	if err := c.result.Load(); err != nil {
		f.result = *err
	}
	return f
}

// read takes in what the records tell.
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

// askedSince tells whether somebody asked for the key after its last reconcile.
func (f *findings) askedSince() bool {
	return f.lastAsked != nil && (f.lastEnd == nil || f.lastAsked.At.After(f.lastEnd.At))
}

// stages are looked at in this order; the first that says yes has filled in the explanation. What is happening to the key comes
// first, then what keeps something from happening, then what happened last.
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
		e.Because += ": nobody has called Run, or it waits to be the leader"
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
	e.Because = "a worker reconciles it"
	if f.worker > 0 {
		e.Because = fmt.Sprintf("worker %d of %d reconciles it", f.worker, f.workers)
	}
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
	e.Because = fmt.Sprintf("%s in the queue, and %d of %d workers are busy", plural(f.queued, "key"), f.busy, f.workers)
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
	e.Because = "it failed before"
	if f.lastEnd == nil {
		return true
	}
	e.Since = f.lastEnd.At
	if f.lastEnd.outcome.Failed() {
		e.Because = fmt.Sprintf("it failed %s in a row, the last time with: %s", plural(f.failures, "time"), f.lastEnd.What)
	} else {
		e.Because = "its last reconcile asked for a time that had passed, which is treated like a failure"
	}
	return true
}

func delayed(f *findings, e *Explanation) bool {
	if f.item.Due.IsZero() {
		return false
	}
	e.Stage, e.Until = StageDelayed, f.item.Due
	e.Because = "its last reconcile asked to be called again then; something that happens to it will come before"
	if f.lastEnd != nil {
		e.Since = f.lastEnd.At
	}
	if f.last != nil && f.last.Filtered {
		e.Because += fmt.Sprintf("; the last thing that happened (%s) was left out by a predicate of the source %s", f.last.What, f.last.Source)
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
	e.Because = "nothing is reconciled before all sources have brought what was there; missing: " + strings.Join(missing, ", ")
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
		case s.Trouble != "" && !f.toldSince(s.Source, state.Failing):
			e.Stage, e.Because, e.Since = StageNotWatched, s.Trouble, state.Since
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

// toldSince tells whether a source has told of the key since its trouble began: an informer of several namespaces has the state
// of the one that is worst off.
func (f *findings) toldSince(source string, failing time.Time) bool {
	return f.lastAsked != nil && f.lastAsked.Source == source && !failing.IsZero() && f.lastAsked.At.After(failing)
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
		e.Because = s.Source + ": " + handlerTrouble(h)
		return true
	}
	return false
}

// handlerTrouble says why a handler is behind.
func handlerTrouble(h cache.HandlerState) string {
	text := plural(h.Waiting, "notification") + " in the line before the source"
	if !h.Busy.IsZero() && time.Since(h.Busy) > behind {
		text += fmt.Sprintf(", and a predicate or mapping function has not returned since %s", clock(h.Busy))
	}
	return text
}

func givenUp(f *findings, e *Explanation) bool {
	if f.lastEnd == nil || f.lastEnd.outcome != OutcomeTerminal || f.askedSince() {
		return false
	}
	e.Stage, e.Since = StageGivenUp, f.lastEnd.At
	e.Because = "its last reconcile ended with an error that trying again does not mend; it waits until something happens to it"
	return true
}

// between is a key that was asked for or has failed, and is neither queued nor worked on nor delayed.
func between(f *findings, e *Explanation) bool {
	switch {
	case f.askedSince():
		e.Because = fmt.Sprintf("it was asked for at %s, and is neither in the queue nor being worked on: it may be on its way there", clock(f.lastAsked.At))
	case f.lastEnd != nil && f.lastEnd.outcome.Failed():
		e.Because = fmt.Sprintf("its last reconcile ended at %s with: %s, and it does not wait for another try: it may be on its way there", clock(f.lastEnd.At), f.lastEnd.What)
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

func unknown(_ *findings, e *Explanation) bool {
	e.Stage, e.Because = StageUnknown, "no source has told of it lately, and none has an object of this name"
	return true
}

// sayPanics adds that predicates or mapping functions have panicked, which may be why nothing happened.
func (e *Explanation) sayPanics() {
	for _, s := range e.Sources {
		if s.Panics > 0 {
			e.Because += fmt.Sprintf("; predicates and mapping functions of the source %s panicked %s, the last: %s", s.Source, plural(int(s.Panics), "time"), s.LastPanic)
		}
	}
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

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

func clock(at time.Time) string { return at.Format("15:04:05.000") }
