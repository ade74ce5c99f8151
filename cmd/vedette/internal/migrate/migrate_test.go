package migrate

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

// world writes testdata/program.txtar to a folder, with a git repository of the program, and returns the folder and what is wanted.
func world(t *testing.T) (dir string, want map[string]string) {
	t.Helper()
	t.Setenv("GOPROXY", "off")
	t.Setenv("GOTOOLCHAIN", "local")
	archive, err := txtar.ParseFile("testdata/program.txtar")
	if err != nil {
		t.Fatal(err)
	}
	dir, want = t.TempDir(), map[string]string{}
	for _, f := range archive.Files {
		if name, ok := strings.CutPrefix(f.Name, "want/"); ok {
			want[name] = string(f.Data)
			continue
		}
		write(t, filepath.Join(dir, f.Name), string(f.Data))
	}
	run(t, program(dir), "git", "init", "-q")
	commit(t, dir)
	return dir, want
}

func program(dir string) string { return filepath.Join(dir, "program") }

func config(dir string) Config {
	return Config{Dir: program(dir), Vedette: filepath.Join(dir, "vedette")}
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

func commit(t *testing.T, dir string) {
	t.Helper()
	run(t, program(dir), "git", "add", "-A")
	run(t, program(dir), "git", "-c", "user.name=t", "-c", "user.email=t@example.com", "commit", "-q", "-m", "program")
}

func run(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %v\n%s", args, err, out)
	}
	return string(out)
}

func status(t *testing.T, dir string) string {
	return run(t, program(dir), "git", "status", "--porcelain")
}

func TestProgram(t *testing.T) {
	dir, want := world(t)
	report, err := Apply(t.Context(), config(dir))
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range want {
		if got := read(t, filepath.Join(program(dir), name)); got != text {
			t.Errorf("%s is\n%s\nwant\n%s", name, got, text)
		}
	}
	if !report.Builds || report.Files != 7 || report.Imports != 9 || len(report.Simple) != 3 || len(report.Removed) != 1 || len(report.Conversions) != 3 {
		t.Errorf("the report is %+v", report)
	}
	if len(report.Stays) != 1 || report.Stays["k8s.io/client-go/util/homedir"] != 1 {
		t.Errorf("%v stays", report.Stays)
	}
	byHand := map[string]string{
		"apply/apply_test.go:5":   "this package uses server-side apply",
		"lead/helper/helper.go:5": "use fake.NewSimpleClientset if tests",
		"lead/lead.go:7":          "RenewDeadline is 100ms",
	}
	for _, item := range report.ByHand {
		if text := byHand[item.String()]; len(report.ByHand) != len(byHand) || text == "" || !strings.Contains(item.Text, text) {
			t.Errorf("to do by hand: %s: %s", item, item.Text)
		}
	}

	if _, err := Apply(t.Context(), config(dir)); err == nil || !strings.Contains(err.Error(), "not committed") {
		t.Errorf("a second run: %v", err)
	}
	untidy := filepath.Join(program(dir), "untidy.go")
	migrated := read(t, untidy)
	write(t, untidy, migrated+"// more\n")
	if _, err := Undo(t.Context(), Config{Dir: program(dir)}); err == nil || !strings.Contains(err.Error(), "untidy.go was changed") {
		t.Errorf("undo of a file that was changed: %v", err)
	}
	write(t, untidy, migrated)
	if _, err := Undo(t.Context(), Config{Dir: program(dir)}); err != nil {
		t.Error(err)
	}
	if left := status(t, dir); left != "" {
		t.Errorf("undo left %s", left)
	}
	if _, err := Undo(t.Context(), Config{Dir: program(dir)}); err == nil || !strings.Contains(err.Error(), "no migration") {
		t.Errorf("a second undo: %v", err)
	}
}

func TestDryRun(t *testing.T) {
	dir, _ := world(t)
	report, err := Try(t.Context(), config(dir))
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{`+	"vedette.dev/rest"`, `-	"k8s.io/client-go/rest"`, "+	library.Use(bridge.MustToClientGo(config))", "+	vedette.dev v0.0.0"} {
		if !strings.Contains(report.Diff, line+"\n") {
			t.Errorf("the diff has not %q:\n%s", line, report.Diff)
		}
	}
	if left := status(t, dir); left != "" {
		t.Errorf("a dry run left %s", left)
	}
}

// TestByHand has what a conversion cannot solve.
func TestByHand(t *testing.T) {
	dir, _ := world(t)
	write(t, filepath.Join(program(dir), "by_hand.go"), `package main

import (
	"example.com/library"
	"example.com/library/clientset/versioned"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/metrics"
)

func byHand() {
	library.Client(kubernetes.NewForConfig(nil))
	var config *rest.Config
	config, _ = library.Configs()
	_ = config
	metrics.Register()
	versioned.New(kubernetes.NewForConfig(nil))
}
`)
	write(t, filepath.Join(dir, "library/clientset/versioned/versioned.go"),
		"package versioned\n\nimport \"k8s.io/client-go/kubernetes\"\n\nfunc New(kubernetes.Interface) {}\n")
	write(t, filepath.Join(dir, "client-go/tools/metrics/metrics.go"), "package metrics\n\nfunc Register() {}\n")
	commit(t, dir)
	report, err := Apply(t.Context(), config(dir))
	if err != nil {
		t.Fatal(err)
	}
	if report.Builds {
		t.Error("it builds")
	}
	var all strings.Builder
	for _, item := range report.ByHand {
		all.WriteString(item.String() + ": " + item.Text + "\n")
	}
	for _, text := range []string{
		"by_hand.go:8: k8s.io/client-go/tools/metrics: metrics that are registered here do not count",
		"add: bridge.ForwardMetrics(config)",
		"if config is of client-go's type",
		"bridge.ForwardMetrics() for queues and electors",
		"by_hand.go:12: cannot use kubernetes.NewForConfig(nil)",
		"a library is made for client-go's type",
		"by_hand.go:14: cannot use library.Configs()",
		"by_hand.go:17: cannot use kubernetes.NewForConfig(nil)",
		"example.com/library/clientset/versioned is generated code for client-go's types",
	} {
		if !strings.Contains(all.String(), text) {
			t.Errorf("the report has not %q:\n%s", text, all.String())
		}
	}
}

func TestRefused(t *testing.T) {
	dir, _ := world(t)
	check := func(c Config, want string) {
		t.Helper()
		if _, err := Apply(t.Context(), c); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want an error with %q", err, want)
		}
	}
	check(Config{Dir: program(dir)}, "--vedette")
	check(Config{Dir: program(dir), Vedette: dir}, "neither a version nor a folder")
	check(Config{Dir: t.TempDir(), Vedette: config(dir).Vedette}, "no go.mod")

	broken := filepath.Join(program(dir), "broken.go")
	write(t, broken, "package main\n\nfunc {\n")
	check(config(dir), "broken.go")
	commit(t, dir)
	check(config(dir), "cannot be parsed")
	if left := status(t, dir); left != "" {
		t.Errorf("a refused migration left %s", left)
	}

	outside := t.TempDir()
	write(t, filepath.Join(outside, "go.mod"), "module example.com/outside\n\ngo 1.26\n")
	check(Config{Dir: outside, Vedette: config(dir).Vedette}, "not in a git repository")
}

func TestReplacements(t *testing.T) {
	vedette := t.TempDir()
	for _, dir := range []string{"cache", "rest", "kubernetes/typed/core/v1", "testing", "metrics", "remotecommand", "exec", "transport/spdy"} {
		write(t, filepath.Join(vedette, dir, "x.go"), "package x\n")
	}
	write(t, filepath.Join(vedette, "discovery", "x_test.go"), "package x\n")
	for imported, want := range map[string]string{
		"k8s.io/client-go/tools/cache":              "vedette.dev/cache",
		"k8s.io/client-go/kubernetes/typed/core/v1": "vedette.dev/kubernetes/typed/core/v1",
		"k8s.io/client-go/testing":                  "vedette.dev/testing",
		"k8s.io/client-go/tools/remotecommand":      "vedette.dev/remotecommand",
		"k8s.io/client-go/util/exec":                "vedette.dev/exec",
		"k8s.io/client-go/transport/spdy":           "vedette.dev/transport/spdy",
		"k8s.io/client-go/tools/cache/synctrack":    "", // not in this folder
		"k8s.io/client-go/discovery":                "", // only tests
		"k8s.io/client-go/util/testing":             "", // another package
		"k8s.io/client-go/tools/metrics":            "", // another package
		"k8s.io/client-go/util/homedir":             "",
		"k8s.io/client-gone/rest":                   "",
	} {
		if got, _ := replacement(vedette, imported); got != want {
			t.Errorf("%s becomes %q, want %q", imported, got, want)
		}
	}
}

func TestMetricsRemedies(t *testing.T) {
	const base = "k8s.io/component-base/metrics/prometheus/"
	for imported, want := range map[string]string{
		"k8s.io/client-go/tools/metrics":    "bridge.ForwardMetrics(config)",
		base + "restclient":                 "bridge.ForwardMetrics(config)",
		base + "workqueue":                  "bridge.ForwardMetrics(config)",
		base + "clientgo":                   "bridge.ForwardMetrics(config)",
		base + "clientgo/leaderelection":    "bridge.ForwardMetrics(config)",
		base + "clientgo/fifo":              "Metrics.InformerNames",
		base + "version":                    "", // has nothing to do with client-go
		"k8s.io/component-base/cli/globals": "",
	} {
		text, report := remedy(imported)
		if report != (want != "") || !strings.Contains(text, want) {
			t.Errorf("%s: %q, want %q", imported, text, want)
		}
	}
}
