// Package exec has the errors of commands that ran and did not succeed. remotecommand returns them.
//
//	var exit exec.CodeExitError
//	if errors.As(err, &exit) {
//		os.Exit(exit.Code)
//	}
package exec

import "fmt"

// ExitError is the error of a command that ran and did not succeed.
type ExitError interface {
	String() string
	Error() string
	// Exited reports whether the command has ended.
	Exited() bool
	// ExitStatus returns the exit code of the command.
	ExitStatus() int
}

// CodeExitError is an ExitError with an exit code.
type CodeExitError struct {
	Err  error
	Code int
}

var _ ExitError = CodeExitError{}

// Error returns the text of Err.
func (e CodeExitError) Error() string {
	if e.Err == nil {
		return fmt.Sprintf("exit status %d", e.Code)
	}
	return e.Err.Error()
}

// String returns the same as Error.
func (e CodeExitError) String() string { return e.Error() }

// Exited returns true.
func (e CodeExitError) Exited() bool { return true }

// ExitStatus returns Code.
func (e CodeExitError) ExitStatus() int { return e.Code }

// Unwrap returns Err.
func (e CodeExitError) Unwrap() error { return e.Err }
