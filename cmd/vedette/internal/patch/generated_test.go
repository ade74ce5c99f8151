package patch

import (
	"bytes"
	"cmp"
	"flag"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the files that are taken from module bridge")

// generated are files of this package that are taken from module bridge.
var generated = map[string]string{
	"adapter.go.txt":           "adapter.go",
	"store.go.txt":             "store.go",
	"listwatch.go.txt":         "listwatch.go",
	"capture_capture.go.txt":   "internal/capture/capture.go",
	"capture_doc.go.txt":       "internal/capture/doc.go",
	"capture_listwatch.go.txt": "internal/capture/listwatch.go",
}

// The files that a patched client-go and module bridge have in common are the same.
func TestGenerated(t *testing.T) {
	for name, from := range generated {
		source, err := os.ReadFile(filepath.Join("../../../../bridge", from))
		if err != nil {
			t.Fatal(err)
		}
		want := forClientGo(t, source)
		at := filepath.Join("files", name)
		if *update {
			if err := os.WriteFile(at, want, 0o644); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if got, err := os.ReadFile(at); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s is not what bridge/%s is; run go test ./cmd/vedette/internal/patch -run TestGenerated -update", at, from)
		}
	}
}

// forClientGo returns a file of module bridge as one of client-go's package tools/cache, or of a package of its own.
func forClientGo(t *testing.T, source []byte) []byte {
	t.Helper()
	files := token.NewFileSet()
	parsed, err := parser.ParseFile(files, "", source, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	type change struct {
		from, to token.Pos
		text     string
	}
	var changes []change
	ours := parsed.Name.Name == "bridge"
	if ours {
		changes = append(changes, change{parsed.Name.Pos(), parsed.Name.End(), "cache"})
		for _, spec := range parsed.Imports {
			switch {
			case spec.Name != nil && spec.Name.Name == "clientgocache":
				changes = append(changes, change{spec.Pos(), spec.End(), ""})
			case spec.Path.Value == `"vedette.dev/bridge/internal/capture"`:
				changes = append(changes, change{spec.Path.Pos(), spec.Path.End(), `"k8s.io/client-go/internal/vedette/capture"`})
			case spec.Path.Value == `"vedette.dev/cache"`:
				changes = append(changes, change{spec.Pos(), spec.Pos(), "vedettecache "})
			}
		}
		ast.Inspect(parsed, func(n ast.Node) bool {
			selector, ok := n.(*ast.SelectorExpr)
			if !ok {
				return true
			}
			switch x, _ := selector.X.(*ast.Ident); {
			case x == nil:
			case x.Name == "clientgocache":
				changes = append(changes, change{x.Pos(), selector.Sel.Pos(), ""})
			case x.Name == "cache":
				changes = append(changes, change{x.Pos(), x.End(), "vedettecache"})
			}
			return true
		})
	}
	slices.SortFunc(changes, func(a, b change) int { return cmp.Compare(b.from, a.from) })
	for _, c := range changes {
		source = slices.Concat(source[:c.from-1], []byte(c.text), source[c.to-1:])
	}
	text := strings.ReplaceAll(string(source), "\t\n", "")
	out, err := format.Source([]byte("// Code generated from module vedette.dev/bridge. DO NOT EDIT.\n\n" + text))
	if err != nil {
		t.Fatal(err)
	}
	return out
}
