package cache

import (
	"context"
	"strings"
	"time"

	"golang.org/x/time/rate"
)

// hold is an object that one stream has seen leave. It may be deleted, or it may be what another stream has not brought yet:
// the two look the same. Until that is known, it stays where it is.
type hold struct {
	have    revision // the state that is known
	stream  *Stream
	version string // at which it left
	last    any    // its last state
	since   time.Time
	asked   bool // the server was asked, and has it
}

const (
	// holdLook is how often what is held is looked at.
	holdLook = 50 * time.Millisecond
	// holdPatience is how long another stream that works may take to bring an object, if the server was not asked or has it.
	holdPatience = 5 * time.Second
	// holdLimit is how long it may take if another stream does not work.
	holdLimit = 2 * time.Minute
	// holdQuestions is how often in a second the server is asked, in a stream.
	holdQuestions = 20
)

// mayMove tells whether an object that has left the stream may come from another.
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

// hold notes that a stream has seen an object leave, under applyMu.
func (b *batch) hold(key string, have revision, t *Stream, version string, last any) {
	first := len(b.holds) == 0
	b.holds[key] = hold{have: have, stream: t, version: version, last: last, since: time.Now()}
	if !first || b.isEnding() {
		return
	}
	s := b.informer
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.running != nil && !s.ending {
		ctx := s.running
		s.work.Go(func() { s.settleHolds(ctx) })
	}
}

// settleHolds looks at what is held until nothing is.
func (s *informer) settleHolds(ctx context.Context) {
	questions := rate.NewLimiter(holdQuestions, 1)
	ticker := time.NewTicker(holdLook)
	defer ticker.Stop()
	for s.settle(ctx, questions) {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
	}
}

// settle looks at what is held once, and tells whether something is left.
func (s *informer) settle(ctx context.Context, questions *rate.Limiter) bool {
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
		if err == nil {
			s.answered(key, h, exists && uid == h.have.uid)
		}
	}
	s.applyMu.Lock()
	defer s.applyMu.Unlock()
	return len(s.holds) > 0
}

// settleKnown deals with what is certain by now, and returns the rest.
func (s *informer) settleKnown() map[string]hold {
	s.applyMu.Lock()
	defer s.applyMu.Unlock()
	b := s.newBatch(0)
	open := map[string]hold{}
	for key, h := range s.holds {
		_, have, _, ok := s.known(key)
		switch {
		case !ok || have != h.have:
			delete(s.holds, key) // it came another way
		case s.noneBrings(key, h):
			b.removeKnown(key, h.last)
		default:
			open[key] = h
		}
	}
	b.commit()
	return open
}

// noneBrings tells whether no other stream will bring an object: all of them are past the version at which it left, or had
// enough time.
func (s *informer) noneBrings(key string, h hold) bool {
	if s.queue.holds(key) {
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
		order, known := compareVersions(state.ResourceVersion, h.version)
		switch {
		case known && order >= 0:
		case state.Err() != nil && age < holdLimit:
			return false
		case age < holdPatience:
			return false
		}
	}
	return true
}

// answered notes what the server has said about an object.
func (s *informer) answered(key string, h hold, exists bool) {
	s.applyMu.Lock()
	defer s.applyMu.Unlock()
	now, ok := s.holds[key]
	if !ok || !now.since.Equal(h.since) || now.stream != h.stream {
		return
	}
	if exists {
		h.asked = true
		s.holds[key] = h
		return
	}
	if _, have, _, ok := s.known(key); !ok || have != h.have {
		delete(s.holds, key)
		return
	}
	b := s.newBatch(1)
	b.removeKnown(key, h.last)
	b.commit()
}
