package migrate

import (
	"context"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// snapshot returns the texts of all files of the program, whether git has them or not.
func snapshot(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(program(dir), func(name string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && entry.Name() == ".git":
			return fs.SkipDir
		case entry.IsDir():
			return nil
		}
		text, err := os.ReadFile(name)
		files[name] = string(text)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// TestFilesThatGitDoesNotHave has generated code and a go.sum that git ignores, and a go.mod that is not committed: they are restored, too.
func TestFilesThatGitDoesNotHave(t *testing.T) {
	dir, _ := world(t)
	write(t, filepath.Join(program(dir), ".gitignore"), "/gen/\n/go.sum\n")
	run(t, program(dir), "git", "rm", "-q", "--cached", "go.mod")
	run(t, program(dir), "git", "add", ".gitignore")
	run(t, program(dir), "git", "-c", "user.name=t", "-c", "user.email=t@example.com", "commit", "-q", "-m", "without go.mod")
	write(t, filepath.Join(program(dir), "gen/gen.go"), "package gen\n\nimport _ \"k8s.io/client-go/rest\"\n")
	write(t, filepath.Join(program(dir), "go.sum"), "example.com/gone v1.0.0/go.mod h1:WPS8VVnzzUbyeLGr/IGZFUi/qiLL8GNkzvmXGW5qHrk=\n")
	before := snapshot(t, dir)
	same := func(after string) {
		t.Helper()
		now := snapshot(t, dir)
		for name := range before {
			if now[name] != before[name] {
				t.Errorf("after %s, %s is\n%s", after, name, now[name])
			}
		}
		if len(now) != len(before) {
			t.Errorf("after %s there are %v", after, maps.Keys(now))
		}
	}

	report, err := Try(t.Context(), config(dir))
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{"+++ b/gen/gen.go", `+import _ "vedette.dev/rest"`, "--- a/go.mod", "-example.com/gone v1.0.0"} {
		if !strings.Contains(report.Diff, line) {
			t.Errorf("the diff has not %q:\n%s", line, report.Diff)
		}
	}
	same("a dry run")

	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	c := config(dir)
	c.Progress = func(step string) {
		if strings.HasPrefix(step, "compiling") {
			cancel()
		}
	}
	if _, err := Apply(ctx, c); !errors.Is(err, context.Canceled) {
		t.Errorf("an interrupted migration: %v", err)
	}
	same("an interrupted migration")

	if report, err = Apply(t.Context(), config(dir)); err != nil {
		t.Fatal(err)
	}
	if !report.Builds || len(report.Untracked) != 1 || report.Untracked[0] != filepath.Join("gen", "gen.go") {
		t.Errorf("the report is %+v", report)
	}
	if text := read(t, filepath.Join(program(dir), "gen/gen.go")); !strings.Contains(text, "vedette.dev/rest") {
		t.Errorf("generated code is\n%s", text)
	}
	if _, err := Undo(t.Context(), Config{Dir: program(dir)}); err != nil {
		t.Error(err)
	}
	same("undo")
}

// TestFoldersThatAreNotCommitted has Go files in a folder of which git has none.
func TestFoldersThatAreNotCommitted(t *testing.T) {
	dir, _ := world(t)
	write(t, filepath.Join(program(dir), "fresh/fresh.go"), "package fresh\n")
	if _, err := Apply(t.Context(), config(dir)); err == nil || !strings.Contains(err.Error(), "fresh/fresh.go") {
		t.Errorf("%v", err)
	}
}
