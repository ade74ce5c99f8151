package cache

import (
	"errors"
	"fmt"
	"io"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
)

// watchListTimeouts is for how long a stream may bring no initial event, nor the bookmark after them. A list still fits
// into the 30 s in which a reflector should be in sync. A server that has nothing to say at all may say more to a list.
var watchListTimeouts = timeouts{step: 2 * time.Second, warn: 2, fail: 12, failFirst: 4, cause: errNoBookmark}

// stream gets all objects from the beginning of a watch.
func (r *running) stream() step {
	r.enter(PhaseStreaming)
	progress := &progress{}
	w, err := r.open(r.streamOptions(), watchListTimeouts.check(r.Reflector, progress))
	if err != nil {
		return r.streamFailed(err, false)
	}
	if err := r.fill(w, progress); err != nil {
		err = because(w.watchdog.ctx, err)
		w.close()
		r.watchFailed(err)
		return r.streamFailed(err, true)
	}
	r.fallback.succeeded()
	r.left = w
	r.startResync()
	return stepWatch
}

func (r *running) streamOptions() metav1.ListOptions {
	yes := true
	options := r.watchOptions(r.streamVersion())
	options.ResourceVersionMatch = metav1.ResourceVersionMatchNotOlderThan
	options.SendInitialEvents = &yes
	return options
}

// fill takes the initial events, and gives them to the store when they are complete.
func (r *running) fill(w *watching, progress *progress) error {
	in := r.newSnapshot(true)
	if r.OnInconsistency != nil {
		in.seen = digest{}
	}
	var e event
	for {
		if err := w.source.next(&e); err != nil {
			return err
		}
		w.events++
		r.came()
		switch {
		case e.wrong != nil:
			r.leaveOut(&e)
		case e.what == watch.Bookmark && e.end:
			w.watchdog.use(r.checkWatch(w)) // the store may take its time
			if err := r.commit(in, e.version); err != nil {
				return err
			}
			if in.seen != nil {
				r.verify(in.seen, e.version)
			}
			return nil
		default:
			in.follow(&e, progress)
		}
	}
}

// commit gives a new state to the store.
func (r *running) commit(in *snapshot, version string) error {
	if err := in.commit(version); err != nil {
		return &storeError{err}
	}
	return nil
}

// storeError is one for which the server is not to blame.
type storeError struct{ error }

func (e *storeError) Unwrap() error { return e.error }

// follow takes an event that comes before the state is complete.
func (in *snapshot) follow(e *event, progress *progress) {
	switch e.what {
	case watch.Added:
		progress.made()
		in.addEvent(e)
	case watch.Modified:
		progress.live()
		in.addEvent(e)
	case watch.Deleted:
		progress.live()
		in.removeEvent(e)
	case watch.Bookmark:
		progress.live()
	default:
		in.r.skip(fmt.Errorf("an event of the unknown type %q", e.what))
	}
}

func (in *snapshot) addEvent(e *event) {
	if e.raw == nil {
		in.addObject(e.object)
		return
	}
	in.addFrame(e.key, e.rev, e.raw)
}

func (in *snapshot) removeEvent(e *event) {
	if e.raw != nil {
		in.remove(e.key)
		return
	}
	if key, err := in.r.keyOf(e.object); err == nil {
		in.remove(key)
	}
}

// streamFailed says what to do when a stream could not be opened or was not complete.
func (r *running) streamFailed(err error, opened bool) step {
	var store *storeError
	now := r.clock.Now()
	switch {
	case r.round.Err() != nil:
		return r.interrupted(r.round)
	case errors.As(err, &store):
		return r.giveUp(err)
	case isExpired(err), isTooLarge(err):
		if r.streamVersion() == "" {
			return stepList // it cannot be the version
		}
		r.setUnavailable()
		return stepBegin
	case isPassing(err) && !(opened && isCut(err)):
		return r.fail(err, stepBegin)
	case errors.Is(err, errNoBookmark), refusesStream(err):
		r.fallback.refused(now)
		r.logger.V(2).Info("The server cannot begin a watch with all objects: listing instead", "type", r.typeDescription, "err", err, "again", r.fallback.after)
		return stepList
	case err == io.EOF, isCut(err):
		if r.fallback.brokeOff(now) {
			return stepList
		}
		return r.fail(fmt.Errorf("the stream of %s ended before it was complete: %w", r.typeDescription, err), stepBegin)
	}
	// Whatever it is that the server has against it, a list tells more.
	return stepList
}
