package listwatch

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	utilnet "k8s.io/apimachinery/pkg/util/net"
)

// UndecodableError is the error for an object that could not be decoded.
type UndecodableError struct {
	// Key is empty if it could not be decoded either.
	Key string
	Err error
}

func (e *UndecodableError) Error() string {
	return fmt.Sprintf("object %q cannot be decoded: %v", e.Key, e.Err)
}

// Unwrap returns Err.
func (e *UndecodableError) Unwrap() error { return e.Err }

// VeryShortWatchError means that a watch ended in less than a second without an event: the server accepts watches and
// does not serve them.
type VeryShortWatchError struct {
	// Name is the name of the reflector.
	Name string
}

func (e *VeryShortWatchError) Error() string {
	return fmt.Sprintf("very short watch: %s: the watch ended within a second without an event", e.Name)
}

// The causes for which a reflector ends a watch by itself.
var (
	errWatchTimeout = errors.New("the server did not end the watch in time")
	errRecheck      = errors.New("rechecking objects that could not be decoded")
	errNoBookmark   = errors.New("the server does not send the bookmark that ends the initial events")
	errNoAnswer     = errors.New("the server did not answer")
	errListStalled  = errors.New("list stalled: no data received")
)

// isExpired reports whether a resource version is too old: 410 Gone, with the reason Expired since 1.18.
func isExpired(err error) bool { return apierrors.IsResourceExpired(err) || apierrors.IsGone(err) }

// isTooLarge reports whether the server is not yet at the version that was asked for.
func isTooLarge(err error) bool {
	if apierrors.HasStatusCause(err, metav1.CauseTypeResourceVersionTooLarge) {
		return true
	}
	// Older servers have it in the message only.
	status, ok := statusOf(err)
	if !ok || !apierrors.IsTimeout(err) {
		return false
	}
	const words = "Too large resource version"
	if strings.Contains(status.Message, words) {
		return true
	}
	if status.Details == nil {
		return false
	}
	for _, cause := range status.Details.Causes {
		if cause.Message == words {
			return true
		}
	}
	return false
}

func isInternalError(err error) bool { return apierrors.IsInternalError(err) }

// isUndecodable reports whether a client could not decode an event, and ended the watch. Clients set the same cause
// when a connection is lost, and differ in the message only.
func isUndecodable(err error) bool {
	return apierrors.HasStatusCause(err, clientWatchDecoding) && strings.Contains(err.Error(), cannotDecode)
}

// clientWatchDecoding is the cause that a client sets for a decoding error.
const clientWatchDecoding = "ClientWatchDecoding"

// cannotDecode is the message of this module's client, and of others.
const cannotDecode = "unable to decode watch event"

// isPassing reports whether a watch that could not start may start later at the same version, without a list: the
// server does not reject it, but is busy or cannot be reached.
func isPassing(err error) bool {
	if apierrors.IsTooManyRequests(err) {
		return true
	}
	if _, answered := statusOf(err); answered {
		return false
	}
	return utilnet.IsConnectionRefused(err) || isCut(err) || errors.Is(err, errNoAnswer)
}

// isCut reports whether a connection was lost.
func isCut(err error) bool {
	if err == nil {
		return false
	}
	// The HTTP/2 errors have types that are not exported.
	if text := err.Error(); strings.Contains(text, "GOAWAY") || strings.Contains(text, "stream error: ") {
		return true
	}
	return utilnet.IsConnectionReset(err) || utilnet.IsProbableEOF(err) || utilnet.IsTimeout(err) ||
		utilnet.IsHTTP2ConnectionLost(err) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.ErrClosedPipe)
}

// refusesStream reports whether a server does not support the parameters of a streaming list.
func refusesStream(err error) bool {
	status, ok := statusOf(err)
	if !ok {
		return false
	}
	switch status.Code {
	case http.StatusBadRequest, http.StatusUnprocessableEntity, http.StatusMethodNotAllowed, http.StatusNotAcceptable, http.StatusNotImplemented:
		return true
	}
	return false
}

func statusOf(err error) (metav1.Status, bool) {
	var s apierrors.APIStatus
	if !errors.As(err, &s) {
		return metav1.Status{}, false
	}
	return s.Status(), true
}

// FailureReason is why a list or a watch failed, as one of a few categories.
type FailureReason int

const (
	// FailureExpired: the requested version is too old, or the server has not reached it.
	FailureExpired FailureReason = iota
	// FailureThrottled: the server had too many requests.
	FailureThrottled
	// FailureRefused: the request is forbidden, not found or invalid.
	FailureRefused
	// FailureServer: an internal error of the server.
	FailureServer
	// FailureTimeout: no data was received for too long.
	FailureTimeout
	// FailureConnection: the server could not be reached, or the connection was lost.
	FailureConnection
	// FailureOther: everything else, for example a response that could not be decoded or stored, or that ended too
	// early.
	FailureOther

	failureReasons
)

var failureNames = [failureReasons]string{"expired", "throttled", "refused", "server", "timeout", "connection", "other"}

func (r FailureReason) String() string {
	if r < 0 || r >= failureReasons {
		return fmt.Sprintf("FailureReason(%d)", int(r))
	}
	return failureNames[r]
}

// FailureCounts is the number of failures, by [FailureReason].
type FailureCounts [failureReasons]uint64

// Total returns the number of failures for any reason.
func (c FailureCounts) Total() (n uint64) {
	for _, more := range c {
		n += more
	}
	return n
}

// Add adds other counts.
func (c *FailureCounts) Add(more *FailureCounts) {
	for i := range c {
		c[i] += more[i]
	}
}

func reasonOf(err error) FailureReason {
	var sending *url.Error
	switch {
	case isUndecodable(err):
		return FailureOther // the client returns it in the form of a Status
	case isExpired(err), isTooLarge(err):
		return FailureExpired
	case errors.Is(err, errNoAnswer), errors.Is(err, errListStalled), errors.Is(err, errNoBookmark):
		return FailureTimeout
	}
	if status, answered := statusOf(err); answered {
		switch {
		case status.Code == http.StatusTooManyRequests:
			return FailureThrottled
		case status.Code >= http.StatusInternalServerError:
			return FailureServer
		case status.Code >= http.StatusBadRequest:
			return FailureRefused
		}
		return FailureOther
	}
	switch {
	case utilnet.IsTimeout(err):
		return FailureTimeout
	case isCut(err), utilnet.IsConnectionRefused(err), errors.As(err, &sending):
		return FailureConnection
	}
	return FailureOther
}

// listFailed counts a failed list, unless it was cancelled.
func (r *running) listFailed(err error) {
	if err == nil || r.round.Err() != nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.state.ListsFailed[reasonOf(err)]++
}

// watchFailed counts a failed watch, unless it ended normally.
func (r *running) watchFailed(err error) {
	if r.round.Err() != nil || errors.Is(err, errWatchTimeout) || errors.Is(err, errRecheck) {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.state.WatchesFailed[reasonOf(err)]++
}
