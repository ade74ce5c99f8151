package listwatch

import (
	"errors"
	"io"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"

	"vedette.dev/internal/perturb"
)

const (
	// shortWatch is the minimum duration of a useful watch.
	shortWatch = time.Second
	// watchGrace is how long after its timeout a watch may still be open.
	watchGrace = 30 * time.Second
	// cutWatch is how long a watch must last after an interrupted one, if it receives nothing: longer than it takes to
	// detect a dead connection. Otherwise a watch on a dead connection would look healthy.
	cutWatch = 40 * time.Second
)

// openTimeouts is how long a watch may take to start. Some proxies buffer until the first event, which with most
// servers is a bookmark after a minute.
var openTimeouts = timeouts{step: 3 * time.Second, warn: 2, fail: 25, cause: errNoAnswer}

// watching is one watch, from its beginning to its end.
type watching struct {
	source   source
	watchdog *watchdog
	began    time.Time
	limit    time.Duration // maximum age
	events   int
	// ordered means that versions increase: not so at the beginning of a watch that was started without one.
	ordered bool
	// healthyAfter is how long it must last to count as healthy.
	healthyAfter time.Duration
}

// open starts a watch.
func (r *running) open(options metav1.ListOptions, c check) (*watching, error) {
	w := &watching{
		watchdog:     r.newWatchdog(r.round, c),
		began:        r.config.Clock.Now(),
		limit:        time.Duration(*options.TimeoutSeconds)*time.Second + watchGrace,
		ordered:      options.ResourceVersion != "" && options.ResourceVersion != "0",
		healthyAfter: shortWatch,
	}
	r.asked(0, 1)
	var err error
	if w.source, err = r.openWatch(w.watchdog.ctx, options); err != nil {
		err = because(w.watchdog.ctx, err)
		w.watchdog.leave()
		r.watchFailed(err)
		return nil, err
	}
	return w, nil
}

func (w *watching) close() {
	w.source.close()
	w.watchdog.leave()
}

// watchOptions returns the options of a watch from a version.
func (r *running) watchOptions(version string) metav1.ListOptions {
	// Different timeouts, so that watches do not all end at once.
	seconds := int64((1 + r.Random()) * r.config.MinWatchTimeout.Seconds())
	return metav1.ListOptions{ResourceVersion: version, AllowWatchBookmarks: true, TimeoutSeconds: &seconds}
}

// watch passes changes to the sink until the watch ends.
func (r *running) watch() step {
	r.enter(PhaseWatching)
	w := r.left
	r.left = nil
	if w != nil {
		w.ordered = true // the initial events are over
	} else {
		var err error
		if w, err = r.open(r.watchOptions(r.LastSyncResourceVersion()), openTimeouts.check(r.Reflector, &progress{})); err != nil {
			return r.watchRefused(err)
		}
		if r.cut {
			w.healthyAfter = cutWatch
		}
	}
	r.cut = false
	w.watchdog.use(r.checkWatch(w))
	err := because(w.watchdog.ctx, r.follow(w))
	w.close()
	return r.watchEnded(w, err)
}

// checkWatch returns the check for a running watch.
func (r *running) checkWatch(w *watching) check {
	return func(age time.Duration) (time.Duration, error) {
		if age < shortWatch {
			return shortWatch - age, nil
		}
		if age >= w.limit {
			return 0, errWatchTimeout
		}
		again := w.limit - age
		if age >= w.healthyAfter {
			r.thriving() // even without events
		} else {
			again = min(again, w.healthyAfter-age)
		}
		if due, ok := r.dueForRecheck(); ok {
			if due <= 0 {
				return 0, errRecheck
			}
			again = min(again, due)
		}
		return again, nil
	}
}

// watchRefused returns the next state when a watch could not start.
func (r *running) watchRefused(err error) step {
	switch {
	case r.round.Err() != nil:
		return r.interrupted(r.round)
	case isPassing(err):
		return r.fail(err, stepWatch)
	}
	return r.giveUp(err)
}

// watchEnded returns the next state when a watch has ended.
func (r *running) watchEnded(w *watching, err error) step {
	short := w.events == 0 && r.config.Clock.Since(w.began) < shortWatch
	r.internal.After(err)
	if err != io.EOF || short {
		r.watchFailed(err)
	}
	switch {
	case r.round.Err() != nil:
		return r.interrupted(r.round)
	case err == io.EOF && short:
		return r.fail(&VeryShortWatchError{Name: r.config.Name}, stepBegin)
	case err == io.EOF, errors.Is(err, errWatchTimeout):
		return stepWatch
	case errors.Is(err, errRecheck):
		return stepBegin
	case isUndecodable(err):
		r.Undecodable(&UndecodableError{Err: err})
		return r.fail(err, stepBegin)
	case apierrors.IsTooManyRequests(err), isInternalError(err) && r.internal.ShouldRetry():
		return r.fail(err, stepWatch)
	}
	if _, answered := statusOf(err); !answered && isCut(err) {
		if short {
			return r.fail(err, stepWatch)
		}
		r.failing(err)
		r.cut = true
		return stepWatch // at once, since it has lasted for a while
	}
	// 410 Gone, because the version has expired, or an unknown error: a relist is required.
	return r.fail(err, stepBegin)
}

// follow passes each event of a watch to the sink, until there are no more.
func (r *running) follow(w *watching) error {
	var e Event
	for {
		if err := w.source.next(&e); err != nil {
			return err
		}
		if e.wrong != nil {
			r.came()
			r.leaveOut(&e)
			continue
		}
		w.events++
		if err := r.apply(&e); err != nil {
			r.notApplied(w, err)
		}
		perturb.Point()
		if r.checkSoon.Swap(false) {
			w.watchdog.use(r.checkWatch(w))
		}
		w.ordered = w.ordered || e.Type != watch.Added
		if !w.ordered {
			r.moved("")
			continue
		}
		r.moved(e.Version)
		r.config.Sink.Reached(e.Version)
	}
}

// apply passes an event to the sink.
func (r *running) apply(e *Event) error {
	if e.Type == watch.Bookmark {
		return r.config.Sink.Bookmark(e.Version)
	}
	return r.config.Sink.Take(e)
}

// notApplied handles an event that the sink has rejected. The version advances all the same: the event would be
// rejected again.
func (r *running) notApplied(w *watching, err error) {
	var unread *UndecodableError
	if !errors.As(err, &unread) {
		r.Skip(err)
		return
	}
	r.Undecodable(unread)
	if _, due := r.dueForRecheck(); !due {
		r.recheckLater(true)
	}
	w.watchdog.use(r.checkWatch(w))
}

// leaveOut skips an event that cannot be used. It does not advance the version.
func (r *running) leaveOut(e *Event) {
	var unread *UndecodableError
	if errors.As(e.wrong, &unread) {
		r.Undecodable(unread)
		return
	}
	r.Skip(e.wrong)
}
