package command

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

func TestHowToCallItAgain(t *testing.T) {
	dir := t.TempDir()
	files := map[string]string{}
	for _, name := range []string{"vedette", "other", "go-build1/exe/vedette"} {
		files[name] = filepath.Join(dir, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(files[name]), 0o755), os.WriteFile(files[name], nil, 0o755)); err != nil {
			t.Fatal(err)
		}
	}
	linked := filepath.Join(dir, "link")
	if err := os.Symlink(files["vedette"], linked); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct{ called, self, inPath, want string }{
		"in PATH":                         {"vedette", files["vedette"], files["vedette"], "vedette"},
		"in PATH, by a link":              {"vedette", files["vedette"], linked, "vedette"},
		"in PATH, and called by its path": {files["vedette"], files["vedette"], files["vedette"], "vedette"},
		"another one is in PATH":          {"./vedette", files["vedette"], files["other"], "./vedette"},
		"none is in PATH":                 {"./my tools/vedette", files["vedette"], "", "'./my tools/vedette'"},
		"go run":                          {files["go-build1/exe/vedette"], files["go-build1/exe/vedette"], "", "go run vedette.dev/cmd/vedette"},
		"no path at all":                  {"vedette", files["vedette"], "", "vedette"},
	} {
		got := programName(c.called, c.self, func(string) (string, error) {
			if c.inPath == "" {
				return "", os.ErrNotExist
			}
			return c.inPath, nil
		})
		if got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
