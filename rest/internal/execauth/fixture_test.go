package execauth

import (
	"bytes"
	"errors"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	clientcmdapi "vedette.dev/clientcmd/api"
	"vedette.dev/transport"
)

// fixture is a plugin and a server that knows one token.
type fixture struct {
	t      testing.TB
	dir    string
	config *clientcmdapi.ExecConfig
	// surroundings of the plugin; stderr gets what it writes there.
	surroundings surroundings
	stderr       *syncBuffer
	cluster      *Cluster

	auth *Authenticator
	rt   http.RoundTripper

	mu   sync.Mutex
	good string   // the token that the server takes
	seen []string // the Authorization headers
}

func newFixture(t testing.TB, mode string) *fixture {
	f := &fixture{t: t, dir: t.TempDir(), stderr: &syncBuffer{}}
	f.config = &clientcmdapi.ExecConfig{
		Command:         os.Args[0],
		APIVersion:      apiV1,
		InteractiveMode: clientcmdapi.NeverExecInteractiveMode,
		Env: []clientcmdapi.ExecEnvVar{
			{Name: modeVariable, Value: mode},
			{Name: "LOG", Value: f.path("log")},
			{Name: "OUT", Value: f.path("out")},
			{Name: "PIDS", Value: f.path("pids")},
			{Name: "GORACE", Value: "atexit_sleep_ms=0"}, // else each run takes a second under the race detector
		},
	}
	no := func() bool { return false }
	f.surroundings = surroundings{
		stderr: f.stderr, environ: os.Environ, terminal: no, attended: no, linger: 100 * time.Millisecond,
		limit: func(bool) time.Duration { return 20 * time.Second },
	}
	return f
}

func (f *fixture) path(name string) string { return filepath.Join(f.dir, name) }

func (f *fixture) setenv(name, value string) {
	f.config.Env = append(f.config.Env, clientcmdapi.ExecEnvVar{Name: name, Value: value})
}

// start makes the authenticator, and puts it in front of the server.
func (f *fixture) start() *fixture {
	f.t.Helper()
	auth, err := newAuthenticator(f.config, f.cluster, f.surroundings)
	if err != nil {
		f.t.Fatal(err)
	}
	f.auth = auth
	config := &transport.Config{}
	if err := auth.UpdateTransportConfig(config); err != nil {
		f.t.Fatal(err)
	}
	f.rt = config.WrapTransport(roundTripperFunc(f.answer))
	return f
}

// prints says what the plugin prints from now on.
func (f *fixture) prints(output string) *fixture {
	f.t.Helper()
	if err := writeWhole(f.path("out"), []byte(output)); err != nil {
		f.t.Fatal(err)
	}
	return f
}

func (f *fixture) answer(req *http.Request) (*http.Response, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	header := req.Header.Get("Authorization")
	f.seen = append(f.seen, header)
	status := http.StatusOK
	if f.good != "" && header != "Bearer "+f.good {
		status = http.StatusUnauthorized
	}
	return &http.Response{StatusCode: status, Body: http.NoBody, Request: req}, nil
}

func (f *fixture) accept(token string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.good = token
}

// ask makes a request, and returns its status and the header that arrived.
func (f *fixture) ask() (status int, header string, err error) {
	req, err := http.NewRequestWithContext(f.t.Context(), http.MethodGet, "https://api", nil)
	if err != nil {
		f.t.Fatal(err)
	}
	resp, err := f.rt.RoundTrip(req)
	if err != nil {
		return 0, "", err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	return resp.StatusCode, f.seen[len(f.seen)-1], nil
}

// expect makes a request that should arrive with a token.
func (f *fixture) expect(token string) {
	f.t.Helper()
	if _, header, err := f.ask(); err != nil || header != "Bearer "+token {
		f.t.Errorf("the server saw %q (%v), want token %q", header, err, token)
	}
}

// fails makes a request that should fail, and returns the error's text.
func (f *fixture) fails() string {
	f.t.Helper()
	_, _, err := f.ask()
	if err == nil {
		f.t.Fatal("the request should have failed")
	}
	return err.Error()
}

// told returns what the plugin was told at each run.
func (f *fixture) told() []string {
	f.t.Helper()
	data, err := os.ReadFile(f.path("log"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	} else if err != nil {
		f.t.Fatal(err)
	}
	return strings.Split(strings.TrimSpace(string(data)), "\n")
}

func (f *fixture) runs(want int) {
	f.t.Helper()
	if got := len(f.told()); got != want {
		f.t.Errorf("the plugin ran %d times, want %d", got, want)
	}
}

// waiting returns how many requests wait for the plugin.
func (f *fixture) waiting() int {
	f.auth.mu.Lock()
	defer f.auth.mu.Unlock()
	if f.auth.flight == nil {
		return 0
	}
	return f.auth.flight.waiting
}

// openGate lets a plugin go on that waits for the file GATE.
func (f *fixture) openGate() {
	if err := os.WriteFile(f.path("gate"), nil, 0o600); err != nil {
		f.t.Error(err)
	}
}

type roundTripperFunc func(*http.Request) (*http.Response, error)

func (f roundTripperFunc) RoundTrip(req *http.Request) (*http.Response, error) { return f(req) }

type syncBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *syncBuffer) Write(data []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(data)
}

func (s *syncBuffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}
