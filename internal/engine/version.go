package engine

import "vedette.dev/internal/object"

// StoreVersionOf returns the version up to which the store has every change that the given streams can bring of the object under a
// key: the lowest version that they have brought. It is empty if one of them has not brought its first list, if versions cannot be
// compared, or while a change of the key waits to be applied.
//
// What is read from the store after StoreVersionOf has returned is at least as new.
func (s *Informer) StoreVersionOf(key string, streams ...*Stream) string {
	lowest := ""
	for _, t := range streams {
		version := t.received()
		order, known := object.Compare(version, lowest)
		switch {
		case version == "":
			return ""
		case lowest == "":
			lowest = version
		case !known:
			return ""
		case order < 0:
			lowest = version
		}
	}
	// After the versions: what a stream has brought is in the deltaQueue before the version of the stream moves.
	if s.queue.holds(key) {
		return ""
	}
	return lowest
}

// received returns the version up to which everything of the stream is in the store or in the deltaQueue.
func (t *Stream) received() string {
	t.informer.mu.Lock()
	reflector := t.reflector
	t.informer.mu.Unlock()
	if reflector == nil {
		return ""
	}
	return reflector.LastSyncResourceVersion()
}
