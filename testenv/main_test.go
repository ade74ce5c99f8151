//go:build unix

package testenv

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"go.uber.org/goleak"

	"vedette.dev/rest"
)

var shared Shared

func TestMain(m *testing.M) { goleak.VerifyTestMain(shared.Wrap(m)) }

// mustStart is for tests that end the environment in their own way.
func mustStart(t *testing.T, cfg Config) *Env {
	t.Helper()
	e, err := Start(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = e.Stop() })
	return e
}

// tempFolder has all environments of the test be put into a folder that holds nothing else.
func tempFolder(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	return dir
}

// assertNothingLeft checks that the folder is empty, and that no process uses it.
func assertNothingLeft(t *testing.T, dir string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		t.Errorf("left behind: %s", filepath.Join(dir, e.Name()))
	}
	commands, err := filepath.Glob("/proc/[0-9]*/cmdline") // none where there is no /proc
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range commands {
		if line, err := os.ReadFile(file); err == nil && bytes.Contains(line, []byte(dir)) {
			t.Errorf("still running: %s: %q", file, line)
		}
	}
}

func alive(pid int) bool { return syscall.Kill(pid, 0) == nil }

// get asks as the administrator, whatever the status of the answer.
func get(t *testing.T, e *Env, path string) (code int, body []byte) {
	t.Helper()
	return do(t, e.RESTConfig(), http.MethodGet, path, nil)
}

func do(t *testing.T, cfg *rest.Config, method, path string, object any) (code int, body []byte) {
	t.Helper()
	in := new(bytes.Buffer)
	if object != nil {
		if err := json.NewEncoder(in).Encode(object); err != nil {
			t.Fatal(err)
		}
	}
	req, err := http.NewRequestWithContext(t.Context(), method, cfg.Host+path, in)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	transport, err := rest.TransportFor(cfg)
	if err != nil {
		t.Fatal(err)
	}
	client := &http.Client{Transport: transport}
	defer client.CloseIdleConnections()
	resp, err := client.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err = io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	return resp.StatusCode, body
}

const configMaps = "/api/v1/namespaces/default/configmaps"

// createConfigMap returns the resource version.
func createConfigMap(t *testing.T, e *Env, name string) string {
	t.Helper()
	code, body := do(t, e.RESTConfig(), http.MethodPost, configMaps, map[string]any{"metadata": map[string]string{"name": name}})
	var object struct {
		Metadata struct{ ResourceVersion string }
	}
	if err := json.Unmarshal(body, &object); err != nil || code != http.StatusCreated {
		t.Fatalf("creating %s: %d %s, %v", name, code, body, err)
	}
	return object.Metadata.ResourceVersion
}

// whenSaid is an Output that acts each time that a text goes by.
func whenSaid(text string, act func()) io.Writer { return &alarm{text: text, act: act} }

type alarm struct {
	text string
	act  func()
	rest string // what may be the beginning of the text
}

func (a *alarm) Write(b []byte) (int, error) {
	a.rest += string(b)
	for {
		_, after, found := strings.Cut(a.rest, a.text)
		if !found {
			a.rest = a.rest[max(0, len(a.rest)-len(a.text)):]
			return len(b), nil
		}
		a.act()
		a.rest = after
	}
}

// wantError fails the test unless err is of that kind and contains all texts.
func wantError(t *testing.T, err, kind error, texts ...string) {
	t.Helper()
	if err == nil || kind != nil && !errors.Is(err, kind) {
		t.Fatalf("got the error %v, want %v", err, kind)
	}
	for _, text := range texts {
		if !strings.Contains(err.Error(), text) {
			t.Errorf("the error does not say %q: %v", text, err)
		}
	}
}

func decode(t *testing.T, body []byte, into any) {
	t.Helper()
	if err := json.Unmarshal(body, into); err != nil {
		t.Fatal(fmt.Errorf("%w: %s", err, body))
	}
}

func contains(body []byte, text string) bool { return bytes.Contains(body, []byte(text)) }
