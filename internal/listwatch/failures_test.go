package listwatch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"syscall"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

func TestReasonsOfFailures(t *testing.T) {
	pods := schema.GroupResource{Resource: "pods"}
	sending := func(err error) error { return &url.Error{Op: "Get", URL: "https://host/", Err: err} }
	for _, tt := range []struct {
		err  error
		want FailureReason
	}{
		{apierrors.NewResourceExpired("too old"), FailureExpired},
		{&apierrors.StatusError{ErrStatus: metav1.Status{Code: 410, Reason: metav1.StatusReasonGone}}, FailureExpired},
		{apierrors.NewTooManyRequests("busy", 1), FailureThrottled},
		{apierrors.NewForbidden(pods, "", errors.New("no")), FailureRefused},
		{apierrors.NewNotFound(pods, ""), FailureRefused},
		{apierrors.NewUnauthorized("who"), FailureRefused},
		{apierrors.NewInternalError(errors.New("etcd")), FailureServer},
		{apierrors.NewServiceUnavailable("down"), FailureServer},
		{apierrors.NewGenericServerResponse(502, "get", pods, "", "", 0, true), FailureServer},
		{errNoAnswer, FailureTimeout},
		{fmt.Errorf("failed to list: %w", errListStalled), FailureTimeout},
		{errNoBookmark, FailureTimeout},
		{sending(context.DeadlineExceeded), FailureTimeout},
		{sending(syscall.ECONNREFUSED), FailureConnection},
		{sending(syscall.ECONNRESET), FailureConnection},
		{sending(errors.New("x509: certificate signed by unknown authority")), FailureConnection},
		{io.ErrUnexpectedEOF, FailureConnection},
		{io.EOF, FailureConnection},
		{&storeError{errors.New("full")}, FailureOther},
		{&apierrors.StatusError{ErrStatus: metav1.Status{Code: 500, Message: cannotDecode, Details: &metav1.StatusDetails{
			Causes: []metav1.StatusCause{{Type: clientWatchDecoding}}}}}, FailureOther},
	} {
		if got := reasonOf(tt.err); got != tt.want {
			t.Errorf("%v is %v, want %v", tt.err, got, tt.want)
		}
	}
}

func TestNamesOfReasons(t *testing.T) {
	seen := map[string]bool{}
	for r := range failureReasons {
		name := r.String()
		if name == "" || seen[name] {
			t.Errorf("%d is called %q", r, name)
		}
		seen[name] = true
	}
	if s := FailureReason(-1).String(); s != "FailureReason(-1)" {
		t.Error(s)
	}
	c := FailureCounts{FailureServer: 2, FailureOther: 3}
	if c.Add(&FailureCounts{FailureOther: 1}); c.Total() != 6 {
		t.Errorf("%v", c)
	}
}
