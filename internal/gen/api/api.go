package api

import (
	"slices"
	"strings"
)

// Module is where the types are.
const Module = "k8s.io/api"

// A Group is one version of an API group: a package of Module.
type Group struct {
	Dir     string // "rbac"
	Version string // "v1"
	Name    string // "rbac.authorization.k8s.io"; the core group has none
	Kinds   []Kind // those that have a client, by name
}

// String is the group and version as people write them: "rbac.authorization.k8s.io/v1", "core/v1".
func (g Group) String() string {
	if g.Name == "" {
		return g.Dir + "/" + g.Version
	}
	return g.Name + "/" + g.Version
}

// Import is the path of the package with the types.
func (g Group) Import() string { return Module + "/" + g.Dir + "/" + g.Version }

// Alias is what the package is called where several are imported: "rbacv1".
func (g Group) Alias() string { return g.Dir + g.Version }

// GoName is the group's part of names in Go: "RbacV1". It is made of the first word of the group's name, which is not
// always that of its folder.
func (g Group) GoName() string {
	name, _, _ := strings.Cut(g.Name, ".")
	if name == "" {
		name = g.Dir
	}
	return upperFirst(name) + upperFirst(g.Version)
}

// A Kind is a type of object that has a client.
type Kind struct {
	Name       string // "Ingress"
	Namespaced bool
	HasList    bool // there is an IngressList
	Deprecated bool // in the words that linters look for
	Verbs      Verbs
	Methods    []Method
}

// Plural is the name of many: "Ingresses".
func (k Kind) Plural() string { return plural(k.Name) }

// Resource is the name in paths: "ingresses".
func (k Kind) Resource() string { return strings.ToLower(k.Plural()) }

// A Verb is something that can be done with a kind.
type Verb string

// AllVerbs are the verbs of a kind about which nothing is said.
var AllVerbs = []Verb{
	"create", "update", "updateStatus", "delete", "deleteCollection", "get", "list", "watch", "patch", "apply", "applyStatus",
}

// Verbs are those of one kind, in the order of AllVerbs.
type Verbs []Verb

// Has reports whether all of want are there.
func (v Verbs) Has(want ...Verb) bool {
	for _, w := range want {
		if !slices.Contains(v, w) {
			return false
		}
	}
	return true
}

// Without returns the verbs that are not among skip.
func (v Verbs) Without(skip ...Verb) Verbs {
	return slices.DeleteFunc(slices.Clone(v), func(verb Verb) bool { return slices.Contains(skip, verb) })
}

// A Method does something with a subresource.
type Method struct {
	Name        string // "UpdateScale"
	Verb        Verb   // create, get, update or apply
	Subresource string // "scale"
	Input       TypeRef
	Result      TypeRef
}

// A TypeRef names a type. The zero value is the kind to which the method belongs.
type TypeRef struct {
	Import string // "k8s.io/api/autoscaling/v1"; empty if it is in the kind's own package
	Name   string // "Scale"
}
