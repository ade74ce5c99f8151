package migrate

import (
	"context"
	"go/ast"
	"go/token"
	"go/types"
	"path/filepath"
	"regexp"
)

// conversions are what package bridge can convert, by the types that the compiler names.
var conversions = map[[2]string]string{
	{`*"k8s.io/client-go/rest".Config`, `*"vedette.dev/rest".Config`}: "MustFromClientGo",
	{`*"vedette.dev/rest".Config`, `*"k8s.io/client-go/rest".Config`}: "MustToClientGo",
}

// mismatched is the text of an error about a value of another type.
var mismatched = regexp.MustCompile(`^cannot use (.+) \(.* of (?:[a-z]+ )?type (.+)\) as (.+) value in (.+)$`)

const (
	bridgePath = "vedette.dev/bridge"
	// rounds limits how often the program is compiled. A round shows the errors of the packages that import none with errors.
	rounds = 30
)

// convert compiles the program, and puts conversions where the compiler wants the type of the other library. It returns what the compiler
// says in the end.
func (m *migration) convert(ctx context.Context) (compiled, error) {
	for range rounds {
		left, err := m.compile(ctx)
		if err != nil || len(left.errors) == 0 {
			return left, err
		}
		converted, err := m.fix(left.errors)
		if err != nil {
			return left, err
		}
		completed, err := m.completeStores(left.errors)
		if err != nil {
			return left, err
		}
		if converted+completed == 0 {
			return left, nil
		}
		if converted > 0 {
			if err := m.requireBridge(ctx); err != nil {
				return left, err
			}
		}
	}
	return m.compile(ctx)
}

// fix puts in conversions, and returns how many.
func (m *migration) fix(all []diagnostic) (fixed int, err error) {
	byFile := map[string][]diagnostic{}
	for _, d := range all {
		byFile[d.file] = append(byFile[d.file], d)
	}
	for file, list := range byFile {
		if !filepath.IsLocal(file) {
			continue // of another module
		}
		s, err := readSource(filepath.Join(m.mod.Dir, file))
		if err != nil {
			return fixed, err
		}
		done := map[[2]int]bool{} // a package and its tests may say it in other words
		for _, d := range list {
			if at := [2]int{d.line, d.column}; !done[at] && s.convert(d) {
				done[at] = true
				fixed++
				m.report.Conversions = append(m.report.Conversions, Place{file, d.line})
			}
		}
		if err := m.write(s); err != nil {
			return fixed, err
		}
	}
	return fixed, nil
}

// convert puts in a conversion at the place of an error, and reports whether it could.
func (s *source) convert(d diagnostic) bool {
	found := mismatched.FindStringSubmatch(d.text)
	if found == nil {
		return false
	}
	function, ok := conversions[[2]string{found[2], found[3]}]
	if !ok {
		return false
	}
	e := s.expression(d.line, d.column, found[1])
	if e == nil {
		return false
	}
	name := s.importNamed(bridgePath, "bridge")
	s.insert(e.Pos(), name+"."+function+"(")
	s.insert(e.End(), ")")
	return true
}

// expression returns the expression of a text that begins at a place, unless it is one of several values that a call returns.
func (s *source) expression(line, column int, text string) (found ast.Expr) {
	file := s.fset.File(s.file.Pos())
	if line > file.LineCount() {
		return nil
	}
	at := file.LineStart(line) + token.Pos(column-1)
	ast.Inspect(s.file, func(n ast.Node) bool {
		if a, ok := n.(*ast.AssignStmt); ok && len(a.Rhs) == 1 && len(a.Lhs) > 1 {
			if a.Rhs[0].Pos() == at {
				return false
			}
		}
		if e, ok := n.(ast.Expr); ok && found == nil && e.Pos() == at && types.ExprString(e) == text {
			found = e
		}
		return found == nil
	})
	return found
}
