package compat

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"strings"
	"testing"
)

func TestDifferences(t *testing.T) {
	tests := []struct {
		name      string
		peer, own string
		want      string // what is found; none if empty
	}{
		{"more of everything",
			"type S struct{ A int }; func (S) M() {}",
			"type S struct{ B, A int }; func (S) M() {}; func (S) N() {}; func F() {}", ""},
		{"names of parameters", "func F[T any](a T) (b T) { return a }", "func F[U any](x U) (y U) { return x }", ""},
		{"any spelling", "type I interface{ M(any) }", "type I interface{ M(interface{}) }", ""},
		{"through an alias", "func F(int) {}", "type a = int; func F(a) {}", ""},
		{"unexported parameter", "type o struct{ a int }; type F func(*o)", "type o struct{ b string }; type F func(*o)", ""},
		{"unexported, self-referring", "type o struct{ Next *o }; func F(o) {}", "type n struct{ Next *n }; func F(n) {}", ""},
		{"embedded interfaces",
			"type A interface{ M() }; type B interface{ A; N() }",
			"type A interface{ M() }; type B interface{ M(); N() }", ""},

		{"missing", "func F() {}", "", "F: missing"},
		{"other kind", "func F() {}", "var F func()", "F: a *types.Func became a *types.Var"},
		{"constant", "const C = 1", "const C = 2", "C: value 1 became 2"},
		{"constant's type", "const C = 1", "const C int = 1", "C: another type"},
		{"parameter", "func F(int) {}", "func F(uint) {}", "F: another type"},
		{"variadic", "func F(...int) {}", "func F([]int) {}", "F: another type"},
		{"constraint", "func F[T any](T) {}", "func F[T comparable](T) {}", "F: another type"},
		{"union", "type C interface{ ~int | string }", "type C interface{ int | string }", "C: another underlying type"},
		{"alias became a type", "type T = int", "type T int", "T: an alias became a type of its own"},
		{"type became an alias", "type T int", "type T = int", "T: a type of its own became an alias"},
		{"alias of another", "type T = int", "type T = uint", "T: an alias of another type"},
		{"underlying", "type T []int", "type T [1]int", "T: another underlying type"},
		{"type parameters", "type T[K comparable] struct{}", "type T[K any] struct{}", "T: other type parameters"},
		{"more methods in an interface", "type I interface{}", "type I interface{ M() }", "I: another underlying type"},
		{"field", "type S struct{ A int }", "type S struct{ a int }", "S.A: missing field"},
		{"field's type", "type S struct{ A int }", "type S struct{ A *int }", "S.A: another type"},
		{"embedding", "type A int; type S struct{ A }", "type A int; type S struct{ A A }", "S.A: embedded in one"},
		{"no struct", "type S struct{ A int }", "type S string", "S: a struct became string"},
		{"method", "type S struct{}; func (S) M() {}", "type S struct{}", "S.M: missing method"},
		{"promoted method", "type E struct{}; func (E) M() {}; type S struct{ e }; type e = E",
			"type E struct{}; func (E) M() {}; type S struct{ e E }", "S.M: missing method"},
		{"method's type", "type S struct{}; func (S) M() {}", "type S struct{}; func (S) M() int { return 0 }", "S.M: another signature"},
		{"receiver", "type S struct{}; func (S) M() {}", "type S struct{}; func (*S) M() {}", "S.M: a method of the type"},
		{"comparable", "type S struct{ a int }", "type S struct{ a []int }", "S: no longer comparable"},
		{"unexported parameter's method",
			"type o int; func (*o) M() {}; type F func(*o)", "type o int; type F func(*o)", "F: another underlying type"},
		{"omitted", "func Left() {}; func F() {}", "", "F: missing"},
		{"omitted for nothing", "func Left() {}", "func Left() {}", "Left: on the list of omitted names"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			pair := Pair{Peer: "peer.example/p", Own: "own.example/p"}
			if strings.HasPrefix(tt.name, "omitted") {
				pair.Omitted = map[string]string{"Left": "it is never called"}
			}
			peer, own := check(t, pair.Peer, tt.peer), check(t, pair.Own, tt.own)
			found := pair.Differences(peer, own, RenameAll([]Pair{pair}))
			switch text := strings.Join(found, "\n"); {
			case tt.want == "" && text != "":
				t.Errorf("found %s, want nothing", text)
			case tt.want != "" && (len(found) != 1 || !strings.HasPrefix(text, tt.want)):
				t.Errorf("found %q, want %s", found, tt.want)
			}
		})
	}
}

// TestDeclaredElsewhere: an alias counts as the type only if it is of that name in the package that the pair names.
func TestDeclaredElsewhere(t *testing.T) {
	peer := check(t, "peer.example/p", "type S struct{ A int }")
	for _, tt := range []struct{ declared, source, want string }{
		{"own.example/internal/p", "type S struct{ A int }", ""},
		{"own.example/internal/p", "type S struct{ B int }", "S.A: missing field"},
		{"own.example/internal/other", "type S struct{ A int }", "S: a type of its own became an alias"},
	} {
		declaring := check(t, "own.example/internal/p", tt.source)
		own := types.NewPackage("own.example/p", "p")
		own.Scope().Insert(types.NewTypeName(token.NoPos, own, "S", declaring.Scope().Lookup("S").Type()))
		pair := Pair{Peer: peer.Path(), Own: own.Path(), Declared: tt.declared}
		if found := strings.Join(pair.Differences(peer, own, RenameAll([]Pair{pair})), "\n"); found != tt.want {
			t.Errorf("found %q, want %q", found, tt.want)
		}
	}
}

func check(t *testing.T, path, source string) *types.Package {
	t.Helper()
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "p.go", "package p\n"+source, 0)
	if err != nil {
		t.Fatal(err)
	}
	pkg, err := (&types.Config{}).Check(path, fset, []*ast.File{file}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return pkg
}
