package ctrl

import (
	"fmt"
	"strings"
	"time"

	"vedette.dev/controller"
	"vedette.dev/workqueue"
)

// findings is what is known of a key.
type findings struct {
	state   controller.State
	sources []controller.SourceExplanation
	// item is what the queue knows of it.
	item workqueue.Item[struct{}]
	// lastEnd is its last reconcile that is remembered, and last how that ended. It is zero if there is none.
	lastEnd controller.Record
	last    outcome
}

// explain fills in the stage: what happens to the key now, then what blocks it, then what happened last.
func (f *findings) explain(e *controller.Explanation) {
	queue := fmt.Sprintf("in the queue %q", f.state.Name)
	item := &f.item
	switch {
	case !item.ProcessingSince.IsZero():
		e.Stage, e.Since, e.Because = controller.StageWorking, item.ProcessingSince, "being reconciled"
		if !item.QueuedSince.IsZero() {
			e.Because += fmt.Sprintf("; it was added again at %s and will be reconciled once more", clock(item.QueuedSince))
		}
	case !item.QueuedSince.IsZero():
		e.Stage, e.Since, e.Because = controller.StageWaiting, item.QueuedSince, f.turn(queue)
	case !item.Due.IsZero() && item.Retries > 0:
		e.Stage, e.Until, e.Since = controller.StageBackingOff, item.Due, f.lastEnd.At
		e.Because = fmt.Sprintf("waiting %s for the next try; so far %s in a row", queue, f.tries())
	case f.notWorking(e):
	case !item.Due.IsZero():
		e.Stage, e.Until, e.Since = controller.StageDelayed, item.Due, f.lastEnd.At
		e.Because = fmt.Sprintf("waiting %s; an event would bring it earlier", queue)
	case f.lastEnd.Reconciled && f.last == terminal:
		e.Stage, e.Since = controller.StageGivenUp, f.lastEnd.At
		e.Because = "the last reconcile ended with a terminal error; it is not tried again until the next event"
	case f.lastEnd.Reconciled:
		e.Stage, e.Since = controller.StageDone, f.lastEnd.At
		e.Because = fmt.Sprintf("the last reconcile ended with: %s; it is not %s", f.lastEnd.Event, queue)
	case f.cached():
		e.Stage = controller.StageDone
		e.Because = fmt.Sprintf("the object is in the cache and not %s; no reconcile of it is remembered, or a predicate has filtered its events", queue)
	default:
		e.Stage, e.Because = controller.StageUnknown, fmt.Sprintf("it is not %s, and no informer that feeds it has an object of this name", queue)
	}
}

// tries says how often a key has failed. A result with Requeue counts as a failure; only a Reconciler can tell them apart.
func (f *findings) tries() string {
	what := "failed, or asked for a requeue"
	switch f.last {
	case failed:
		what = "failed"
	case requeued:
		what = "asked for a requeue"
	}
	if f.item.Retries == 1 {
		return "1 reconcile has " + what
	}
	return fmt.Sprintf("%d reconciles have %s", f.item.Retries, what)
}

// turn says why a key waits for a worker.
func (f *findings) turn(queue string) string {
	text := fmt.Sprintf("waiting for a worker %s, which has %d; %d of %d workers are busy", queue, f.state.Queued, len(f.state.Busy), f.state.Workers)
	if f.item.Priority != 0 {
		text += fmt.Sprintf("; its priority is %d", f.item.Priority)
	}
	if len(f.state.Busy) > 0 {
		text += fmt.Sprintf(", the longest with %s since %s", f.state.Busy[0].Key, clock(f.state.Busy[0].Since))
	}
	return text
}

// notWorking fills in the stage if the controller, or an informer that feeds it, does not work.
func (f *findings) notWorking(e *controller.Explanation) bool {
	if f.state.Phase == controller.PhaseStopping {
		e.Stage, e.Because = controller.StageNotRunning, "the controller is stopping"
		return true
	}
	for _, s := range f.sources {
		if s.Error != "" {
			e.Stage, e.Because = controller.StageNotWatched, s.Source+": "+s.Error
			return true
		}
	}
	if len(f.state.NotReady) > 0 {
		e.Stage, e.Because = controller.StageNotReady, "the controller starts once its informers have synced; not synced: "+strings.Join(f.state.NotReady, ", ")
		return true
	}
	return false
}

// cached reports whether an informer has the object. The objects of informers whose keys are mapped do not count.
func (f *findings) cached() bool {
	for _, s := range f.sources {
		if s.Cached != "" && s.Cached != absent && strings.HasPrefix(s.Source, "for ") {
			return true
		}
	}
	return false
}

func clock(at time.Time) string { return at.Format("15:04:05.000") }
