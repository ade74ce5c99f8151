package binaries

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"vedette.dev/testenv/internal/controlplane"
)

func TestKeyHoldsAllThatDecides(t *testing.T) {
	base, err := currentRecipe(controlplane.APIServer, controlplane.Etcd)
	if err != nil {
		t.Fatal(err)
	}
	kubernetes, system, compiler, programs := base, base, base, base
	kubernetes.versions.Kubernetes = "v1.99.0"
	system.goarch = "pdp11"
	compiler.goVersion = "go1.99 X:arenas"
	programs.programs = []controlplane.Program{controlplane.Kubectl}
	seen := map[string]bool{}
	for _, r := range []recipe{base, kubernetes, system, compiler, programs} {
		key := r.key()
		if seen[key] {
			t.Errorf("twice: %s", key)
		}
		seen[key] = true
		if strings.ContainsAny(key, " /:") {
			t.Errorf("not fit for the name of a folder: %q", key)
		}
	}
}

func TestListenerMakesSense(t *testing.T) {
	p := newProgress(io.Discard)
	l := &listener{progress: p}
	for _, part := range []string{"go: downloading k8s.io/api v0.36", ".3\nk8s.io/api/core/v1\nfm", "t\n# k8s.io/api\napi.go:3: oh no\n"} {
		if _, err := io.WriteString(l, part); err != nil {
			t.Fatal(err)
		}
	}
	if p.modules != 1 || p.packages != 2 {
		t.Errorf("%d modules and %d packages, want 1 and 2", p.modules, p.packages)
	}
	if got := l.complaints(); got != "# k8s.io/api\napi.go:3: oh no\n" {
		t.Errorf("complaints: %q", got)
	}
}

func TestProgressTellsHowFar(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		out := &strings.Builder{}
		p := newProgress(out)
		p.begin("building")
		time.Sleep(16 * time.Second)
		p.downloaded()
		p.expect(2)
		p.compiled()
		time.Sleep(15 * time.Second)
		p.compiled()
		time.Sleep(15 * time.Second)
		p.end(nil)
		want := []string{
			"testenv: building",
			"testenv:   15 s, looking what there is to compile",
			"testenv:   30 s, modules downloaded: 1, packages compiled: 1 of 2",
			"testenv:   45 s, modules downloaded: 1, packages compiled: all 2, linking",
			"testenv: built in 46s",
			"",
		}
		if got := strings.Split(out.String(), "\n"); !slices.Equal(got, want) {
			t.Errorf("said %q\nwant %q", got, want)
		}
	})
}

func TestCompileOutOfTime(t *testing.T) {
	r, err := currentRecipe(controlplane.APIServer, controlplane.Etcd)
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "set")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithDeadline(t.Context(), time.Now())
	defer cancel()
	err = compiler{recipe: r, progress: newProgress(io.Discard)}.run(ctx, dir)
	if !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), "cmd/testenv build") {
		t.Errorf("got %v, want one that says what to do", err)
	}
}

func TestCompileWithoutGo(t *testing.T) {
	t.Setenv("PATH", "")
	r, err := currentRecipe(controlplane.APIServer, controlplane.Etcd)
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "set")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	err = compiler{recipe: r, progress: newProgress(io.Discard)}.run(t.Context(), dir)
	if err == nil || !strings.Contains(err.Error(), "put it into the PATH") {
		t.Errorf("got %v, want one that says what to do", err)
	}
}
