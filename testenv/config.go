package testenv

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"time"
)

// Config says how to start. The zero value starts an API server with its own defaults.
type Config struct {
	// FeatureGates are features of the API server to turn on or off, by name.
	FeatureGates map[string]bool

	// APIServerArgs are further arguments of the API server, in the form "--name=value". They come last, so that they win
	// over its and over our defaults, except for the addresses, certificates and tokens, which are not to be changed.
	APIServerArgs []string

	// Output, if not nil, gets what the servers print, while they run. Their logs are files in any case: see
	// Env.APIServerLog.
	Output io.Writer

	// Progress receives the progress while the servers are being built. Nil means os.Stderr.
	Progress io.Writer

	// StartTimeout is how long each of the servers may take until it is ready. Zero means a minute; four seconds is
	// usual.
	StartTimeout time.Duration
}

// isOurs reports whether Env relies on what it gives for this argument of the API server.
func isOurs(name string) bool {
	switch name {
	case "etcd-servers", "secure-port", "bind-address", "cert-dir",
		"tls-cert-file", "tls-private-key-file", "client-ca-file", "token-auth-file",
		"service-account-key-file", "service-account-signing-key-file":
		return true
	}
	return false
}

func (c Config) validate() error {
	var errs []error
	for name := range c.FeatureGates {
		if name == "" || strings.ContainsAny(name, "=, ") {
			errs = append(errs, fmt.Errorf("Config.FeatureGates: %q is not the name of a feature", name))
		}
	}
	for i, arg := range c.APIServerArgs {
		name, found := strings.CutPrefix(arg, "--")
		name, _, _ = strings.Cut(name, "=")
		switch {
		case !found || name == "":
			errs = append(errs, fmt.Errorf(`Config.APIServerArgs[%d]: %q is not of the form "--name=value"`, i, arg))
		case isOurs(name):
			errs = append(errs, fmt.Errorf("Config.APIServerArgs[%d]: --%s is set by testenv and cannot be changed", i, name))
		}
	}
	if c.StartTimeout < 0 {
		errs = append(errs, fmt.Errorf("Config.StartTimeout: %v is negative", c.StartTimeout))
	}
	return errors.Join(errs...)
}

func (c Config) startTimeout() time.Duration { return cmp.Or(c.StartTimeout, time.Minute) }

func (c Config) progress() io.Writer {
	if c.Progress == nil {
		return os.Stderr
	}
	return c.Progress
}

// featureGates is the argument for FeatureGates, in an order that does not change from run to run.
func (c Config) featureGates() []string {
	if len(c.FeatureGates) == 0 {
		return nil
	}
	gates := make([]string, 0, len(c.FeatureGates))
	for _, name := range slices.Sorted(maps.Keys(c.FeatureGates)) {
		gates = append(gates, fmt.Sprintf("%s=%t", name, c.FeatureGates[name]))
	}
	return []string{"--feature-gates=" + strings.Join(gates, ",")}
}
