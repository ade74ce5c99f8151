// Package shardhistory checks what the members of a group of package shardgroup did. It is for tests.
package shardhistory

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
)

// Act is something that a member did for a shard, at the moment when it was allowed to.
type Act struct {
	At     time.Time
	Member string
	Shard  int
	Epoch  int64
}

// Write is a version of an object on the server.
type Write struct {
	Object, Version string
	Epoch           int64
}

// Log collects what happened. It is safe for concurrent use. The zero value is empty.
type Log struct {
	mu     sync.Mutex
	acts   []Act
	writes []Write
	wanted map[string]demand
	ages   []time.Duration
}

// demand is a value that an object should get.
type demand struct {
	value string
	since time.Time
}

// Act adds an act.
func (l *Log) Act(a Act) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.acts = append(l.acts, a)
}

// Write adds a version of an object. Versions of one object are added in their order.
func (l *Log) Write(w Write) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.writes = append(l.writes, w)
}

// Wanted notes that the owner of an object should give it a value, which no earlier one has. Empty means that the object was deleted.
func (l *Log) Wanted(object, value string, at time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if value == "" {
		delete(l.wanted, object)
		return
	}
	if l.wanted == nil {
		l.wanted = map[string]demand{}
	}
	if l.wanted[object].value != value {
		l.wanted[object] = demand{value, at}
	}
}

// Done notes that an object has a value.
func (l *Log) Done(object, value string, at time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if d, ok := l.wanted[object]; ok && d.value == value {
		l.ages = append(l.ages, at.Sub(d.since))
		delete(l.wanted, object)
	}
}

// Size returns how many acts and writes there are.
func (l *Log) Size() (acts, writes int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.acts), len(l.writes)
}

// Ages returns how long it took until objects had what they should have, in order of length.
func (l *Log) Ages() []time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Sorted(slices.Values(l.ages))
}

// Acts returns the acts in the order of their times.
func (l *Log) Acts() []Act {
	l.mu.Lock()
	defer l.mu.Unlock()
	acts := slices.Clone(l.acts)
	slices.SortStableFunc(acts, func(a, b Act) int { return a.At.Compare(b.At) })
	return acts
}

// Open returns how many objects do not have what they should have yet.
func (l *Log) Open() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.wanted)
}

// Check returns an error for each violation: members that worked in a shard at the same time, by the order of the times of their
// acts, objects written at a lower epoch after a higher one, and objects that do not have what they should have.
func (l *Log) Check() (violations []error) {
	last := map[int]Act{}
	for _, a := range l.Acts() {
		switch was, ok := last[a.Shard]; {
		case ok && a.Epoch < was.Epoch:
			violations = append(violations, fmt.Errorf("%s works in shard %d at epoch %d, %v after %s has at epoch %d",
				a.Member, a.Shard, a.Epoch, a.At.Sub(was.At), was.Member, was.Epoch))
			continue
		case ok && a.Epoch == was.Epoch && a.Member != was.Member:
			violations = append(violations, fmt.Errorf("%s and %s work in shard %d at epoch %d", a.Member, was.Member, a.Shard, a.Epoch))
		}
		last[a.Shard] = a
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	epochs := map[string]int64{}
	for _, w := range l.writes {
		if w.Epoch < epochs[w.Object] {
			violations = append(violations, fmt.Errorf("%s was written at epoch %d, version %s, after epoch %d", w.Object, w.Epoch, w.Version, epochs[w.Object]))
		}
		epochs[w.Object] = max(epochs[w.Object], w.Epoch)
	}
	var lost []error
	for object, d := range l.wanted {
		lost = append(lost, fmt.Errorf("%s was never given %q, which it should have since %v", object, d.value, d.since.Format("15:04:05.000")))
	}
	slices.SortFunc(lost, func(a, b error) int { return strings.Compare(a.Error(), b.Error()) })
	return append(violations, lost...)
}
