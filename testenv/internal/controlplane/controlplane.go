// Package controlplane is the module from which the servers of a test environment, a kubectl for them and a
// kube-controller-manager are built: which versions, and the checksums of all they are made of.
//
// It is a module of its own because k8s.io/kubernetes must have each k8s.io module that it was made with replaced by
// the published one, and those replaces would lower the versions that Vedette itself uses. It is embedded, under names
// other than go.mod and go.sum, so that it is at hand wherever the testenv package is: in the module cache, in a vendor
// folder, in a program built with -trimpath. (A folder with a go.mod is left out of all of these.)
//
// To raise a version, edit controlplane.mod (k8s.io/kubernetes v1.X.Y goes with v0.X.Y in each replace; the names to
// replace are those in the go.mod of k8s.io/kubernetes) and then, in an empty folder:
//
//	touch go.mod && GOWORK=off go mod tidy -modfile=PATH/TO/controlplane.mod
package controlplane

import (
	_ "embed"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

//go:embed controlplane.mod
var goMod string

//go:embed controlplane.sum
var goSum string

// The modules whose versions are those of the programs.
const (
	kubernetesModule = "k8s.io/kubernetes"
	etcdModule       = "go.etcd.io/etcd/server/v3"
)

// Program is one of those that can be built from the module. A package of each is one of its tools, which keeps what the
// program is made of in the checksums.
type Program struct {
	Name    string
	Package string
	// Built is what `go build` calls it.
	Built string
}

// The programs.
var (
	APIServer = Program{"kube-apiserver", "k8s.io/kubernetes/cmd/kube-apiserver", "kube-apiserver"}
	Etcd      = Program{"etcd", "go.etcd.io/etcd/server/v3", "server"}
	Kubectl   = Program{"kubectl", "k8s.io/kubernetes/cmd/kubectl", "kubectl"}
	// ControllerManager is not a part of a test environment: command kcm runs it.
	ControllerManager = Program{"kube-controller-manager", "k8s.io/kubernetes/cmd/kube-controller-manager", "kube-controller-manager"}
)

// Versions are what the module asks for.
type Versions struct {
	Kubernetes string // such as v1.36.3
	Etcd       string // such as v3.6.8
}

// Of is the version of a program.
func (v Versions) Of(p Program) string {
	if p == Etcd {
		return v.Etcd
	}
	return v.Kubernetes
}

// ReadVersions reads them from the embedded module, so that they are written down in one place only.
func ReadVersions() (Versions, error) {
	var v Versions
	for line := range strings.Lines(goMod) {
		switch fields := strings.Fields(line); {
		case len(fields) < 2:
		case fields[0] == kubernetesModule:
			v.Kubernetes = fields[1]
		case fields[0] == etcdModule:
			v.Etcd = fields[1]
		}
	}
	if v.Kubernetes == "" || v.Etcd == "" {
		return Versions{}, fmt.Errorf("controlplane.mod does not require both %s and %s", kubernetesModule, etcdModule)
	}
	return v, nil
}

// MajorMinor splits v1.36.3 into "1" and "36".
func MajorMinor(version string) (major, minor string) {
	parts := strings.SplitN(strings.TrimPrefix(version, "v"), ".", 3)
	if len(parts) < 2 {
		return "", ""
	}
	return parts[0], parts[1]
}

// Content returns all inputs of the build, for a hash.
func Content() string { return goMod + goSum }

// WriteTo puts the module into a folder, from which `go build` can then build.
func WriteTo(dir string) error {
	return errors.Join(
		os.WriteFile(filepath.Join(dir, "go.mod"), []byte(goMod), 0o644),
		os.WriteFile(filepath.Join(dir, "go.sum"), []byte(goSum), 0o644),
	)
}
