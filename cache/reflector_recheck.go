package cache

import "time"

// recheck is when to look again at objects that could not be decoded. Nobody tells when they can be: it may be the server
// that gets better, and it says nothing about objects that have not changed.
type recheck struct {
	pace backoff
	at   time.Time // zero for never; guarded by the lock of the reflector
}

// recheckLater notes whether there is something to look at again, after a new state or an event.
func (r *Reflector) recheckLater(needed bool) {
	if !needed {
		r.recheck.pace.forget()
		r.setRecheck(time.Time{})
		return
	}
	r.setRecheck(r.clock.Now().Add(r.recheck.pace.next()))
}

func (r *Reflector) setRecheck(at time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.recheck.at = at
}

// dueForRecheck returns how long it is until the next look, and whether there is to be one.
func (r *Reflector) dueForRecheck() (time.Duration, bool) {
	now := r.clock.Now()
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.recheck.at.Sub(now), !r.recheck.at.IsZero()
}
