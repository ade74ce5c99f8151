package source

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strconv"
	"strings"
)

// HandWritten is what people wrote in a package beside the generated file.
type HandWritten struct {
	Types   map[string]bool
	Imports []string
}

// ReadHandWritten reads the files of a folder, but for the generated one and tests. A folder that is not there has none.
func ReadHandWritten(dir, generated string) (HandWritten, error) {
	w := HandWritten{Types: map[string]bool{}}
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return w, err
	}
	for _, name := range names {
		if base := filepath.Base(name); base == generated || strings.HasSuffix(base, "_test.go") {
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

func (w *HandWritten) add(f *ast.File) {
	for _, d := range f.Decls {
		decl, ok := d.(*ast.GenDecl)
		if !ok {
			continue
		}
		for _, s := range decl.Specs {
			if spec, ok := s.(*ast.TypeSpec); ok {
				w.Types[spec.Name.Name] = true
			}
		}
	}
	for _, i := range f.Imports {
		if path, err := strconv.Unquote(i.Path.Value); err == nil {
			w.Imports = append(w.Imports, path)
		}
	}
}
