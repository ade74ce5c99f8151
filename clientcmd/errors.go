package clientcmd

import (
	"errors"
	"fmt"
	"strings"

	utilerrors "k8s.io/apimachinery/pkg/util/errors"
)

var (
	// ErrNoContext means that no context was specified, and that the config has no current one.
	ErrNoContext = errors.New("no context chosen")
	// ErrEmptyConfig means that there is no server. IsEmptyConfig is true for it.
	ErrEmptyConfig = NewEmptyConfigError("no configuration has been provided, try setting KUBERNETES_MASTER environment variable")
	// ErrEmptyCluster means that a cluster is empty.
	ErrEmptyCluster = errors.New("cluster has no server defined")
)

// NewEmptyConfigError returns an error for which [IsEmptyConfig] is true.
func NewEmptyConfigError(message string) error { return &errEmptyConfig{message} }

type errEmptyConfig struct{ message string }

func (e *errEmptyConfig) Error() string { return e.message }

type errContextNotFound struct{ name string }

const contextNotFound = "context was not found for specified context"

func (e *errContextNotFound) Error() string { return contextNotFound + ": " + e.name }

// IsContextNotFound reports whether an error means that the selected context is not in the config.
func IsContextNotFound(err error) bool {
	if err == nil {
		return false
	}
	// The text identifies errors that went through a process boundary.
	return errors.Is(err, ErrNoContext) || errors.As(err, new(*errContextNotFound)) || strings.Contains(err.Error(), contextNotFound)
}

// IsEmptyConfig reports whether an error means that there is no configuration at all.
func IsEmptyConfig(err error) bool {
	if invalid := (errConfigurationInvalid)(nil); errors.As(err, &invalid) {
		return len(invalid) == 1 && errors.As(invalid[0], new(*errEmptyConfig))
	}
	return errors.As(err, new(*errEmptyConfig))
}

// IsConfigurationInvalid reports whether an error comes from [Validate] or ConfirmUsable.
func IsConfigurationInvalid(err error) bool {
	return errors.As(err, new(errConfigurationInvalid)) || IsContextNotFound(err)
}

// errConfigurationInvalid holds all problems of a config. It is a utilerrors.Aggregate.
type errConfigurationInvalid []error

var _ utilerrors.Aggregate = errConfigurationInvalid(nil)

func newErrConfigurationInvalid(problems []error) error {
	if len(problems) == 0 {
		return nil
	}
	return errConfigurationInvalid(problems)
}

func (e errConfigurationInvalid) Error() string {
	return fmt.Sprintf("invalid configuration: %v", utilerrors.NewAggregate(e))
}

// Errors returns the problems one by one.
func (e errConfigurationInvalid) Errors() []error { return e }

// Unwrap makes errors.As look at each problem.
func (e errConfigurationInvalid) Unwrap() []error { return e }

// Is belongs to utilerrors.Aggregate. It must not compare e with target: slices cannot be compared.
func (e errConfigurationInvalid) Is(target error) bool {
	for _, err := range e {
		if errors.Is(err, target) {
			return true
		}
	}
	return false
}
