package cache

import "time"

// status is what State and LastSyncResourceVersion return. It is guarded by the lock of the reflector.
type status struct {
	state State // without Name, Type and ResourceVersion
	// version is the last one that the store has been given.
	version string
	// unavailable says that the server does not have version, or no longer.
	unavailable bool
	// unread is an object that could not be decoded and has not been seen in a better state since.
	unread *UndecodableError
	// unreadSince is when the first of them was met.
	unreadSince time.Time
	// fresh says that events have come since LastEvent was last set.
	fresh bool
	// logged is the kind of failure that the logger was last told of, empty if all was well since.
	logged string
}

// State returns what the reflector is doing.
func (r *Reflector) State() State {
	r.mu.Lock()
	defer r.mu.Unlock()
	s := r.state
	s.Name, s.Type, s.ResourceVersion = r.name, r.typeDescription, r.version
	if s.Cause == nil && r.unread != nil {
		s.Cause, s.Failing = r.unread, r.unreadSince
	}
	return s
}

// LastSyncResourceVersion returns the last version that the store was given.
func (r *Reflector) LastSyncResourceVersion() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.version
}

// listVersion returns the version that a list must be at least as new as.
func (r *Reflector) listVersion() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case r.unavailable:
		return "" // whatever is newest, from the database
	case r.version == "":
		return "0" // whatever a server has in its memory
	}
	return r.version
}

// streamVersion returns the version that a streaming list must be at least as new as.
func (r *Reflector) streamVersion() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.unavailable {
		return ""
	}
	return r.version
}

func (r *Reflector) setUnavailable() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.unavailable = true
}

// enter notes what the reflector does from now on.
func (r *Reflector) enter(p Phase) {
	now := r.clock.Now()
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.state.Phase != p {
		r.state.Phase, r.state.Since = p, now
	}
	r.state.Until = time.Time{}
}

// asked counts a request.
func (r *Reflector) asked(lists, watches uint64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.state.Lists += lists
	r.state.Watches += watches
}

func (r *Reflector) enterBackOff(delay time.Duration) {
	now := r.clock.Now()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.state.Phase, r.state.Since, r.state.Until = PhaseBackingOff, now, now.Add(delay)
}

// failing notes one failure more.
func (r *Reflector) failing(err error) {
	now := r.clock.Now()
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.state.Cause == nil {
		r.state.Failing, r.state.Failures = now, 0
	}
	r.state.Cause = err
	r.state.Failures++
}

// reassured takes a failure back that was none.
func (r *Reflector) reassured(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.state.Cause == err {
		r.state.Cause, r.state.Failing, r.state.Failures = nil, time.Time{}, 0
	}
}

// thriving notes that what was wrong is over.
func (r *Reflector) thriving() {
	r.mu.Lock()
	recovered := r.recover()
	r.mu.Unlock()
	if recovered {
		r.logRecovery()
	}
}

// recover is called under the lock, and reports whether the recovery is to be logged.
func (r *Reflector) recover() bool {
	r.state.Cause, r.state.Failing, r.state.Failures = nil, time.Time{}, 0
	if r.logged == "" || r.unread != nil {
		return false
	}
	r.logged = ""
	return true
}

// listed notes that a whole new state is in the store.
func (r *Reflector) listed(version string, unread *UndecodableError) {
	now := r.clock.Now()
	r.mu.Lock()
	r.version, r.unavailable = version, false
	first := !r.state.Synced
	r.state.Synced, r.state.LastEvent = true, now
	if unread != nil && r.unread == nil {
		r.unreadSince = now
	}
	r.unread = unread
	recovered := r.recover()
	r.mu.Unlock()
	switch {
	case recovered:
		r.logRecovery()
	case first:
		r.logger.V(2).Info("The first list is complete", "type", r.typeDescription, "version", version)
	}
}

// resumed notes that the store has a whole state already.
func (r *Reflector) resumed(version string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.version = version
	r.state.Synced = true
}

// came notes an event that is not for the store, or not yet.
func (r *Reflector) came() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.state.Events++
	r.fresh = true
}

// moved notes that the store has been given an event, and with it a version, unless that is empty.
func (r *Reflector) moved(version string) {
	r.mu.Lock()
	if version != "" {
		r.version = version
	}
	r.state.Events++
	r.fresh = true
	recovered := r.state.Cause != nil && r.recover()
	r.mu.Unlock()
	if recovered {
		r.logRecovery()
	}
}

// heard sets LastEvent, once for many events of a watch whose objects are decoded: to read the clock for each would cost more than
// the rest.
func (r *Reflector) heard() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.fresh {
		r.state.LastEvent, r.fresh = r.clock.Now(), false
	}
}

// received notes bytes.
func (r *Reflector) received(bytes int) {
	now := r.clock.Now()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.state.Bytes += int64(bytes)
	r.state.LastEvent = now
}
