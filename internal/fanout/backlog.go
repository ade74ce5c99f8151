package fanout

import (
	"slices"

	"vedette.dev/internal/shrink"
)

// backlog is what waits for a handler that has fallen behind: at most one notification for each key, which says everything
// that has happened since the handler was last notified of it. The zero value is empty. It has no lock.
//
// Keys are popped in the order in which they first changed. An object that was added and deleted again before the handler was
// notified of it is dropped, so that objects that come and go for ever take no memory.
type backlog struct {
	// Invariant: a key is in places if and only if a notification in the ring has it, and the place is that of the notification.
	places shrink.StringMap[uint64]
	// ring has the notifications; the places of those that were dropped are vacant.
	ring ring[waiting]
	// vacancies is how many places are vacant.
	vacancies int
}

// waiting is a notification in a backlog.
type waiting struct {
	Notification
	// number is that of the first notification that was coalesced into this one, and at when it was appended, in nanoseconds.
	number uint64
	at     int64
}

func (b *backlog) len() int { return b.ring.len() - b.vacancies }

// has reports whether a notification of a key waits.
func (b *backlog) has(key string) bool {
	_, waits := b.places.Find(key)
	return waits
}

// add adds a notification, and reports whether it was coalesced with one that waits.
func (b *backlog) add(n *Notification, number uint64, at int64) (coalesced bool) {
	if n.Type == Lost {
		n = b.lose(n)
	}
	if place, ok := b.places.Find(n.Key); ok {
		w := b.ring.at(place)
		if !w.coalesce(n) {
			b.drop(place)
		}
		return true
	}
	b.places.Put(n.Key, b.ring.push(waiting{Notification: *n, number: number, at: at}))
	return false
}

// lose removes what waits of keys that are lost. It returns the notification with those keys that the handler knows then.
func (b *backlog) lose(n *Notification) *Notification {
	keys, _ := n.Old.([]string)
	known := make([]string, 0, len(keys))
	for _, key := range keys {
		place, waits := b.places.Find(key)
		if !waits {
			known = append(known, key)
			continue
		}
		switch w := b.ring.at(place); w.Type {
		case Added:
			b.drop(place) // the handler does not know the object
		case Recreated:
			w.deleteFirst() // it knows the one before
		case Deleted:
		default:
			b.drop(place)
			known = append(known, key)
		}
	}
	out := *n
	out.Old = known
	return &out
}

// drop makes the place of a notification vacant.
func (b *backlog) drop(place uint64) {
	w := b.ring.at(place)
	b.places.Delete(w.Key)
	*w = waiting{Notification: Notification{Type: vacant}}
	b.vacancies++
	b.trim()
}

// trim removes vacant places from the front, so that the front is a notification if there is any.
func (b *backlog) trim() {
	for b.ring.len() > 0 && b.ring.front().Type == vacant {
		b.ring.pop()
		b.vacancies--
	}
	if b.vacancies > 64 && b.vacancies > b.ring.len()/2 {
		b.compact()
	}
}

// compact removes all vacant places.
func (b *backlog) compact() {
	var dense ring[waiting]
	for b.ring.len() > 0 {
		if w := b.ring.pop(); w.Type != vacant {
			b.places.Put(w.Key, dense.push(w))
		}
	}
	b.ring, b.vacancies = dense, 0
}

// front returns the notification that has waited longest. There must be one.
func (b *backlog) front() *waiting { return b.ring.front() }

// pop removes and returns the notification that has waited longest. There must be one.
func (b *backlog) pop() waiting {
	w := b.ring.pop()
	b.places.Delete(w.Key)
	b.trim()
	return w
}

// coalesce makes the notification say also what the next one of its key says. It returns false if nothing is left to say.
//
// Old is what the handler knows: nothing if the object was added. What a handler knows never becomes an object with another
// UID without a deletion in between, since notifications do not.
func (w *waiting) coalesce(n *Notification) bool {
	switch {
	case n.Type == Lost:
		w.lose(n)
	case n.Type == Deleted && w.Type == Added:
		return false
	case n.Type == Deleted && w.Type == Recreated:
		// The handler does not know the second object, and of the first it is notified of the deletion.
		w.deleteFirst()
	case n.Type == Deleted:
		w.Type, w.Old, w.New, w.Sync, w.Partition = Deleted, n.Old, nil, false, n.Partition
	case n.Type == Added && w.Type == Deleted:
		if w.Partition != n.Partition {
			w.Old = deletedIn{w.Old, w.Partition}
		}
		w.Type, w.New, w.Partition = Recreated, n.New, n.Partition
	case n.Type == Added:
		// The writer does not add what is there; if it does all the same, the newest state counts.
		w.New, w.Partition = n.New, n.Partition
	default:
		w.New, w.Sync, w.Partition = n.New, w.Sync && n.Sync, n.Partition
	}
	return true
}

// deletedIn is the Old of a notification of type Recreated that waits, if the first object was in another partition than the second.
type deletedIn struct {
	old       any
	partition *Partition
}

// deleteFirst makes of a notification of type Recreated the deletion of the first object.
func (w *waiting) deleteFirst() {
	w.Type, w.New = Deleted, nil
	if d, ok := w.Old.(deletedIn); ok {
		w.Old, w.Partition = d.old, d.partition
	}
}

// split returns the notifications that a handler is called for: one, or two if an object was recreated in another partition.
func (w *waiting) split() []Notification {
	d, ok := w.Old.(deletedIn)
	if !ok {
		return []Notification{w.Notification}
	}
	return []Notification{
		{Key: w.Key, Old: d.old, Type: Deleted, Partition: d.partition},
		{Key: w.Key, New: w.New, Type: Added, Partition: w.Partition},
	}
}

// lose adds the keys of another notification of type Lost.
func (w *waiting) lose(n *Notification) {
	before, _ := w.Old.([]string)
	more, _ := n.Old.([]string)
	w.Old = slices.Concat(before, more)
}
