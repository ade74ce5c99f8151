package kubernetes_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// The tests read the sources of k8s.io/api line by line, in another way than the generator does: what one of them gets
// wrong, the other should not.

// unserved are the API packages that are not for clients of the API server.
var unserved = map[string]string{
	"admission":    "spoken between the server and webhooks",
	"apidiscovery": "read by package discovery",
	"imagepolicy":  "spoken between the server and webhooks",
}

// marked is a type that the source says should have a client.
type marked struct {
	pkg   string // "core/v1"
	kind  string
	marks []string
}

func (m marked) has(mark string) bool {
	for _, line := range m.marks {
		if strings.HasPrefix(line, mark) {
			return true
		}
	}
	return false
}

// apiPackages returns the folders of k8s.io/api, by "group/version".
func apiPackages(t *testing.T) map[string]string {
	t.Helper()
	out, err := exec.Command("go", "list", "-f", "{{.ImportPath}} {{.Dir}}", "k8s.io/api/...").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	packages := map[string]string{}
	for line := range strings.Lines(string(out)) {
		path, dir, _ := strings.Cut(strings.TrimSpace(line), " ")
		pkg := strings.TrimPrefix(path, "k8s.io/api/")
		group, version, _ := strings.Cut(pkg, "/")
		if strings.HasPrefix(version, "v") && unserved[group] == "" {
			packages[pkg] = dir
		}
	}
	if len(packages) < 50 {
		t.Fatalf("found only %d API packages: %v", len(packages), packages)
	}
	return packages
}

var typeLine = regexp.MustCompile(`^type (\w+) struct`)

func markedTypes(t *testing.T) []marked {
	t.Helper()
	var all []marked
	for pkg, dir := range apiPackages(t) {
		source, err := os.ReadFile(filepath.Join(dir, "types.go"))
		if err != nil {
			t.Fatal(err)
		}
		var marks []string
		for line := range strings.Lines(string(source)) {
			if _, mark, ok := strings.Cut(line, "// +genclient"); ok {
				marks = append(marks, strings.TrimSpace(mark))
			}
			if m := typeLine.FindStringSubmatch(line); m != nil {
				if len(marks) > 0 {
					all = append(all, marked{pkg, m[1], marks})
				}
				marks = nil
			}
		}
	}
	return all
}

var literal = regexp.MustCompile(`(?m)^\s+&(\w+)\{\},?$`)

// registered returns the types that a package registers with a scheme: the literals in its register.go.
func registered(t *testing.T, dir string) []string {
	t.Helper()
	source, err := os.ReadFile(filepath.Join(dir, "register.go"))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, m := range literal.FindAllStringSubmatch(string(source), -1) {
		names = append(names, m[1])
	}
	if len(names) == 0 {
		t.Fatalf("no types in %s/register.go", dir)
	}
	return names
}
