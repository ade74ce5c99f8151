package runner

import (
	"errors"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// ask asks what is served at HealthProbeBindAddress.
func ask(r *runner, path, remote, host, header string) (code int, body string) {
	mux := http.NewServeMux()
	r.serveHealth(mux)
	req := httptest.NewRequest("GET", "http://localhost"+path, nil)
	req.RemoteAddr, req.Host = remote, host
	if header != "" {
		req.Header.Set(header, "x")
	}
	answer := httptest.NewRecorder()
	mux.ServeHTTP(answer, req)
	return answer.Code, strings.TrimSpace(answer.Body.String())
}

// Kubelets come from another machine, with the address of the pod as the host. They may ask for probes, and for nothing else.
func TestWhoMayAsk(t *testing.T) {
	r := &runner{Config: Config{Options: Options{DebugEndpoints: true}, Logger: slog.New(slog.DiscardHandler)}}
	for _, test := range []struct {
		name, remote, host, header string
		debug                      int
	}{
		{"this machine", "127.0.0.1:4711", "localhost:8081", "", 200},
		{"a kubelet", "10.0.0.1:4711", "10.0.0.7:8081", "", 403},
		{"a site whose name was made to point here", "127.0.0.1:4711", "evil.example:8081", "", 403},
		{"a sidecar", "127.0.0.6:4711", "localhost:8081", "", 403},
		{"a proxy", "127.0.0.1:4711", "localhost:8081", "X-Forwarded-For", 403},
	} {
		for path, want := range map[string]int{"/healthz": 200, "/readyz": 200, "/healthz/ping": 200, "/debug/controllers": test.debug} {
			if code, body := ask(r, path, test.remote, test.host, test.header); code != want {
				t.Errorf("%s: %s: status %d, want %d: %s", test.name, path, code, want, body)
			}
		}
		code, body := ask(r, "/debug/explain", test.remote, test.host, test.header)
		if guarded := strings.Contains(body, "kubectl port-forward"); guarded != (test.debug == 403) || guarded && code != 403 {
			t.Errorf("%s: /debug/explain: status %d: %s", test.name, code, body)
		}
	}
}

// Why a check fails is logged when that changes, and not answered.
func TestReasonsAreLogged(t *testing.T) {
	log := new(logged)
	c := &checks{
		named: map[string]func() error{}, path: "/readyz", failing: map[string]string{},
		logger: slog.New(slog.NewTextHandler(log, nil)),
	}
	c.named["database"] = nil // for serve to know of it
	mux := http.NewServeMux()
	c.serve(mux)
	for _, step := range []struct {
		check        func() error
		answer, logs string // what is new in the log
	}{
		{func() error { return nil }, "[+]database ok", ""},
		{func() error { return errors.New("user admin, password hunter2: refused") }, "[-]database failed: reason logged", "hunter2: refused"},
		{func() error { return errors.New("user admin, password hunter2: refused") }, "[-]database failed: reason logged", ""},
		{func() error { panic("hunter2 panics") }, "[-]database failed: reason logged", "hunter2 panics"},
		{func() error { return nil }, "[+]database ok", "passes again"},
		{func() error { return nil }, "[+]database ok", ""},
	} {
		c.named["database"] = step.check
		before := log.String()
		for _, path := range []string{"/readyz?verbose", "/readyz/database?verbose"} {
			answer := httptest.NewRecorder()
			mux.ServeHTTP(answer, httptest.NewRequest("GET", path, nil))
			if got := strings.TrimSpace(answer.Body.String()); got != step.answer {
				t.Errorf("%s: %q, want %q", path, got, step.answer)
			}
		}
		added := strings.TrimPrefix(log.String(), before)
		if lines := strings.Count(added, "\n"); (step.logs == "") != (lines == 0) || lines > 1 || !strings.Contains(added, step.logs) {
			t.Errorf("logged %q, want one line with %q", added, step.logs)
		}
	}
}
