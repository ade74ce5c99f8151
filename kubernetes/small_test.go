package kubernetes_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// TestTypedPackagesStandAlone: the client of one group brings no other groups into a program but those whose types it
// sends and receives.
func TestTypedPackagesStandAlone(t *testing.T) {
	for pkg, want := range map[string][]string{
		"core/v1":         {"authentication/v1", "autoscaling/v1", "core/v1", "policy/v1", "policy/v1beta1"},
		"apps/v1":         {"apps/v1", "autoscaling/v1", "core/v1"},
		"coordination/v1": {"coordination/v1"},
	} {
		out, err := exec.Command("go", "list", "-deps", typed+pkg).Output()
		if err != nil {
			t.Fatalf("go list: %v", err)
		}
		var got []string
		for _, path := range strings.Fields(string(out)) {
			if group, ok := strings.CutPrefix(path, "k8s.io/api/"); ok {
				got = append(got, group)
			}
			if path == "vedette.dev/kubernetes/scheme" || path == "vedette.dev/kubernetes" {
				t.Errorf("%s imports %s, and with it all groups", pkg, path)
			}
		}
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("%s brings the groups %v, want %v", pkg, got, want)
		}
	}
}

// TestProgramsStaySmall builds two programs that list and watch pods. The linker leaves out methods that are not called,
// but keeps all of them as soon as anything that is linked can look up a method by a name it only knows at run time
// (reflect.Value.MethodByName, which templates use). Then a program has the clients of all kinds.
func TestProgramsStaySmall(t *testing.T) {
	if testing.Short() {
		t.Skip("links two programs")
	}
	for name, limit := range map[string]int64{
		"typed":     14_900_000, // 12.6 MB when this was written, 26.4 MB with client-go
		"clientset": 23_000_000, // 20.4 MB; 26.7 MB
	} {
		program := filepath.Join(t.TempDir(), name)
		out, err := exec.Command("go", "build", "-ldflags=-s -w -dumpdep", "-o", program, "./testdata/"+name).CombinedOutput()
		if err != nil {
			t.Fatalf("go build: %v\n%s", err, out)
		}
		for line := range strings.Lines(string(out)) {
			if strings.Contains(line, "<ReflectMethod>") {
				t.Errorf("%s: methods cannot be left out because of %s", name, line)
			}
		}
		info, err := os.Stat(program)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%s: %.1f MB", name, float64(info.Size())/1e6)
		if runtime.GOOS == "linux" && runtime.GOARCH == "amd64" && info.Size() > limit {
			t.Errorf("%s has %d bytes, more than %d", name, info.Size(), limit)
		}
	}
}
