package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// program is a program for client-go.
type program struct {
	// Name is what the table calls it.
	Name string
	// Module and Version are where it is on the module proxy. Folder is where it is on this machine instead.
	Module, Version, Folder string
	// Packages are patterns of the packages that are tested. None means all.
	Packages []string
	// Edits are arguments of go mod edit with which it is prepared, before it is tested at all, and Because is the reason.
	Edits   []string
	Because string
}

// programs are those that are ported without arguments. Each has tests of its own, and uses another part of client-go: a generated
// clientset with its fakes; an aggregated API server, metrics and informers of metadata.
var programs = []program{
	{Name: "sample-controller", Module: "k8s.io/sample-controller", Version: "v0.36.3"},
	// The tests in its folder test need a cluster.
	{Name: "metrics-server", Module: "sigs.k8s.io/metrics-server", Version: "v0.9.0", Packages: []string{"./cmd/...", "./pkg/..."}},
	{Name: "node-problem-detector", Module: "k8s.io/node-problem-detector", Version: "v1.36.0", Packages: []string{"./pkg/exporters/k8sexporter/..."}},
	{Name: "external-attacher", Module: "github.com/kubernetes-csi/external-attacher/v4", Version: "v4.12.0"},
	{
		Name: "kube-state-metrics", Module: "k8s.io/kube-state-metrics/v2", Version: "v2.18.0", Packages: []string{"./internal/...", "./pkg/..."},
		Edits: []string{
			"-droptool=github.com/hairyhenderson/gomplate/v4/cmd/gomplate", "-droprequire=github.com/hairyhenderson/gomplate/v4",
			"-exclude=inet.af/netaddr@v0.0.0-20230525184311-b8eac61e914a",
		},
		Because: "gomplate, with which its documents are generated, needs a module that the module proxy refuses",
	},
}

// choose returns the programs that the arguments name.
func choose(args []string) ([]program, error) {
	if len(args) == 0 {
		return programs, nil
	}
	var chosen []program
	for _, arg := range args {
		if i := slices.IndexFunc(programs, func(p program) bool { return p.Name == arg }); i >= 0 {
			chosen = append(chosen, programs[i])
			continue
		}
		if name, folder, ok := strings.Cut(arg, "="); ok {
			i := slices.IndexFunc(programs, func(p program) bool { return p.Name == name })
			if i < 0 {
				return nil, fmt.Errorf("%s: %q is none of the programs (see -h)", arg, name)
			}
			p := programs[i]
			var err error
			if p.Folder, err = moduleFolder(folder); err != nil {
				return nil, fmt.Errorf("%s: %w", arg, err)
			}
			chosen = append(chosen, p)
			continue
		}
		if module, version, ok := strings.Cut(arg, "@"); ok && module != "" && version != "" {
			chosen = append(chosen, program{Name: filepath.Base(module), Module: module, Version: version})
			continue
		}
		folder, err := moduleFolder(arg)
		if err != nil {
			return nil, fmt.Errorf("%s is none of the programs (see -h), not MODULE@VERSION, and not the folder of a module", arg)
		}
		chosen = append(chosen, program{Name: filepath.Base(folder), Folder: folder})
	}
	return chosen, nil
}

// moduleFolder returns the absolute path of a folder with a module in it.
func moduleFolder(path string) (string, error) {
	folder, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	if _, err := os.Stat(filepath.Join(folder, "go.mod")); err != nil {
		return "", fmt.Errorf("not the folder of a module: %w", err)
	}
	return folder, nil
}
