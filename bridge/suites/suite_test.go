package suites

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	_ "vedette.dev/bridge/ctrl" // the copy is built with what this module requires
	"vedette.dev/testenv"
)

const module = "sigs.k8s.io/controller-runtime"

// source is a copy of controller-runtime that is built with this tree.
type source struct{ dir string }

func newSource(t *testing.T) source {
	t.Helper()
	s := source{t.TempDir()}
	if err := os.CopyFS(s.dir, os.DirFS(output(t, "", "go", "list", "-m", "-f", "{{.Dir}}", module))); err != nil {
		t.Fatal(err)
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	edit := []string{"mod", "edit", "-require=vedette.dev/bridge/ctrl@v0.0.0"}
	for name, dir := range map[string]string{"vedette.dev": ".", "vedette.dev/bridge": "bridge", "vedette.dev/bridge/ctrl": "bridge/ctrl"} {
		edit = append(edit, fmt.Sprintf("-replace=%s=%s", name, filepath.Join(root, dir)))
	}
	output(t, s.dir, "go", edit...)
	// The sums that this module knows are those of the newer versions that it asks for.
	sums, err := os.ReadFile("go.sum")
	if err != nil {
		t.Fatal(err)
	}
	s.edit(t, "go.sum", func(text string) string { return text + string(sums) })
	return s
}

// edit changes a file. It must change something.
func (s source) edit(t *testing.T, name string, change func(text string) string) {
	t.Helper()
	path := filepath.Join(s.dir, name)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	changed := change(string(text))
	if changed == string(text) {
		t.Fatalf("%s of %s is not what this test was written for", name, module)
	}
	if err := os.WriteFile(path, []byte(changed), 0o644); err != nil {
		t.Fatal(err)
	}
}

// replace replaces text in a file.
func (s source) replace(t *testing.T, name string, pairs ...string) {
	t.Helper()
	s.edit(t, name, strings.NewReplacer(pairs...).Replace)
}

// add adds a file.
func (s source) add(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(s.dir, name), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// compile compiles the tests of a package, and returns the program. With race, it is compiled for the race detector.
func (s source) compile(t *testing.T, pkg string) string {
	t.Helper()
	program := filepath.Join(s.dir, strings.ReplaceAll(pkg, "/", "-")+".test")
	args := []string{"test", "-mod=mod", "-c", "-o", program, "-ldflags=-w"}
	if os.Getenv("BRIDGE_SUITES_RACE") != "" {
		args = append(args, "-race")
	}
	output(t, s.dir, "go", append(args, "./"+pkg)...)
	return program
}

// report is the part of Ginkgo's report that counts.
type report struct {
	SpecReports []struct {
		ContainerHierarchyTexts []string
		LeafNodeType            string
		LeafNodeText            string
		State                   string
		Failure                 struct{ Message string }
	}
}

// run runs the tests of a package, and compares the specs that fail with those that are expected to. Of the specs that pass there must be
// as many as want.
func (s source) run(t *testing.T, pkg, program string, want int, failing []string, env ...string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "report.json")
	// A spec that checks that GetInformer ends with its context fails if the informer has synced before GetInformer looks: it is tried again.
	cmd := exec.CommandContext(t.Context(), program, "-ginkgo.no-color", "-ginkgo.flake-attempts=3", "-ginkgo.json-report="+file)
	cmd.Dir = filepath.Join(s.dir, pkg)
	programs := assets(t)
	t.Cleanup(func() { killPrograms(t, programs) }) // pkg/internal/controller leaves two servers running
	cmd.Env = append(append(os.Environ(), "KUBEBUILDER_ASSETS="+programs), env...)
	out, err := cmd.CombinedOutput()
	data, readErr := os.ReadFile(file)
	if readErr != nil {
		t.Fatalf("%v: no report: %v\n%s", err, readErr, tail(out))
	}
	var reports []report
	if err := json.Unmarshal(data, &reports); err != nil || len(reports) != 1 {
		t.Fatalf("%d reports: %v", len(reports), err)
	}
	var failed []string
	passed := 0
	for _, spec := range reports[0].SpecReports {
		name := strings.Join(append(slices.Clone(spec.ContainerHierarchyTexts), spec.LeafNodeText), " ")
		switch {
		case spec.State == "passed" && spec.LeafNodeType == "It":
			passed++
		case spec.State == "passed", spec.State == "pending": // which is how its authors have marked it
		default:
			failed = append(failed, name)
			if !slices.Contains(failing, name) {
				t.Errorf("%s %q is %s: %s", spec.LeafNodeType, name, spec.State, spec.Failure.Message)
			}
		}
	}
	for _, name := range failing {
		if !slices.Contains(failed, name) {
			t.Errorf("%q passes, and is listed as one that cannot", name)
		}
	}
	if passed != want {
		t.Errorf("%d specs passed, want %d", passed, want)
	}
	if t.Failed() {
		t.Logf("%v\n%s", err, tail(out))
	}
	t.Logf("%s: %d specs passed", pkg, passed)
}

// tail is the end of an output.
func tail(out []byte) []byte {
	const enough = 8 << 10
	return out[max(0, len(out)-enough):]
}

// assets returns a folder with the programs that envtest starts.
func assets(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	programs, err := testenv.Programs(context.Background(), os.Stderr)
	if err != nil {
		t.Fatal(err)
	}
	kubectl, err := testenv.Kubectl(context.Background(), os.Stderr)
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{filepath.Join(programs, "kube-apiserver"), filepath.Join(programs, "etcd"), kubectl} {
		if err := os.Symlink(path, filepath.Join(dir, filepath.Base(path))); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// killPrograms kills what was started from a folder of assets, and is still running.
func killPrograms(t *testing.T, dir string) {
	t.Helper()
	files, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		line, err := os.ReadFile(file)
		if err != nil || !bytes.HasPrefix(line, []byte(dir+"/")) {
			continue
		}
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(file)))
		if err != nil {
			t.Fatal(err)
		}
		if process, err := os.FindProcess(pid); err == nil {
			_ = process.Kill()
		}
	}
}

// output runs a command and returns what it prints.
func output(t *testing.T, dir, name string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Dir = dir
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s%s", name, strings.Join(args, " "), err, out, stderr.String())
	}
	return strings.TrimSpace(string(out))
}
