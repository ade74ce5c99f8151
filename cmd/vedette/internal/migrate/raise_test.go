package migrate

import (
	"slices"
	"testing"

	"vedette.dev/cmd/vedette/internal/gomod"
)

// Programs of Kubernetes often pin the modules that are released together by replace lines.
func TestRaised(t *testing.T) {
	mod := &gomod.Module{
		Required: map[string]string{
			"k8s.io/csi-translation-lib": "v0.36.1",
			"k8s.io/api":                 "v0.36.1", "k8s.io/apimachinery": "v0.36.1", "k8s.io/client-go": "v0.37.2", "k8s.io/component-base": "v0.36.1", "k8s.io/klog/v2": "v2.130.1",
		},
		Replaces: map[string]string{
			"k8s.io/api": "k8s.io/api@v0.36.1", "k8s.io/apiserver": "k8s.io/apiserver@v0.36.1", "k8s.io/client-go": "k8s.io/client-go@v0.37.2",
			"k8s.io/component-base": "../component-base", "k8s.io/csi-translation-lib": "k8s.io/csi-translation-lib@v0.36.1", "k8s.io/kms": "k8s.io/kms@v0.36.1",
			"k8s.io/klog/v2": "k8s.io/klog/v2@v2.130.1",
		},
	}
	want := []string{
		"-replace=k8s.io/api=k8s.io/api@v0.37.2", "-require=k8s.io/api@v0.37.2", "-require=k8s.io/apimachinery@v0.37.2",
		"-replace=k8s.io/apiserver=k8s.io/apiserver@v0.37.2",
		"-replace=k8s.io/csi-translation-lib=k8s.io/csi-translation-lib@v0.37.2", "-require=k8s.io/csi-translation-lib@v0.37.2",
		"-replace=k8s.io/kms=k8s.io/kms@v0.37.2",
	}
	if got := raised(mod, "v0.37.2"); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}
