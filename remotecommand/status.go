package remotecommand

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/remotecommand"

	"vedette.dev/exec"
)

// protocol is a version of the protocol above SPDY or WebSocket.
type protocol struct {
	resizes    bool // there is a stream for the sizes of the terminal
	statuses   bool // the command's result is a Status; before, it was a text, and nothing meant success
	halfCloses bool // WebSocket: the end of stdin can be sent
}

func protocolOf(name string) (protocol, error) {
	switch name {
	case remotecommand.StreamProtocolV5Name:
		return protocol{resizes: true, statuses: true, halfCloses: true}, nil
	case remotecommand.StreamProtocolV4Name:
		return protocol{resizes: true, statuses: true}, nil
	case remotecommand.StreamProtocolV3Name:
		return protocol{resizes: true}, nil
	case remotecommand.StreamProtocolV2Name, remotecommand.StreamProtocolV1Name, "":
		return protocol{}, nil
	}
	return protocol{}, fmt.Errorf("the server chose protocol %q, which is unknown", name)
}

// maxStatus is the size of the largest result that is read.
const maxStatus = 1 << 20

// errNoStatus is what a session returns whose server did not send the result, although the connection was closed properly.
var errNoStatus = errors.New("the server closed the connection before it sent the result of the command")

// result returns the error that message means. readErr is what ended the stream of message, and lost why the connection was lost.
func (p protocol) result(message []byte, readErr, lost error) error {
	switch {
	case p.statuses && len(message) > 0 && json.Valid(message):
		return decodeStatus(message)
	case readErr != nil && readErr != io.EOF:
		return readErr
	case lost != nil:
		return lost
	case p.statuses && len(message) > 0:
		return fmt.Errorf("error stream protocol error: not a status: %.200q", message)
	case p.statuses:
		return errNoStatus
	case len(message) > 0:
		return fmt.Errorf("error executing remote command: %s", message)
	}
	return nil
}

func decodeStatus(message []byte) error {
	var status metav1.Status
	if err := json.Unmarshal(message, &status); err != nil {
		return fmt.Errorf("error stream protocol error: %w in %.200q", err, message)
	}
	switch status.Status {
	case metav1.StatusSuccess:
		return nil
	case metav1.StatusFailure:
	default:
		return fmt.Errorf("error stream protocol error: unknown status %q", status.Status)
	}
	if status.Reason != remotecommand.NonZeroExitCodeReason {
		if status.Message == "" {
			status.Message = fmt.Sprintf("the server failed without a message (reason %q)", status.Reason)
		}
		return &apierrors.StatusError{ErrStatus: status}
	}
	if status.Details == nil {
		return errors.New("error stream protocol error: details must be set")
	}
	for _, c := range status.Details.Causes {
		if c.Type != remotecommand.ExitCodeCauseType {
			continue
		}
		code, err := strconv.ParseInt(c.Message, 10, 32)
		if err != nil || code == 0 {
			return fmt.Errorf("error stream protocol error: invalid exit code value %q", c.Message)
		}
		return exec.CodeExitError{Err: fmt.Errorf("command terminated with exit code %d", code), Code: int(code)}
	}
	return fmt.Errorf("error stream protocol error: no %s cause given", remotecommand.ExitCodeCauseType)
}
