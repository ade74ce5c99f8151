package workqueue

import "sync/atomic"

// intake is where new keys of a delayer wait to be put among very many others, until there are several of them or until
// somebody looks. The place of each is then far away in memory: for several at once the processor fetches them side by
// side, one by one it would wait for each. And those who add need not wait for those who deliver.
//
// It is closed as long as there are not so many keys, all of which fit into a cache: two locks would cost more than one.
type intake[T comparable] struct {
	// open tells producers to come here. It changes under the delayer's lock; a producer that comes late is welcome.
	open   atomic.Bool
	openAt int // so many keys wait; it is closed again below half of that
	// next is a time before which there is no wake-up, neither here nor among those that wait. It changes under mu, so
	// that nobody who puts it off misses a key that comes at the same moment, and is read without.
	next atomic.Int64
	// some: adds is not empty. It is for those who hold the delayer's lock.
	some atomic.Bool

	// mu may be taken while the delayer's lock is held, not the other way round.
	mu     briefLock
	adds   []delayedAdd[T]
	due    int64           // none of adds is due before
	count  uint32          // of all adds ever
	ended  bool            // the delayer takes no more keys
	second []delayedAdd[T] // memory for adds while the first is read; belongs to whoever holds the delayer's lock
}

type delayedAdd[T comparable] struct {
	item     T
	hash     uint64
	due      int64
	priority int32
}

const (
	intakeSize = 64
	// intakeEnough is how many are worth to be put among the others, if nobody else is there at the moment.
	intakeEnough = 32
	// openIntake is the number of keys that wait from which on new ones go to the intake.
	openIntake = 1 << 14
)

func (in *intake[T]) init() {
	in.openAt, in.due = openIntake, never
	in.next.Store(never)
}

// accepted is what became of a key.
type accepted struct {
	ended, full bool // it was not taken
	first       bool // it is due before all others
	enough      bool // there are enough of them to be taken out
	count       uint32
}

// put takes a key. If there are too many, they have to be taken out first.
func (in *intake[T]) put(add *delayedAdd[T]) (got accepted) {
	in.mu.lockToAdd()
	defer in.mu.Unlock()
	if got.ended, got.full = in.ended, len(in.adds) == intakeSize; got.ended || got.full {
		return got
	}
	if in.adds == nil {
		in.adds = make([]delayedAdd[T], 0, intakeSize)
	}
	in.adds = append(in.adds, *add)
	in.due = min(in.due, add.due)
	in.count++
	if len(in.adds) == 1 {
		in.some.Store(true)
	}
	if add.due < in.next.Load() {
		in.next.Store(add.due)
		got.first = true
	}
	got.enough, got.count = len(in.adds) >= intakeEnough, in.count
	return got
}

// take hands out the keys that are here. The caller holds the delayer's lock, and gives their memory back with recycle.
func (in *intake[T]) take() []delayedAdd[T] {
	in.mu.lockToAdd()
	defer in.mu.Unlock()
	adds := in.adds
	in.adds, in.second = in.second, nil
	in.due = never
	in.some.Store(false)
	return adds
}

func (in *intake[T]) recycle(adds []delayedAdd[T]) {
	clear(adds)
	in.second = adds[:0]
}

// setNext makes known when the next wake-up is among those that wait, and tells when it is among all.
func (in *intake[T]) setNext(next int64) int64 {
	in.mu.lockToAdd()
	defer in.mu.Unlock()
	next = min(next, in.due)
	in.next.Store(next)
	return next
}

// shut sends producers elsewhere and gives memory back. The caller holds the delayer's lock.
func (in *intake[T]) shut() {
	in.open.Store(false)
	in.mu.lockToAdd()
	defer in.mu.Unlock()
	in.second = nil
	if len(in.adds) == 0 {
		in.adds = nil
	}
}

// end refuses keys from now on and drops those that are here.
func (in *intake[T]) end() {
	in.mu.lockToAdd()
	defer in.mu.Unlock()
	in.ended = true
	in.adds, in.second, in.due = nil, nil, never
	in.some.Store(false)
	in.next.Store(never)
}
