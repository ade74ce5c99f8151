package cache

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	utilnet "k8s.io/apimachinery/pkg/util/net"
)

// WatchErrorHandler is called when a list fails, or a watch cannot begin. The reflector waits and tries again when it
// has returned, so it should be quick.
type WatchErrorHandler func(r *Reflector, err error)

// WatchErrorHandlerWithContext is a WatchErrorHandler that is given the context of the reflector.
type WatchErrorHandlerWithContext func(ctx context.Context, r *Reflector, err error)

// DefaultWatchErrorHandler tells the logger of the reflector, once for all errors of a kind that follow each other. That
// a watch has ended, or for once its version is too old, is nothing to tell.
func DefaultWatchErrorHandler(_ context.Context, r *Reflector, err error) {
	if err != io.EOF {
		r.logFailure(err)
	}
}

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
