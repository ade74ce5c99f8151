package generators

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

const (
	root   = "../.." // of module vedette.dev
	module = "example.com/port"
	api    = module + "/apis/sample/v1"
)

// releases are the folders of testdata/generators, and the folders of the program for what they generate.
var releases = map[string]string{"v0.36.3": "v036", "v0.37.2": "v037"}

// TestGenerators generates clients for the kinds of a program with the generators of each release, migrates the program as it is described in
// docs/migration.md, and runs its tests.
func TestGenerators(t *testing.T) {
	top, err := filepath.Abs(root)
	if err != nil {
		t.Fatal(err)
	}
	work, bin := t.TempDir(), t.TempDir()
	if err := os.CopyFS(work, os.DirFS("testdata/program")); err != nil {
		t.Fatal(err)
	}
	use := read(t, "testdata/program/use/use_test.go")
	if err := os.RemoveAll(filepath.Join(work, "use")); err != nil {
		t.Fatal(err)
	}
	t.Run("generate", func(t *testing.T) {
		for release, name := range releases {
			t.Run(release, func(t *testing.T) {
				t.Parallel()
				tools := filepath.Join(bin, name)
				run(t, filepath.Join("testdata/generators", release), "go", "build", "-o", tools+"/", "tool")
				generate(t, work, tools, name)
				write(t, filepath.Join(work, "use"+name, "use_test.go"), strings.ReplaceAll(use, module+"/generated/", module+"/"+name+"/"))
			})
		}
	})
	if t.Failed() {
		return
	}

	git := []string{"git", "-c", "user.name=test", "-c", "user.email=test@example.com"}
	run(t, work, "git", "init", "-q")
	run(t, work, "git", "add", "-A")
	run(t, work, append(git, "commit", "-q", "-m", "a program for client-go")...)
	vedette := filepath.Join(bin, "vedette")
	run(t, top, "go", "build", "-o", vedette, "./cmd/vedette")
	summary := run(t, work, vedette, "migrate", "--vedette", top)
	t.Log(summary)
	if !strings.Contains(summary, "The program and its tests compile.") || strings.Contains(summary, "To do by hand:") {
		t.Errorf("the summary is\n%s", summary)
	}
	tests := run(t, work, "go", "test", "./...")
	if n := strings.Count("\n"+tests, "\nok"); n != len(releases)+1 {
		t.Errorf("%d packages have tests:\n%s", n, tests)
	}
}

// generate runs the generators in a folder, as kube_codegen.sh of k8s.io/code-generator does.
func generate(t *testing.T, work, bin, name string) {
	header, pkg := filepath.Join(bin, "header.txt"), module+"/"+name
	write(t, header, "")
	out := func(part string) []string {
		return []string{"--go-header-file", header, "--output-dir", filepath.Join(work, name, part), "--output-pkg", pkg + "/" + part}
	}
	tool := func(name string, args ...string) {
		run(t, work, append([]string{filepath.Join(bin, name)}, args...)...)
	}
	tool("applyconfiguration-gen", append(out("applyconfiguration"), api)...)
	tool("client-gen", append(out("clientset"), "--clientset-name", "versioned", "--input-base", module+"/apis", "--input", "sample/v1",
		"--apply-configuration-package", pkg+"/applyconfiguration")...)
	tool("lister-gen", append(out("listers"), api)...)
	tool("informer-gen", append(out("informers"), "--versioned-clientset-package", pkg+"/clientset/versioned", "--listers-package", pkg+"/listers", api)...)
}

// run runs a program in a folder, and returns what it prints.
func run(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), args[0], args[1:]...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %v\n%s", args, err, out)
	}
	return string(out)
}

func read(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
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
