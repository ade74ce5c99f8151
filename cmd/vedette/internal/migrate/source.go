package migrate

import (
	"bytes"
	"cmp"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"os"
	"slices"
	"strconv"
	"strings"
)

// source is a Go file that is edited. Edits are by position in the text as it was read, so that nothing else of the file changes.
type source struct {
	name  string
	text  []byte
	fset  *token.FileSet
	file  *ast.File
	edits []edit
	// added has the names of imports that edits add, by path.
	added map[string]string
	// tidy says that gofmt would not change the file, and so may format it afterwards.
	tidy bool
}

type edit struct {
	from, to int
	text     string
}

// readSource parses a file.
func readSource(name string) (*source, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	s := &source{name: name, text: text, fset: token.NewFileSet(), added: map[string]string{}}
	if s.file, err = parser.ParseFile(s.fset, name, text, parser.ParseComments|parser.SkipObjectResolution); err != nil {
		return nil, err
	}
	formatted, err := format.Source(text)
	s.tidy = err == nil && bytes.Equal(formatted, text)
	return s, nil
}

func (s *source) offset(at token.Pos) int { return s.fset.Position(at).Offset }

func (s *source) line(at token.Pos) int { return s.fset.Position(at).Line }

func (s *source) replace(from, to token.Pos, text string) {
	s.edits = append(s.edits, edit{s.offset(from), s.offset(to), text})
}

func (s *source) insert(at token.Pos, text string) { s.replace(at, at, text) }

// write writes the file with its edits.
func (s *source) write() error {
	if len(s.edits) == 0 {
		return nil
	}
	// Of two insertions at one place, the first one made is the outer one.
	slices.SortStableFunc(s.edits, func(a, b edit) int { return cmp.Compare(a.from, b.from) })
	var out []byte
	at := 0
	for _, e := range s.edits {
		if e.from < at {
			return fmt.Errorf("%s: edits overlap", s.name)
		}
		out = append(append(out, s.text[at:e.from]...), e.text...)
		at = e.to
	}
	out = append(out, s.text[at:]...)
	if s.tidy {
		formatted, err := format.Source(out)
		if err != nil {
			return fmt.Errorf("%s: the edited file cannot be parsed: %w", s.name, err)
		}
		out = formatted
	}
	info, err := os.Stat(s.name)
	if err != nil {
		return err
	}
	return os.WriteFile(s.name, out, info.Mode())
}

// imports calls visit with each import and its path.
func (s *source) imports(visit func(decl *ast.GenDecl, spec *ast.ImportSpec, path string)) {
	for _, d := range s.file.Decls {
		decl, ok := d.(*ast.GenDecl)
		if !ok || decl.Tok != token.IMPORT {
			continue
		}
		for _, spec := range decl.Specs {
			i := spec.(*ast.ImportSpec)
			if path, err := strconv.Unquote(i.Path.Value); err == nil {
				visit(decl, i, path)
			}
		}
	}
}

// remove removes an import with its line.
func (s *source) remove(decl *ast.GenDecl, spec *ast.ImportSpec) {
	from, to := s.offset(spec.Pos()), s.offset(spec.End())
	if !decl.Lparen.IsValid() {
		from, to = s.offset(decl.Pos()), s.offset(decl.End())
	}
	if spec.Doc != nil && decl.Lparen.IsValid() {
		from = s.offset(spec.Doc.Pos())
	}
	for from > 0 && strings.ContainsRune(" \t", rune(s.text[from-1])) {
		from--
	}
	for to < len(s.text) && s.text[to] != '\n' { // a comment at the end of the line
		to++
	}
	if to < len(s.text) {
		to++
	}
	s.edits = append(s.edits, edit{from: from, to: to})
}

// importNamed makes sure that the file imports a path, and returns the name under which it does.
func (s *source) importNamed(path, name string) string {
	found, taken := s.added[path], false
	s.imports(func(_ *ast.GenDecl, spec *ast.ImportSpec, at string) {
		switch {
		case at == path && spec.Name == nil:
			found = name
		case at == path && spec.Name.Name != "_" && spec.Name.Name != ".":
			found = spec.Name.Name
		}
	})
	if found != "" {
		return found
	}
	ast.Inspect(s.file, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && id.Name == name {
			taken = true
		}
		return !taken
	})
	line := strconv.Quote(path)
	if taken {
		name = "vedette" + name
		line = name + " " + line
	}
	s.added[path] = name
	for _, d := range s.file.Decls {
		if decl, ok := d.(*ast.GenDecl); ok && decl.Tok == token.IMPORT && decl.Lparen.IsValid() {
			s.insert(decl.Rparen, "\n\t"+line+"\n")
			return name
		}
	}
	s.insert(s.file.Name.End(), "\n\nimport "+line)
	return name
}
