package serve

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// statusOf returns the Status for an error. Other errors become an internal error, as in kube-apiserver.
func statusOf(err error) *metav1.Status {
	var known apierrors.APIStatus
	if !errors.As(err, &known) {
		return &metav1.Status{
			TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"},
			Status:   metav1.StatusFailure,
			Code:     http.StatusInternalServerError,
			Reason:   metav1.StatusReasonUnknown,
			Message:  err.Error(),
		}
	}
	status := known.Status()
	if status.Status == "" {
		status.Status = metav1.StatusFailure
	}
	if status.Code == 0 {
		status.Code = http.StatusInternalServerError
	}
	status.Kind, status.APIVersion = "Status", "v1"
	return &status
}

// writeError writes the Status of an error, in a form that the client accepts, or JSON.
func writeError(w http.ResponseWriter, r *http.Request, err error) {
	status := statusOf(err)
	if status.Details != nil && status.Details.RetryAfterSeconds > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(int(status.Details.RetryAfterSeconds)))
	}
	form, ok := negotiateError(r)
	if !ok {
		form = output{media: mediaJSON, pretty: true}
	}
	writeObject(w, r, int(status.Code), status, form)
}

// notProduced is for a path without a media type that the client accepts, and notAcceptable for one that has it, but
// does not support the parameters. The real server detects them in different layers.
func notProduced(r *Request) error {
	available := mediaFor(r.Request, false)
	if r.Verb == "list" || r.Verb == "watch" {
		available = slices.Concat(available, streamMedia(r))
	}
	return &apierrors.StatusError{ErrStatus: metav1.Status{
		Status:  metav1.StatusFailure,
		Code:    http.StatusNotAcceptable,
		Reason:  metav1.StatusReasonNotAcceptable,
		Message: "406: Not Acceptable\n\nAvailable representations: " + strings.Join(available, ", "),
		Details: &metav1.StatusDetails{},
	}}
}

func notAcceptable(supported []string) error {
	return &apierrors.StatusError{ErrStatus: metav1.Status{
		Status:  metav1.StatusFailure,
		Code:    http.StatusNotAcceptable,
		Reason:  metav1.StatusReasonNotAcceptable,
		Message: fmt.Sprintf("only the following media types are accepted: %v", strings.Join(supported, ", ")),
	}}
}

// notServed is for a path of a served group and version with an unknown resource.
func notServed(verb string) error {
	return apierrors.NewGenericServerResponse(http.StatusNotFound, verb, schema.GroupResource{}, "", "", 0, false)
}

func methodNotAllowed(verb string) error {
	return apierrors.NewGenericServerResponse(http.StatusMethodNotAllowed, verb, schema.GroupResource{}, "", "", 0, false)
}

// tooLargeVersion is for a version that has not been reached.
func tooLargeVersion(wanted, current uint64) error {
	err := apierrors.NewTimeoutError(fmt.Sprintf("Too large resource version: %d, current: %d", wanted, current), 1)
	err.ErrStatus.Details.Causes = []metav1.StatusCause{{
		Type:    metav1.CauseTypeResourceVersionTooLarge,
		Message: "Too large resource version",
	}}
	return err
}
