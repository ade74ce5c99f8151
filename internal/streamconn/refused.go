package streamconn

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	//lint:ignore SA1019 these types are in signatures of client-go
	apistream "k8s.io/apimachinery/pkg/util/httpstream"
	"k8s.io/streaming/pkg/httpstream"
)

// Refused returns the error of an upgrade that a server refused. IsUpgradeFailure of either httpstream package recognizes it,
// which callers use to try another protocol.
func Refused(cause error) error { return &refused{cause} }

type refused struct{ cause error }

func (r *refused) Error() string {
	return (&httpstream.UpgradeFailureError{Cause: r.cause}).Error()
}

func (r *refused) Unwrap() error { return r.cause }

// As makes errors.As find the types of both packages.
func (r *refused) As(target any) bool {
	switch target := target.(type) {
	case **httpstream.UpgradeFailureError:
		*target = &httpstream.UpgradeFailureError{Cause: r.cause}
	case **apistream.UpgradeFailureError:
		*target = &apistream.UpgradeFailureError{Cause: r.cause}
	default:
		return false
	}
	return true
}

// maxErrorBody is how much of the body of an error is read.
const maxErrorBody = 64 << 10

// ResponseError returns the error in a response that is not an upgrade: a *errors.StatusError if the server sent one, else its
// text. It reads the body and does not close it.
func ResponseError(resp *http.Response) error {
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxErrorBody))
	if status, ok := decodeStatus(body); ok {
		return &apierrors.StatusError{ErrStatus: status}
	}
	text := strings.TrimSpace(string(body))
	switch {
	case text != "":
		return errors.New(text)
	case err != nil:
		return fmt.Errorf("%s, and its body could not be read: %w", resp.Status, err)
	default:
		return errors.New(resp.Status)
	}
}

// decodeStatus returns the Status in body, which may be cut: the library for WebSockets reads 1 KiB, and the list of causes, which
// comes late, may be longer.
func decodeStatus(body []byte) (status metav1.Status, ok bool) {
	d := json.NewDecoder(bytes.NewReader(body))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return status, false
	}
	fields := map[string]json.RawMessage{}
	for {
		name, err := d.Token()
		if _, isName := name.(string); err != nil || !isName {
			break
		}
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			break
		}
		fields[name.(string)] = value
	}
	whole, err := json.Marshal(fields)
	if err != nil || json.Unmarshal(whole, &status) != nil {
		return status, false
	}
	return status, status.Kind == "Status" && status.Status != metav1.StatusSuccess && status.Message != ""
}
