package command

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"

	"vedette.dev/clientcmd"
	"vedette.dev/internal/plainurl"
)

// noConfig returns an error for flags and files that select no cluster, with what to do.
func (f *clusterFlags) noConfig(err error, loader clientcmd.ClientConfig) error {
	switch {
	case clientcmd.IsEmptyConfig(err):
		where := "KUBECONFIG is not set"
		if files := loader.ConfigAccess().GetLoadingPrecedence(); len(files) > 0 {
			where = "nothing in " + strings.Join(files, ", ")
		}
		return fmt.Errorf("no cluster selected: %s\n"+
			"Name a kubeconfig with --kubeconfig or KUBECONFIG, or start a test server with 'vedette serve'", where)
	case errors.Is(err, fs.ErrNotExist) && f.kubeconfig != "":
		return fmt.Errorf("--kubeconfig: there is no file %s", f.kubeconfig)
	}
	if raw, rawErr := loader.RawConfig(); rawErr == nil && f.overrides.CurrentContext != "" && raw.Contexts[f.overrides.CurrentContext] == nil {
		names := "it has none"
		if len(raw.Contexts) > 0 {
			names = "it has " + strings.Join(slices.Sorted(maps.Keys(raw.Contexts)), ", ")
		}
		return fmt.Errorf("there is no context %q in the kubeconfig; %s", f.overrides.CurrentContext, names)
	}
	return fmt.Errorf("the kubeconfig cannot be used: %w", err)
}

// badConfig returns the error for a configuration that is not valid for a client.
func (c *cluster) badConfig(err error) error {
	return fmt.Errorf("the kubeconfig%s cannot be used: %w", c.inContext(), err)
}

func (c *cluster) inContext() string {
	if c.context == "" {
		return ""
	}
	return fmt.Sprintf(" (context %q)", c.context)
}

// explainError returns why a request failed, and what to do. wanted is what the request was for.
func (c *cluster) explainError(ctx context.Context, err error, wanted string) error {
	if cause := context.Cause(ctx); errors.Is(cause, errInterrupted) {
		return cause
	}
	switch {
	case apierrors.IsUnauthorized(err):
		return fmt.Errorf("%s does not accept the credentials%s: %s\nLog in again, or choose others with --context, --user or --token",
			plainurl.Hide(c.config.Host), c.inContext(), said(err))
	case apierrors.IsForbidden(err):
		hint := ""
		if c.namespace == "" {
			hint = "look at one namespace with -n, "
		}
		return fmt.Errorf("not allowed to %s: %s\nAsk for a role with the verbs list and watch, %sor act as another user with --context or --as",
			wanted, said(err), hint)
	case said(err) != "":
		return fmt.Errorf("could not %s: %s", wanted, said(err))
	}
	return c.unreachable(ctx, err)
}

// said returns the message of the server without wrapping text, or "" if the error is not a response of the server.
func said(err error) string {
	var answer apierrors.APIStatus
	if !errors.As(err, &answer) || answer.Status().Code == 0 {
		return ""
	}
	return cmp.Or(answer.Status().Message, err.Error())
}

// unreachable returns the error for a server that did not answer.
func (c *cluster) unreachable(ctx context.Context, err error) error {
	what := rootCause(err)
	hint := "Is it running? --kubeconfig, --context and --server select the server"
	switch {
	case errors.Is(context.Cause(ctx), errTimeout):
		what = fmt.Sprintf("no answer in %s (--request-timeout)", c.timeout)
	case errors.As(err, new(*x509.UnknownAuthorityError)) || errors.As(err, new(x509.UnknownAuthorityError)) ||
		errors.As(err, new(x509.HostnameError)) || errors.As(err, new(*tls.CertificateVerificationError)):
		hint = "The kubeconfig is for another server, or lacks its certificate authority (certificate-authority, --certificate-authority)"
	}
	return fmt.Errorf("cannot reach the API server at %s%s: %s\n%s", plainurl.Hide(c.config.Host), c.inContext(), what, hint)
}

// rootCause returns the last part of a network error. The parts before it name the address, which is known.
func rootCause(err error) string {
	var dns *net.DNSError
	if errors.As(err, &dns) {
		return dns.Error()
	}
	var op *net.OpError
	if errors.As(err, &op) && op.Err != nil {
		return op.Err.Error()
	}
	return err.Error()
}
