package transport

import (
	"bytes"
	"context"
	"crypto/tls"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"
)

func TestNewRejectsBadConfigs(t *testing.T) {
	custom := roundTripperFunc(nil)
	for name, test := range map[string]struct {
		config *Config
		want   string
	}{
		"nil":                        {nil, "Config is nil"},
		"basic and token":            {&Config{Username: "u", BearerToken: "t"}, "but not both"},
		"basic and token file":       {&Config{Username: "u", BearerTokenFile: "t"}, "but not both"},
		"insecure and CA data":       {&Config{TLS: TLSConfig{Insecure: true, CAData: []byte("x")}}, "root certificates file with the insecure flag"},
		"insecure and CA file":       {&Config{TLS: TLSConfig{Insecure: true, CAFile: "x"}}, "root certificates file with the insecure flag"},
		"certificate without key":    {&Config{TLS: TLSConfig{CertFile: "x"}}, "set TLS.KeyFile or TLS.KeyData"},
		"key without certificate":    {&Config{TLS: TLSConfig{KeyData: []byte("x")}}, "set TLS.CertFile or TLS.CertData"},
		"holder without GetCert":     {&Config{TLS: TLSConfig{GetCertHolder: &GetCertHolder{}}}, "no GetCert function"},
		"holder without Dial":        {&Config{DialHolder: &DialHolder{}}, "no Dial function"},
		"groups without user":        {&Config{Impersonate: ImpersonationConfig{Groups: []string{"g"}}}, "no UserName"},
		"transport and CA":           {&Config{Transport: custom, TLS: TLSConfig{CAFile: "x"}}, "Config.TLS.CAFile or TLS.CAData"},
		"transport and certificate":  {&Config{Transport: custom, TLS: TLSConfig{CertFile: "x", KeyFile: "y"}}, "Config.TLS.CertFile"},
		"transport and insecure":     {&Config{Transport: custom, TLS: TLSConfig{Insecure: true}}, "Config.TLS.Insecure"},
		"transport and server name":  {&Config{Transport: custom, TLS: TLSConfig{ServerName: "x"}}, "Config.TLS.ServerName"},
		"transport and callback":     {&Config{Transport: custom, TLS: TLSConfig{GetCertHolder: &GetCertHolder{}}}, "Config.TLS.GetCertHolder"},
		"transport and dialer":       {&Config{Transport: custom, DialHolder: &DialHolder{}}, "Config.DialHolder"},
		"transport and proxy":        {&Config{Transport: custom, Proxy: http.ProxyURL(&url.URL{})}, "Config.Proxy"},
		"no such CA file":            {&Config{TLS: TLSConfig{CAFile: "/no/such/ca.crt"}}, "/no/such/ca.crt"},
		"no such certificate file":   {&Config{TLS: TLSConfig{CertFile: "/no/such/tls.crt", KeyData: []byte("x")}}, "/no/such/tls.crt"},
		"CA data without PEM":        {&Config{TLS: TLSConfig{CAData: []byte("x")}}, "CA certificates from TLS.CAData: no PEM block"},
		"CA that cannot be parsed":   {&Config{TLS: TLSConfig{CAData: pemBlock("CERTIFICATE")}}, "no valid certificate"},
		"CA that is a key":           {&Config{TLS: TLSConfig{CAData: pemBlock("PRIVATE KEY")}}, "no PEM block of type CERTIFICATE"},
		"certificate that is no PEM": {&Config{TLS: TLSConfig{CertData: []byte("x"), KeyData: []byte("y")}}, "client certificate from TLS.CertData with the key from TLS.KeyData"},
		"no such token file":         {&Config{BearerTokenFile: "/no/such/token"}, "/no/such/token"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := New(test.config)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("New returned %v, want an error with %q", err, test.want)
			}
			if err != nil && !strings.HasPrefix(err.Error(), "transport: ") {
				t.Errorf("the error %q does not say where it comes from", err)
			}
		})
	}
}

func pemBlock(kind string) []byte {
	return []byte("-----BEGIN " + kind + "-----\nAAAA\n-----END " + kind + "-----\n")
}

func TestBadPEMNamesTheFile(t *testing.T) {
	path := t.TempDir() + "/ca.crt"
	for _, text := range []string{"", "garbage", string(pemBlock("CERTIFICATE"))} {
		writeFile(t, path, []byte(text))
		_, err := New(&Config{TLS: TLSConfig{CAFile: path}})
		if err == nil || !strings.Contains(err.Error(), fmt.Sprintf("CA certificates from file %q", path)) {
			t.Errorf("CA file with %q: %v", text, err)
		}
	}
}

func TestPrintingConfigsShowsNoSecrets(t *testing.T) {
	const secret = "hunter2"
	config := Config{
		Username: "alice", Password: secret, BearerToken: secret, BearerTokenFile: "/var/token",
		TLS:         TLSConfig{KeyData: []byte(secret), CAFile: "/ca.crt"},
		Impersonate: ImpersonationConfig{UserName: "bob"},
		DialHolder:  &DialHolder{Dial: func(context.Context, string, string) (net.Conn, error) { return nil, nil }},
	}
	var logged bytes.Buffer
	slog.New(slog.NewJSONHandler(&logged, nil)).Info("config", "value", config, "pointer", &config, "tls", config.TLS)
	shown := []string{logged.String()}
	for _, format := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x"} {
		for _, value := range []any{config, &config, config.TLS, &config.TLS, []any{config}} {
			shown = append(shown, fmt.Sprintf(format, value))
		}
	}
	secretForms := []string{secret, fmt.Sprintf("%x", secret), fmt.Sprint([]byte(secret)), fmt.Sprintf("%#v", []byte(secret)), "aHVudGVyMg"}
	for _, text := range shown {
		for _, form := range secretForms {
			if strings.Contains(text, form) {
				t.Errorf("%s shows %q", text, form)
			}
		}
	}
	for _, want := range []string{"alice", "/var/token", "/ca.crt", "bob", "Password:[redacted]"} {
		if !strings.Contains(config.String(), want) {
			t.Errorf("%s does not show %q", config, want)
		}
	}
}

func TestConfigQuestions(t *testing.T) {
	holder := &GetCertHolder{GetCert: func() (*tls.Certificate, error) { return nil, nil }}
	for _, test := range []struct {
		config                           Config
		ca, basic, token, cert, callback bool
	}{
		{config: Config{}},
		{config: Config{TLS: TLSConfig{CAFile: "x"}}, ca: true},
		{config: Config{TLS: TLSConfig{CAData: []byte("x")}}, ca: true},
		{config: Config{Username: "x"}, basic: true},
		{config: Config{Password: "x"}},
		{config: Config{BearerToken: "x"}, token: true},
		{config: Config{BearerTokenFile: "x"}, token: true},
		{config: Config{TLS: TLSConfig{CertFile: "x"}}},
		{config: Config{TLS: TLSConfig{CertFile: "x", KeyData: []byte("y")}}, cert: true},
		{config: Config{TLS: TLSConfig{GetCertHolder: holder}}, callback: true},
	} {
		c := test.config
		if c.HasCA() != test.ca || c.HasBasicAuth() != test.basic || c.HasTokenAuth() != test.token ||
			c.HasCertAuth() != test.cert || c.HasCertCallback() != test.callback {
			t.Errorf("wrong answers for %v", c)
		}
	}
}
