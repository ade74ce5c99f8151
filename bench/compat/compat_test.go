package compat

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"
)

// pairs is a line a package.
var pairs = []Pair{
	{Peer: "k8s.io/client-go/util/workqueue", Own: "vedette.dev/workqueue"},
}

func TestEveryNameOfThePeerIsThere(t *testing.T) {
	rename := RenameAll(pairs)
	var paths []string
	for _, p := range pairs {
		paths = append(paths, p.Peer, p.Own)
	}
	loaded := load(t, nil, paths...)
	for _, p := range pairs {
		t.Run(filepath.Base(p.Own), func(t *testing.T) {
			peer, own := loaded[p.Peer].Types, loaded[p.Own].Types
			for _, d := range p.Differences(peer, own, rename) {
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
func load(t *testing.T, overlay map[string][]byte, paths ...string) map[string]*packages.Package {
	t.Helper()
	list, err := packages.Load(&packages.Config{
		Mode:    packages.NeedName | packages.NeedTypes | packages.NeedSyntax | packages.NeedTypesInfo | packages.NeedImports,
		Overlay: overlay,
	}, paths...)
	if err != nil {
		t.Fatal(err)
	}
	loaded := map[string]*packages.Package{}
	for _, p := range list {
		for _, e := range p.Errors {
			t.Errorf("%s: %v", p.PkgPath, e)
		}
		loaded[p.PkgPath] = p
	}
	if t.Failed() {
		t.FailNow()
	}
	return loaded
}
