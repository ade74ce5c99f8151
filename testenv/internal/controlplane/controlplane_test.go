package controlplane

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

func TestVersions(t *testing.T) {
	v, err := ReadVersions()
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(v.Kubernetes, "v1.") || !strings.HasPrefix(v.Etcd, "v3.") {
		t.Errorf("unlikely versions: %+v", v)
	}
	if major, minor := MajorMinor("v1.36.3"); major != "1" || minor != "36" {
		t.Errorf("MajorMinor(v1.36.3) = %q, %q", major, minor)
	}
}

// Each replaced module must be the one that this Kubernetes was made with: v0.X.Y goes with v1.X.Y.
func TestReplacesFollowKubernetes(t *testing.T) {
	v, err := ReadVersions()
	if err != nil {
		t.Fatal(err)
	}
	want := "v0." + strings.TrimPrefix(v.Kubernetes, "v1.")
	for line := range strings.Lines(goMod) {
		if _, replacement, ok := strings.Cut(line, " => "); ok && !strings.HasSuffix(strings.TrimSpace(replacement), " "+want) {
			t.Errorf("not %s: %s", want, strings.TrimSpace(line))
		}
	}
}

// `make lint` checks this for modules with a go.mod. This one has none.
func TestModuleIsTidy(t *testing.T) {
	dir := t.TempDir()
	if err := WriteTo(dir); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "go", "mod", "tidy", "-diff")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-mod=mod")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("controlplane.mod is not tidy (%v); controlplane.go says how to tidy it:\n%s", err, out)
	}
}
