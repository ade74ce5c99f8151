package workqueue

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// briefLock is a mutex for critical sections that are much shorter than it takes to park a goroutine.
//
// As long as there is little to do it is a sync.Mutex that tries a moment longer before it parks. At full speed, when
// producers and workers do nothing but add and take, a transfer of the lock and its data between two cores costs more
// than the work under it, and parking goroutines costs more than both. Then whoever finds it taken stays away for a
// while and lets the holder do many rounds in its own cache. Producers come back sooner than workers: while a worker
// stays away, adds of the same key merge, which is what the queue is for, and event handlers do not wait. When the line
// has grown long it is the other way round: more keys would only fall out of the cache. And while very many keys are
// delayed, which are in no cache anyway, workers let the one who delays them run instead of staying away.
//
// A rate limiter of this package and its queue share one lock, though neither calls the other: with a lock for each, two
// workers would meet at one after the other and move all of their data to and fro. It is never taken twice. The delayer
// has a lock of its own: those who delay keys and those who work on them are not the same at the same time.
type briefLock struct {
	mu sync.Mutex
	// busy: the queue works at full speed. crowded: its line is long.
	busy, crowded atomic.Bool
	// delaying: somebody delays very many keys, and could do so instead of those who stay away.
	delaying atomic.Bool
}

// patience says how long to stay away, in turns of an empty loop, some three to the nanosecond: at first, and at most.
type patience struct{ first, most int }

var (
	eager   = patience{1 << 7, 1 << 13}      // 50 ns to 3 µs
	patient = patience{1 << 18, 1 << 20}     // 90 to 360 µs
	polite  = patience{yieldFrom, yieldFrom} // 1.4 µs, and each time others may run
)

const (
	yieldFrom = 1 << 12 // from this wait on, other goroutines may run
	maxTries  = 1000    // before parking
	// standBackTurns of yieldFrom are some 20 µs.
	standBackTurns = 14
)

// Lock locks for a worker, or for anybody else who is no producer.
func (l *briefLock) Lock() {
	if !l.mu.TryLock() {
		l.lockSlow(l.crowded.Load())
	}
}

// lockToAdd locks for a producer.
func (l *briefLock) lockToAdd() {
	if !l.mu.TryLock() {
		l.lockSlow(!l.crowded.Load())
	}
}

// standBack lets workers have the lock for a while, if they are at full speed and the line is long.
func (l *briefLock) standBack() {
	for range standBackTurns {
		if !l.busy.Load() || !l.crowded.Load() {
			return
		}
		spin(yieldFrom)
		runtime.Gosched()
	}
}

// tryLock locks if that is possible without waiting.
func (l *briefLock) tryLock() bool { return l.mu.TryLock() }

// lockAtLeisure locks for a goroutine that has nothing else to do and may as well be parked.
func (l *briefLock) lockAtLeisure() { l.mu.Lock() }

func (l *briefLock) Unlock() { l.mu.Unlock() }

func (l *briefLock) lockSlow(first bool) {
	p := l.patience(first)
	wait := p.first
	for range maxTries {
		spin(wait)
		if l.mu.TryLock() {
			return
		}
		wait = min(2*wait, p.most)
		if wait >= yieldFrom {
			runtime.Gosched()
		}
	}
	l.mu.Lock()
}

func (l *briefLock) patience(first bool) patience {
	switch {
	case !l.busy.Load():
		return patience{}
	case first:
		return eager
	case l.delaying.Load():
		return polite
	}
	return patient
}

// spin waits without a look at the lock, which would take its cache line from the holder.
func spin(turns int) {
	for range turns {
	}
}

// locker is a rate limiter of this package with a lock that a queue can share.
type locker interface{ lock() *briefLock }

// lockOf is the lock of a rate limiter, or a new one.
func lockOf(limiter any) *briefLock {
	if l, ok := limiter.(locker); ok {
		return l.lock()
	}
	return new(briefLock)
}
