package slotmap

import "reflect"

// resting is what becomes of removed keys in the lowest slots, those whose memory is kept anyway: each stays where it
// is, seen by nobody, until another key needs its slot. A key that comes and goes and comes again, as those of work
// queues do, is then found where it was: to take it out of the index and its slot and to put it in again was a quarter of
// a round of retries.
type resting struct {
	slots uint32 // slots below this number may rest
	n     int    // those that do
	hand  uint32 // where to look for one whose slot is needed
	// credit is what the keys that came again have earned: where keys come once only, to let them rest is wasted work.
	credit, skipped uint32
}

const (
	restLooks = 4  // bounds the search for a slot
	restTries = 16 // without credit, one key in so many rests all the same
	restGain  = 2  // of a key that comes again
)

// worthwhile tells whether one more key should rest.
func (r *resting) worthwhile() bool {
	if r.credit > 0 {
		r.credit--
		return true
	}
	r.skipped++
	return r.skipped%restTries == 0
}

// layDown sends the entry of a removed key to rest.
func (m *Map[K, V]) layDown(e *Entry[K, V]) {
	var zero V
	e.Val, e.next = zero, restMark
	m.rest.n++
}

// wake takes the entry of a key that comes again back into use.
func (m *Map[K, V]) wake(e *Entry[K, V]) {
	e.next = liveMark
	m.rest.n--
	m.rest.credit = min(m.rest.credit+restGain, m.rest.slots)
}

// takeResting takes the slot of a key that rests, if one is found soon.
func (m *Map[K, V]) takeResting() (slot uint32, ok bool) {
	for range restLooks {
		slot = m.rest.hand
		if m.rest.hand++; m.rest.hand >= m.rest.slots {
			m.rest.hand = 0
		}
		if e := m.At(slot); e.next == restMark {
			m.index.remove(e.hash, slot)
			m.rest.n--
			return slot, true
		}
	}
	return 0, false
}

// holdsNothing tells whether a key of the type keeps nothing alive but its own text, so that it may be held on to.
func holdsNothing(t reflect.Type) bool {
	return !hasPart(t, reflect.Interface, reflect.Pointer, reflect.UnsafePointer, reflect.Chan)
}
