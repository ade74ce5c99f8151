package apitest

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"vedette.dev/apitest/internal/serve"
)

// answer writes the response of the fault in place of the server's, if the fault is an answer.
func answer(x *exchange, f *Fault) bool {
	w, r := x.w, x.r
	retryAfter(w, f)
	switch f.Effect {
	case AnswerUnauthorized:
		serve.WriteError(w, r, apierrors.NewUnauthorized("Unauthorized"))
	case AnswerForbidden:
		w.Header().Set("X-Content-Type-Options", "nosniff")
		serve.WriteError(w, r, serve.Forbidden(r))
	case AnswerNotFound:
		x.faults.api.WriteMissing(w, r)
	case AnswerConflict:
		serve.WriteError(w, r, serve.Conflict(r))
	case AnswerExpired:
		serve.WriteError(w, r, serve.Expired(r))
	case AnswerGone:
		serve.WriteError(w, r, gone(r))
	case AnswerTooManyRequests:
		http.Error(w, "Too many requests, please try again later.", http.StatusTooManyRequests)
	case AnswerInternalError:
		serve.WriteError(w, r, errNoLeader)
	case AnswerBadGateway:
		w.Header().Set("Content-Type", "text/html")
		w.WriteHeader(http.StatusBadGateway)
		_, _ = io.WriteString(w, badGateway)
	case AnswerUnavailable:
		w.Header().Set("X-Content-Type-Options", "nosniff")
		serve.WriteError(w, r, errShuttingDown)
	case AnswerTimeout:
		serve.WriteError(w, r, apierrors.NewTimeoutError("request did not complete within the allotted timeout", 0))
	case AnswerConversionFailed:
		serve.WriteError(w, r, conversionFailed(x.faults.api, r))
	case AnswerNoInitialEvents:
		serve.WriteError(w, r, serve.NoInitialEvents(r))
	default:
		return false
	}
	return true
}

// gone is what servers sent before there was the reason Expired, and some still do.
func gone(r *serve.Request) error {
	return &apierrors.StatusError{ErrStatus: metav1.Status{
		Status:  metav1.StatusFailure,
		Code:    http.StatusGone,
		Reason:  metav1.StatusReasonGone,
		Message: serve.Expired(r).Error(),
	}}
}

var errShuttingDown = apierrors.NewServiceUnavailable("apiserver is shutting down")

// errNoLeader is not a Status: it becomes one with code 500 and without a reason, as errors of etcd do.
var errNoLeader = errors.New("etcdserver: leader changed")

// badGateway is the response of a proxy whose server does not answer.
const badGateway = "<html>\r\n<head><title>502 Bad Gateway</title></head>\r\n<body>\r\n<center><h1>502 Bad Gateway</h1></center>\r\n" +
	"<hr><center>nginx</center>\r\n</body>\r\n</html>\r\n"

// retryAfter sets the Retry-After header, if there is one.
func retryAfter(w http.ResponseWriter, f *Fault) {
	after := f.RetryAfter
	if after == 0 && (f.Effect == AnswerTooManyRequests || f.Effect == AnswerUnavailable) {
		after = time.Second
	}
	if after > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(int(after/time.Second)))
	}
}

// conversionFailed is not a Status, either. Reads convert the stored object, and creates the object that was sent.
func conversionFailed(api *serve.Server, r *serve.Request) error {
	kind := r.Resource.GroupVersion().WithKind(r.Resource.Resource)
	if r.Kind != nil {
		kind = r.Kind.GroupVersionKind
		if stored := api.Registry().Storage(r.Kind); stored != nil && r.Verb != "create" {
			kind = stored.GroupVersionKind
		}
	}
	return fmt.Errorf("conversion webhook for %v failed: Post %q: dial tcp 127.0.0.1:9443: connect: connection refused",
		kind, "https://127.0.0.1:9443/convert?timeout=30s")
}

// endOf returns the error event with which a watch ends.
func endOf(api *serve.Server, r *serve.Request, f *Fault) error {
	switch f.Effect {
	case EndExpired:
		return api.ExpiredEvent(r)
	case EndTooManyRequests:
		return apierrors.NewTooManyRequests("Too many requests, please try again later.", int(max(f.RetryAfter, time.Second)/time.Second))
	case EndInternalError:
		return apierrors.NewInternalError(errNoLeader)
	case AnswerConversionFailed:
		return api.NotReached()
	}
	return errEnded
}

// errEnded ends a watch without an error event.
var errEnded = errors.New("apitest: watch ended by a fault")
