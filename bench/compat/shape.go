package compat

import (
	"fmt"
	"go/types"
	"strings"
)

// shapes writes types down so that two of them are the same to a caller if, and only if, the texts are equal: aliases
// are resolved, import paths rewritten, parameters without names, type parameters by their position.
type shapes struct {
	rename Rename
	// open are the unexported types that are being written, so that one that refers to itself comes to an end.
	open []*types.TypeName
}

func (s *shapes) of(t types.Type) string {
	switch t := types.Unalias(t).(type) {
	case *types.Basic:
		return t.Name()
	case *types.TypeParam:
		return fmt.Sprintf("$%d", t.Index())
	case *types.Pointer:
		if own := loosened(t); own != "" {
			return own
		}
		return "*" + s.of(t.Elem())
	case *types.Slice:
		return "[]" + s.of(t.Elem())
	case *types.Array:
		return fmt.Sprintf("[%d]%s", t.Len(), s.of(t.Elem()))
	case *types.Map:
		return "map[" + s.of(t.Key()) + "]" + s.of(t.Elem())
	case *types.Chan:
		return [...]string{"chan ", "chan<- ", "<-chan "}[t.Dir()] + "(" + s.of(t.Elem()) + ")"
	case *types.Signature:
		return "func" + s.signature(t)
	case *types.Struct:
		return s.structure(t, false)
	case *types.Interface:
		return s.contract(t)
	case *types.Union:
		return s.union(t)
	case *types.Named:
		return s.named(t)
	default:
		panic(fmt.Sprintf("compat: no shape for a %T", t))
	}
}

func (s *shapes) signature(t *types.Signature) string {
	text := s.params(t.TypeParams()) + s.tuple(t.Params(), t.Variadic())
	if t.Results().Len() > 0 {
		text += " " + s.tuple(t.Results(), false)
	}
	return text
}

// params writes the constraints of type parameters.
func (s *shapes) params(list *types.TypeParamList) string {
	if list.Len() == 0 {
		return ""
	}
	var parts []string
	for p := range list.TypeParams() {
		parts = append(parts, s.of(p.Constraint()))
	}
	return "[" + strings.Join(parts, ", ") + "]"
}

func (s *shapes) tuple(t *types.Tuple, variadic bool) string {
	var parts []string
	for v := range t.Variables() {
		parts = append(parts, s.of(v.Type()))
	}
	if last := len(parts) - 1; variadic {
		parts[last] = "..." + strings.TrimPrefix(parts[last], "[]")
	}
	return "(" + strings.Join(parts, ", ") + ")"
}

func (s *shapes) structure(t *types.Struct, exportedOnly bool) string {
	var parts []string
	for f := range t.Fields() {
		if exportedOnly && !f.Exported() {
			continue
		}
		part := f.Name() + " " + s.of(f.Type())
		if f.Embedded() {
			part = "embedded " + part
		}
		parts = append(parts, part)
	}
	return "struct{" + strings.Join(parts, "; ") + "}"
}

// contract writes all methods of an interface, those of embedded interfaces too, in the order of their names.
func (s *shapes) contract(t *types.Interface) string {
	var parts []string
	for m := range t.Methods() {
		parts = append(parts, m.Name()+s.signature(m.Signature()))
	}
	if t.IsComparable() {
		parts = append(parts, "comparable")
	}
	for e := range t.EmbeddedTypes() {
		if !types.IsInterface(e) || isUnion(e) {
			parts = append(parts, s.of(e))
		}
	}
	return "interface{" + strings.Join(parts, "; ") + "}"
}

func isUnion(t types.Type) bool {
	_, ok := types.Unalias(t).(*types.Union)
	return ok
}

func (s *shapes) union(t *types.Union) string {
	var parts []string
	for term := range t.Terms() {
		tilde := ""
		if term.Tilde() {
			tilde = "~"
		}
		parts = append(parts, tilde+s.of(term.Type()))
	}
	return strings.Join(parts, " | ")
}

func (s *shapes) named(t *types.Named) string {
	obj := t.Obj()
	if obj.Pkg() == nil { // error, comparable
		return obj.Name()
	}
	if !obj.Exported() {
		return s.unexported(t)
	}
	path := obj.Pkg().Path()
	if own, ok := s.rename[path]; ok {
		path = own
	}
	text := path + "." + obj.Name()
	if args := t.TypeArgs(); args.Len() > 0 {
		var parts []string
		for a := range args.Types() {
			parts = append(parts, s.of(a))
		}
		text += "[" + strings.Join(parts, ", ") + "]"
	}
	return text
}

// unexported writes what a caller can see of a type that it cannot name.
func (s *shapes) unexported(t *types.Named) string {
	for depth, seen := range s.open {
		if seen == t.Obj() {
			return fmt.Sprintf("unexported^%d", depth)
		}
	}
	s.open = append(s.open, t.Obj())
	defer func() { s.open = s.open[:len(s.open)-1] }()

	text := "unexported "
	if fields, ok := t.Underlying().(*types.Struct); ok {
		text += s.structure(fields, true)
	} else {
		text += s.of(t.Underlying())
	}
	for m := range types.NewMethodSet(types.NewPointer(t)).Methods() {
		if m.Obj().Exported() && !types.IsInterface(t) {
			text += " " + m.Obj().Name() + s.signature(m.Type().(*types.Signature))
		}
	}
	return text
}

// loose are types of the peer's in whose place we take an interface that they satisfy: a call compiles as it is.
var loose = []struct{ below, own string }{
	// 138,000 generated lines that only Apply methods need. Ours takes anything that has a name and marshals to JSON, and
	// so these too.
	{"k8s.io/client-go/applyconfigurations/", "vedette.dev/gentype.ApplyConfiguration"},
}

// loosened is the interface that stands in for a pointer, or nothing.
func loosened(t *types.Pointer) string {
	named, ok := types.Unalias(t.Elem()).(*types.Named)
	if !ok || named.Obj().Pkg() == nil {
		return ""
	}
	for _, l := range loose {
		if strings.HasPrefix(named.Obj().Pkg().Path(), l.below) {
			return l.own
		}
	}
	return ""
}
