package clientcmd

import (
	"net/http"
	"net/url"
	"reflect"
	"strings"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/runtime"

	clientcmdapi "vedette.dev/clientcmd/api"
	restclient "vedette.dev/rest"
)

func TestClientConfig(t *testing.T) {
	prod := restclient.Config{
		Host:            "https://prod.example:6443",
		TLSClientConfig: restclient.TLSClientConfig{CAData: []byte("CA"), ServerName: "api.prod"},
	}
	with := func(change func(*restclient.Config)) *restclient.Config {
		config := prod
		change(&config)
		return &config
	}
	for name, c := range map[string]struct {
		context   string
		overrides *ConfigOverrides
		want      *restclient.Config
	}{
		"token": {"", nil, with(func(c *restclient.Config) { c.BearerToken = "s3cret" })},
		"cert": {"prod-cert", nil, with(func(c *restclient.Config) {
			c.CertData, c.KeyData = []byte("CRT"), []byte("KEY")
		})},
		"exec": {"prod-exec", nil, with(func(c *restclient.Config) {
			c.Impersonate = restclient.ImpersonationConfig{UserName: "boss", UID: "7", Groups: []string{"g1", "g2"}, Extra: map[string][]string{"reason": {"x"}}}
			c.ExecProvider = mustLoad(t, sample).AuthInfos["exec"].Exec
			c.ExecProvider.Config = &runtime.Unknown{Raw: []byte(`{"audience":"prod"}`), ContentType: runtime.ContentTypeJSON}
		})},
		"no credentials without TLS": {"local", nil, &restclient.Config{Host: "http://localhost:8080"}},
		"context by override": {"local", &ConfigOverrides{CurrentContext: "prod"}, with(func(c *restclient.Config) {
			c.BearerToken = "s3cret"
		})},
		"user by override": {"", &ConfigOverrides{Context: clientcmdapi.Context{AuthInfo: "cert"}}, with(func(c *restclient.Config) {
			c.CertData, c.KeyData = []byte("CRT"), []byte("KEY")
		})},
		"cluster by override": {"", &ConfigOverrides{Context: clientcmdapi.Context{Cluster: "local"}}, &restclient.Config{Host: "http://localhost:8080"}},
		"another server loses its TLS name": {"", &ConfigOverrides{ClusterInfo: clientcmdapi.Cluster{Server: "https://other"}}, with(func(c *restclient.Config) {
			c.Host, c.ServerName, c.BearerToken = "https://other", "", "s3cret"
		})},
		"another server and TLS name": {"", &ConfigOverrides{ClusterInfo: clientcmdapi.Cluster{Server: "https://other", TLSServerName: "x"}}, with(func(c *restclient.Config) {
			c.Host, c.ServerName, c.BearerToken = "https://other", "x", "s3cret"
		})},
		"insecure removes the CA": {"", &ConfigOverrides{ClusterInfo: clientcmdapi.Cluster{InsecureSkipTLSVerify: true}}, with(func(c *restclient.Config) {
			c.Insecure, c.CAData, c.BearerToken = true, nil, "s3cret"
		})},
		"a CA replaces a CA": {"", &ConfigOverrides{ClusterInfo: clientcmdapi.Cluster{CertificateAuthorityData: []byte("other")}}, with(func(c *restclient.Config) {
			c.CAData, c.BearerToken = []byte("other"), "s3cret"
		})},
		"key and certificate by override": {"prod-cert", &ConfigOverrides{AuthInfo: clientcmdapi.AuthInfo{ClientCertificateData: []byte("c"), ClientKeyData: []byte("k")}},
			with(func(c *restclient.Config) { c.CertData, c.KeyData = []byte("c"), []byte("k") })},
		"timeout": {"", &ConfigOverrides{Timeout: "90"}, with(func(c *restclient.Config) {
			c.Timeout, c.BearerToken = 90*time.Second, "s3cret"
		})},
		"defaults lose": {"", &ConfigOverrides{ClusterDefaults: clientcmdapi.Cluster{Server: "https://default", DisableCompression: true}}, with(func(c *restclient.Config) {
			c.DisableCompression, c.BearerToken = true, "s3cret"
		})},
		"query and fragment of a path": {"", &ConfigOverrides{ClusterInfo: clientcmdapi.Cluster{Server: "https://h/p?q#f", TLSServerName: "api.prod"}}, with(func(c *restclient.Config) {
			c.Host, c.BearerToken = "https://h/p", "s3cret"
		})},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := NewNonInteractiveClientConfig(*mustLoad(t, sample), c.context, c.overrides, nil).ClientConfig()
			if err != nil {
				t.Fatal(err)
			}
			if !reflect.DeepEqual(got, c.want) {
				t.Errorf("got  %+v\nwant %+v", got, c.want)
			}
		})
	}
}

func TestClientConfigProxy(t *testing.T) {
	overrides := &ConfigOverrides{ClusterInfo: clientcmdapi.Cluster{ProxyURL: "socks5://proxy:1080"}}
	config, err := NewDefaultClientConfig(*mustLoad(t, sample), overrides).ClientConfig()
	if err != nil {
		t.Fatal(err)
	}
	u, err := config.Proxy(&http.Request{URL: &url.URL{}})
	if err != nil || u.String() != "socks5://proxy:1080" {
		t.Errorf("%v, %v", u, err)
	}
}

func TestTokenFile(t *testing.T) {
	path := file(t, "token", "from-file\n")
	for token, want := range map[string]string{"": "from-file", "given": "given"} {
		overrides := &ConfigOverrides{AuthInfo: clientcmdapi.AuthInfo{Token: token, TokenFile: path}}
		config, err := NewNonInteractiveClientConfig(*mustLoad(t, sample), "bare", overrides, nil).ClientConfig()
		if err != nil {
			t.Fatal(err)
		}
		if config.BearerToken != want || config.BearerTokenFile != path {
			t.Errorf("token %q: got %q of %q", token, config.BearerToken, config.BearerTokenFile)
		}
	}
}

func TestAuthProviderIsHandedOn(t *testing.T) {
	provider := &clientcmdapi.AuthProviderConfig{Name: "oidc"}
	overrides := &ConfigOverrides{AuthInfo: clientcmdapi.AuthInfo{AuthProvider: provider}}
	config, err := NewDefaultClientConfig(*mustLoad(t, sample), overrides).ClientConfig()
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(config.AuthProvider, provider) || config.AuthConfigPersister == nil {
		t.Errorf("%v, %v", config.AuthProvider, config.AuthConfigPersister)
	}
}

func TestInstallHintCannotSpoilTheTerminal(t *testing.T) {
	config := mustLoad(t, sample)
	config.AuthInfos["exec"].Exec.InstallHint = "\x1b[31mbrew\tinstall\n\u202e\u0085x"
	rest, err := NewNonInteractiveClientConfig(*config, "prod-exec", nil, nil).ClientConfig()
	if err != nil {
		t.Fatal(err)
	}
	if got, want := rest.ExecProvider.InstallHint, "U+001B[31mbrew\tinstall\nU+202EU+0085x"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestInteractive(t *testing.T) {
	direct := NewInteractiveClientConfig(*mustLoad(t, sample), "bare", nil, strings.NewReader("me\n"), nil)
	_, err := direct.ClientConfig()
	wantError(t, err, "has no credentials", "token, a client certificate or an exec plugin")
	for _, context := range []string{"prod", "prod-cert", "prod-exec", "local"} {
		direct := NewInteractiveClientConfig(*mustLoad(t, sample), context, nil, strings.NewReader("me\n"), nil)
		if _, err := direct.ClientConfig(); err != nil {
			t.Errorf("%s: %v", context, err)
		}
	}
}
