package compat

import (
	"go/types"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"
)

// pairs is a line a package.
var pairs = slices.Concat(queuePairs, restPairs, dynamicPairs, kubernetesPairs, fakePairs, cachePairs, informerPairs, recordPairs, leaderPairs, gentypePairs, streamPairs)

var queuePairs = []Pair{
	{Peer: "k8s.io/client-go/util/workqueue", Own: "vedette.dev/workqueue"},
}

func TestEveryNameOfThePeerIsThere(t *testing.T) {
	rename := RenameAll(pairs)
	var paths []string
	for _, p := range pairs {
		paths = append(paths, p.Peer, p.Own)
	}
	loaded := loadTypes(t, paths...)
	for _, p := range pairs {
		t.Run(strings.TrimPrefix(p.Own, "vedette.dev/"), func(t *testing.T) {
			for _, d := range p.Differences(loaded[p.Peer], loaded[p.Own], rename) {
				t.Error(d)
			}
		})
	}
}

// TestClassicIsWrittenForThePeer compiles the program in classic/, as it is and with its imports written back, so that
// it stays what it claims to be.
func TestClassicIsWrittenForThePeer(t *testing.T) {
	file, err := filepath.Abs("classic/controller.go")
	if err != nil {
		t.Fatal(err)
	}
	source, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	original := string(source)
	for _, p := range pairs {
		original = strings.ReplaceAll(original, `"`+p.Own+`"`, `"`+p.Peer+`"`)
	}
	if original == string(source) {
		t.Fatal("the program imports nothing that has a peer")
	}
	load(t, nil, "./classic")
	load(t, map[string][]byte{file: []byte(original)}, "./classic")
}

// load type-checks packages, with some files replaced.
func load(t *testing.T, overlay map[string][]byte, paths ...string) {
	t.Helper()
	loadMode(t, &packages.Config{
		Mode:    packages.NeedName | packages.NeedTypes | packages.NeedSyntax | packages.NeedTypesInfo | packages.NeedImports,
		Overlay: overlay,
	}, paths)
}

// loadTypes reads the types of packages from what the compiler wrote down about them, which is quick.
func loadTypes(t *testing.T, paths ...string) map[string]*types.Package {
	t.Helper()
	loaded := map[string]*types.Package{}
	mode := packages.NeedName | packages.NeedTypes | packages.NeedExportFile | packages.NeedImports
	for _, p := range loadMode(t, &packages.Config{Mode: mode}, paths) {
		loaded[p.PkgPath] = p.Types
	}
	return loaded
}

func loadMode(t *testing.T, config *packages.Config, paths []string) []*packages.Package {
	t.Helper()
	list, err := packages.Load(config, paths...)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range list {
		for _, e := range p.Errors {
			t.Errorf("%s: %v", p.PkgPath, e)
		}
	}
	if t.Failed() {
		t.FailNow()
	}
	return list
}
