package testenv

import (
	"bytes"

	"vedette.dev/rest"
)

// RESTConfig is for a client of [AdminUser], with a token. Each call returns a new one. There is no limit to how many
// requests a second it sends: the default of clients would make tests slow.
func (e *Env) RESTConfig() *rest.Config {
	cfg := e.restConfig()
	cfg.BearerToken = e.access.adminToken
	return cfg
}

// CertRESTConfig is for the same user, who shows a client certificate in place of a token.
func (e *Env) CertRESTConfig() *rest.Config {
	cfg := e.restConfig()
	cfg.CertData = bytes.Clone(e.access.adminCert.Cert)
	cfg.KeyData = bytes.Clone(e.access.adminCert.Key)
	return cfg
}

// PlainRESTConfig is for a client of [PlainUser]: almost every request is answered with 403 Forbidden.
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
