package ctrl_test

import (
	"context"
	"errors"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"vedette.dev/bridge/ctrl"
	"vedette.dev/controller"
)

// buildCommand builds the command vedette, and returns a function that runs it.
func buildCommand(t *testing.T) func(ctx context.Context, args ...string) (out string, code int) {
	t.Helper()
	binary := filepath.Join(t.TempDir(), "vedette")
	build := exec.CommandContext(t.Context(), "go", "build", "-o", binary, "./cmd/vedette")
	build.Dir = filepath.Join("..", "..")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return func(ctx context.Context, args ...string) (string, int) {
		out, err := exec.CommandContext(ctx, binary, args...).CombinedOutput()
		var exit *exec.ExitError
		if err != nil && !errors.As(err, &exit) {
			t.Fatal(err)
		}
		code := 0
		if exit != nil {
			code = exit.ExitCode()
		}
		return string(out), code
	}
}

// TestTheCommandExplain runs "vedette explain" on a manager.
func TestTheCommandExplain(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds the command")
	}
	vedette := buildCommand(t)
	o := newOperator(t, operatorConfig{name: "maps", errors: true, names: []string{"busy", "bad"}})
	o.explain(t, "default/busy", controller.StageWorking)
	o.explain(t, "default/bad", controller.StageBackingOff)
	o.explain(t, "default/a", controller.StageDone)
	for _, c := range []struct {
		kind, key, url string
		code           int
		want           []string
	}{
		{"ConfigMap", "default/busy", o.url, 0, []string{"maps default/busy: being worked on since 20", "source for v1.ConfigMap, version "}},
		{"maps", "default/bad", o.url + ctrl.ConsolePath, 0, []string{
			"maps default/bad: backing off since 20", " until 20", `waiting in the queue "maps" for the next try; so far 1 reconcile has failed in a row`, "last error: it is bad", ": error\n", "source for v1.ConfigMap, version "}},
		{"configmaps", "default/a", o.url, 0, []string{"maps default/a: done since 20", "ended with: success", "source watches v1.Pod, version "}},
		{"Pod", "default/b", o.url, 1, []string{"maps knows nothing of default/b"}},
		{"Secret", "default/b", o.url, 1, []string{`is for "Secret"; there are maps`}},
	} {
		out, code := vedette(t.Context(), "explain", c.kind, c.key, "--url", c.url)
		if code != c.code {
			t.Errorf("explain %s %s: status %d: %s", c.kind, c.key, code, out)
		}
		for _, text := range c.want {
			if !strings.Contains(out, text) {
				t.Errorf("explain %s %s: there is no %q in\n%s", c.kind, c.key, text, out)
			}
		}
	}
}
