package storage

import (
	"iter"
	"strings"
)

// Snapshot is a collection at one version.
type Snapshot struct {
	Version uint64
	tree    tree
}

// Snapshot returns the collection at a version, or at the newest one if version is 0.
func (s *Store) Snapshot(r Resource, version uint64) (Snapshot, error) {
	s.mu.Lock() // a snapshot changes the owner of the tree
	defer s.mu.Unlock()
	c := s.collections[r]
	if version > s.version {
		return Snapshot{}, ErrFuture
	}
	if version != 0 && version < s.compacted {
		return Snapshot{}, ErrCompacted
	}
	if version == 0 {
		version = s.version
	}
	if c == nil {
		return Snapshot{Version: version}, nil
	}
	if version < c.dropped {
		return Snapshot{}, ErrCompacted
	}
	return Snapshot{Version: version, tree: c.at(version)}, nil
}

// at undoes the events after version.
func (c *collection) at(version uint64) tree {
	t := c.tree.snapshot()
	for i := len(c.log) - 1; i >= 0 && c.log[i].Version() > version; i-- {
		if e := c.log[i]; e.Prev != nil {
			t.set(e.Prev)
		} else {
			t.remove(e.Item.Key)
		}
	}
	return t
}

// Len returns the number of items.
func (s Snapshot) Len() int { return s.tree.size }

// Items returns the items of a namespace, or all if it is "", from the key start on.
func (s Snapshot) Items(namespace, start string) iter.Seq[*Item] {
	prefix := prefixOf(namespace)
	return func(yield func(*Item) bool) {
		for item := range s.tree.from(max(prefix, start)) {
			if !strings.HasPrefix(item.Key, prefix) || !yield(item) {
				return
			}
		}
	}
}

// Count returns the number of items that Items would return.
func (s Snapshot) Count(namespace, start string) int {
	prefix := prefixOf(namespace)
	end := s.tree.size
	if prefix != "" {
		end = s.tree.rank(after(prefix))
	}
	return max(0, end-s.tree.rank(max(prefix, start)))
}

func prefixOf(namespace string) string {
	if namespace == "" {
		return ""
	}
	return namespace + "/"
}

// after returns the first key after those with the prefix, which ends in a slash.
func after(prefix string) string { return prefix[:len(prefix)-1] + string(rune('/'+1)) }
