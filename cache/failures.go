package cache

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"

	utilnet "k8s.io/apimachinery/pkg/util/net"
)

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

func (c *FailureCounts) add(more *FailureCounts) {
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
