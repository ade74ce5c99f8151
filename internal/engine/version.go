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
	if s.queue.isPending(key) {
		return ""
	}
	return lowest
}

// PartitionVersion returns the version up to which the store has every change of the objects of a partition: the lowest version up to
// which everything that one of its streams has brought is applied. It is empty if it is not known, and may lag while there is much to
// apply.
func (s *Informer) PartitionVersion(id string) string {
	lowest := ""
	for i, t := range s.streamsOf(id) {
		version := s.queue.applied(t, t.received())
		order, known := object.Compare(version, lowest)
		switch {
		case version == "" || i > 0 && !known:
			return ""
		case i == 0 || order < 0:
			lowest = version
		}
	}
	return lowest
}

// PartitionLen returns the number of objects of a partition.
func (s *Informer) PartitionLen(id string) int { return s.table.CountOwned(id) }

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
