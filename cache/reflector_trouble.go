package cache

import (
	"errors"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// cannotRead notes an object that was left out.
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

// skip notes something that is not what was asked for.
func (r *Reflector) skip(err error) {
	r.mu.Lock()
	r.state.Skipped++
	r.state.LastSkipped = err
	first := r.state.Skipped == 1
	r.mu.Unlock()
	if first {
		r.logger.Info("Something was left out; the state of the reflector tells how often and what the last was", "type", r.typeDescription, "err", err)
	}
}

// logFailure tells the logger, unless it was told of the like since all was well. That a version is too old is nothing to
// tell of, unless that goes on.
func (r *Reflector) logFailure(err error) {
	kind := kindOfFailure(err)
	r.mu.Lock()
	known := r.logged == kind || isExpired(err) && r.state.Failures < 2
	if !known {
		r.logged = kind
	}
	r.mu.Unlock()
	if !known {
		r.logger.Error(err, "The reflector is failing, and will try again", "type", r.typeDescription)
	}
}

// kindOfFailure is the same for errors that differ in nothing but details, such as the port of a connection.
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
	r.logger.Info("The reflector has recovered", "type", r.typeDescription)
}
