// Package timewheel keeps small numbers (slots) in the order of their due times, for very many of them.
//
// A heap of a million timers misses the cache at each level of each removal. Here a timer that is not due soon has a
// cell in an unordered bucket, where putting it in costs the same whatever the number; only the cells of the next few
// microseconds are kept in exact order. A cell knows all that is needed to move it on, so that the timer itself is looked
// at only when it is set and when it is due.
//
// A Wheel is not safe for concurrent use and has no clock: time comes in as a number of nanoseconds, never negative.
package timewheel

import (
	"math"
	"math/bits"
)

const (
	widthBits = 14 // a bucket of level 0 is 2^14 ns wide, about 16 µs
	width     = 1 << widthBits
	digitBits = 6 // 64 buckets a level, each as wide as the whole level below
	buckets   = 1 << digitBits
	levels    = 9 // enough for every int64
)

// Never is the answer of Next when the wheel is empty.
const Never = math.MaxInt64

// Wheel holds each slot at most once.
//
// A due time is read as a row of digits, one a level. A cell lies in the level of the highest digit in which its due
// time differs from the horizon, in the bucket of that digit. Buckets are opened in the order of time, and what is in
// them moves at least one level down.
type Wheel struct {
	timers Timers
	// Invariant: near holds the cells that are due before the horizon.
	near    near
	horizon int64 // a multiple of width, or Never
	levels  [levels]level
	spare   spareChunks
	seq     uint32 // of the last cell
	n       int
	// stale counts the cells whose timer has gone elsewhere. They are left in place, and passed over when they come up.
	stale int
}

// Timers is where the timers of the slots are: beside whatever else is known of them, so that one look into memory
// finds both. A timer must stay where it is while its slot is in the wheel. The wheel may ask for a slot that it held
// some time ago and that is gone: the answer is nil.
type Timers interface {
	Timer(slot uint32) *Timer
}

// Timer is what the wheel knows of a slot. The zero value is one that is in no wheel.
type Timer struct {
	due int64
	seq uint32 // of its cell; zero if it has none
}

// cell stands for a timer in near or in a bucket.
type cell struct {
	due  int64
	seq  uint32
	slot uint32
}

type level struct {
	// used has bit b set if and only if bucket b has cells.
	used    uint64
	buckets [buckets]bucket
}

// New returns an empty wheel.
func New(timers Timers) Wheel { return Wheel{timers: timers} }

// Due tells when a timer is due, and whether it is in a wheel.
func (t *Timer) Due() (int64, bool) { return t.due, t.seq != 0 }

// Len is the number of slots.
func (w *Wheel) Len() int { return w.n }

// Set makes a slot due at a time, behind all that are due at the same: a new one enters, a known one moves.
func (w *Wheel) Set(slot uint32, due int64) {
	t := w.timers.Timer(slot)
	w.take(t)
	if w.seq++; w.seq == 0 {
		w.seq = 1
	}
	t.due, t.seq = due, w.seq
	w.place(cell{due: due, seq: w.seq, slot: slot})
	w.n++
	w.tidy()
}

// Remove takes a slot out, if it is there.
func (w *Wheel) Remove(slot uint32) {
	w.take(w.timers.Timer(slot))
	w.tidy()
}

func (w *Wheel) take(t *Timer) {
	if t.seq != 0 {
		*t = Timer{}
		w.n--
		w.stale++
	}
}

// Next is a time before which nothing is due: a little early only if the slot that was due first has been taken out.
func (w *Wheel) Next() int64 {
	if c, ok := w.nearest(); ok {
		return c.due
	}
	next := int64(Never)
	for l := range w.levels {
		if used := w.levels[l].used; used != 0 {
			next = min(next, w.levels[l].buckets[bits.TrailingZeros64(used)].min)
		}
	}
	return next
}

// nearest is the first cell of near whose slot is still there.
func (w *Wheel) nearest() (cell, bool) {
	for w.near.len() > 0 {
		if c := w.near.first(); w.holds(c) {
			return c, true
		}
		w.near.pop()
		w.stale--
	}
	return cell{}, false
}

func (w *Wheel) holds(c cell) bool { return w.timers.Timer(c.slot).is(c) }

// is tells whether a cell stands for the timer, which may be nil.
func (t *Timer) is(c cell) bool { return t != nil && t.seq == c.seq && t.due == c.due }

// popAtOnce is how many cells PopDue takes at a time.
const popAtOnce = 64

// PopDue takes out the slots that are due at now or before, in the order of their due times, as many as there is room
// for, and returns how many those are.
func (w *Wheel) PopDue(now int64, slots []uint32) (n int) {
	var due [popAtOnce]cell
	for n < len(slots) {
		for w.near.len() < popAtOnce && w.step(now) {
		}
		some := w.popCells(now, due[:min(popAtOnce, len(slots)-n)])
		if len(some) == 0 {
			break
		}
		// In a loop of its own, so that the processor fetches many timers at once and not one after the other.
		for _, c := range some {
			t := w.timers.Timer(c.slot)
			if !t.is(c) {
				w.stale--
				continue
			}
			*t = Timer{}
			w.n--
			slots[n] = c.slot
			n++
		}
	}
	w.tidy()
	w.recycle(nil) // fewer cells are here than before
	return n
}

// popCells takes cells that are due out of near, without a look at their timers.
func (w *Wheel) popCells(now int64, into []cell) []cell {
	n := 0
	for n < len(into) && w.near.len() > 0 {
		c := w.near.first()
		if c.due > now {
			break
		}
		w.near.pop()
		into[n] = c
		n++
	}
	return into[:n]
}

// Advance opens the buckets whose time has come. PopDue does so itself, as far as it needs to; to call it before Set, too,
// saves the way of a timer through buckets of the past when the wheel has been idle.
func (w *Wheel) Advance(now int64) {
	for w.step(now) {
	}
}

// step opens the first bucket whose time has come, and tells whether there was one.
func (w *Wheel) step(now int64) bool {
	if now < w.horizon {
		return false
	}
	l, b, ok := w.first()
	if !ok || w.start(l, b) > now {
		// Nothing is left before the end of the present bucket of level 0.
		w.horizon = behind(now &^ (width - 1))
		return false
	}
	w.open(l, b)
	return true
}

// behind is the end of a bucket of level 0. The last one there is ends at Never: then everything is near.
func behind(start int64) int64 {
	if start > Never-width {
		return Never
	}
	return start + width
}

// open moves the cells of a bucket to where they belong when the horizon has come to it.
func (w *Wheel) open(l, b int) {
	w.horizon = max(w.horizon, w.start(l, b))
	chunks := w.detach(l, b)
	if l == 0 { // all of them become near
		w.horizon = behind(w.horizon)
		w.near.extend(chunks)
	} else {
		chunks.each(w.place)
	}
	w.recycle(chunks)
}

// recycle takes the memory of a bucket into use again: what was in it most likely goes to another one.
func (w *Wheel) recycle(chunks *chunk) { w.spare.putAll(chunks, keepChunks+w.n/chunkCells) }

// detach takes all cells out of a bucket.
func (w *Wheel) detach(l, b int) *chunk {
	chunks := w.levels[l].buckets[b].first
	w.levels[l].buckets[b] = bucket{}
	w.levels[l].used &^= 1 << b
	return chunks
}

// place puts a cell where its due time belongs.
func (w *Wheel) place(c cell) {
	if c.due < w.horizon {
		w.near.push(c)
		return
	}
	l := max(bits.Len64(uint64(c.due^w.horizon))-1-widthBits, 0) / digitBits
	b := int(c.due>>(widthBits+l*digitBits)) & (buckets - 1)
	w.levels[l].buckets[b].add(c, &w.spare)
	w.levels[l].used |= 1 << b
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

// tidy drops the stale cells when they are most of all, so that what is set and taken out again and again does not pile
// up, and at once when there are no others.
func (w *Wheel) tidy() {
	if w.stale == 0 || w.n > 0 && w.stale <= w.n+keepCells {
		return
	}
	var cells []cell
	if w.n > 0 {
		cells = w.near.all()
	}
	w.near.clear()
	for _, c := range cells {
		w.keep(c)
	}
	for l := range w.levels {
		for used := w.levels[l].used; used != 0; used &= used - 1 {
			chunks := w.detach(l, bits.TrailingZeros64(used))
			chunks.each(w.keep)
			w.recycle(chunks)
		}
	}
	w.stale = 0
}

// keep puts a cell back that is not stale.
func (w *Wheel) keep(c cell) {
	if w.n > 0 && w.holds(c) { // else there is no need to look
		w.place(c)
	}
}
