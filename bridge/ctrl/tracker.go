package ctrl

import (
	"sync"
	"time"

	"vedette.dev/controller"
)

// tracker remembers what a controller did last, by what it does with its queue: it calls Forget after a success, adds a key with a
// back-off after a failure, and does neither after a terminal error. A Reconciler knows more, and also the errors.
type tracker[T comparable] struct {
	mu      sync.Mutex
	running map[T]*run
	// last has the reconciles that ended last. When it is full, next is the oldest, which is overwritten.
	last []ended[T]
	next int
	// errors has the keys that fail, with the text of the last error.
	// Invariant: there are at most maxErrors.
	errors map[T]string
}

// run is a reconcile that has not ended.
type run struct {
	began   time.Time
	outcome outcome
	exact   bool // the outcome is that of a Reconciler
}

// ended is a reconcile that has ended.
type ended[T comparable] struct {
	key     T
	at      time.Time
	took    time.Duration
	outcome outcome
}

// outcome is how a reconcile ended.
type outcome uint8

const (
	terminal outcome = iota
	succeeded
	requeuedAfter
	requeued // by a Result with Requeue
	failed
	failedOrRequeued
)

var outcomes = [...]string{"terminal error", "success", "requeue after", "requeue", "error", "error, or requeue"}

// maxEnded is the number of reconciles that are remembered, maxErrors that of keys whose last error is.
const maxEnded, maxErrors = 1024, 1024

func newTracker[T comparable]() *tracker[T] {
	return &tracker[T]{running: map[T]*run{}, errors: map[T]string{}}
}

// began is called when a worker has taken a key.
func (t *tracker[T]) began(key T) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.running[key] = &run{began: time.Now()}
}

// saw records a call of the queue for a key, if a worker has it.
func (t *tracker[T]) saw(key T, what outcome) {
	t.mu.Lock()
	defer t.mu.Unlock()
	r := t.running[key]
	if r == nil || r.exact || what == requeuedAfter && r.outcome != succeeded { // an event may delay a key, too
		return
	}
	r.outcome = what
}

// reconciled notes the outcome that a Reconciler has seen.
func (t *tracker[T]) reconciled(key T, what outcome, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if r := t.running[key]; r != nil {
		r.outcome, r.exact = what, true
	}
	if err == nil {
		delete(t.errors, key)
		return
	}
	if _, known := t.errors[key]; known || len(t.errors) < maxErrors {
		t.errors[key] = err.Error()
	}
}

// done is called when a worker has returned a key.
func (t *tracker[T]) done(key T) {
	t.mu.Lock()
	defer t.mu.Unlock()
	r := t.running[key]
	if r == nil {
		return
	}
	delete(t.running, key)
	now := time.Now()
	e := ended[T]{key, now, now.Sub(r.began), r.outcome}
	if len(t.last) < maxEnded {
		t.last = append(t.last, e)
		return
	}
	t.last[t.next] = e
	t.next = (t.next + 1) % maxEnded
}

// history returns the reconciles of a key that are remembered, oldest first, how the last of them ended, and the last error.
func (t *tracker[T]) history(key T) (records []controller.Record, last outcome, lastError string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for i := range t.last {
		if e := &t.last[(t.next+i)%len(t.last)]; e.key == key {
			records = append(records, controller.Record{At: e.at, Event: outcomes[e.outcome], Reconciled: true, Took: e.took})
			last = e.outcome
		}
	}
	return records, last, t.errors[key]
}

// find returns a key that is remembered, by its text.
func (t *tracker[T]) find(is func(T) bool) (key T, ok bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for i := range t.last {
		if is(t.last[i].key) {
			return t.last[i].key, true
		}
	}
	return key, false
}
