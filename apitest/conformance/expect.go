package conformance

import (
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// refusal is an error that the server has to answer with. Fields left empty may be anything, except for the reason.
type refusal struct {
	code    int32
	reason  metav1.StatusReason
	message string // is in the message
	// kind, group and name are in the details.
	kind, group, name string
	// causes have to be among those in the details.
	causes []cause
}

type cause struct {
	reason metav1.CauseType
	field  string
}

// The refusals that are met everywhere.
func notFound(kind, name string) refusal {
	return refusal{code: http.StatusNotFound, reason: metav1.StatusReasonNotFound, kind: kind, name: name,
		message: kind + " " + strconv.Quote(name) + " not found"}
}

func badRequest(message string) refusal {
	return refusal{code: http.StatusBadRequest, reason: metav1.StatusReasonBadRequest, message: message}
}

func conflict(kind, name, message string) refusal {
	return refusal{code: http.StatusConflict, reason: metav1.StatusReasonConflict, kind: kind, name: name, message: message}
}

func invalid(kind, name string, causes ...cause) refusal {
	return refusal{code: http.StatusUnprocessableEntity, reason: metav1.StatusReasonInvalid, kind: kind, name: name, causes: causes}
}

// invalidOption is the answer to a query parameter that makes no sense.
func invalidOption(kind string, c cause) refusal {
	r := invalid(kind, "", c)
	r.group, r.message = "meta.k8s.io", kind+`.meta.k8s.io "" is invalid: `
	return r
}

const modified = "the object has been modified; please apply your changes to the latest version and try again"

// refused checks that err is what the server should have answered.
func (e *env) refused(err error, want refusal) {
	e.Helper()
	status := e.status(err)
	if status == nil {
		return
	}
	details := status.Details
	if details == nil {
		details = &metav1.StatusDetails{}
	}
	switch {
	case status.Status != metav1.StatusFailure || status.Code != want.code || status.Reason != want.reason:
		e.Errorf("%d %q: %s\nwant %d %q", status.Code, status.Reason, status.Message, want.code, want.reason)
	case !strings.Contains(status.Message, want.message):
		e.Errorf("message %q\nwant one with %q", status.Message, want.message)
	case want.kind != "" && (details.Kind != want.kind || details.Group != want.group || details.Name != want.name):
		e.Errorf("details of %q in %q, named %q\nwant %q in %q, named %q", details.Kind, details.Group, details.Name, want.kind, want.group, want.name)
	}
	for _, c := range want.causes {
		if !slices.ContainsFunc(details.Causes, func(d metav1.StatusCause) bool { return d.Type == c.reason && d.Field == c.field }) {
			e.Errorf("causes %+v\nwant one of %s in %q", details.Causes, c.reason, c.field)
		}
	}
}

// status is what the server said about the error, which has to be one.
func (e *env) status(err error) *metav1.Status {
	e.Helper()
	if err == nil {
		e.Error("the server took it; want it refused")
		return nil
	}
	var status apierrors.APIStatus
	if !errors.As(err, &status) {
		e.Errorf("not an answer of the server: %v", err)
		return nil
	}
	s := status.Status()
	return &s
}

// version is a resource version as a number. Clients may compare versions of one resource since Kubernetes 1.35; servers
// that keep all resources in one store have one line of versions over all.
func (e *env) version(rv string) uint64 {
	e.Helper()
	n, err := strconv.ParseUint(rv, 10, 64)
	if err != nil || n == 0 {
		e.Fatalf("resource version %q, want a number above 0", rv)
	}
	return n
}

// equal compares two lists of words, in order.
func (e *env) equal(what string, got, want []string) {
	e.Helper()
	if !slices.Equal(got, want) {
		e.Errorf("%s: %q, want %q", what, got, want)
	}
}
