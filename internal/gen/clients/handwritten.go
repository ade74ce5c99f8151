package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strconv"
	"strings"

	"vedette.dev/internal/gen/api"
)

// handWritten is what people wrote in a package of typed clients.
type handWritten struct {
	types      map[string]bool
	apiImports []string
}

func readHandWritten(dir string) (handWritten, error) {
	w := handWritten{types: map[string]bool{}}
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return w, err
	}
	for _, name := range names {
		if base := filepath.Base(name); base == "client.go" || strings.HasSuffix(base, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			return w, err
		}
		w.add(f)
	}
	return w, nil
}

func (w *handWritten) add(f *ast.File) {
	for _, d := range f.Decls {
		decl, ok := d.(*ast.GenDecl)
		if !ok {
			continue
		}
		for _, s := range decl.Specs {
			if spec, ok := s.(*ast.TypeSpec); ok {
				w.types[spec.Name.Name] = true
			}
		}
	}
	for _, i := range f.Imports {
		if path, err := strconv.Unquote(i.Path.Value); err == nil && strings.HasPrefix(path, api.Module+"/") {
			w.apiImports = append(w.apiImports, path)
		}
	}
}
