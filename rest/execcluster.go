package rest

import (
	"fmt"
	"net/http"
	"os"

	"vedette.dev/internal/plainurl"
	"vedette.dev/rest/internal/execauth"
)

// execCluster returns the information about the server for an exec plugin.
func (c *Config) execCluster() (*execauth.Cluster, error) {
	ca := c.CAData
	if len(ca) == 0 && c.CAFile != "" {
		var err error
		if ca, err = os.ReadFile(c.CAFile); err != nil {
			return nil, fmt.Errorf("CA for the exec plugin: %w", err)
		}
	}
	proxy, err := c.proxyURL()
	if err != nil {
		return nil, fmt.Errorf("proxy for the exec plugin: %w", err)
	}
	return &execauth.Cluster{
		Server:                   c.Host,
		TLSServerName:            c.ServerName,
		InsecureSkipTLSVerify:    c.Insecure,
		CertificateAuthorityData: ca,
		ProxyURL:                 proxy,
		DisableCompression:       c.DisableCompression,
		Config:                   c.ExecProvider.Config,
	}, nil
}

// proxyURL calls the Proxy function for the server.
func (c *Config) proxyURL() (string, error) {
	if c.Proxy == nil {
		return "", nil
	}
	req, err := http.NewRequest(http.MethodGet, c.Host, nil)
	if err != nil {
		return "", fmt.Errorf("rest.Config.Host: %w", plainurl.Error(c.Host, err))
	}
	u, err := c.Proxy(req)
	if err != nil || u == nil {
		return "", err
	}
	return u.String(), nil
}
