package cache

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"syscall"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

var errRefused = &net.OpError{Op: "dial", Net: "tcp", Err: syscall.ECONNREFUSED}

func errorAnswer(words []string) any {
	if words[0] == "refused" {
		return errRefused
	}
	status := statusFor(words)
	data, err := json.Marshal(status)
	if err != nil {
		return err
	}
	return jsonAnswer(int(status.Code), io.NopCloser(bytes.NewReader(data)))
}

// statusFor is the error that words like "429 after=3" stand for.
func statusFor(words []string) *metav1.Status {
	pods := schema.GroupResource{Resource: "pods"}
	var err *apierrors.StatusError
	switch words[0] {
	case "400":
		err = apierrors.NewBadRequest("sendInitialEvents is not known here")
	case "403":
		err = apierrors.NewForbidden(pods, "", fmt.Errorf("you may not"))
	case "410":
		err = apierrors.NewResourceExpired("too old resource version")
	case "429":
		err = apierrors.NewTooManyRequests("busy", 0)
	case "500":
		err = apierrors.NewInternalError(fmt.Errorf("broken"))
	case "504":
		err = apierrors.NewTimeoutError("Too large resource version: 99, current: 10", 1)
		err.ErrStatus.Details.Causes = []metav1.StatusCause{{Type: metav1.CauseTypeResourceVersionTooLarge}}
	default:
		panic("no such error: " + words[0])
	}
	status := err.Status()
	status.APIVersion, status.Kind = "v1", "Status"
	for _, word := range words[1:] {
		if after, ok := strings.CutPrefix(word, "after="); ok {
			seconds, _ := strconv.Atoi(after)
			status.Details.RetryAfterSeconds = int32(seconds)
		}
	}
	return &status
}
