package migrate

import (
	"go/ast"
	"go/token"
	"strconv"
	"strings"
)

// rewrite changes the imports of a file, and notes what stays and what has to be done by hand.
func (m *migration) rewrite(s *source) {
	forward := false
	at := func(p token.Pos) Place { return Place{m.relative(s.name), s.line(p)} }
	s.imports(func(decl *ast.GenDecl, spec *ast.ImportSpec, path string) {
		switch own, ok := replacement(m.vedette, path); {
		case ok:
			s.replace(spec.Path.Pos(), spec.Path.End(), strconv.Quote(own))
			m.report.Imports++
		case strings.HasPrefix(path+"/", auth+"/") && spec.Name != nil && spec.Name.Name == "_":
			s.remove(decl, spec)
			m.report.Removed = append(m.report.Removed, at(spec.Pos()))
		case forwarded[path] && !strings.HasSuffix(s.name, "_test.go"):
			m.stays(path, "", at(spec.Pos()))
			forward = true
		default:
			if text, ok := remedy(path); ok {
				m.stays(path, text, at(spec.Pos()))
			}
		}
	})
	if forward {
		m.forwardMetrics(s, at)
	}
	m.shortLeases(s, at)
	m.fakes(s, at)
}

func (m *migration) stays(path, text string, at Place) {
	m.report.Stays[path]++
	if text != "" {
		m.byHand(at, path+": "+text)
	}
}

func (m *migration) byHand(at Place, text string) {
	m.report.ByHand = append(m.report.ByHand, Item{at, text})
}
