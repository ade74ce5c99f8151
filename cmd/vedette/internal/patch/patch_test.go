package patch

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// newModule writes a module that needs nothing from the network.
func newModule(t *testing.T, goMod string) string {
	t.Helper()
	t.Setenv("GOPROXY", "off")
	dir := t.TempDir()
	write(t, filepath.Join(dir, "go.mod"), "module example.com/program\n\ngo 1.26.0\n\n"+goMod)
	return dir
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// A module that cannot be patched is left as it is, with an error that says why.
func TestRefused(t *testing.T) {
	for _, c := range []struct {
		name, goMod string
		files       map[string]string
		config      Config
		want        string
	}{
		{name: "no client-go", want: "does not use k8s.io/client-go"},
		{name: "a version that is not known", goMod: "require k8s.io/client-go v0.35.1\n", want: "client-go v0.35.1 is not known; known are v0.36.x, v0.37.x"},
		{
			name: "a folder in place of client-go", goMod: "require k8s.io/client-go v0.37.2\nreplace k8s.io/client-go => ./fork\n",
			files: map[string]string{"fork/go.mod": "module k8s.io/client-go\n"},
			want:  "is replaced by the folder ./fork",
		},
		{
			name: "a fork of client-go", goMod: "require k8s.io/client-go v0.37.2\nreplace k8s.io/client-go => example.com/fork v0.37.2\n",
			want: "is replaced by example.com/fork",
		},
		{
			name: "patched", goMod: "require k8s.io/client-go v0.37.2\nreplace k8s.io/client-go => ./copy\n",
			files: map[string]string{"copy/go.mod": "module k8s.io/client-go\n", "copy/" + recordName: "{}"},
			want:  ErrPatched.Error(),
		},
		{name: "a copy elsewhere", config: Config{Copy: "../copy"}, want: `--dir is "../copy"`},
		{name: "a copy in place of the module", config: Config{Copy: "."}, want: `--dir is "."`},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := newModule(t, c.goMod)
			for name, text := range c.files {
				write(t, filepath.Join(dir, name), text)
			}
			before := read(t, filepath.Join(dir, "go.mod"))
			c.config.Dir = dir
			_, err := Apply(t.Context(), c.config)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("the error is %v, want one with %q", err, c.want)
			}
			if after := read(t, filepath.Join(dir, "go.mod")); after != before {
				t.Errorf("go.mod has changed:\n%s", after)
			}
		})
	}
}

func TestNoModule(t *testing.T) {
	t.Setenv("GOPROXY", "off")
	if _, err := Apply(t.Context(), Config{Dir: t.TempDir()}); err == nil || !strings.Contains(err.Error(), "there is no go.mod") {
		t.Error(err)
	}
}

// Undo takes away what was added, also if go.mod has changed since.
func TestUndo(t *testing.T) {
	for _, changed := range []bool{false, true} {
		dir := newModule(t, "replace example.com/a => ./a\nreplace example.com/b => ./b\n")
		for _, name := range []string{"a", "b"} {
			write(t, filepath.Join(dir, name, "go.mod"), "module example.com/"+name+"\n")
		}
		mod := filepath.Join(dir, "go.mod")
		patched := read(t, mod)
		original := strings.Replace(patched, "replace example.com/b => ./b\n", "", 1)
		record := `{"replaces": ["example.com/b"], "goMod": ` + quote(original) + `, "patched": ` + quote(patched) + `}`
		write(t, filepath.Join(dir, defaultCopy, recordName), record)
		if changed {
			write(t, mod, patched+"// mine\n")
		}
		if _, err := Undo(t.Context(), Config{Dir: dir}); err != nil {
			t.Fatal(err)
		}
		got := read(t, mod)
		if strings.Contains(got, "example.com/b") || !strings.Contains(got, "example.com/a") || changed != strings.Contains(got, "// mine") {
			t.Errorf("go.mod is\n%s", got)
		}
		if exists(filepath.Join(dir, defaultCopy)) {
			t.Error("the copy is still there")
		}
	}
	dir := newModule(t, "")
	write(t, filepath.Join(dir, defaultCopy, "mine.go"), "package mine\n")
	if _, err := Undo(t.Context(), Config{Dir: dir}); err == nil || !strings.Contains(err.Error(), "is not a copy that patch-client-go has written") {
		t.Error(err)
	}
	if !exists(filepath.Join(dir, defaultCopy, "mine.go")) {
		t.Error("a folder that was not written by Apply is gone")
	}
}

func quote(text string) string {
	return `"` + strings.ReplaceAll(strings.ReplaceAll(text, "\n", `\n`), "\t", `\t`) + `"`
}

// A client-go that is not as it was published is refused.
func TestEdits(t *testing.T) {
	from, to := t.TempDir(), filepath.Join(t.TempDir(), "copy")
	for _, e := range edits {
		write(t, filepath.Join(from, e.file), "package x\n"+e.before)
	}
	if err := copyClientGo(from, to); err != nil {
		t.Fatal(err)
	}
	for _, e := range edits {
		if got := read(t, filepath.Join(to, e.file)); !strings.Contains(got, e.after) || strings.Contains(got, e.before) {
			t.Errorf("%s is %q", e.file, got)
		}
	}
	for _, at := range added {
		if !exists(filepath.Join(to, at)) {
			t.Errorf("%s is missing", at)
		}
	}
	write(t, filepath.Join(from, edits[0].file), "package x\n")
	if err := copyClientGo(from, filepath.Join(t.TempDir(), "copy")); err == nil || !strings.Contains(err.Error(), "is not as it was published") {
		t.Error(err)
	}
}
