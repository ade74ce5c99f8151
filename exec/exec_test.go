package exec

import (
	"errors"
	"fmt"
	"testing"
)

func TestCodeExitError(t *testing.T) {
	cause := errors.New("cause")
	var err error = fmt.Errorf("wrapped: %w", CodeExitError{Err: cause, Code: 3})
	var exit ExitError
	if !errors.As(err, &exit) || exit.ExitStatus() != 3 || !exit.Exited() || exit.Error() != "cause" || exit.String() != "cause" || !errors.Is(err, cause) {
		t.Errorf("%v", exit)
	}
	if text := (CodeExitError{Code: 3}).Error(); text != "exit status 3" {
		t.Errorf("text %q", text)
	}
}
