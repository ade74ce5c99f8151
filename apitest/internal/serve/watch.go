package serve

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metainternal "k8s.io/apimachinery/pkg/apis/meta/internalversion"
	"k8s.io/apimachinery/pkg/watch"

	"vedette.dev/apitest/internal/storage"
)

const (
	// shortestWatch is the minimum timeout of a watch if the client does not set one; the maximum is twice that.
	shortestWatch = 30 * time.Minute
	// bookmarkEvery is the interval of bookmarks; there is also one shortly before the end.
	bookmarkEvery     = time.Minute
	bookmarkBeforeEnd = 2 * time.Second
)

// watcher is a running watch. It belongs to the goroutine of its request.
type watcher struct {
	filter    *filter
	frames    *framer
	out       FrameWriter
	log       *storage.Log
	bookmarks bool
	// after is the version that the client has seen: events up to it are skipped. It may be in the future, or older
	// than the log.
	after   uint64
	version uint64 // everything up to here was sent
	pending bool   // something was written and not flushed
	endMark bool   // the bookmark that ends the initial events is due
}

// watch sends events until the client disconnects or the timeout ends.
func (s *Server) watch(w http.ResponseWriter, r *Request, c *call, f *filter, v *view, opts *metainternal.ListOptions) error {
	if v.media == mediaYAML {
		return notAcceptable(streamMedia(r))
	}
	include, err := tableOptions(r.Request)
	if err != nil {
		return err
	}
	after, err := parseVersion(opts.ResourceVersion)
	if err != nil {
		return errors.New(err.Error()) // not a Status: the real server answers with 500
	}
	x := &watcher{filter: f, frames: newFramer(&s.frames, v, include), after: after, bookmarks: opts.AllowWatchBookmarks}
	x.frames.unversioned = s.config.Unversioned
	initial, err := s.open(x, c, opts)
	deadline := s.begin(w, v, opts)
	x.out = newFrameWriter(w)
	if s.config.Frames != nil {
		x.out = s.config.Frames(r, x.out)
	}
	if err != nil { // later errors are events
		x.fail(err)
		return nil
	}
	ctx, cancel := context.WithDeadline(r.Context(), deadline)
	defer cancel()
	defer context.AfterFunc(s.stop, cancel)()
	defer context.AfterFunc(s.lifetimes.alive(c.kind), cancel)()
	x.run(ctx, initial, deadline)
	if cause := context.Cause(ctx); isStatus(cause) {
		x.fail(cause)
	}
	return nil
}

// open finds the start of the watch: the newest state, which is sent as initial events, or a position in the log.
func (s *Server) open(x *watcher, c *call, opts *metainternal.ListOptions) (initial *storage.Snapshot, err error) {
	send := opts.SendInitialEvents
	if send != nil && *send {
		if current := s.store.Version(); x.after > current {
			return nil, tooLargeVersion(x.after, current)
		}
	}
	if send == nil && x.after == 0 || send != nil && *send {
		snapshot, log := s.store.Begin(c.resource)
		x.log, x.version, x.after = log, snapshot.Version, snapshot.Version
		x.endMark = send != nil && x.bookmarks
		return &snapshot, nil
	}
	if current := s.store.Version(); x.after == 0 || x.after > current {
		// From now on, or from a future version: events up to that one are skipped.
		_, x.log = s.store.Begin(c.resource)
		x.version = current
		return nil, nil
	}
	x.log, err = s.store.Log(c.resource, x.after)
	if errors.Is(err, storage.ErrCompacted) {
		return nil, apierrors.NewResourceExpired(fmt.Sprintf("too old resource version: %d (%d)", x.after, s.store.Oldest(c.resource)))
	}
	x.version = x.after
	return nil, err
}

// begin sends the header, and returns when the watch ends.
func (s *Server) begin(w http.ResponseWriter, v *view, opts *metainternal.ListOptions) time.Time {
	contentType := v.media
	switch v.media {
	case mediaProtobuf:
		contentType += ";stream=watch"
	case mediaCBOR:
		contentType = mediaCBORSequence
	}
	w.Header().Set("Content-Type", contentType)
	w.WriteHeader(http.StatusOK)
	_ = http.NewResponseController(w).Flush()
	timeout := shortestWatch + rand.N(shortestWatch)
	if opts.TimeoutSeconds != nil && *opts.TimeoutSeconds > 0 {
		timeout = time.Duration(*opts.TimeoutSeconds) * time.Second
	}
	return time.Now().Add(timeout)
}

// run sends the initial events, then changes.
func (x *watcher) run(ctx context.Context, initial *storage.Snapshot, deadline time.Time) {
	if initial != nil && !x.sendInitial(*initial) {
		return
	}
	bookmark := newBookmarkTimer(x.bookmarks, deadline)
	defer bookmark.stop()
	for {
		events, version, changed, err := x.log.Next()
		if err != nil { // too slow; the connection is closed, and the client starts again
			return
		}
		if !x.sendEvents(events) {
			return
		}
		x.version = max(x.version, version)
		select {
		case <-changed:
		case <-ctx.Done():
			// Events that precede the end are sent first: the deletions of objects whose kind was removed.
			if events, _, _, err := x.log.Next(); err == nil {
				x.sendEvents(events)
			}
			return
		case <-bookmark.due():
			if !x.sendBookmark(false) {
				return
			}
			bookmark.next()
		}
	}
}

func (x *watcher) sendInitial(snapshot storage.Snapshot) bool {
	for item := range snapshot.Items(x.filter.namespace, "") {
		if !x.filter.matches(item.Object) {
			continue
		}
		data, err := x.frames.object(watch.Added, item.Object)
		if !x.send(Frame{Type: watch.Added, Key: item.Key, Data: data}, err) {
			return false
		}
	}
	if x.endMark {
		return x.sendBookmark(true)
	}
	return x.flush()
}

// sendEvents sends a batch, and flushes once.
func (x *watcher) sendEvents(events []*storage.Event) bool {
	for _, e := range events {
		if e.Version() <= x.after {
			continue
		}
		kind, ok := x.filter.translate(e)
		if !ok {
			continue
		}
		data, err := x.frames.event(kind, e)
		if !x.send(Frame{Type: kind, Key: e.Item.Key, Data: data}, err) {
			return false
		}
	}
	return x.flush()
}

func (x *watcher) sendBookmark(end bool) bool {
	version := x.version
	if version < x.after {
		version = x.after
	}
	data, err := x.frames.bookmark(version, end)
	return x.send(Frame{Type: watch.Bookmark, EndMark: end, Data: data}, err) && x.flush()
}

// send writes a frame. If it could not be encoded, an error is sent and the watch ends.
func (x *watcher) send(frame Frame, err error) bool {
	if err != nil {
		x.fail(apierrors.NewInternalError(err))
		return false
	}
	x.pending = true
	err = x.out.WriteFrame(frame)
	if isStatus(err) {
		x.fail(err)
	}
	return err == nil
}

func (x *watcher) flush() bool {
	if !x.pending {
		return true
	}
	x.pending = false
	return x.out.Flush() == nil
}

// fail ends the watch with an error.
func (x *watcher) fail(err error) {
	status := statusOf(err)
	data, err := x.frames.status(status)
	if err != nil {
		return
	}
	_ = x.out.WriteFrame(Frame{Type: watch.Error, Data: data})
	_ = x.out.Flush()
}

// translate returns the type of a change for a selection: an object that enters it is added, one that leaves it is
// deleted.
func (f *filter) translate(e *storage.Event) (watch.EventType, bool) {
	if f.namespace != "" && !inNamespace(e.Item.Key, f.namespace) {
		return "", false
	}
	is := e.Type != storage.Deleted && f.matches(e.Item.Object)
	was := e.Prev != nil && f.matches(e.Prev.Object)
	switch {
	case is && was:
		return watch.Modified, true
	case is:
		return watch.Added, true
	case was:
		return watch.Deleted, true
	}
	return "", false
}

func inNamespace(key, namespace string) bool {
	return len(key) > len(namespace) && key[len(namespace)] == '/' && key[:len(namespace)] == namespace
}
