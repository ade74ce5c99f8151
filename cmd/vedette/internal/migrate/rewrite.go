package migrate

import (
	"go/ast"
	"go/constant"
	"go/token"
	"strconv"
	"strings"
	"time"
)

// rewrite changes the imports of a file, and notes what stays and what has to be done by hand.
func (m *migration) rewrite(s *source) {
	at := func(p token.Pos) Place { return Place{m.relative(s.name), s.line(p)} }
	s.imports(func(decl *ast.GenDecl, spec *ast.ImportSpec, path string) {
		switch own, ok := replacement(m.vedette, path); {
		case ok:
			s.replace(spec.Path.Pos(), spec.Path.End(), strconv.Quote(own))
			m.report.Imports++
		case strings.HasPrefix(path+"/", auth+"/") && spec.Name != nil && spec.Name.Name == "_":
			s.remove(decl, spec)
			m.report.Removed = append(m.report.Removed, at(spec.Pos()))
		default:
			if text, ok := remedy(path); ok {
				m.stays(path, text, at(spec.Pos()))
			}
		}
	})
	m.shortLeases(s, at)
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

// shortLeases finds times of a leader election below a second. Vedette gives a request half of the deadline, and a loaded API server does not
// answer in a few milliseconds.
func (m *migration) shortLeases(s *source, at func(token.Pos) Place) {
	ast.Inspect(s.file, func(n ast.Node) bool {
		kv, ok := n.(*ast.KeyValueExpr)
		if !ok {
			return true
		}
		key, ok := kv.Key.(*ast.Ident)
		if !ok || key.Name != "LeaseDuration" && key.Name != "RenewDeadline" {
			return true
		}
		if d, ok := duration(kv.Value); ok && d > 0 && d < time.Second {
			m.byHand(at(kv.Pos()), key.Name+" is "+d.String()+": leadership is lost if the API server takes longer than half of it to answer; use at least a second")
		}
		return true
	})
}

var units = map[string]time.Duration{
	"Nanosecond": time.Nanosecond, "Microsecond": time.Microsecond, "Millisecond": time.Millisecond,
	"Second": time.Second, "Minute": time.Minute, "Hour": time.Hour,
}

// duration returns the value of an expression such as 100 * time.Millisecond.
func duration(e ast.Expr) (time.Duration, bool) {
	v := constantOf(e)
	if v == nil {
		return 0, false
	}
	d, ok := constant.Int64Val(constant.ToInt(v))
	return time.Duration(d), ok
}

func constantOf(e ast.Expr) constant.Value {
	switch e := e.(type) {
	case *ast.BasicLit:
		if e.Kind == token.INT || e.Kind == token.FLOAT {
			return constant.MakeFromLiteral(e.Value, e.Kind, 0)
		}
	case *ast.ParenExpr:
		return constantOf(e.X)
	case *ast.SelectorExpr:
		if x, ok := e.X.(*ast.Ident); ok && x.Name == "time" && units[e.Sel.Name] != 0 {
			return constant.MakeInt64(int64(units[e.Sel.Name]))
		}
	case *ast.CallExpr: // time.Duration(100)
		if len(e.Args) == 1 {
			return constantOf(e.Args[0])
		}
	case *ast.BinaryExpr:
		x, y := constantOf(e.X), constantOf(e.Y)
		if x != nil && y != nil && e.Op == token.MUL {
			return constant.BinaryOp(x, e.Op, y)
		}
	}
	return nil
}
