package cache

import "slices"

// backlog is what waits for a handler that has fallen behind: for each key, at most one notice, which tells of all that
// has happened since the handler last heard of it. The zero value is empty. It has no lock.
//
// Keys are handed out in the order in which they first changed. What a handler has never heard of and is gone again is
// left out, so that even objects that come and go for ever take no room.
type backlog struct {
	// Invariant: a key is in places if and only if a waiting notice in the ring has it, and the place is that of the notice.
	places lookup[uint64]
	// ring has the notices with the places from head on; one that was left out is empty.
	ring ring[waiting]
	// left is how many places are empty.
	left int
}

// waiting is a notice in a backlog.
type waiting struct {
	notice
	// number is that of the first notice that went into this one, and at when it was written, in the time of the log.
	number uint64
	at     int64
}

func (b *backlog) len() int { return b.ring.len() - b.left }

// add takes a notice, and tells whether it was merged with one that waits.
func (b *backlog) add(n *notice, number uint64, at int64) (merged bool) {
	if n.what == lost {
		n = b.lose(n)
	}
	if place, ok := b.places.m[n.key]; ok {
		w := b.ring.at(place)
		if !w.merge(n) {
			b.drop(place)
		}
		return true
	}
	if b.places.m == nil {
		b.places = newLookup[uint64](0)
	}
	b.places.put(n.key, b.ring.push(waiting{notice: *n, number: number, at: at}))
	return false
}

// lose takes out what waits of keys that are lost, and returns the notice without those that the handler will not know then.
func (b *backlog) lose(n *notice) *notice {
	keys, _ := n.old.([]string)
	known := make([]string, 0, len(keys))
	for _, key := range keys {
		place, waits := b.places.m[key]
		if !waits {
			known = append(known, key)
			continue
		}
		switch w := b.ring.at(place); w.what {
		case added:
			b.drop(place) // the handler has not heard of it
		case recreated:
			w.what, w.new = deleted, nil // it knows the one before
		case deleted:
		default:
			b.drop(place)
			known = append(known, key)
		}
	}
	left := *n
	left.old = known
	return &left
}

// drop leaves a notice out.
func (b *backlog) drop(place uint64) {
	w := b.ring.at(place)
	b.places.remove(w.key)
	*w = waiting{notice: notice{what: vacant}}
	b.left++
	b.trim()
}

// trim takes empty places away from the front, so that the front is a notice if there is any.
func (b *backlog) trim() {
	for b.ring.len() > 0 && b.ring.front().what == vacant {
		b.ring.pop()
		b.left--
	}
	if b.left > 64 && b.left > b.ring.len()/2 {
		b.compact()
	}
}

// compact closes the gaps.
func (b *backlog) compact() {
	var packed ring[waiting]
	for b.ring.len() > 0 {
		if w := b.ring.pop(); w.what != vacant {
			b.places.m[w.key] = packed.push(w)
		}
	}
	b.ring, b.left = packed, 0
}

// front returns the notice that waits longest, which there is.
func (b *backlog) front() *waiting { return b.ring.front() }

func (b *backlog) pop() waiting {
	w := b.ring.pop()
	b.places.remove(w.key)
	b.trim()
	return w
}

// merge makes the notice tell also of the next one of its key. It returns false if there is nothing left to tell.
//
// What the handler knows is in old: nothing if it was added. What a handler knows never turns into an object with
// another UID without a deletion in between, since notices do not.
func (w *waiting) merge(n *notice) bool {
	switch {
	case n.what == lost:
		w.lose(n)
	case n.what == deleted && w.what == added:
		return false
	case n.what == deleted && w.what == recreated:
		// The handler never heard of the second object, and of the first it knows the deletion.
		w.what, w.new = deleted, nil
	case n.what == deleted:
		w.what, w.old, w.new, w.sync = deleted, n.old, nil, false
	case n.what == added && w.what == deleted:
		w.what, w.new = recreated, n.new
	case n.what == added:
		// Nobody adds what is there; if it happens all the same, the newest state counts.
		w.new = n.new
	default:
		w.new, w.sync = n.new, w.sync && n.sync
	}
	return true
}

// lose adds what another notice says was lost.
func (w *waiting) lose(n *notice) {
	before, _ := w.old.([]string)
	more, _ := n.old.([]string)
	w.old = slices.Concat(before, more)
}
