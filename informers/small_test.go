package informers

import (
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// TestProgramsStaySmall builds two programs that count pods. The linker leaves out the informers of kinds that are not asked
// for, but keeps all of them as soon as anything that is linked can look up a method by a name it only knows at run time.
func TestProgramsStaySmall(t *testing.T) {
	if testing.Short() {
		t.Skip("links two programs")
	}
	for name, tt := range map[string]struct {
		limit  int64
		absent string // a function that must not be there
	}{
		"factory": {25_500_000, "vedette.dev/informers/core/v1.NewTypedSecretInformerWithOptions"}, // 23.1 MB when this was written, 29.7 MB with client-go
		"dynamic": {11_500_000, "k8s.io/api/core/v1."},                                             // 10.0 MB, 11.0 with CBOR; 27.5 MB
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
			if strings.Contains(line, tt.absent) {
				t.Errorf("%s has %s", name, line)
				break
			}
		}
		info, err := os.Stat(program)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%s: %.1f MB", name, float64(info.Size())/1e6)
		if runtime.GOOS == "linux" && runtime.GOARCH == "amd64" && info.Size() > tt.limit {
			t.Errorf("%s has %d bytes, more than %d", name, info.Size(), tt.limit)
		}
	}
}
