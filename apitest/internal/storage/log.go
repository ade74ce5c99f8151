package storage

// Log reads a collection's events. It belongs to one goroutine.
type Log struct {
	store      *Store
	collection *collection
	version    uint64 // everything up to here was read
}

// Log returns a reader of the events after version, which must not be in the future. The error is ErrCompacted if
// events after it were dropped.
func (s *Store) Log(r Resource, version uint64) (*Log, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.collection(r)
	switch {
	case version > s.version:
		return nil, ErrFuture
	case version < s.compacted || version < c.dropped:
		return nil, ErrCompacted
	}
	return &Log{store: s, collection: c, version: version}, nil
}

// Begin returns a snapshot of the newest version, and a reader of what comes after it.
func (s *Store) Begin(r Resource) (Snapshot, *Log) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.collection(r)
	return Snapshot{Version: s.version, tree: c.tree.snapshot()}, &Log{store: s, collection: c, version: s.version}
}

// Next returns the events since the last call, without blocking, and the version up to which it has now read; changed
// is closed when there may be more. ErrCompacted means that the reader was too slow and has lost events.
func (l *Log) Next() (events []*Event, version uint64, changed <-chan struct{}, err error) {
	s, c := l.store, l.collection
	s.mu.RLock()
	defer s.mu.RUnlock()
	if l.version < c.dropped {
		return nil, l.version, nil, ErrCompacted
	}
	first := len(c.log)
	for first > 0 && c.log[first-1].Version() > l.version {
		first--
	}
	l.version = s.version
	return c.log[first:len(c.log):len(c.log)], l.version, c.changed, nil
}

// Oldest returns the oldest version from which the events of a resource can be read.
func (s *Store) Oldest(r Resource) uint64 {
	s.mu.RLock()
	defer s.mu.RUnlock()
	if c := s.collections[r]; c != nil {
		return max(s.compacted, c.dropped)
	}
	return s.compacted
}
