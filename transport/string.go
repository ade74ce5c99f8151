package transport

import (
	"fmt"
	"log/slog"
	"strings"
)

// String returns the config without its secrets.
func (c Config) String() string { return c.GoString() }

// GoString returns the config without its secrets.
func (c Config) GoString() string {
	var b strings.Builder
	b.WriteString("transport.Config{")
	show(&b, "UserAgent", c.UserAgent)
	show(&b, "Username", c.Username)
	hide(&b, "Password", len(c.Password))
	hide(&b, "BearerToken", len(c.BearerToken))
	show(&b, "BearerTokenFile", c.BearerTokenFile)
	if c.Impersonate.isSet() {
		fmt.Fprintf(&b, "Impersonate:%+v, ", c.Impersonate)
	}
	fmt.Fprintf(&b, "TLS:%s, DisableCompression:%t, ", c.TLS.GoString(), c.DisableCompression)
	fmt.Fprintf(&b, "Transport:%T, WrapTransport:%t, DialHolder:%t, Proxy:%t}",
		c.Transport, c.WrapTransport != nil, c.DialHolder != nil, c.Proxy != nil)
	return b.String()
}

// LogValue returns the config without its secrets.
func (c Config) LogValue() slog.Value { return slog.StringValue(c.GoString()) }

// String returns the config without the key.
func (c TLSConfig) String() string { return c.GoString() }

// GoString returns the config without the key. Certificates are not secret, but long.
func (c TLSConfig) GoString() string {
	var b strings.Builder
	b.WriteString("transport.TLSConfig{")
	show(&b, "CAFile", c.CAFile)
	show(&b, "CertFile", c.CertFile)
	show(&b, "KeyFile", c.KeyFile)
	show(&b, "ServerName", c.ServerName)
	fmt.Fprintf(&b, "CAData:%d bytes, CertData:%d bytes, ", len(c.CAData), len(c.CertData))
	hide(&b, "KeyData", len(c.KeyData))
	fmt.Fprintf(&b, "NextProtos:%q, Insecure:%t, GetCertHolder:%t}", c.NextProtos, c.Insecure, c.GetCertHolder != nil)
	return b.String()
}

// LogValue returns the config without the key.
func (c TLSConfig) LogValue() slog.Value { return slog.StringValue(c.GoString()) }

func show(b *strings.Builder, field, value string) {
	if value != "" {
		fmt.Fprintf(b, "%s:%q, ", field, value)
	}
}

// hide writes that a value is set, but not its size.
func hide(b *strings.Builder, field string, size int) {
	if size > 0 {
		fmt.Fprintf(b, "%s:[redacted], ", field)
	}
}
