package rest

import (
	"fmt"
	"slices"

	"vedette.dev/internal/plainurl"
)

const redacted = plainurl.Redacted

func hide(secret string) string {
	if secret == "" {
		return ""
	}
	return redacted
}

// String returns the [Config] without its secrets. Functions and interfaces are omitted: they may hold secrets of their
// own, and would print as addresses at best.
func (c *Config) String() string {
	if c == nil {
		return "<nil>"
	}
	i := c.Impersonate
	return fmt.Sprintf("rest.Config{Host:%q, APIPath:%q, AcceptContentTypes:%q, ContentType:%q, GroupVersion:%v, "+
		"Username:%q, Password:%q, BearerToken:%q, BearerTokenFile:%q, "+
		"Impersonate:{UserName:%q, UID:%q, Groups:%q, Extra:%q}, AuthProvider:%v, ExecProvider:%v, TLSClientConfig:%v, "+
		"UserAgent:%q, DisableCompression:%t, QPS:%v, Burst:%d, Timeout:%v}",
		plainurl.Hide(c.Host), c.APIPath, c.AcceptContentTypes, c.ContentType, c.GroupVersion,
		c.Username, hide(c.Password), hide(c.BearerToken), c.BearerTokenFile,
		i.UserName, i.UID, i.Groups, hideValues(i.Extra), c.AuthProvider, c.ExecProvider, c.TLSClientConfig,
		c.UserAgent, c.DisableCompression, c.QPS, c.Burst, c.Timeout)
}

// GoString returns String, so that %#v shows no secret either.
func (c *Config) GoString() string { return c.String() }

// Format prints String for all verbs. It has a value receiver, so that it also works for a [Config] that is not a
// pointer.
func (c Config) Format(f fmt.State, _ rune) { fmt.Fprint(f, c.String()) }

// hideValues keeps the names. The values of extra fields may be tokens of another system.
func hideValues(extra map[string][]string) map[string]string {
	shown := map[string]string{}
	for name := range extra {
		shown[name] = redacted
	}
	return shown
}

// String returns the [TLSClientConfig] without its secrets.
func (c TLSClientConfig) String() string {
	return fmt.Sprintf("rest.TLSClientConfig{Insecure:%t, ServerName:%q, CertFile:%q, KeyFile:%q, CAFile:%q, CertData:%q, KeyData:%q, CAData:%q, NextProtos:%q}",
		c.Insecure, c.ServerName, c.CertFile, c.KeyFile, c.CAFile, truncated(c.CertData), hide(string(c.KeyData)), truncated(c.CAData), c.NextProtos)
}

// GoString returns String, so that %#v shows no secret either.
func (c TLSClientConfig) GoString() string { return c.String() }

// Format prints String for all verbs.
func (c TLSClientConfig) Format(f fmt.State, _ rune) { fmt.Fprint(f, c.String()) }

// truncated replaces data that is not secret, but long.
func truncated(data []byte) []byte {
	const most = 32
	if len(data) <= most {
		return data
	}
	return append(slices.Clone(data[:most]), "..."...)
}
