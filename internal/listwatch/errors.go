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

// UndecodableError says which object could not be decoded.
type UndecodableError struct {
	// Key is empty if not even that could be read.
	Key string
	Err error
}

func (e *UndecodableError) Error() string {
	return fmt.Sprintf("object %q cannot be decoded: %v", e.Key, e.Err)
}

// Unwrap returns Err.
func (e *UndecodableError) Unwrap() error { return e.Err }

// VeryShortWatchError says that a watch ended in less than a second and brought nothing: the server accepts watches and
// does not serve them.
type VeryShortWatchError struct {
	// Name is that of the reflector.
	Name string
}

func (e *VeryShortWatchError) Error() string {
	return fmt.Sprintf("very short watch: %s: the watch was over within a second and brought nothing", e.Name)
}

// Why a reflector ends a watch of its own accord.
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
	// Older servers said so in words only.
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

// isUndecodable reports whether a client could not decode an event, and ended the watch. Clients give the same cause when a
// connection breaks, and differ in words only.
func isUndecodable(err error) bool {
	return apierrors.HasStatusCause(err, clientWatchDecoding) && strings.Contains(err.Error(), cannotDecode)
}

// clientWatchDecoding is how a client says that the fault is on its side.
const clientWatchDecoding = "ClientWatchDecoding"

// cannotDecode is how the client of this module, and others, say it.
const cannotDecode = "unable to decode watch event"

// isPassing reports whether a watch that could not begin may begin later at the same version, without a list: the server does not
// refuse it, but is busy or cannot be reached.
func isPassing(err error) bool {
	if apierrors.IsTooManyRequests(err) {
		return true
	}
	if _, answered := statusOf(err); answered {
		return false
	}
	return utilnet.IsConnectionRefused(err) || isCut(err) || errors.Is(err, errNoAnswer)
}

// isCut reports whether a connection broke.
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

// refusesStream reports whether a server does not know the parameters of a streaming list.
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

// FailureReason is why a list or a watch failed, in one of few words, so that it can be counted.
type FailureReason int

const (
	// FailureExpired is when the server has forgotten the version that was asked for, or has not got as far.
	FailureExpired FailureReason = iota
	// FailureThrottled is when the server had too many requests.
	FailureThrottled
	// FailureRefused is when the server would not: not allowed, not found, not understood.
	FailureRefused
	// FailureServer is an error inside the server.
	FailureServer
	// FailureTimeout is when nothing came for too long.
	FailureTimeout
	// FailureConnection is when the server could not be reached, or the connection broke.
	FailureConnection
	// FailureOther is all else: what came could not be read or stored, or was over before it began.
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

// FailureCounts is how many times something failed, by FailureReason.
type FailureCounts [failureReasons]uint64

// Total is how many times it failed for any reason.
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
		return FailureOther // the client says it in the form of an answer
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

// listFailed counts a list, unless it failed because it was not wanted any more.
func (r *running) listFailed(err error) {
	if err == nil || r.round.Err() != nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.state.ListsFailed[reasonOf(err)]++
}

// watchFailed counts a watch, unless it ended because it was to.
func (r *running) watchFailed(err error) {
	if r.round.Err() != nil || errors.Is(err, errWatchTimeout) || errors.Is(err, errRecheck) {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.state.WatchesFailed[reasonOf(err)]++
}
