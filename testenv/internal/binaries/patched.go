package binaries

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// tree is the source of Vedette: the root module, without the modules below it.
type tree struct {
	dir string
	// sum is a checksum of all that can be a part of a program, or decides how its client-go is patched.
	sum string
}

func (r recipe) onVedette(source *tree) recipe {
	r.patched = source
	return r
}

// readTree reads a folder that must have the source of Vedette.
func readTree(dir string) (*tree, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	mod, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	if err != nil {
		return nil, fmt.Errorf("%s does not have the source of Vedette: %w", dir, err)
	}
	if !strings.HasPrefix(string(mod), "module vedette.dev\n") {
		return nil, fmt.Errorf("%s does not have the source of Vedette: its go.mod is of another module", dir)
	}
	hash := sha256.New()
	err = filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir():
			return skipFolder(dir, path)
		case !entry.Type().IsRegular() || !decides(path):
			return nil
		}
		sum, err := checksum(path)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(dir, path)
		fmt.Fprintf(hash, "%s %q\n", sum, filepath.ToSlash(rel))
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("reading the source of Vedette: %w", err)
	}
	return &tree{dir: dir, sum: fmt.Sprintf("%x", hash.Sum(nil))}, nil
}

// decides reports whether a file can be a part of a program with informers, or decides how client-go is patched.
func decides(path string) bool {
	switch filepath.Ext(path) {
	case ".go":
		return !strings.HasSuffix(path, "_test.go")
	case ".mod", ".sum", ".txt": // text is what is put into client-go
		return true
	}
	return false
}

// skipFolder returns fs.SkipDir for folders that are not part of the packages of the module in root.
func skipFolder(root, path string) error {
	if path == root {
		return nil
	}
	name := filepath.Base(path)
	if name == "testdata" || name == "bin" || name == "docs" || strings.HasPrefix(name, ".") {
		return fs.SkipDir
	}
	if _, err := os.Stat(filepath.Join(path, "go.mod")); err == nil {
		return fs.SkipDir
	}
	return nil
}

// programPackages imports what kube-controller-manager is made of. `vedette patch-client-go` resolves what the packages of a
// module import, and the module of the control plane has none.
const programPackages = `package packages

import (
	_ "k8s.io/component-base/cli"
	_ "k8s.io/component-base/logs/json/register"
	_ "k8s.io/component-base/metrics/prometheus/clientgo"
	_ "k8s.io/component-base/metrics/prometheus/version"
	_ "k8s.io/kubernetes/cmd/kube-controller-manager/app"
)
`

// patch makes the module use a client-go on Vedette, if the recipe says so.
func (c compiler) patch(ctx context.Context, module, tmp string) error {
	source := c.recipe.patched
	if source == nil {
		return nil
	}
	if err := os.WriteFile(filepath.Join(module, "packages.go"), []byte(programPackages), 0o644); err != nil {
		return err
	}
	command := filepath.Join(tmp, "vedette")
	if _, err := c.command(ctx, source.dir, tmp, "go", "build", "-o", command, "./cmd/vedette"); err != nil {
		return err
	}
	_, err := c.command(ctx, module, tmp, command, "patch-client-go", "--vedette", source.dir)
	return err
}
