package clientcmd

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	machinery "k8s.io/apimachinery/pkg/runtime"

	clientcmdapi "vedette.dev/clientcmd/api"
)

func named(context string) clientcmdapi.Config {
	return clientcmdapi.Config{CurrentContext: context}
}

// wantFile fails unless the file sets the context, and nothing is left beside it.
func wantFile(t *testing.T, path, context string, mode fs.FileMode) {
	t.Helper()
	config, err := LoadFromFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if config.CurrentContext != context {
		t.Errorf("current-context %q, want %q", config.CurrentContext, context)
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if runtime.GOOS != "windows" && info.Mode().Perm() != mode {
		t.Errorf("mode %v, want %v", info.Mode().Perm(), mode)
	}
	left, err := filepath.Glob(filepath.Join(filepath.Dir(path), ".*"))
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

func TestWriteToFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a", "b", "config")
	for _, context := range []string{"new", "old"} {
		if err := WriteToFile(named(context), path); err != nil {
			t.Fatal(err)
		}
		wantFile(t, path, context, 0o600)
	}
	if err := os.Chmod(path, 0o640); err != nil {
		t.Fatal(err)
	}
	if err := WriteToFile(named("group"), path); err != nil {
		t.Fatal(err)
	}
	wantFile(t, path, "group", 0o640)
}

func TestWriteToFileIsAtomic(t *testing.T) {
	path := file(t, "config", "current-context: old")
	old, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer old.Close()
	if err := WriteToFile(named("new"), path); err != nil {
		t.Fatal(err)
	}
	text := make([]byte, 100)
	n, err := old.Read(text)
	if err != nil || string(text[:n]) != "current-context: old" {
		t.Errorf("a reader that had the file open reads %q, %v", text[:n], err)
	}
}

func TestWriteToFileThroughLinks(t *testing.T) {
	dir := t.TempDir()
	path := fileIn(t, dir, "real/config", "current-context: old")
	link := filepath.Join(dir, "link")
	if err := os.Symlink(filepath.Join("real", "config"), link); err != nil {
		t.Skip(err)
	}
	if err := WriteToFile(named("new"), link); err != nil {
		t.Fatal(err)
	}
	wantFile(t, path, "new", 0o600)
	if target, err := os.Readlink(link); err != nil || target != filepath.Join("real", "config") {
		t.Errorf("the link is now %q, %v", target, err)
	}

	dangling := filepath.Join(dir, "dangling")
	if err := os.Symlink(filepath.Join("real", "made"), dangling); err != nil {
		t.Fatal(err)
	}
	if err := WriteToFile(named("made"), dangling); err != nil {
		t.Fatal(err)
	}
	wantFile(t, filepath.Join(dir, "real", "made"), "made", 0o600)

	hard := filepath.Join(dir, "hard")
	if err := os.Link(path, hard); err != nil {
		t.Skip(err)
	}
	if err := WriteToFile(named("both"), path); err != nil {
		t.Fatal(err)
	}
	wantFile(t, path, "both", 0o600)
	wantFile(t, hard, "both", 0o600)
}

func TestWriteToFileErrors(t *testing.T) {
	dir := t.TempDir()
	wantError(t, WriteToFile(named("x"), dir), dir, "directory")
	path := fileIn(t, dir, "file", "")
	wantError(t, WriteToFile(named("x"), filepath.Join(path, "config")), path, "not a directory")
	bad := named("x")
	bad.Clusters = map[string]*clientcmdapi.Cluster{"c": nil}
	wantError(t, WriteToFile(bad, path), `cluster "c" is nil`)
	if os.Geteuid() == 0 || runtime.GOOS == "windows" {
		t.Skip("everything is allowed here")
	}
	if err := os.Chmod(path, 0o400); err != nil {
		t.Fatal(err)
	}
	if err := WriteToFile(named("x"), path); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("a file that may not be written: %v", err)
	}
	if err := os.Chmod(path, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(dir, 0o500); err != nil {
		t.Fatal(err)
	}
	defer os.Chmod(dir, 0o700)
	if err := WriteToFile(named("in place"), path); err != nil {
		t.Fatal(err)
	}
	wantFile(t, path, "in place", 0o600)
}

func TestWriteNil(t *testing.T) {
	for want, config := range map[string]clientcmdapi.Config{
		`cluster "c" is nil`: {Clusters: map[string]*clientcmdapi.Cluster{"c": nil}},
		`user "u" is nil`:    {AuthInfos: map[string]*clientcmdapi.AuthInfo{"u": nil}},
		`context "x" is nil`: {Contexts: map[string]*clientcmdapi.Context{"x": nil}},
	} {
		_, err := Write(config)
		wantError(t, err, want)
	}
}

func TestWriteBadExtensions(t *testing.T) {
	bad := map[string]machinery.Object{"e": &machinery.Unknown{ContentType: "application/protobuf"}}
	for want, config := range map[string]clientcmdapi.Config{
		`extension "e"`:              {Extensions: bad},
		`preferences: extension "e"`: {Preferences: clientcmdapi.Preferences{Extensions: bad}},
		`cluster "c": extension "e"`: {Clusters: map[string]*clientcmdapi.Cluster{"c": {Extensions: bad}}},
		`user "u": extension "e"`:    {AuthInfos: map[string]*clientcmdapi.AuthInfo{"u": {Extensions: bad}}},
		`context "x": extension "e"`: {Contexts: map[string]*clientcmdapi.Context{"x": {Extensions: bad}}},
	} {
		_, err := Write(config)
		wantError(t, err, want)
	}
}

func TestWriteIsSortedAndHasNoOrigin(t *testing.T) {
	config := mustLoad(t, sample)
	config.Clusters["prod"].LocationOfOrigin = "somewhere"
	text, err := Write(*config)
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(text), "somewhere") || strings.Index(string(text), "name: local") > strings.Index(string(text), "name: prod") {
		t.Errorf("%s", text)
	}
}
