package fanout

import "math"

// Next returns the number of the notification that is appended next.
func (log *Log) Next() uint64 {
	log.mu.Lock()
	defer log.mu.Unlock()
	return log.last.end()
}

// Delivered returns a number such that all listeners have delivered every notification with a smaller one. It may be smaller
// than it could be. It is the largest number there is if there are no listeners.
func (log *Log) Delivered() uint64 {
	log.mu.Lock()
	defer log.mu.Unlock()
	return log.delivered()
}

func (log *Log) delivered() uint64 {
	number := uint64(math.MaxUint64)
	for _, l := range log.listeners {
		number = min(number, l.delivered())
	}
	return number
}

// AllDelivered reports whether all listeners have delivered everything. It may return false for a moment longer than need be.
func (log *Log) AllDelivered() bool {
	log.mu.Lock()
	defer log.mu.Unlock()
	return log.delivered() >= log.last.end()
}

// Undelivered reports whether a listener may have undelivered notifications of a key.
func (log *Log) Undelivered(key string) bool {
	log.mu.Lock()
	defer log.mu.Unlock()
	for _, l := range log.listeners {
		if l.undelivered(key) {
			return true
		}
	}
	return false
}

// current is what a listener is delivering.
type current struct {
	kind   currentKind
	number uint64 // of the notification, or of the first one of the batch
	key    string // of the notification
}

type currentKind uint8

const (
	nothing currentKind = iota
	oneNotification
	oneBatch
)

// delivered returns a number such that every notification with a smaller one has been delivered.
func (l *Listener) delivered() uint64 {
	if l.stopped.Load() {
		return math.MaxUint64
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.replay != nil {
		return 0
	}
	number := l.next.Load()
	if l.coalescing.Load() {
		number = l.batch.end()
		if l.backlog.len() > 0 {
			number = l.backlog.front().number
		}
	}
	switch l.current.kind {
	case oneNotification:
		return min(number, l.current.number)
	case oneBatch:
		if number > 0 {
			number-- // the call has begun, and may not have returned
		}
		if l.coalescing.Load() {
			return min(number, l.current.number)
		}
	}
	return number
}

// undelivered reports whether there may be undelivered notifications of a key.
func (l *Listener) undelivered(key string) bool {
	if l.stopped.Load() {
		return false
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.coalescing.Load() || l.replay != nil || l.current.kind == oneBatch {
		return true
	}
	return l.backlog.has(key) || l.current.kind == oneNotification && l.current.key == key
}
