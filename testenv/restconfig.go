package testenv

import (
	"bytes"

	"vedette.dev/rest"
)

// RESTConfig returns a configuration for [AdminUser], with a token. Each call returns a new one. It has no rate limit:
// the default of clients would make tests slow.
func (e *Env) RESTConfig() *rest.Config {
	cfg := e.restConfig()
	cfg.BearerToken = e.access.adminToken
	return cfg
}

// CertRESTConfig returns a configuration for the same user, with a client certificate in place of a token.
func (e *Env) CertRESTConfig() *rest.Config {
	cfg := e.restConfig()
	cfg.CertData = bytes.Clone(e.access.adminCert.Cert)
	cfg.KeyData = bytes.Clone(e.access.adminCert.Key)
	return cfg
}

// PlainRESTConfig returns a configuration for [PlainUser]: almost every request is answered with 403 Forbidden.
func (e *Env) PlainRESTConfig() *rest.Config {
	cfg := e.restConfig()
	cfg.BearerToken = e.access.plainToken
	return cfg
}

func (e *Env) restConfig() *rest.Config {
	return &rest.Config{
		Host:            e.api.url,
		TLSClientConfig: rest.TLSClientConfig{CAData: bytes.Clone(e.access.ca)},
		QPS:             -1,
	}
}
