package engine

import (
	"fmt"
	"testing"
)

// TestTombstonesAreBoundedAndSwept keeps as many tombstones as there may be while a stream is behind, and drops them when none is.
func TestTombstonesAreBoundedAndSwept(t *testing.T) {
	s := New(testConfig())
	put := func(n int, version uint64) {
		for i := range n {
			s.putTombstone(fmt.Sprint("ns/", i), tombstone{version: version})
		}
	}
	s.streams = []*Stream{{informer: s}} // which has reached nothing
	put(mostTombstones+10, 5)
	if got := len(s.tombstones); got != mostTombstones {
		t.Fatalf("%d tombstones, want %d", got, mostTombstones)
	}
	put(1, 6)
	if got := s.tombstones["ns/0"].version; got != 6 {
		t.Errorf("the tombstone is of version %d, want that of the last removal, 6", got)
	}
	s.streams = nil // nothing is behind
	for i := range mostTombstones {
		s.putTombstone(fmt.Sprint("other/", i), tombstone{version: 7})
	}
	if _, kept := s.tombstones["ns/0"]; kept {
		t.Error("tombstones that all streams have passed are kept")
	}
}
