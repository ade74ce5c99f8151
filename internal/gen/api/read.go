package api

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/version"
)

// unserved are the folders whose kinds no Kubernetes API server serves, although they are marked.
var unserved = map[string]string{
	"imagepolicy": "the API server asks a webhook with it",
}

// Dir is where the sources of Module are, in the version that the current module requires.
func Dir() (string, error) {
	cmd := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", Module)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("%s: %w", cmd, err)
	}
	return strings.TrimSpace(string(out)), nil
}

// Read returns the groups that have clients: by folder, and the newest and most stable version of each first.
func Read(dir string) ([]Group, error) {
	packages, err := filepath.Glob(filepath.Join(dir, "*", "v*", "register.go"))
	if err != nil {
		return nil, err
	}
	var groups []Group
	for _, file := range packages {
		versionDir := filepath.Dir(file)
		g := Group{Dir: filepath.Base(filepath.Dir(versionDir)), Version: filepath.Base(versionDir)}
		if unserved[g.Dir] != "" {
			continue
		}
		if err := g.read(versionDir); err != nil {
			return nil, fmt.Errorf("%s: %w", g.Import(), err)
		}
		if len(g.Kinds) > 0 {
			groups = append(groups, g)
		}
	}
	if len(groups) == 0 {
		return nil, fmt.Errorf("no API groups in %s", dir)
	}
	slices.SortFunc(groups, func(a, b Group) int {
		return cmp.Or(cmp.Compare(a.Dir, b.Dir), version.CompareKubeAwareVersionStrings(b.Version, a.Version))
	})
	return groups, nil
}

func (g *Group) read(dir string) error {
	files, err := parseDir(dir)
	if err != nil {
		return err
	}
	if g.Name, err = groupName(files); err != nil {
		return err
	}
	structs := structsIn(files)
	for _, f := range files {
		kinds, err := kindsIn(f, structs)
		if err != nil {
			return err
		}
		g.Kinds = append(g.Kinds, kinds...)
	}
	slices.SortFunc(g.Kinds, func(a, b Kind) int { return cmp.Compare(a.Name, b.Name) })
	return nil
}

// parseDir parses what people wrote: the generated files are large, and say nothing about clients.
func parseDir(dir string) ([]*ast.File, error) {
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return nil, err
	}
	var files []*ast.File
	for _, name := range names {
		if base := filepath.Base(name); strings.Contains(base, "generated") || strings.HasSuffix(base, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	return files, nil
}

// groupName is the value of the constant of that name.
func groupName(files []*ast.File) (string, error) {
	for _, f := range files {
		for spec := range specs[*ast.ValueSpec](f, token.CONST) {
			if len(spec.Values) != 1 || spec.Names[0].Name != "GroupName" {
				continue
			}
			if value, ok := spec.Values[0].(*ast.BasicLit); ok {
				return strconv.Unquote(value.Value)
			}
		}
	}
	return "", fmt.Errorf("no constant GroupName")
}
