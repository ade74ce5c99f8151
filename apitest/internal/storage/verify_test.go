package storage

import "fmt"

// verify checks what holds for a store.
func (s *Store) verify() error {
	s.mu.RLock()
	defer s.mu.RUnlock()
	for resource, c := range s.collections {
		if err := c.verify(s); err != nil {
			return fmt.Errorf("%s: %w", resource, err)
		}
	}
	return nil
}

func (c *collection) verify(s *Store) error {
	if err := c.tree.verify(); err != nil {
		return err
	}
	if len(c.log) > s.history {
		return fmt.Errorf("%d events, and a history of %d", len(c.log), s.history)
	}
	last := c.dropped
	newest := map[string]*Event{}
	for _, e := range c.log {
		if e.Version() <= last || e.Version() > s.version {
			return fmt.Errorf("event %d after %d, and the newest is %d", e.Version(), last, s.version)
		}
		last = e.Version()
		if before := newest[e.Item.Key]; before != nil && before.Type != Deleted && e.Prev != before.Item {
			return fmt.Errorf("event %d does not follow on %d", e.Version(), before.Version())
		}
		if (e.Prev == nil) != (e.Type == Created) {
			return fmt.Errorf("event %d of type %d, with what was before: %v", e.Version(), e.Type, e.Prev != nil)
		}
		newest[e.Item.Key] = e
	}
	for key, e := range newest {
		want := e.Item
		if e.Type == Deleted {
			want = nil
		}
		if c.tree.get(key) != want {
			return fmt.Errorf("%s is not what event %d made of it", key, e.Version())
		}
	}
	return nil
}
