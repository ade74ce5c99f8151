package execauth

import (
	"crypto/tls"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	k8sruntime "k8s.io/apimachinery/pkg/runtime"

	"vedette.dev/internal/testcert"
	"vedette.dev/transport"
)

func TestTokenIsFetchedOnce(t *testing.T) {
	f := newFixture(t, "print").prints(tokenAnswer("one")).start()
	f.runs(0)
	for range 3 {
		f.expect("one")
	}
	f.runs(1)
}

func TestPluginIsToldAboutTheCluster(t *testing.T) {
	cluster := &Cluster{
		Server: "https://api", TLSServerName: "name", InsecureSkipTLSVerify: true, CertificateAuthorityData: []byte("ca"),
		ProxyURL: "http://proxy", DisableCompression: true, Config: &k8sruntime.Unknown{Raw: []byte(`{"audience":"x"}`)},
	}
	whole := `{"kind":"ExecCredential","apiVersion":%q,"spec":{"cluster":{"server":"https://api","tls-server-name":"name",` +
		`"insecure-skip-tls-verify":true,"certificate-authority-data":"Y2E=","proxy-url":"http://proxy",` +
		`"disable-compression":true,"config":{"audience":"x"}},"interactive":false}}`
	small := `{"kind":"ExecCredential","apiVersion":%q,"spec":{"cluster":{"server":"https://api"},"interactive":false}}`
	none := `{"kind":"ExecCredential","apiVersion":%q,"spec":{"interactive":false}}`
	for _, version := range []string{apiV1, apiV1Beta1} {
		for _, test := range []struct {
			cluster *Cluster
			provide bool
			want    string
		}{{cluster, true, whole}, {&Cluster{Server: "https://api"}, true, small}, {cluster, false, none}, {nil, false, none}} {
			f := newFixture(t, "print").prints(strings.Replace(tokenAnswer("one"), apiV1, version, 1))
			f.config.APIVersion, f.config.ProvideClusterInfo, f.cluster = version, test.provide, test.cluster
			f.start().expect("one")
			if got, want := f.told()[0], fmt.Sprintf(test.want, version); got != want {
				t.Errorf("the plugin was told\n%s, want\n%s", got, want)
			}
		}
	}
}

func TestExpiredCredentialsAreReplaced(t *testing.T) {
	expiring := func(token string, in time.Duration) string {
		return fmt.Sprintf(`{"kind":"ExecCredential","apiVersion":%q,"status":{"token":%q,"expirationTimestamp":%q}}`,
			apiV1, token, time.Now().Add(in).Format(time.RFC3339))
	}
	f := newFixture(t, "print").prints(expiring("one", -time.Hour)).start()
	f.expect("one") // expired already, but the best there is
	f.prints(expiring("two", time.Hour))
	f.expect("two")
	f.expect("two")
	f.runs(2)
	f.auth.current.expires = time.Now().Add(-1)
	f.prints(tokenAnswer("three"))
	f.expect("three")
	f.runs(3)
}

func TestUnauthorizedCausesOneRefresh(t *testing.T) {
	f := newFixture(t, "print").prints(tokenAnswer("one")).start()
	f.accept("two")
	f.expect("one") // and is refused
	f.prints(tokenAnswer("two"))
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() { f.expect("two") })
	}
	all.Wait()
	f.runs(2)
	f.auth.reject(&credentials{}) // a late refusal of something older
	f.expect("two")
	f.runs(2)
}

// The server never takes what the plugin returns. That must not start a process for each request.
func TestSameCredentialsAgain(t *testing.T) {
	f := newFixture(t, "print").prints(tokenAnswer("one")).start()
	f.accept("another")
	for range 10 {
		f.expect("one")
	}
	f.runs(2)
	f.auth.kept = time.Now().Add(-sameAgain)
	f.expect("one")
	f.expect("one")
	f.runs(3)
}

func TestManyRequestsCauseOneRun(t *testing.T) {
	f := newFixture(t, "print").prints(tokenAnswer("one"))
	f.setenv("GATE", f.path("gate"))
	f.start()
	var all sync.WaitGroup
	for range 50 {
		all.Go(func() { f.expect("one") })
	}
	for f.waiting() < 50 {
		runtime.Gosched()
	}
	f.openGate()
	all.Wait()
	f.runs(1)
}

// A run that every request has given up can end after the run that replaced it.
func TestLateRunDoesNotReplaceNewerCredentials(t *testing.T) {
	newFlight := func(number uint64) *flight {
		return &flight{number: number, done: make(chan struct{}), cancel: func() {}}
	}
	f := newFixture(t, "print").start()
	first, second, third := newFlight(1), newFlight(2), newFlight(3)
	older, newer := &credentials{token: "older", sum: [32]byte{1}}, &credentials{token: "newer", sum: [32]byte{2}}

	f.auth.land(second, newer, nil)
	f.auth.land(first, older, nil)
	f.expect("newer")
	f.auth.land(third, nil, fmt.Errorf("failed"))
	f.expect("newer")
	for _, one := range []*flight{first, second, third} {
		<-one.done
	}

	// A failed run leaves the place to an earlier one that succeeds.
	f = newFixture(t, "print").start()
	f.auth.land(newFlight(2), nil, fmt.Errorf("failed"))
	f.auth.land(newFlight(1), older, nil)
	f.expect("older")
	f.runs(0)
}

func TestCallersChoiceComesFirst(t *testing.T) {
	f := newFixture(t, "print").prints(tokenAnswer("one")).start()
	req, _ := http.NewRequest(http.MethodGet, "https://api", nil)
	req.Header.Set("Authorization", "Mine")
	if _, err := f.rt.RoundTrip(req); err != nil || f.seen[0] != "Mine" {
		t.Errorf("the server saw %q (%v)", f.seen, err)
	}
	f.runs(0)

	f.expect("one")
	if req.Header.Get("Authorization") != "Mine" {
		t.Error("the caller's request was changed")
	}
	for name, config := range map[string]*transport.Config{
		"token":       {BearerToken: "t"},
		"password":    {Username: "u", Password: "p"},
		"certificate": {TLS: transport.TLSConfig{CertFile: "c", KeyFile: "k"}},
	} {
		if err := f.auth.UpdateTransportConfig(config); err != nil || config.WrapTransport != nil || config.TLS.GetCertHolder != nil {
			t.Errorf("%s: the plugin is used nevertheless (%v)", name, err)
		}
	}
	if err := f.auth.UpdateTransportConfig(&transport.Config{Transport: http.DefaultTransport}); err == nil {
		t.Error("no error with a custom Transport")
	}
	taken := &transport.Config{TLS: transport.TLSConfig{GetCertHolder: &transport.GetCertHolder{}}}
	if err := f.auth.UpdateTransportConfig(taken); err == nil || !strings.Contains(err.Error(), "GetCertHolder") {
		t.Errorf("with another source of certificates: %v", err)
	}
}

func TestTokenDoesNotFollowRedirects(t *testing.T) {
	f := newFixture(t, "print").prints(tokenAnswer("one")).start()
	headers := make(chan string, 2)
	end := func(_ http.ResponseWriter, r *http.Request) { headers <- r.Header.Get("Authorization") }
	there := httptest.NewServer(http.HandlerFunc(end))
	defer there.Close()
	here := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		end(w, r)
		http.Redirect(w, r, there.URL, http.StatusFound)
	}))
	defer here.Close()
	base := &http.Transport{}
	client := &http.Client{Transport: &roundTripper{auth: f.auth, next: base}}
	defer client.CloseIdleConnections()
	resp, err := client.Get(here.URL)
	if err != nil {
		t.Fatal(err)
	}
	resp.Body.Close()
	if first, second := <-headers, <-headers; first != "Bearer one" || second != "" {
		t.Errorf("the servers saw %q and %q", first, second)
	}
	if rt := client.Transport.(*roundTripper).WrappedRoundTripper(); rt != base {
		t.Errorf("WrappedRoundTripper returned %v", rt)
	}
}

func TestClientCertificateRotation(t *testing.T) {
	ca := testcert.NewCA(t, "ca")
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name := "nobody"
		if certs := r.TLS.PeerCertificates; len(certs) > 0 {
			name = certs[0].Subject.CommonName
		}
		if name == "alice" && r.URL.Path == "/refuse" {
			w.WriteHeader(http.StatusUnauthorized)
		}
		fmt.Fprintf(w, "%s %s", name, r.Header.Get("Authorization"))
	}))
	server.EnableHTTP2 = true
	server.TLS = &tls.Config{
		Certificates: []tls.Certificate{ca.Server(t, "127.0.0.1").TLS(t)}, ClientAuth: tls.VerifyClientCertIfGiven, ClientCAs: ca.Pool,
	}
	server.StartTLS()
	defer server.Close()

	f := newFixture(t, "print").prints(certAnswer(ca.Client(t, "alice"), "a-token")).start()
	config := &transport.Config{TLS: transport.TLSConfig{CAData: ca.PEM}}
	if err := f.auth.UpdateTransportConfig(config); err != nil {
		t.Fatal(err)
	}
	rt, err := transport.New(config)
	if err != nil {
		t.Fatal(err)
	}
	client := &http.Client{Transport: rt}
	defer client.CloseIdleConnections()
	expect := func(path, want string) {
		t.Helper()
		resp, err := client.Get(server.URL + path)
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		if got, err := io.ReadAll(resp.Body); err != nil || string(got) != want {
			t.Errorf("the server saw %q (%v), want %q", got, err, want)
		}
	}
	expect("/", "alice Bearer a-token")
	expect("/refuse", "alice Bearer a-token")
	f.prints(certAnswer(ca.Client(t, "bob"), ""))
	expect("/", "bob ")
	f.runs(2)
}

func certAnswer(pair testcert.Pair, token string) string {
	return fmt.Sprintf(`{"kind":"ExecCredential","apiVersion":%q,"status":{"token":%q,"clientCertificateData":%q,"clientKeyData":%q}}`,
		apiV1, token, pair.Cert, pair.Key)
}

// A request with a header of its own comes first; the handshake still needs to know whether there is a certificate.
func TestHandshakeBeforeAnyRequest(t *testing.T) {
	ca := testcert.NewCA(t, "ca")
	f := newFixture(t, "print").prints(certAnswer(ca.Client(t, "alice"), "")).start()
	cert, err := f.auth.holder.GetCert()
	if err != nil || cert.Leaf.Subject.CommonName != "alice" {
		t.Errorf("the certificate is %v (%v)", cert, err)
	}
	f.auth.current.expires = time.Now().Add(-1)
	if _, err := f.auth.holder.GetCert(); err != nil {
		t.Error(err)
	}
	f.runs(1) // in a handshake the plugin is not run for credentials that have expired
}
