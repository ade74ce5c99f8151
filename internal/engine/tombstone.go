package engine

import (
	"math"
	"slices"
	"strconv"

	"k8s.io/apimachinery/pkg/types"
)

// tombstone is what is known of a key that was removed from the store while other streams were behind: one of them may still bring a state
// from before.
type tombstone struct {
	prefix  string // of the stream
	version uint64 // states before it are outdated
	// uid is that of an object that is certainly deleted on the server; empty if that is not certain.
	uid types.UID
}

// mostTombstones bounds the memory of tombstones, to some 8 MB. Beyond it an object that was deleted may come back until the stream that is
// behind has caught up.
const mostTombstones = 1 << 16

// addTombstone notes that a key was removed because of what a stream has brought, under applyMu, if another stream is behind. The version is
// the newest that is known of the key: it need not be deleted, and then it may come back in that state.
func (b *batch) addTombstone(key string, t *Stream, version string, uid types.UID) {
	if b.only != nil {
		return
	}
	v, err := strconv.ParseUint(version, 10, 64)
	if err == nil && b.lowest(t.config.Prefix, t) < v {
		b.putTombstone(key, tombstone{t.config.Prefix, v, uid})
	}
}

// putTombstone adds a tombstone, or replaces that of its key. A sweep looks at all of them, so there is one for as many additions as it has
// kept.
func (s *Informer) putTombstone(key string, at tombstone) {
	if s.tombstonesAdded++; s.tombstonesAdded > max(1024, s.tombstonesKept) {
		s.sweepTombstones()
	}
	if _, known := s.tombstones[key]; known || len(s.tombstones) < mostTombstones {
		s.tombstones[key] = at
	}
}

// lowest returns the lowest version that streams of a prefix have reached, without one of them. It is 0 if that is not known of one of them.
func (s *Informer) lowest(prefix string, but *Stream) uint64 {
	lowest := uint64(math.MaxUint64)
	for _, t := range s.allStreams() {
		if t == but || t.config.Prefix != prefix {
			continue
		}
		v, err := strconv.ParseUint(t.received(), 10, 64)
		if err != nil {
			return 0
		}
		lowest = min(lowest, v)
	}
	return lowest
}

// lowestOnce returns the lowest version that streams of a prefix have reached, and keeps it in known for the next time.
func (s *Informer) lowestOnce(known map[string]uint64, prefix string) uint64 {
	v, ok := known[prefix]
	if !ok {
		v = s.lowest(prefix, nil)
		known[prefix] = v
	}
	return v
}

// reached returns the highest version that streams of a prefix have reached, 0 if there is none or versions are not numbers.
func (s *Informer) reached(prefix string) (highest uint64) {
	for _, t := range s.allStreams() {
		if t.config.Prefix != prefix {
			continue
		}
		if v, err := strconv.ParseUint(t.received(), 10, 64); err == nil {
			highest = max(highest, v)
		}
	}
	return highest
}

// allStreams returns the streams that run, and those that have stopped for a change that is being made: others will go on from where they
// have been.
func (s *Informer) allStreams() []*Stream {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Concat(s.streams, s.halted)
}

// sweepTombstones drops those that all streams have passed, under applyMu.
func (s *Informer) sweepTombstones() {
	lowest := map[string]uint64{} // by prefix
	for key, at := range s.tombstones {
		if s.lowestOnce(lowest, at.prefix) >= at.version {
			delete(s.tombstones, key)
		}
	}
	s.tombstonesKept, s.tombstonesAdded = len(s.tombstones), 0
}

// hasTombstone reports whether there is a tombstone by which the state of an event is outdated.
func (b *batch) hasTombstone(ev *pendingEvent) bool {
	at, ok := b.tombstones[ev.key]
	if !ok {
		return false
	}
	v, err := strconv.ParseUint(ev.rev.Version, 10, 64)
	return err == nil && v < at.version || at.uid != "" && at.uid == ev.rev.UID
}
