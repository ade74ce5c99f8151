package bridge

import (
	"errors"
	"maps"
	"slices"

	clientgorest "k8s.io/client-go/rest"
	clientgocmdapi "k8s.io/client-go/tools/clientcmd/api"
	clientgotransport "k8s.io/client-go/transport"

	"vedette.dev/clientcmd/api"
	"vedette.dev/rest"
	"vedette.dev/transport"
)

// ErrAuthProvider says that a configuration cannot be converted because it has an auth provider. These are plugins that register
// themselves with one library. The program that prints credentials, ExecProvider, has taken their place.
var ErrAuthProvider = errors.New("bridge: the configuration has an auth provider, which cannot be converted; use ExecProvider")

// ToClientGo returns the client-go configuration with the same meaning. Metrics other than those of RESTMetrics and MaxResponseBytes, which
// client-go does not have, are errors if they are set. AllowCBOR and PreferCBOR are left out: in client-go they are feature gates of the
// process, and without them its clients use JSON.
func ToClientGo(c *rest.Config) (*clientgorest.Config, error) {
	switch {
	case c == nil:
		return nil, errors.New("bridge: the configuration is nil")
	case c.AuthProvider != nil || c.AuthConfigPersister != nil:
		return nil, ErrAuthProvider
	case c.Metrics != nil && c.Metrics != rest.Metrics(restMetrics{}):
		return nil, errors.New("bridge: the configuration has Metrics, which client-go's does not have")
	case c.MaxResponseBytes != 0:
		return nil, errors.New("bridge: the configuration has MaxResponseBytes, which client-go's does not have")
	}
	out := &clientgorest.Config{
		Host:    c.Host,
		APIPath: c.APIPath,
		ContentConfig: clientgorest.ContentConfig{
			AcceptContentTypes:   c.AcceptContentTypes,
			ContentType:          c.ContentType,
			GroupVersion:         c.GroupVersion,
			NegotiatedSerializer: c.NegotiatedSerializer,
		},
		Username:        c.Username,
		Password:        c.Password,
		BearerToken:     c.BearerToken,
		BearerTokenFile: c.BearerTokenFile,
		Impersonate: clientgorest.ImpersonationConfig{
			UserName: c.Impersonate.UserName,
			UID:      c.Impersonate.UID,
			Groups:   slices.Clone(c.Impersonate.Groups),
			Extra:    maps.Clone(c.Impersonate.Extra),
		},
		TLSClientConfig: clientgorest.TLSClientConfig{
			Insecure:   c.Insecure,
			ServerName: c.ServerName,
			CertFile:   c.CertFile,
			KeyFile:    c.KeyFile,
			CAFile:     c.CAFile,
			CertData:   slices.Clone(c.CertData),
			KeyData:    slices.Clone(c.KeyData),
			CAData:     slices.Clone(c.CAData),
			NextProtos: slices.Clone(c.NextProtos),
		},
		UserAgent:                 c.UserAgent,
		DisableCompression:        c.DisableCompression,
		Transport:                 c.Transport,
		WrapTransport:             clientgotransport.WrapperFunc(c.WrapTransport),
		QPS:                       c.QPS,
		Burst:                     c.Burst,
		RateLimiter:               c.RateLimiter,
		WarningHandler:            c.WarningHandler,
		WarningHandlerWithContext: c.WarningHandlerWithContext,
		Timeout:                   c.Timeout,
		Dial:                      c.Dial,
		Proxy:                     c.Proxy,
	}
	if e := c.ExecProvider; e != nil {
		out.ExecProvider = &clientgocmdapi.ExecConfig{
			Command:                 e.Command,
			Args:                    slices.Clone(e.Args),
			APIVersion:              e.APIVersion,
			InstallHint:             e.InstallHint,
			ProvideClusterInfo:      e.ProvideClusterInfo,
			Config:                  e.Config,
			InteractiveMode:         clientgocmdapi.ExecInteractiveMode(e.InteractiveMode),
			StdinUnavailable:        e.StdinUnavailable,
			StdinUnavailableMessage: e.StdinUnavailableMessage,
		}
		for _, v := range e.Env {
			out.ExecProvider.Env = append(out.ExecProvider.Env, clientgocmdapi.ExecEnvVar(v))
		}
		out.ExecProvider.PluginPolicy.PolicyType = clientgocmdapi.PolicyType(e.PluginPolicy.PolicyType)
		for _, entry := range e.PluginPolicy.Allowlist {
			out.ExecProvider.PluginPolicy.Allowlist = append(out.ExecProvider.PluginPolicy.Allowlist, clientgocmdapi.AllowlistEntry(entry))
		}
	}
	return out, nil
}

// FromClientGo returns the configuration with the same meaning as a client-go one.
func FromClientGo(c *clientgorest.Config) (*rest.Config, error) {
	switch {
	case c == nil:
		return nil, errors.New("bridge: the configuration is nil")
	case c.AuthProvider != nil || c.AuthConfigPersister != nil:
		return nil, ErrAuthProvider
	}
	out := &rest.Config{
		Host:    c.Host,
		APIPath: c.APIPath,
		ContentConfig: rest.ContentConfig{
			AcceptContentTypes:   c.AcceptContentTypes,
			ContentType:          c.ContentType,
			GroupVersion:         c.GroupVersion,
			NegotiatedSerializer: c.NegotiatedSerializer,
		},
		Username:        c.Username,
		Password:        c.Password,
		BearerToken:     c.BearerToken,
		BearerTokenFile: c.BearerTokenFile,
		Impersonate: rest.ImpersonationConfig{
			UserName: c.Impersonate.UserName,
			UID:      c.Impersonate.UID,
			Groups:   slices.Clone(c.Impersonate.Groups),
			Extra:    maps.Clone(c.Impersonate.Extra),
		},
		TLSClientConfig: rest.TLSClientConfig{
			Insecure:   c.Insecure,
			ServerName: c.ServerName,
			CertFile:   c.CertFile,
			KeyFile:    c.KeyFile,
			CAFile:     c.CAFile,
			CertData:   slices.Clone(c.CertData),
			KeyData:    slices.Clone(c.KeyData),
			CAData:     slices.Clone(c.CAData),
			NextProtos: slices.Clone(c.NextProtos),
		},
		UserAgent:                 c.UserAgent,
		DisableCompression:        c.DisableCompression,
		Transport:                 c.Transport,
		WrapTransport:             transport.WrapperFunc(c.WrapTransport),
		QPS:                       c.QPS,
		Burst:                     c.Burst,
		RateLimiter:               c.RateLimiter,
		WarningHandler:            c.WarningHandler,
		WarningHandlerWithContext: c.WarningHandlerWithContext,
		Timeout:                   c.Timeout,
		Dial:                      c.Dial,
		Proxy:                     c.Proxy,
	}
	if e := c.ExecProvider; e != nil {
		out.ExecProvider = &api.ExecConfig{
			Command:                 e.Command,
			Args:                    slices.Clone(e.Args),
			APIVersion:              e.APIVersion,
			InstallHint:             e.InstallHint,
			ProvideClusterInfo:      e.ProvideClusterInfo,
			Config:                  e.Config,
			InteractiveMode:         api.ExecInteractiveMode(e.InteractiveMode),
			StdinUnavailable:        e.StdinUnavailable,
			StdinUnavailableMessage: e.StdinUnavailableMessage,
		}
		for _, v := range e.Env {
			out.ExecProvider.Env = append(out.ExecProvider.Env, api.ExecEnvVar(v))
		}
		out.ExecProvider.PluginPolicy.PolicyType = api.PolicyType(e.PluginPolicy.PolicyType)
		for _, entry := range e.PluginPolicy.Allowlist {
			out.ExecProvider.PluginPolicy.Allowlist = append(out.ExecProvider.PluginPolicy.Allowlist, api.AllowlistEntry(entry))
		}
	}
	return out, nil
}

// MustToClientGo is ToClientGo for places with room for one value. It panics if the configuration cannot be converted.
func MustToClientGo(c *rest.Config) *clientgorest.Config { return must(ToClientGo(c)) }

// MustFromClientGo is FromClientGo for places with room for one value. It panics if the configuration cannot be converted.
func MustFromClientGo(c *clientgorest.Config) *rest.Config { return must(FromClientGo(c)) }

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}
