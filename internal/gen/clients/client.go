package main

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"vedette.dev/internal/gen/api"
	"vedette.dev/internal/gen/source"
)

// clientFile is what client.go.tmpl needs: one version of a group.
type clientFile struct {
	api.Group
	Kinds []kind
	// Others are the groups whose types the clients send and receive beside their own.
	Others []importSpec
	// Empty are the kinds whose expansion interface is not written by hand.
	Empty []string
}

// kind is a kind with what the template would find hard to compute.
type kind struct {
	api.Kind
	Object  string // "corev1.Pod"
	List    string // "corev1.PodList"; "struct{}" if there are no lists of it
	Embeds  []string
	Methods []method
	// Receiver is the type with the methods that are not in gentype.ResourceClient; empty if there are none.
	Receiver string
}

// method is one for a subresource, as Go source.
type method struct {
	api.Method
	Owner      string // the kind: "Deployment"
	Params     string // "ctx context.Context, deploymentName string, options metav1.GetOptions"
	Result     string // "autoscalingv1.Scale"
	Call, Args string // "GetSubresource", `ctx, c, deploymentName, "scale", options`
}

type importSpec struct{ Alias, Path string }

func newClientFile(g api.Group, written source.HandWritten) clientFile {
	f := clientFile{Group: g}
	others := map[string]bool{}
	for _, path := range written.Imports {
		others[path] = strings.HasPrefix(path, api.Module+"/")
	}
	for _, k := range g.Kinds {
		expanded := written.Types[k.Name+"Expansion"]
		f.Kinds = append(f.Kinds, newKind(g, k, expanded))
		if !expanded {
			f.Empty = append(f.Empty, k.Name)
		}
		for _, m := range k.Methods {
			others[m.Input.Import], others[m.Result.Import] = true, true
		}
	}
	others[""], others[g.Import()] = false, false
	maps.DeleteFunc(others, func(_ string, needed bool) bool { return !needed })
	for _, path := range slices.Sorted(maps.Keys(others)) {
		f.Others = append(f.Others, importSpec{aliasOf(path), path})
	}
	return f
}

// Imports are those of API groups, in the order of their paths.
func (f clientFile) Imports() []importSpec {
	all := append(slices.Clone(f.Others), importSpec{f.Alias(), f.Import()})
	slices.SortFunc(all, func(a, b importSpec) int { return cmp.Compare(a.Path, b.Path) })
	return all
}

// HasMethods reports whether any kind has methods for subresources.
func (f clientFile) HasMethods() bool {
	return slices.ContainsFunc(f.Kinds, func(k kind) bool { return len(k.Methods) > 0 })
}

// HasDeprecated reports whether any kind is one that linters would warn of.
func (f clientFile) HasDeprecated() bool {
	return slices.ContainsFunc(f.Kinds, func(k kind) bool { return k.Deprecated })
}

func newKind(g api.Group, k api.Kind, expanded bool) kind {
	out := kind{Kind: k, Object: g.Alias() + "." + k.Name, List: "struct{}"}
	if k.HasList {
		out.List = g.Alias() + "." + k.Name + "List"
	}
	out.Embeds = embeds(k.Verbs, out.Object, out.List)
	for _, m := range k.Methods {
		out.Methods = append(out.Methods, newMethod(g, k, m))
	}
	if expanded || len(k.Methods) > 0 {
		out.Receiver = source.LowerFirst(k.Plural())
	}
	return out
}

// interfaces are those of gentype, with the verbs of each and the types it takes. One of several verbs comes before
// those of its single ones.
var interfaces = []struct {
	name  string
	verbs api.Verbs
	types string // O for the object's, L for the list's
}{
	{"Interface", api.Verbs{"create", "update", "delete", "deleteCollection", "get", "list", "watch", "patch", "apply"}, "OL"},
	{"Creator", api.Verbs{"create"}, "O"},
	{"Updater", api.Verbs{"update"}, "O"},
	{"Deleter", api.Verbs{"delete"}, ""},
	{"CollectionDeleter", api.Verbs{"deleteCollection"}, ""},
	{"Getter", api.Verbs{"get"}, "O"},
	{"Lister", api.Verbs{"list"}, "L"},
	{"Watcher", api.Verbs{"watch"}, ""},
	{"Patcher", api.Verbs{"patch"}, "O"},
	{"Applier", api.Verbs{"apply"}, "O"},
	{"StatusInterface", api.Verbs{"updateStatus", "applyStatus"}, "O"},
	{"StatusUpdater", api.Verbs{"updateStatus"}, "O"},
	{"StatusApplier", api.Verbs{"applyStatus"}, "O"},
}

// embeds are the interfaces of gentype that make up the verbs. They take pointers: to the compiler all pointers are of one
// shape, while each struct has its own, which it would compile anew in every package that mentions a clientset.
func embeds(verbs api.Verbs, object, list string) []string {
	object, list = "*"+object, "*"+list
	var found []string
	for _, i := range interfaces {
		if !verbs.Has(i.verbs...) {
			continue
		}
		verbs = verbs.Without(i.verbs...)
		text := "gentype." + i.name
		if i.types != "" {
			text += "[" + strings.NewReplacer("OL", object+", "+list, "O", object, "L", list).Replace(i.types) + "]"
		}
		found = append(found, text)
	}
	return found
}

func newMethod(g api.Group, k api.Kind, m api.Method) method {
	input, result := goType(g, k, m.Input), goType(g, k, m.Result)
	name, body := source.LowerFirst(k.Name)+"Name", source.LowerFirst(input[strings.Index(input, ".")+1:])
	out := method{Method: m, Owner: k.Name, Result: result}
	var bodyType, opts string
	switch m.Verb {
	case "get":
		out.Params = fmt.Sprintf("ctx context.Context, %s string, options metav1.GetOptions", name)
		out.Call = "GetSubresource"
		out.Args = fmt.Sprintf("ctx, c, %s, %q, options", name, m.Subresource)
		return out
	case "apply":
		out.Params = fmt.Sprintf("ctx context.Context, %s string, %s gentype.ApplyConfiguration, opts metav1.ApplyOptions", name, body)
		out.Call = "ApplySubresource"
		out.Args = fmt.Sprintf("ctx, c, %s, %s, opts, %q", name, body, m.Subresource)
		return out
	case "create":
		bodyType, opts = input, "Create"
	case "update":
		bodyType, opts = input, "Update"
	}
	out.Params = fmt.Sprintf("ctx context.Context, %s string, %s *%s, opts metav1.%sOptions", name, body, bodyType, opts)
	out.Call = opts + "Subresource"
	out.Args = fmt.Sprintf("ctx, c, %s, %q, %s, opts", name, m.Subresource, body)
	return out
}

// goType writes a reference as it is written in the file of group g.
func goType(g api.Group, k api.Kind, ref api.TypeRef) string {
	switch {
	case ref.Name == "":
		return g.Alias() + "." + k.Name
	case ref.Import == "":
		return g.Alias() + "." + ref.Name
	default:
		return aliasOf(ref.Import) + "." + ref.Name
	}
}

// aliasOf is "autoscalingv1" for "k8s.io/api/autoscaling/v1".
func aliasOf(path string) string {
	return strings.ReplaceAll(strings.TrimPrefix(path, api.Module+"/"), "/", "")
}
