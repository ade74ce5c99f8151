package listwatch

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
)

// watchListTimeouts is how long a streaming list may go without an initial event, or without the bookmark after them. A
// list still fits into the 30 s in which a reflector should be in sync. If a server sends nothing at all, a list may
// have a clearer error.
var watchListTimeouts = timeouts{step: 2 * time.Second, warn: 2, fail: 12, failFirst: 4, cause: errNoBookmark}

// stream reads all objects from the beginning of a watch.
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

// fill reads the initial events, and passes them to the store when they are complete.
func (r *running) fill(w *watching, progress *progress) error {
	in := r.newSnapshot(true)
	if r.config.OnInconsistency != nil {
		in.seen = digest{}
	}
	var e Event
	for {
		if err := w.source.next(&e); err != nil {
			return err
		}
		w.events++
		r.came()
		switch {
		case e.wrong != nil:
			r.leaveOut(&e)
		case e.Type == watch.Bookmark && e.end:
			w.watchdog.use(r.checkWatch(w)) // the store may take long
			if err := r.commit(in, e.Version); err != nil {
				return err
			}
			if in.seen != nil {
				r.verify(in.seen, e.Version)
			}
			return nil
		default:
			in.follow(&e, progress)
		}
	}
}

// commit passes a new state to the store.
func (r *running) commit(in *snapshot, version string) error {
	if err := in.commit(version); err != nil {
		return &storeError{err}
	}
	return nil
}

// storeError is an error of the store, not of the server.
type storeError struct{ error }

func (e *storeError) Unwrap() error { return e.error }

// follow applies an event that arrives before the state is complete.
func (in *snapshot) follow(e *Event, progress *progress) {
	switch e.Type {
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
		in.r.Skip(fmt.Errorf("unknown event type %q", e.Type))
	}
}

func (in *snapshot) addEvent(e *Event) {
	if e.Raw == nil {
		in.addObject(e.Object)
		return
	}
	in.add(&Item{Key: e.Key, Rev: e.Rev, Raw: e.Raw, from: in.r})
}

func (in *snapshot) removeEvent(e *Event) {
	if e.Raw != nil {
		in.remove(e.Key)
		return
	}
	if key, err := in.r.config.Sink.KeyOf(e.Object); err == nil {
		in.remove(key)
	}
}

// streamFailed returns the next state when a streaming list could not be opened or was not complete.
func (r *running) streamFailed(err error, opened bool) step {
	var store *storeError
	now := r.config.Clock.Now()
	switch {
	case r.round.Err() != nil:
		return r.interrupted(r.round)
	case errors.As(err, &store):
		return r.giveUp(err)
	case isExpired(err), isTooLarge(err):
		if r.streamVersion() == "" {
			return stepList // the version is not the cause
		}
		r.setUnavailable()
		return stepBegin
	case isPassing(err) && !(opened && isCut(err)):
		return r.fail(err, stepBegin)
	case errors.Is(err, errNoBookmark), refusesStream(err):
		r.fallback.refused(now)
		r.config.Logger.V(2).Info("Server does not support streaming lists, listing instead", "type", r.config.Type, "err", err, "again", r.fallback.after)
		return stepList
	case err == io.EOF, isCut(err):
		if r.fallback.brokeOff(now) {
			return stepList
		}
		return r.fail(fmt.Errorf("streaming list of %s was interrupted: %w", r.config.Type, err), stepBegin)
	}
	// Whatever the reason, a list has a clearer error.
	return stepList
}

// Inconsistency describes how the objects of a streaming list differ from a list of the same version. The cause is the
// server, or something between it and the client, that answers the same request in different ways.
type Inconsistency struct {
	// Type is what was listed, and ResourceVersion the version.
	Type, ResourceVersion string
	// Missing are the keys that only the list had, Unlisted those that only the watch had, Different those with
	// different versions. Each has ten at most.
	Missing, Unlisted, Different []string
	// Count is the total number of differences.
	Count int
}

func (e *Inconsistency) Error() string {
	var parts []string
	for _, part := range []struct {
		keys []string
		what string
	}{
		{e.Missing, "not in the watch"}, {e.Unlisted, "not in the list"}, {e.Different, "of another version"},
	} {
		if len(part.keys) > 0 {
			parts = append(parts, fmt.Sprintf("%s: %s", part.what, strings.Join(part.keys, ", ")))
		}
	}
	return fmt.Sprintf("%d of %s at version %s differ between a streaming list and a list: %s",
		e.Count, e.Type, e.ResourceVersion, strings.Join(parts, "; "))
}

// digest has the versions of objects by their key. It implements Relist.
type digest map[string]string

// Add implements Relist.
func (r digest) Add(item *Item) error {
	r[item.Key] = item.Rev.Version
	return nil
}

// Remove implements Relist.
func (r digest) Remove(key string) { delete(r, key) }

// Commit implements Relist.
func (r digest) Commit(string) error { return nil }

// Failed implements Relist.
func (r digest) Failed() []UndecodableError { return nil }

const maxNamed = 10

// compare returns the differences between a streaming list and a list, or nil.
func (r digest) compare(listed digest) *Inconsistency {
	e := new(Inconsistency)
	note := func(keys *[]string, key string) {
		e.Count++
		*keys = append(*keys, key)
	}
	for key, version := range r {
		switch there, ok := listed[key]; {
		case !ok:
			note(&e.Unlisted, key)
		case there != version:
			note(&e.Different, key)
		}
	}
	for key := range listed {
		if _, ok := r[key]; !ok {
			note(&e.Missing, key)
		}
	}
	if e.Count == 0 {
		return nil
	}
	for _, keys := range []*[]string{&e.Missing, &e.Unlisted, &e.Different} {
		slices.Sort(*keys)
		*keys = (*keys)[:min(len(*keys), maxNamed)]
	}
	return e
}

// verify lists at the version of a streaming list, and reports the differences. It is not an error if the server no
// longer has the version.
func (r *running) verify(streamed digest, version string) {
	listed := digest{}
	in := &snapshot{r: r.Reflector, relist: listed}
	options := metav1.ListOptions{ResourceVersion: version, ResourceVersionMatch: metav1.ResourceVersionMatchExact, Limit: defaultPageSize}
	for more := true; more; more = options.Continue != "" {
		page, err := r.page(in, options)
		if err != nil {
			r.config.Logger.V(2).Info("Failed to compare a streaming list with a list", "type", r.config.Type, "version", version, "err", err)
			return
		}
		options = metav1.ListOptions{Limit: defaultPageSize, Continue: page.Continue}
	}
	if e := streamed.compare(listed); e != nil {
		e.Type, e.ResourceVersion = r.config.Type, version
		r.config.OnInconsistency(e)
	}
}
