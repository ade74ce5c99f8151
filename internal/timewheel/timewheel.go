// Package timewheel keeps small numbers (slots) in the order of their due times, for very many of them.
//
// A heap of a million timers misses the cache at each level of each removal. Here a timer that is not due soon lies in
// an unordered bucket, where putting it in and taking it out cost the same whatever the number; only those of the
// current millisecond are in a heap, which is small and gives them out in exact order.
//
// A Wheel is not safe for concurrent use and has no clock: time comes in as a number of nanoseconds, never negative.
package timewheel

import (
	"math"
	"math/bits"
)

const (
	widthBits = 20 // a bucket of level 0 is 2^20 ns wide, about a millisecond
	width     = 1 << widthBits
	digitBits = 6 // 64 buckets a level, each as wide as the whole level below
	buckets   = 1 << digitBits
	levels    = 8 // enough for every int64
)

// Never is the answer of Next when the wheel is empty.
const Never = math.MaxInt64

// Wheel holds each slot at most once.
//
// A due time is read as a row of digits, one a level. A slot lies in the level of the highest digit in which its due
// time differs from the horizon, in the bucket of that digit. Buckets are opened in the order of time, and what is in
// them moves at least one level down.
type Wheel struct {
	timers Timers
	// Invariant: near holds the slots that are due before the horizon, and cells of slots that are gone.
	near    nearHeap
	horizon int64 // a multiple of width, or Never
	levels  [levels]level
	n       int
}

// Timers is where the timers of the slots are: beside whatever else is known of them, so that one look into memory
// finds both. A timer must stay where it is while its slot is in the wheel. The wheel may ask for a slot that it held
// some time ago and that is gone: the answer is nil.
type Timers interface {
	Timer(slot uint32) *Timer
}

// Timer is what the wheel knows of a slot. The zero value is one that is in no wheel.
type Timer struct {
	due        int64
	prev, next uint32 // neighbours in the bucket, plus one; in near, prev is the sequence number of the cell
	place      uint16
}

type level struct {
	// used has bit b set if and only if bucket b is not empty.
	used    uint64
	buckets [buckets]list
}

// list is a queue of slots, plus one each, linked through their timers: first in, first out, so that slots with equal
// due times keep their order.
type list struct{ head, tail uint32 }

// A timer's place is one of these, or inLevels + level·buckets + bucket.
const (
	absent uint16 = iota
	inNear
	inLevels
)

// New returns an empty wheel.
func New(timers Timers) Wheel { return Wheel{timers: timers} }

// Due tells when a timer is due, and whether it is in a wheel.
func (t *Timer) Due() (int64, bool) { return t.due, t.place != absent }

// Len is the number of slots.
func (w *Wheel) Len() int { return w.n }

// Set makes a slot due at a time, behind all that are due at the same: a new one enters, a known one moves.
func (w *Wheel) Set(slot uint32, due int64) {
	t := w.timers.Timer(slot)
	w.take(t)
	t.due = due
	w.place(slot, t)
	w.n++
}

// Remove takes a slot out, if it is there.
func (w *Wheel) Remove(slot uint32) { w.take(w.timers.Timer(slot)) }

func (w *Wheel) take(t *Timer) {
	switch t.place {
	case absent:
		return
	case inNear: // its cell is passed over
	default:
		w.unlink(t)
	}
	*t = Timer{}
	w.n--
}

// Next is a time before which nothing is due: exact for what is due within the current millisecond, else a little early.
func (w *Wheel) Next() int64 {
	if c, ok := w.nearest(); ok {
		return c.due
	}
	if l, b, ok := w.first(); ok {
		return w.start(l, b)
	}
	return Never
}

// Pop takes out the slot that is due first, if it is due at now or before.
func (w *Wheel) Pop(now int64) (slot uint32, ok bool) {
	w.Advance(now)
	c, ok := w.nearest()
	if !ok || c.due > now {
		return 0, false
	}
	w.near.pop()
	*w.timers.Timer(c.slot) = Timer{}
	w.n--
	return c.slot, true
}

// nearest is the first cell of near whose slot is still there.
func (w *Wheel) nearest() (cell, bool) {
	for len(w.near.cells) > 0 {
		c := w.near.cells[0]
		if w.n > 0 && w.holds(c) {
			return c, true
		}
		w.near.pop()
	}
	return cell{}, false
}

func (w *Wheel) holds(c cell) bool {
	t := w.timers.Timer(c.slot)
	return t != nil && t.place == inNear && t.prev == c.seq
}

// Advance opens the buckets whose time has come. Pop does so itself; to call it before Set, too, saves the way of a
// timer through buckets of the past when the wheel has been idle.
func (w *Wheel) Advance(now int64) {
	for now >= w.horizon {
		l, b, ok := w.first()
		if !ok || w.start(l, b) > now {
			if !ok { // nothing is left that could end up behind the horizon
				w.horizon = behind(now &^ (width - 1))
			}
			return
		}
		w.open(l, b)
	}
}

// behind is the end of a bucket of level 0. The last one there is ends at Never: then everything is near.
func behind(start int64) int64 {
	if start > Never-width {
		return Never
	}
	return start + width
}

// open moves the slots of a bucket to where they belong when the horizon has come to it.
func (w *Wheel) open(l, b int) {
	w.horizon = max(w.horizon, w.start(l, b))
	if l == 0 {
		w.horizon = behind(w.horizon)
	}
	bucket := &w.levels[l].buckets[b]
	slot := bucket.head
	*bucket = list{}
	w.levels[l].used &^= 1 << b
	for slot != 0 {
		t := w.timers.Timer(slot - 1)
		next := t.next
		w.place(slot-1, t)
		slot = next
	}
}

// place puts a slot where its due time belongs.
func (w *Wheel) place(slot uint32, t *Timer) {
	if t.due < w.horizon {
		t.place = inNear
		t.prev, t.next = w.near.push(slot, t.due), 0
		return
	}
	l := max(bits.Len64(uint64(t.due^w.horizon))-1-widthBits, 0) / digitBits
	b := int(t.due>>(widthBits+l*digitBits)) & (buckets - 1)
	bucket := &w.levels[l].buckets[b]
	t.place = inLevels + uint16(l*buckets+b)
	t.prev, t.next = bucket.tail, 0
	if bucket.tail != 0 {
		w.timers.Timer(bucket.tail - 1).next = slot + 1
	} else {
		bucket.head = slot + 1
		w.levels[l].used |= 1 << b
	}
	bucket.tail = slot + 1
}

// unlink takes a timer out of its bucket.
func (w *Wheel) unlink(t *Timer) {
	l, b := int(t.place-inLevels)/buckets, int(t.place-inLevels)%buckets
	bucket := &w.levels[l].buckets[b]
	if t.prev != 0 {
		w.timers.Timer(t.prev - 1).next = t.next
	} else {
		bucket.head = t.next
	}
	if t.next != 0 {
		w.timers.Timer(t.next - 1).prev = t.prev
	} else {
		bucket.tail = t.prev
	}
	if bucket.head == 0 {
		w.levels[l].used &^= 1 << b
	}
}

// first is the bucket whose time comes first. It is not always in the lowest level: when the horizon has just entered
// a bucket of a higher one, that has to be opened before anything else.
func (w *Wheel) first() (l, b int, ok bool) {
	at := int64(Never)
	for level := range w.levels {
		if used := w.levels[level].used; used != 0 {
			bucket := bits.TrailingZeros64(used)
			if start := w.start(level, bucket); !ok || start <= at {
				at, l, b, ok = start, level, bucket, true
			}
		}
	}
	return l, b, ok
}

// start is the time at which a bucket begins: the digits of the horizon above its level, its own, and zeros.
func (w *Wheel) start(l, b int) int64 {
	shift := widthBits + l*digitBits
	above := uint64(w.horizon) >> shift >> digitBits << digitBits
	return int64((above | uint64(b)) << shift)
}
