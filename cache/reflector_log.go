package cache

import (
	"errors"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// cannotRead notes an object that could not be decoded.
func (r *Reflector) cannotRead(e *UndecodableError) {
	now := r.clock.Now()
	r.mu.Lock()
	r.state.Undecodable++
	r.state.LastUndecodable = e
	if r.unread == nil {
		r.unreadSince = now
	}
	r.unread = e
	r.mu.Unlock()
	r.logFailure(e)
}

// skip notes an object that is not what was asked for.
func (r *Reflector) skip(err error) {
	r.mu.Lock()
	r.state.Skipped++
	r.state.LastSkipped = err
	first := r.state.Skipped == 1
	r.mu.Unlock()
	if first {
		r.logger.Info("Skipping unexpected object", "type", r.typeDescription, "err", err)
	}
}

// logFailure logs an error, unless one of its kind was logged since the reflector last worked. That a version has expired is logged
// only if it happens again.
func (r *Reflector) logFailure(err error) {
	kind := kindOfFailure(err)
	r.mu.Lock()
	known := r.logged == kind || isExpired(err) && r.state.Failures < 2
	if !known {
		r.logged = kind
	}
	r.mu.Unlock()
	if !known {
		r.logger.Error(err, "Reflector failed, will retry", "type", r.typeDescription)
	}
}

// kindOfFailure returns the same for errors that differ only in details, such as the port of a connection.
func kindOfFailure(err error) string {
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
	r.logger.Info("Reflector recovered", "type", r.typeDescription)
}
