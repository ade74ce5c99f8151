package listwatch

import (
	"cmp"
	"errors"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// Phase is what a [Reflector] is doing.
type Phase int

// The phases, in the order of those of package cache.
const (
	PhaseIdle Phase = iota
	PhaseListing
	PhaseStreaming
	PhaseWatching
	PhaseBackingOff
	PhaseStopped
)

var phases = [...]string{"idle", "listing", "streaming", "watching", "backing off", "stopped"}

func (p Phase) String() string {
	if p < 0 || int(p) >= len(phases) {
		return fmt.Sprintf("Phase(%d)", int(p))
	}
	return phases[p]
}

// State is what a [Reflector] is doing, how far it is, and its error. Package cache documents the fields under the same
// names.
type State struct {
	Name, Type                 string
	Phase                      Phase
	Since, Until               time.Time
	Cause                      error
	Failing                    time.Time
	Failures                   int
	Synced                     bool
	ResourceVersion            string
	LastEvent                  time.Time
	Events, Lists, Watches     uint64
	Bytes                      int64
	ListsFailed, WatchesFailed FailureCounts
	Undecodable                uint64
	LastUndecodable            *UndecodableError
	Skipped                    uint64
	LastSkipped                error
}

// Err returns nil while the reflector is healthy, and otherwise the error.
func (s *State) Err() error {
	switch {
	case s.Phase == PhaseIdle, s.Phase == PhaseStopped:
		return fmt.Errorf("informer %s (%s) is %s", s.Name, s.Type, s.Phase)
	case s.Cause != nil && (s.Phase != PhaseWatching || s.Failures > 1 || !s.Synced):
		return fmt.Errorf("informer %s (%s) is %s, failing since %s: %w",
			s.Name, s.Type, s.Phase, s.Failing.Format(time.RFC3339), s.Cause)
	case !s.Synced:
		return fmt.Errorf("informer %s (%s) has not synced yet, and is %s", s.Name, s.Type, s.Phase)
	}
	return nil
}

// status is what State and LastSyncResourceVersion return. It is guarded by the lock of the reflector.
type status struct {
	state State // without Name, Type and ResourceVersion
	// version is the last version that was passed to the store.
	version string
	// unavailable means that the server does not have version, or no longer.
	unavailable bool
	// unread is an object that could not be decoded and has not been decoded since.
	unread *UndecodableError
	// unreadSince is when the first of them arrived.
	unreadSince time.Time
	// newer means that events have arrived since LastEvent was last set.
	newer bool
	// logged is the kind of the last logged failure, empty after a recovery.
	logged string
}

// State returns what the reflector is doing.
func (r *Reflector) State() State {
	r.mu.Lock()
	defer r.mu.Unlock()
	s := r.state
	s.Name, s.Type, s.ResourceVersion = r.config.Name, r.config.Type, r.version
	if s.Cause == nil && r.unread != nil {
		s.Cause, s.Failing = r.unread, r.unreadSince
	}
	return s
}

// LastSyncResourceVersion returns the last version that was passed to the store.
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
		return "" // the newest, from etcd
	case r.version == "" && r.config.NotOlder == "":
		return "0" // any version of the watch cache
	}
	return cmp.Or(r.version, r.config.NotOlder)
}

// streamVersion returns the version that a streaming list must be at least as new as.
func (r *Reflector) streamVersion() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.unavailable {
		return ""
	}
	return r.version // if it is empty, the server starts with the newest
}

func (r *Reflector) setUnavailable() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.unavailable = true
}

// enter sets the phase.
func (r *Reflector) enter(p Phase) {
	now := r.config.Clock.Now()
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
	now := r.config.Clock.Now()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.state.Phase, r.state.Since, r.state.Until = PhaseBackingOff, now, now.Add(delay)
}

// failing records a failure.
func (r *Reflector) failing(err error) {
	now := r.config.Clock.Now()
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.state.Cause == nil {
		r.state.Failing, r.state.Failures = now, 0
	}
	r.state.Cause = err
	r.state.Failures++
}

// reassured removes a failure that was not one.
func (r *Reflector) reassured(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.state.Cause == err {
		r.state.Cause, r.state.Failing, r.state.Failures = nil, time.Time{}, 0
	}
}

// thriving records a recovery.
func (r *Reflector) thriving() {
	r.mu.Lock()
	recovered := r.recover()
	r.mu.Unlock()
	if recovered {
		r.logRecovery()
	}
}

// recover is called under the lock, and reports whether the recovery should be logged.
func (r *Reflector) recover() bool {
	r.state.Cause, r.state.Failing, r.state.Failures = nil, time.Time{}, 0
	if r.logged == "" || r.unread != nil {
		return false
	}
	r.logged = ""
	return true
}

// listed records that a whole new state is in the store.
func (r *Reflector) listed(version string, unread *UndecodableError) {
	now := r.config.Clock.Now()
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
		r.config.Logger.V(2).Info("Initial list complete", "type", r.config.Type, "version", version)
	}
}

// resumed records that the store already has a whole state.
func (r *Reflector) resumed(version string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.version = version
	r.state.Synced = true
}

// came records an event that is not for the store, or not yet.
func (r *Reflector) came() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.state.Events++
	r.newer = true
}

// moved records that an event was passed to the store, and with it a version, unless that is empty.
func (r *Reflector) moved(version string) {
	r.mu.Lock()
	if version != "" {
		r.version = version
	}
	r.state.Events++
	r.newer = true
	recovered := r.state.Cause != nil && r.recover()
	r.mu.Unlock()
	if recovered {
		r.logRecovery()
	}
}

// noteEvents sets LastEvent, once for many events of a decoded watch: reading the clock for each would cost more than the
// rest.
func (r *Reflector) noteEvents() {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.newer {
		r.state.LastEvent, r.newer = r.config.Clock.Now(), false
	}
}

// received counts bytes.
func (r *Reflector) received(bytes int) {
	now := r.config.Clock.Now()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.state.Bytes += int64(bytes)
	r.state.LastEvent = now
}

// Undecodable records an object that could not be decoded.
func (r *Reflector) Undecodable(e *UndecodableError) {
	now := r.config.Clock.Now()
	r.mu.Lock()
	r.state.Undecodable++
	r.state.LastUndecodable = e
	if r.unread == nil {
		r.unreadSince = now
	}
	r.unread = e
	r.mu.Unlock()
	r.LogFailure(e)
}

// Skip records an unexpected object.
func (r *Reflector) Skip(err error) {
	r.mu.Lock()
	r.state.Skipped++
	r.state.LastSkipped = err
	first := r.state.Skipped == 1
	r.mu.Unlock()
	if first {
		r.config.Logger.Info("Skipping unexpected object", "type", r.config.Type, "err", err)
	}
}

// LogFailure logs an error, unless one of its kind was logged since the reflector last worked. An expired version is
// logged only if it happens again.
func (r *Reflector) LogFailure(err error) {
	kind := KindOfFailure(err)
	r.mu.Lock()
	known := r.logged == kind || isExpired(err) && r.state.Failures < 2
	if !known {
		r.logged = kind
	}
	r.mu.Unlock()
	if !known {
		r.config.Logger.Error(err, "Reflector failed, will retry", "type", r.config.Type)
	}
}

// KindOfFailure returns the same text for errors that differ only in details, such as the port of a connection.
func KindOfFailure(err error) string {
	if reason := apierrors.ReasonForError(err); reason != "" {
		return string(reason)
	}
	for inner := errors.Unwrap(err); inner != nil; inner = errors.Unwrap(err) {
		err = inner
	}
	if t := fmt.Sprintf("%T", err); t != "*errors.errorString" {
		return t
	}
	return err.Error()
}

func (r *Reflector) logRecovery() {
	r.config.Logger.Info("Reflector recovered", "type", r.config.Type)
}
