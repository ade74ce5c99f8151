package migrate

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"path/filepath"
	"strconv"
	"strings"
)

const (
	fakeClientset = clientGo + "/kubernetes/fake"
	asServer      = "fake.NewClientset of Vedette rejects what a server rejects: "
)

// fakes makes NewSimpleClientset of fake.NewClientset in tests: client-go's does not validate objects and does not change them, as Vedette's
// NewSimpleClientset. Unlike that, both keep the owners of fields, which server-side apply needs: tests of packages that use it are left, and
// so are other files than tests.
func (m *migration) fakes(s *source, at func(token.Pos) Place) {
	name := s.nameOf(fakeClientset, "fake")
	if name == "" {
		return
	}
	ast.Inspect(s.file, func(n ast.Node) bool {
		call, ok := n.(*ast.SelectorExpr)
		if !ok || call.Sel.Name != "NewClientset" {
			return true
		}
		if x, ok := call.X.(*ast.Ident); !ok || x.Name != name {
			return true
		}
		switch {
		case !strings.HasSuffix(s.name, "_test.go"):
			m.byHand(at(call.Pos()), asServer+"use fake.NewSimpleClientset if tests with this file have incomplete objects")
		case m.applies(filepath.Dir(s.name)):
			m.byHand(at(call.Pos()), asServer+"it was left, since this package uses server-side apply, for which NewSimpleClientset does not keep "+
				"who has written a field; use NewSimpleClientset in tests that have incomplete objects and no conflicts of apply")
		default:
			s.replace(call.Sel.Pos(), call.Sel.End(), "NewSimpleClientset")
			m.report.Simple = append(m.report.Simple, at(call.Pos()))
		}
		return true
	})
}

// nameOf returns the name under which a file imports a package, or "".
func (s *source) nameOf(imported, usual string) (name string) {
	s.imports(func(_ *ast.GenDecl, spec *ast.ImportSpec, path string) {
		switch {
		case path != imported:
		case spec.Name == nil:
			name = usual
		case spec.Name.Name != "_" && spec.Name.Name != ".":
			name = spec.Name.Name
		}
	})
	return name
}

// applies reports whether a file of a folder uses server-side apply: it imports apply configurations, or names the type of such a patch.
func (m *migration) applies(dir string) bool {
	if known, ok := m.applied[dir]; ok {
		return known
	}
	files, _ := filepath.Glob(filepath.Join(dir, "*.go")) // the pattern is valid
	found := false
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			continue // it is reported when it is rewritten
		}
		for _, spec := range file.Imports {
			if imported, err := strconv.Unquote(spec.Path.Value); err == nil {
				found = found || strings.Contains(imported, "/applyconfiguration") && path.Base(imported) != "internal"
			}
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if sel, ok := n.(*ast.SelectorExpr); ok && strings.HasPrefix(sel.Sel.Name, "Apply") && strings.HasSuffix(sel.Sel.Name, "PatchType") {
				found = true
			}
			return !found
		})
	}
	m.applied[dir] = found
	return found
}
