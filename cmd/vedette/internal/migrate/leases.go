package migrate

import (
	"go/ast"
	"go/constant"
	"go/parser"
	"go/token"
	"path/filepath"
	"strings"
	"time"
)

// shortLeases finds times of a leader election below a second, as far as they are written as constants: in a composite literal or an
// assignment. Vedette counts them from before a renewal is sent, and a loaded API server does not answer in a few milliseconds.
func (m *migration) shortLeases(s *source, at func(token.Pos) Place) {
	pkg := m.election(filepath.Dir(s.name))
	if !pkg.elects {
		return
	}
	check := func(field string, pos token.Pos, value ast.Expr) {
		if field != "LeaseDuration" && field != "RenewDeadline" {
			return
		}
		if d, ok := pkg.duration(value); ok && d > 0 && d < time.Second {
			m.byHand(at(pos), field+" is "+d.String()+": leadership is lost if the API server has not answered in that time; use at least a second")
		}
	}
	ast.Inspect(s.file, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.KeyValueExpr:
			if key, ok := n.Key.(*ast.Ident); ok {
				check(key.Name, n.Pos(), n.Value)
			}
		case *ast.AssignStmt:
			if n.Tok != token.ASSIGN || len(n.Lhs) != len(n.Rhs) {
				break
			}
			for i, left := range n.Lhs {
				field, ok := left.(*ast.SelectorExpr)
				if !ok {
					break
				}
				if outer, ok := field.X.(*ast.SelectorExpr); ok && field.Sel.Name == "Duration" { // c.RenewDeadline.Duration, of a metav1.Duration
					field = outer
				}
				check(field.Sel.Name, n.Pos(), n.Rhs[i])
			}
		}
		return true
	})
}

// election is what the files of a folder say about leader election.
type election struct {
	// elects says that they have to do with it: other things have a LeaseDuration too.
	elects bool
	// constants are the values of named constants, nil for names that are declared twice.
	constants map[string]ast.Expr
}

// election reads the files of a folder, once.
func (m *migration) election(dir string) *election {
	if known := m.elections[dir]; known != nil {
		return known
	}
	e := &election{constants: map[string]ast.Expr{}}
	m.elections[dir] = e
	files, _ := filepath.Glob(filepath.Join(dir, "*.go")) // the pattern is valid
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			continue // it is reported when it is rewritten
		}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.ImportSpec:
				e.elects = e.elects || strings.Contains(n.Path.Value, "/leaderelection")
			case *ast.Ident:
				e.elects = e.elects || n.Name == "RenewDeadline" || strings.Contains(n.Name, "LeaderElect")
			case *ast.GenDecl:
				if n.Tok == token.CONST {
					e.declare(n)
				}
			}
			return true
		})
	}
	return e
}

// declare notes the constants of a declaration.
func (e *election) declare(decl *ast.GenDecl) {
	for _, spec := range decl.Specs {
		v, ok := spec.(*ast.ValueSpec)
		if !ok {
			continue
		}
		for i, name := range v.Names {
			if _, twice := e.constants[name.Name]; twice || i >= len(v.Values) {
				e.constants[name.Name] = nil
				continue
			}
			e.constants[name.Name] = v.Values[i]
		}
	}
}

var units = map[string]time.Duration{
	"Nanosecond": time.Nanosecond, "Microsecond": time.Microsecond, "Millisecond": time.Millisecond,
	"Second": time.Second, "Minute": time.Minute, "Hour": time.Hour,
}

// duration returns the value of an expression such as 100 * time.Millisecond, also in a metav1.Duration, or of which a pointer is taken.
func (e *election) duration(x ast.Expr) (time.Duration, bool) {
	v := e.constant(x, 0)
	if v == nil {
		return 0, false
	}
	d, ok := constant.Int64Val(constant.ToInt(v))
	return time.Duration(d), ok
}

func (e *election) constant(x ast.Expr, depth int) constant.Value {
	if depth++; depth > 100 { // constants that are declared by each other
		return nil
	}
	switch x := x.(type) {
	case *ast.BasicLit:
		if x.Kind == token.INT || x.Kind == token.FLOAT {
			return constant.MakeFromLiteral(x.Value, x.Kind, 0)
		}
	case *ast.Ident:
		if value := e.constants[x.Name]; value != nil {
			return e.constant(value, depth)
		}
	case *ast.ParenExpr:
		return e.constant(x.X, depth)
	case *ast.UnaryExpr: // &metav1.Duration{…}
		if x.Op == token.AND {
			return e.constant(x.X, depth)
		}
	case *ast.SelectorExpr:
		if of, ok := x.X.(*ast.Ident); ok && of.Name == "time" && units[x.Sel.Name] != 0 {
			return constant.MakeInt64(int64(units[x.Sel.Name]))
		}
	case *ast.CallExpr: // time.Duration(100), ptr.To(100 * time.Millisecond)
		if f, ok := x.Fun.(*ast.SelectorExpr); ok && len(x.Args) == 1 && (f.Sel.Name == "Duration" || f.Sel.Name == "To") {
			return e.constant(x.Args[0], depth)
		}
	case *ast.CompositeLit: // metav1.Duration{Duration: 100 * time.Millisecond}
		of, ok := x.Type.(*ast.SelectorExpr)
		if !ok || of.Sel.Name != "Duration" || len(x.Elts) != 1 {
			break
		}
		if kv, ok := x.Elts[0].(*ast.KeyValueExpr); ok {
			return e.constant(kv.Value, depth)
		}
		return e.constant(x.Elts[0], depth)
	case *ast.BinaryExpr:
		return operate(e.constant(x.X, depth), x.Op, e.constant(x.Y, depth))
	}
	return nil
}

// operate returns the result of an operation, nil if it is not known.
func operate(x constant.Value, op token.Token, y constant.Value) constant.Value {
	if x == nil || y == nil {
		return nil
	}
	switch op {
	case token.ADD, token.SUB, token.MUL:
		return constant.BinaryOp(x, op, y)
	case token.QUO:
		if constant.Sign(y) == 0 {
			return nil
		}
		if x.Kind() == constant.Int && y.Kind() == constant.Int {
			op = token.QUO_ASSIGN // of integers
		}
		return constant.BinaryOp(x, op, y)
	}
	return nil
}
