package rest

import (
	"crypto/tls"
	"fmt"
	"net/http"

	"vedette.dev/rest/internal/execauth"
	"vedette.dev/transport"
)

// TransportFor returns the transport for config: connections, credentials and wrappers.
func TransportFor(config *Config) (http.RoundTripper, error) {
	c, err := config.TransportConfig()
	if err != nil {
		return nil, err
	}
	return transport.New(c)
}

// TLSConfigFor returns the TLS configuration for config, nil if it has no TLS options.
func TLSConfigFor(config *Config) (*tls.Config, error) {
	c, err := config.TransportConfig()
	if err != nil {
		return nil, err
	}
	return transport.TLSConfigFor(c)
}

// HTTPWrappersForConfig wraps rt with the credentials and wrappers of config.
func HTTPWrappersForConfig(config *Config, rt http.RoundTripper) (http.RoundTripper, error) {
	c, err := config.TransportConfig()
	if err != nil {
		return nil, err
	}
	return transport.HTTPWrappersForConfig(c, rt)
}

// TransportConfig returns the part of the [Config] for package transport.
func (c *Config) TransportConfig() (*transport.Config, error) {
	out := &transport.Config{
		UserAgent:     c.UserAgent,
		Transport:     c.Transport,
		WrapTransport: c.WrapTransport,
		TLS: transport.TLSConfig{
			Insecure:   c.Insecure,
			ServerName: c.ServerName,
			CAFile:     c.CAFile,
			CAData:     c.CAData,
			CertFile:   c.CertFile,
			CertData:   c.CertData,
			KeyFile:    c.KeyFile,
			KeyData:    c.KeyData,
			NextProtos: c.NextProtos,
		},
		Username:        c.Username,
		Password:        c.Password,
		BearerToken:     c.BearerToken,
		BearerTokenFile: c.BearerTokenFile,
		Impersonate: transport.ImpersonationConfig{
			UserName: c.Impersonate.UserName,
			UID:      c.Impersonate.UID,
			Groups:   c.Impersonate.Groups,
			Extra:    c.Impersonate.Extra,
		},
		DisableCompression: c.DisableCompression,
		Proxy:              c.Proxy,
	}
	if c.Dial != nil {
		out.DialHolder = &transport.DialHolder{Dial: c.Dial}
	}
	return out, c.addProvider(out)
}

// addProvider adds the exec plugin, if there is one.
func (c *Config) addProvider(out *transport.Config) error {
	switch {
	case c.AuthProvider != nil && c.ExecProvider != nil:
		return fmt.Errorf("rest.Config: AuthProvider and ExecProvider cannot be combined")
	case c.AuthProvider != nil:
		return fmt.Errorf("rest.Config: auth provider %q is not supported: auth providers were removed from Kubernetes; use an exec plugin", c.AuthProvider.Name)
	case c.ExecProvider == nil:
		return nil
	}
	cluster, err := c.execCluster()
	if err != nil {
		return err
	}
	authenticator, err := execauth.New(c.ExecProvider, cluster)
	if err != nil {
		return err
	}
	return authenticator.UpdateTransportConfig(out)
}
