//go:build unix

package binaries

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// writeTree writes files into a new folder.
func writeTree(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

var vedette = map[string]string{
	"go.mod":                        "module vedette.dev\n",
	"cache/store.go":                "package cache",
	"cache/store_test.go":           "package cache",
	"cmd/patch/files/store.go.txt":  "package cache",
	"docs/page.md":                  "a page",
	"README.md":                     "read me",
	"Makefile":                      "all:",
	"bridge/go.mod":                 "module vedette.dev/bridge\n",
	"bridge/bridge.go":              "package bridge",
	"cache/testdata/scenario.txt":   "a scenario",
	".git/HEAD.txt":                 "a commit",
	"internal/engine/engine.go":     "package engine",
	"internal/engine/sub/engine.go": "package sub",
}

func TestKeyFollowsTheSourceOfVedette(t *testing.T) {
	key := func(files map[string]string) string {
		t.Helper()
		c, err := NewControllerManagerOnVedette(&safeBuffer{}, writeTree(t, files))
		if err != nil {
			t.Fatal(err)
		}
		return c.recipe.key()
	}
	t.Setenv(EnvDir, t.TempDir())
	base := key(vedette)
	plain, err := NewControllerManager(&safeBuffer{})
	if err != nil {
		t.Fatal(err)
	}
	if plain.recipe.key() == base || !strings.HasPrefix(base, "on-vedette-kube-controller-manager-") {
		t.Errorf("key %s, without Vedette %s", base, plain.recipe.key())
	}
	for _, name := range slices.Sorted(maps.Keys(vedette)) {
		files := maps.Clone(vedette)
		files[name] += "// changed\n"
		want := slices.Contains([]string{"go.mod", "cache/store.go", "cmd/patch/files/store.go.txt", "internal/engine/engine.go", "internal/engine/sub/engine.go"}, name)
		if got := key(files) != base; got != want {
			t.Errorf("%s has changed: another key is %t, want %t", name, got, want)
		}
	}
}

func TestNotTheSourceOfVedette(t *testing.T) {
	for name, dir := range map[string]string{
		"empty":          writeTree(t, nil),
		"another module": writeTree(t, map[string]string{"go.mod": "module example.com\n"}),
	} {
		if _, err := NewControllerManagerOnVedette(&safeBuffer{}, dir); err == nil || !strings.Contains(err.Error(), "does not have the source of Vedette") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Each change of Vedette makes another set. Only the last is kept, and sets of other programs are left alone.
func TestOutdatedSetsAreRemoved(t *testing.T) {
	c := newTestCache(t, t.TempDir())
	c.mustGet(t)
	build := func(sum string) string {
		c.recipe = c.recipe.onVedette(&tree{sum: sum})
		c.mustGet(t)
		return filepath.Base(c.setDir())
	}
	first := build("a")
	second := build("b")
	names := list(t, c.Dir())
	if slices.Contains(names, first) || !slices.Contains(names, second) || len(names) != 3 {
		t.Errorf("sets %q; the first was %s, the second %s", names, first, second)
	}
}
