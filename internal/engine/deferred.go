package engine

import (
	"context"
	"strings"
	"time"

	"golang.org/x/time/rate"

	"vedette.dev/internal/object"
	"vedette.dev/internal/perturb"
)

// deferredDelete is the deletion of an object that has left one stream. The object may be deleted, or another stream may be about to bring
// it: the two look the same. Until it is known which, the object stays where it is.
type deferredDelete struct {
	have    object.Revision // the state that is known
	stream  *Stream
	version string // at which it had left
	newest  string // of its states that are known
	last    any    // its last state
	since   time.Time
	asked   bool // the server was asked, and has it
}

const (
	// deferredCheck is the time between two checks of deferred deletes.
	deferredCheck = 50 * time.Millisecond
	// deferredTimeout is how long another stream that works may take to bring an object, if the server was not asked or has it.
	deferredTimeout = 5 * time.Second
	// deferredLimit is how long it may take if another stream does not work.
	deferredLimit = 2 * time.Minute
	// deferredQuestions is how often in a second the server is asked, in a stream.
	deferredQuestions = 20
)

// mayMove reports whether an object that has left the stream may come from another.
func (t *Stream) mayMove() bool {
	if !t.config.Leaves {
		return false
	}
	s := t.informer
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, other := range s.streams {
		if other != t && other.config.Leaves && other.config.Prefix == t.config.Prefix {
			return true
		}
	}
	return false
}

// deferDelete adds a deferred delete, under applyMu.
func (b *batch) deferDelete(key string, h deferredDelete) {
	first := len(b.deferred) == 0
	h.since = time.Now()
	b.deferred[key] = h
	if !first || b.isEnding() {
		return
	}
	s := b.Informer
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.running != nil && !s.ending {
		ctx := s.running
		s.work.Go(func() { s.settleDeferred(ctx) })
	}
}

// settleDeferred checks deferred deletes until there are none.
func (s *Informer) settleDeferred(ctx context.Context) {
	questions := rate.NewLimiter(deferredQuestions, 1)
	ticker := time.NewTicker(deferredCheck)
	defer ticker.Stop()
	for s.settle(ctx, questions) {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

// settle checks deferred deletes once, and reports whether some are left.
func (s *Informer) settle(ctx context.Context, questions *rate.Limiter) bool {
	open := s.settleKnown()
	for key, h := range open {
		if h.asked || h.stream.config.Exists == nil || !questions.Allow() {
			continue
		}
		namespace, name, _ := strings.Cut(strings.TrimPrefix(key, h.stream.config.Prefix), "/")
		if name == "" {
			namespace, name = "", namespace
		}
		uid, exists, err := h.stream.config.Exists(ctx, namespace, name)
		perturb.Point()
		if err == nil {
			s.answered(key, h, exists && uid == h.have.UID)
		}
	}
	s.applyMu.Lock()
	defer s.applyMu.Unlock()
	return len(s.deferred) > 0
}

// settleKnown carries out or drops the deferred deletes that are certain by now, and returns the others.
func (s *Informer) settleKnown() map[string]deferredDelete {
	s.applyMu.Lock()
	defer s.applyMu.Unlock()
	b := s.newBatch(0)
	open := map[string]deferredDelete{}
	for key, h := range s.deferred {
		_, have, _, ok := s.known(key)
		switch {
		case !ok || have != h.have:
			delete(s.deferred, key) // it came another way
		case s.noneBrings(key, h):
			b.removeKnown(key, h.last)
			b.addTombstone(key, h.stream, h.newest, "")
		default:
			open[key] = h
		}
	}
	b.commit()
	return open
}

// noneBrings reports whether no other stream will bring an object: all of them are past the version at which it left, or had
// enough time.
func (s *Informer) noneBrings(key string, h deferredDelete) bool {
	if s.queue.isPending(key) {
		return false
	}
	age := time.Since(h.since)
	s.mu.Lock()
	streams := s.streams
	s.mu.Unlock()
	for _, t := range streams {
		if t == h.stream || t.config.Prefix != h.stream.config.Prefix || t.reflector == nil {
			continue
		}
		state := t.reflector.State()
		order, known := object.Compare(state.ResourceVersion, h.version)
		switch {
		case known && order >= 0:
		case state.Err() != nil && age < deferredLimit:
			return false
		case age < deferredTimeout:
			return false
		}
	}
	return true
}

// answered notes what the server has said about an object.
func (s *Informer) answered(key string, h deferredDelete, exists bool) {
	s.applyMu.Lock()
	defer s.applyMu.Unlock()
	now, ok := s.deferred[key]
	if !ok || !now.since.Equal(h.since) || now.stream != h.stream {
		return
	}
	if exists {
		h.asked = true
		s.deferred[key] = h
		return
	}
	if _, have, _, ok := s.known(key); !ok || have != h.have {
		delete(s.deferred, key)
		return
	}
	b := s.newBatch(1)
	b.removeKnown(key, h.last)
	b.addTombstone(key, h.stream, h.newest, h.have.UID)
	b.commit()
}
