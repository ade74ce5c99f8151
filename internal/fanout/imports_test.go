package fanout

import (
	"go/parser"
	"go/token"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// The package must stay free of Kubernetes: it imports the standard library and small packages without dependencies.
func TestImportsAreFreeOfKubernetes(t *testing.T) {
	allowed := map[string]bool{"github.com/go-logr/logr": true, "vedette.dev/internal/shrink": true}
	files, err := filepath.Glob("*.go")
	mustNot(t, err)
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ImportsOnly)
		mustNot(t, err)
		for _, spec := range file.Imports {
			path, _ := strconv.Unquote(spec.Path.Value)
			if first, _, _ := strings.Cut(path, "/"); strings.Contains(first, ".") && !allowed[path] {
				t.Errorf("%s imports %s", name, path)
			}
		}
	}
}
