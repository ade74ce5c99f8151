package migrate

import (
	"context"
	"go/ast"
	"go/token"
	"go/types"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// diagnostic is an error of the compiler.
type diagnostic struct {
	file         string // relative to the module
	line, column int
	text         string
}

// conversions are what package bridge can convert, by the types that the compiler names.
var conversions = map[[2]string]string{
	{`*"k8s.io/client-go/rest".Config`, `*"vedette.dev/rest".Config`}: "MustFromClientGo",
	{`*"vedette.dev/rest".Config`, `*"k8s.io/client-go/rest".Config`}: "MustToClientGo",
}

var (
	located    = regexp.MustCompile(`^(\S+\.go):(\d+):(\d+): (.*)$`)
	mismatched = regexp.MustCompile(`^cannot use (.+) \(.* of (?:[a-z]+ )?type (.+)\) as (.+) value in (.+)$`)
)

const (
	bridgePath = "vedette.dev/bridge"
	// rounds limits how often the program is compiled. A round of go vet shows one error of each package.
	rounds = 30
)

// convert compiles the program, and puts conversions where the compiler wants the type of the other library. It returns the errors that are
// left.
func (m *migration) convert(ctx context.Context) ([]diagnostic, error) {
	for range rounds {
		left, err := m.compile(ctx)
		if err != nil || len(left) == 0 {
			return left, err
		}
		fixed, err := m.fix(left)
		if err != nil {
			return nil, err
		}
		if fixed == 0 {
			return left, nil
		}
		if err := m.requireBridge(ctx); err != nil {
			return nil, err
		}
	}
	return m.compile(ctx)
}

// compile returns the errors of the compiler: all those of the packages, and if there are none, the first of each test.
func (m *migration) compile(ctx context.Context) ([]diagnostic, error) {
	m.progress("compiling the program")
	for _, step := range []struct {
		args   []string
		prefix string // of lines with an error
	}{
		{[]string{"build", "-gcflags=-e"}, ""},
		{[]string{"vet", "-bools"}, "vet: "}, // lines without it are findings in a program that compiles
	} {
		if step.prefix != "" {
			m.progress("compiling its tests")
		}
		_, err := m.mod.Run(ctx, append(step.args, m.patterns()...)...)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err == nil {
			continue
		}
		found := m.diagnostics(err.Error(), step.prefix)
		switch {
		case len(found) > 0:
			return found, nil
		case len(m.diagnostics(err.Error(), "")) == 0:
			return nil, err // not about the program
		}
	}
	return nil, nil
}

// diagnostics finds the errors of the compiler in what the go command printed, in lines that begin with a prefix.
func (m *migration) diagnostics(printed, prefix string) (out []diagnostic) {
	for line := range strings.Lines(printed) {
		text, ok := strings.CutPrefix(strings.TrimSpace(line), prefix)
		found := located.FindStringSubmatch(text)
		if !ok || found == nil {
			continue
		}
		d := diagnostic{file: found[1], text: found[4]}
		d.line, _ = strconv.Atoi(found[2])
		d.column, _ = strconv.Atoi(found[3])
		if filepath.IsAbs(d.file) {
			d.file = m.relative(d.file)
		}
		d.file = filepath.Clean(d.file)
		if !slices.Contains(out, d) { // a package and its tests have the same
			out = append(out, d)
		}
	}
	return out
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
		for _, d := range list {
			if s.convert(d) {
				fixed++
				m.report.Conversions = append(m.report.Conversions, Place{file, d.line})
			}
		}
		if err := s.write(); err != nil {
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
