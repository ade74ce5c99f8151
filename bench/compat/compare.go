// Package compat compares the exported names of a package with those of its counterpart in client-go.
//
// The promise is that a program written for client-go compiles when its import paths are rewritten. So each exported
// name of the peer must be there and mean the same:
//
//   - functions, variables and constants have the same type, constants also the same value;
//   - an alias is an alias of the same type, a defined type is a defined type with the same type parameters;
//   - an interface has the same methods, no more and no fewer: programs also implement interfaces;
//   - any other type has at least the same exported fields and methods, with the same types.
//
// Names of parameters and type parameters do not matter. An unexported type in a signature is compared by what a
// caller can see of it, its exported fields and methods.
package compat

import (
	"fmt"
	"go/constant"
	"go/token"
	"go/types"
)

// Pair is a package of the peer and the one that stands in for it.
type Pair struct {
	Peer, Own string
	// Declared, if set, is the package that declares types which Own exports as aliases: they count as types of Own.
	Declared string
	// Omitted are names that are left out on purpose ("Name", or "Type.Member"), with the reason.
	Omitted map[string]string
}

// Rename maps the import paths of the peer to our own.
type Rename map[string]string

// RenameAll is the Rename of all pairs: the types of one package appear in the signatures of another.
func RenameAll(pairs []Pair) Rename {
	r := Rename{}
	for _, p := range pairs {
		r[p.Peer] = p.Own
		if p.Declared != "" {
			r[p.Declared] = p.Own
		}
	}
	return r
}

// Differences lists what keeps own from standing in for peer, in the order of the names.
func (p Pair) Differences(peer, own *types.Package, rename Rename) []string {
	c := comparison{declared: p.Declared, omitted: p.Omitted, used: map[string]bool{}, shapes: shapes{rename: rename}}
	for _, name := range peer.Scope().Names() {
		if obj := peer.Scope().Lookup(name); obj.Exported() {
			c.object(name, obj, own.Scope().Lookup(name))
		}
	}
	for name, reason := range p.Omitted {
		switch {
		case !c.used[name]:
			c.found = append(c.found, fmt.Sprintf("%s: on the list of omitted names, but nothing is missing", name))
		case reason == "":
			c.found = append(c.found, fmt.Sprintf("%s: omitted without a reason", name))
		}
	}
	return c.found
}

type comparison struct {
	declared string
	omitted  map[string]string
	used     map[string]bool // omitted names that are omitted indeed
	shapes   shapes
	found    []string
}

func (c *comparison) differ(name, format string, args ...any) {
	if _, ok := c.omitted[name]; ok {
		c.used[name] = true
		return
	}
	c.found = append(c.found, name+": "+fmt.Sprintf(format, args...))
}

// same notes a difference between two shapes.
func (c *comparison) same(name, what, peer, own string) {
	if peer != own {
		c.differ(name, "%s\n\tpeer: %s\n\town:  %s", what, peer, own)
	}
}

func (c *comparison) object(name string, peer, own types.Object) {
	if own == nil {
		c.differ(name, "missing")
		return
	}
	if p, o := fmt.Sprintf("%T", peer), fmt.Sprintf("%T", own); p != o {
		c.differ(name, "a %s became a %s", p, o)
		return
	}
	switch peer := peer.(type) {
	case *types.TypeName:
		c.typeName(name, peer, own.(*types.TypeName))
		return
	case *types.Const:
		if own := own.(*types.Const); !constant.Compare(peer.Val(), token.EQL, own.Val()) {
			c.differ(name, "value %v became %v", peer.Val(), own.Val())
		}
	}
	c.same(name, "another type", c.shapes.of(peer.Type()), c.shapes.of(own.Type()))
}

func (c *comparison) typeName(name string, peer, own *types.TypeName) {
	switch {
	case peer.IsAlias() && own.IsAlias():
		c.same(name, "an alias of another type", c.shapes.of(peer.Type()), c.shapes.of(own.Type()))
	case peer.IsAlias():
		c.differ(name, "an alias became a type of its own")
	case own.IsAlias() && c.declaredElsewhere(own):
		c.defined(name, peer.Type().(*types.Named), types.Unalias(own.Type()).(*types.Named))
	case own.IsAlias():
		c.differ(name, "a type of its own became an alias")
	default:
		c.defined(name, peer.Type().(*types.Named), own.Type().(*types.Named))
	}
}

// declaredElsewhere reports whether an alias is of the type of that name in the package of [Pair.Declared].
func (c *comparison) declaredElsewhere(own *types.TypeName) bool {
	named, ok := types.Unalias(own.Type()).(*types.Named)
	return ok && named.Obj().Name() == own.Name() && named.Obj().Pkg() != nil && named.Obj().Pkg().Path() == c.declared
}

func (c *comparison) defined(name string, peer, own *types.Named) {
	c.same(name, "other type parameters", c.shapes.params(peer.TypeParams()), c.shapes.params(own.TypeParams()))
	if fields, ok := peer.Underlying().(*types.Struct); ok {
		c.fields(name, fields, own.Underlying())
	} else {
		c.same(name, "another underlying type", c.shapes.of(peer.Underlying()), c.shapes.of(own.Underlying()))
	}
	if types.Comparable(peer) && !types.Comparable(own) {
		c.differ(name, "no longer comparable")
	}
	if !types.IsInterface(peer) {
		c.methods(name, peer, own)
	}
}

func (c *comparison) fields(name string, peer *types.Struct, own types.Type) {
	ours, ok := own.(*types.Struct)
	if !ok {
		c.differ(name, "a struct became %s", c.shapes.of(own))
		return
	}
	byName := map[string]*types.Var{}
	for f := range ours.Fields() {
		byName[f.Name()] = f
	}
	for f := range peer.Fields() {
		if !f.Exported() {
			continue
		}
		member := name + "." + f.Name()
		switch o := byName[f.Name()]; {
		case o == nil:
			c.differ(member, "missing field")
		case o.Embedded() != f.Embedded():
			c.differ(member, "embedded in one, but not in the other")
		default:
			c.same(member, "another type", c.shapes.of(f.Type()), c.shapes.of(o.Type()))
		}
	}
}

// methods compares the methods of the types and of pointers to them, promoted ones included.
func (c *comparison) methods(name string, peer, own *types.Named) {
	values := types.NewMethodSet(own)
	pointers := types.NewMethodSet(types.NewPointer(own))
	peerValues := types.NewMethodSet(peer)
	for m := range types.NewMethodSet(types.NewPointer(peer)).Methods() {
		if !m.Obj().Exported() {
			continue
		}
		member := name + "." + m.Obj().Name()
		o := pointers.Lookup(nil, m.Obj().Name())
		switch {
		case o == nil:
			c.differ(member, "missing method")
			continue
		case peerValues.Lookup(nil, m.Obj().Name()) != nil && values.Lookup(nil, m.Obj().Name()) == nil:
			c.differ(member, "a method of the type became one of the pointer to it")
		}
		c.same(member, "another signature", c.shapes.of(m.Type()), c.shapes.of(o.Type()))
	}
}
