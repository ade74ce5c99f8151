package transport

import (
	"errors"
	"fmt"
)

// validate checks the parts for the connection.
func (c *Config) validate() error {
	if c.Transport != nil {
		if field := c.replacedField(); field != "" {
			return fmt.Errorf("transport: Config.Transport and Config.%s are both set: "+
				"using a custom transport with TLS options, a dialer or a proxy is not allowed, because it would ignore them", field)
		}
	}
	if c.DialHolder != nil && c.DialHolder.Dial == nil {
		return errors.New("transport: Config.DialHolder has no Dial function: set it, or leave the holder out")
	}
	if err := c.TLS.validate(); err != nil {
		return err
	}
	return c.validateAuth()
}

// replacedField returns the name of a field that would have no effect with a custom Transport.
func (c *Config) replacedField() string {
	for _, f := range []struct {
		name string
		set  bool
	}{
		{"TLS.CAFile or TLS.CAData", c.HasCA()},
		{"TLS.CertFile or TLS.CertData", c.TLS.hasCert()},
		{"TLS.KeyFile or TLS.KeyData", c.TLS.hasKey()},
		{"TLS.GetCertHolder", c.HasCertCallback()},
		{"TLS.Insecure", c.TLS.Insecure},
		{"TLS.ServerName", c.TLS.ServerName != ""},
		{"TLS.NextProtos", len(c.TLS.NextProtos) > 0},
		{"DialHolder", c.DialHolder != nil},
		{"Proxy", c.Proxy != nil},
	} {
		if f.set {
			return f.name
		}
	}
	return ""
}

// validateAuth checks the parts for the layers of HTTPWrappersForConfig.
func (c *Config) validateAuth() error {
	if c.HasBasicAuth() && c.HasTokenAuth() {
		return errors.New("transport: username/password or bearer token may be set, but not both: clear " +
			"Config.Username, or Config.BearerToken and Config.BearerTokenFile")
	}
	if c.Impersonate.isSet() && c.Impersonate.UserName == "" {
		return errors.New("transport: Config.Impersonate has no UserName: groups, uid and extra " +
			"need one")
	}
	return nil
}

func (c *TLSConfig) validate() error {
	switch {
	case c.Insecure && (len(c.CAData) > 0 || c.CAFile != ""):
		return errors.New("transport: specifying a root certificates file with the insecure flag is not allowed: " +
			"clear TLS.Insecure, or TLS.CAFile and TLS.CAData")
	case c.hasCert() && !c.hasKey():
		return errors.New("transport: a TLS client certificate without its key: set TLS.KeyFile or TLS.KeyData")
	case c.hasKey() && !c.hasCert():
		return errors.New("transport: a TLS client key without its certificate: set TLS.CertFile or TLS.CertData")
	case c.GetCertHolder != nil && c.GetCertHolder.GetCert == nil:
		return errors.New("transport: TLS.GetCertHolder has no GetCert function: set it, or leave the holder out")
	}
	return nil
}
