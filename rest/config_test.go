package rest

import (
	"context"
	"crypto/tls"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	clientcmdapi "vedette.dev/clientcmd/api"
	"vedette.dev/internal/testcert"
)

const secret = "s3cr3t"

func secretConfig() *Config {
	return &Config{
		Host: "https://" + secret + ":" + secret + "@host", Username: "user", Password: secret, BearerToken: secret, BearerTokenFile: "file",
		Impersonate:     ImpersonationConfig{UserName: "other", Extra: map[string][]string{"token": {secret}}},
		AuthProvider:    &clientcmdapi.AuthProviderConfig{Name: "p", Config: map[string]string{"token": secret}},
		ExecProvider:    &clientcmdapi.ExecConfig{Command: "c", Args: []string{secret}, Env: []clientcmdapi.ExecEnvVar{{Name: "T", Value: secret}}},
		TLSClientConfig: TLSClientConfig{KeyData: []byte(secret), CertData: []byte("cert"), CAData: []byte("ca")},
		Transport:       roundTripper(func(*http.Request) (*http.Response, error) { return nil, nil }),
	}
}

// Secrets are not shown, whichever way a Config is printed.
func TestSecretsAreHidden(t *testing.T) {
	c := secretConfig()
	hex := fmt.Sprintf("%x", secret)
	bytes := strings.Trim(fmt.Sprint([]byte(secret)), "[]")
	for _, v := range []any{c, *c, &c, c.TLSClientConfig, &c.TLSClientConfig, []*Config{c}, map[string]Config{"a": *c}, struct{ C *Config }{c}, struct{ C Config }{*c}} {
		for _, format := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d"} {
			text := fmt.Sprintf(format, v)
			if strings.Contains(text, secret) || strings.Contains(text, hex) || strings.Contains(text, bytes) || strings.Contains(text, "0x73, 0x33") {
				t.Errorf("%s of a %T shows the secret: %s", format, v, text)
			}
		}
	}
	if text := fmt.Sprint(c); !strings.Contains(text, "@host") || !strings.Contains(text, redacted) {
		t.Errorf("the rest is not shown: %s", text)
	}
	if fmt.Sprint((*Config)(nil)) != "<nil>" {
		t.Error("nil")
	}
}

// A password in the address of the server is in no error, whether the address is a good one or not.
func TestNoErrorShowsThePasswordOfTheHost(t *testing.T) {
	check := func(what string, err error) {
		t.Helper()
		if err == nil {
			t.Errorf("%s: no error", what)
		} else if strings.Contains(err.Error(), secret) {
			t.Errorf("%s: the error shows the password: %v", what, err)
		}
	}
	for _, host := range []string{
		"admin:" + secret + "@host/path", "https://admin:" + secret + "@host:port", "https://admin:" + secret + "/@host:1", "https://admin:" + secret + " @host",
		"admin:" + secret + "%zz@host",
	} {
		_, _, err := DefaultServerUrlFor(&Config{Host: host})
		check(host, err)
		_, err = RESTClientFor(configFor(host))
		check(host, err)
		config := configFor(host)
		config.Proxy = http.ProxyFromEnvironment
		if _, err := config.proxyURL(); err != nil { // not all of them are wrong for it
			check(host, err)
		}
	}
	good := "https://" + secret + ":" + secret + "@host:1"
	config := configFor(good)
	config.CAFile = "missing"
	_, err := HTTPClientFor(config)
	check("a file that is missing", err)
	_, err = RESTClientFor(config)
	check("a file that is missing", err)

	config = configFor(good)
	config.Dial = func(context.Context, string, string) (net.Conn, error) { return nil, errors.New("refused") }
	client := newTestClient(t, config)
	check("a server that is not there", client.Get().AbsPath("/x").Do(background).Error())
	_, err = client.Get().AbsPath("/x").Stream(background)
	check("a stream", err)
	_, err = client.Get().AbsPath("/x").Frames(background)
	check("a watch", err)
}

func TestCopyConfig(t *testing.T) {
	c := secretConfig()
	copied := CopyConfig(c)
	copied.Transport, c.Transport = nil, nil // functions cannot be compared
	if !reflect.DeepEqual(c, copied) {
		t.Errorf("%v, want %v", copied, c)
	}
	copied.ExecProvider.Command, copied.Host = "other", "other"
	if c.ExecProvider.Command != "c" || c.Host != secretConfig().Host {
		t.Error("the original changed")
	}
}

func TestAnonymousClientConfig(t *testing.T) {
	c := AnonymousClientConfig(secretConfig())
	want := &Config{Host: secretConfig().Host, TLSClientConfig: TLSClientConfig{CAData: []byte("ca")}}
	if !reflect.DeepEqual(c, want) {
		t.Errorf("%v, want %v", c, want)
	}
}

func TestDefaultServerURL(t *testing.T) {
	tests := []struct {
		host, want string
		tls        bool
	}{
		{"host", "http://host", false}, {"host:1", "https://host:1", true}, {"http://host:1", "http://host:1", true},
		{"https://host/path", "https://host/path", false}, {"10.0.0.1:443", "https://10.0.0.1:443", true}, {"[::1]:443", "https://[::1]:443", true},
		{"", "", false}, {"host/path", "", false}, {"http://host:port", "", false}, {"ho st", "", false},
	}
	for _, tt := range tests {
		u, path, err := DefaultServerURL(tt.host, "/apis", schema.GroupVersion{Group: "apps", Version: "v1"}, tt.tls)
		if tt.want == "" {
			if err == nil {
				t.Errorf("%q: %v", tt.host, u)
			}
			continue
		}
		if err != nil || u.String() != tt.want || path != "/apis/apps/v1" {
			t.Errorf("%q: %v, %s, %v", tt.host, u, path, err)
		}
	}
	if u, _, err := DefaultServerUrlFor(&Config{}); err != nil || u.String() != "http://localhost" {
		t.Errorf("%v, %v", u, err)
	}
	if !IsConfigTransportTLS(Config{Host: "https://a"}) || IsConfigTransportTLS(Config{Host: "a"}) || !IsConfigTransportTLS(Config{Host: "a", TLSClientConfig: TLSClientConfig{Insecure: true}}) {
		t.Error("IsConfigTransportTLS")
	}
}

func TestClientNeedsItsParts(t *testing.T) {
	c := configFor("http://host")
	c.GroupVersion = nil
	if _, err := RESTClientFor(c); !errors.Is(err, errNoGroupVersion) {
		t.Error(err)
	}
	if client, err := UnversionedRESTClientFor(c); err != nil || client.APIVersion() != metav1.SchemeGroupVersion {
		t.Error(err)
	}
	c = configFor("http://host")
	c.NegotiatedSerializer = nil
	if _, err := RESTClientFor(c); !errors.Is(err, errNoSerializer) {
		t.Error(err)
	}
	if _, err := RESTClientFor(configFor("a/b/c")); err == nil || !strings.Contains(err.Error(), "a/b/c") {
		t.Error(err)
	}
	c = configFor("https://host")
	c.AuthProvider = &clientcmdapi.AuthProviderConfig{Name: "gcp"}
	if _, err := RESTClientFor(c); err == nil || !strings.Contains(err.Error(), `"gcp"`) {
		t.Error(err)
	}
}

func TestInClusterConfig(t *testing.T) {
	t.Setenv("KUBERNETES_SERVICE_HOST", "")
	if _, err := InClusterConfig(); err != ErrNotInCluster {
		t.Error(err)
	}
	t.Setenv("KUBERNETES_SERVICE_HOST", "fd00::1")
	t.Setenv("KUBERNETES_SERVICE_PORT", "443")
	dir := t.TempDir()
	token, ca := filepath.Join(dir, "token"), filepath.Join(dir, "ca.crt")
	if _, err := inClusterConfig(token, ca); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
	for _, file := range []string{token, ca} {
		if err := os.WriteFile(file, []byte("text\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	c, err := inClusterConfig(token, ca)
	if err != nil || c.Host != "https://[fd00::1]:443" || c.BearerToken != "text" || c.BearerTokenFile != token || c.CAFile != ca {
		t.Errorf("%v, %v", c, err)
	}
}

// From a Config to an answer over TLS, with a token, through a wrapper; and LoadTLSFiles.
func TestOverTLS(t *testing.T) {
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Authorization") != "Bearer "+secret || r.Header.Get("X-Wrapped") != "yes" || r.UserAgent() != "me" {
			w.WriteHeader(401)
			return
		}
		answer(200, "application/json", toJSON(t, pod("a")))(w, r)
	}))
	defer server.Close()
	c := configFor(server.URL)
	c.BearerToken, c.UserAgent = secret, "me"
	c.CAFile = filepath.Join(t.TempDir(), "ca")
	if err := os.WriteFile(c.CAFile, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}), 0o600); err != nil {
		t.Fatal(err)
	}
	c.Wrap(func(rt http.RoundTripper) http.RoundTripper {
		return roundTripper(func(r *http.Request) (*http.Response, error) {
			r = r.Clone(r.Context())
			r.Header.Set("X-Wrapped", "yes")
			return rt.RoundTrip(r)
		})
	})
	if err := newTestClient(t, c).Get().Resource("pods").Do(background).Error(); err != nil {
		t.Error(err)
	}
	if err := LoadTLSFiles(c); err != nil || len(c.CAData) == 0 {
		t.Errorf("LoadTLSFiles: %v", err)
	}
	if err := LoadTLSFiles(&Config{TLSClientConfig: TLSClientConfig{KeyFile: "/does/not/exist"}}); err == nil || !strings.Contains(err.Error(), "KeyFile") {
		t.Errorf("LoadTLSFiles: %v", err)
	}
	c = configFor(server.URL)
	err := newTestClient(t, c).Get().Resource("pods").Do(background).Error()
	if err == nil || !strings.Contains(err.Error(), "certificate") {
		t.Errorf("an unknown CA: %v", err)
	}
}

// A certificate that has expired, the server's or ours, is an error that says so.
func TestExpiredCertificates(t *testing.T) {
	ca := testcert.NewCA(t, "ca")
	start := func(cert testcert.Pair) *httptest.Server {
		server := httptest.NewUnstartedServer(answer(200, "application/json", toJSON(t, pod("a"))))
		server.TLS = &tls.Config{Certificates: []tls.Certificate{cert.TLS(t)}, ClientAuth: tls.VerifyClientCertIfGiven, ClientCAs: ca.Pool}
		server.Config.ErrorLog = log.New(io.Discard, "", 0)
		server.StartTLS()
		t.Cleanup(server.Close)
		return server
	}
	get := func(server *httptest.Server, ours testcert.Pair) error {
		c := configFor(server.URL)
		c.CAData, c.CertData, c.KeyData = ca.PEM, ours.Cert, ours.Key
		return newTestClient(t, c).Get().Resource("pods").MaxRetries(0).Do(background).Error()
	}
	good := start(ca.Server(t, "127.0.0.1"))
	if err := get(good, ca.Client(t, "me")); err != nil {
		t.Errorf("good certificates: %v", err)
	}
	if err := get(good, ca.Expired(t, "me")); err == nil || !strings.Contains(err.Error(), "expired") {
		t.Errorf("ours has expired: %v", err)
	}
	if err := get(start(ca.Expired(t, "server", "127.0.0.1")), ca.Client(t, "me")); err == nil || !strings.Contains(err.Error(), "expired") {
		t.Errorf("the server's has expired: %v", err)
	}
}

// Credentials do not follow a redirect to another host.
func TestRedirectToAnotherHost(t *testing.T) {
	var got http.Header
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		got = r.Header.Clone()
		answer(200, "application/json", toJSON(t, pod("a")))(w, r)
	}))
	defer other.Close()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, other.URL, http.StatusTemporaryRedirect)
	}))
	defer server.Close()
	for name, set := range map[string]func(*Config){
		"token": func(c *Config) { c.BearerToken = secret },
		"basic": func(c *Config) { c.Username, c.Password = "user", secret },
		"impersonation": func(c *Config) {
			c.BearerToken, c.Impersonate = secret, ImpersonationConfig{UserName: "other", Groups: []string{secret}}
		},
	} {
		c := configFor(server.URL)
		set(c)
		got = nil
		_ = newTestClient(t, c).Get().Resource("pods").Do(background).Error()
		if text := fmt.Sprint(got); strings.Contains(text, secret) || strings.Contains(text, "Authorization") || strings.Contains(text, "Impersonate") {
			t.Errorf("%s: the other host heard %s", name, text)
		}
	}
}

func TestExecClusterProxy(t *testing.T) {
	c := &Config{Host: "https://host", ExecProvider: &clientcmdapi.ExecConfig{}, Proxy: http.ProxyURL(&url.URL{Scheme: "http", Host: "proxy"})}
	cluster, err := c.execCluster()
	if err != nil || cluster.ProxyURL != "http://proxy" || cluster.Server != "https://host" {
		t.Errorf("%+v, %v", cluster, err)
	}
	c.CAFile = "/does/not/exist"
	if _, err := c.execCluster(); !errors.Is(err, os.ErrNotExist) {
		t.Error(err)
	}
}
