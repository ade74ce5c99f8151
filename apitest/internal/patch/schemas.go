package patch

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
	"k8s.io/kube-openapi/pkg/validation/spec"

	"vedette.dev/kubernetes/scheme"
)

// mergeSchema says how lists of a kind without a Go type are merged. There are two of those and patches of them are rare,
// so it is not kept.
func (p *patcher) mergeSchema(s shape) (strategicpatch.LookupPatchMeta, error) {
	document, ok := p.registry.OpenAPI(s.GroupVersion())
	if !ok {
		return nil, notRegistered(s.GroupVersionKind)
	}
	schemas, err := schemasOf(document)
	if err != nil {
		return nil, err
	}
	for _, candidate := range schemas {
		if describes(candidate, s.GroupVersionKind) {
			return strategicpatch.PatchMetaFromOpenAPIV3{SchemaList: schemas, Schema: candidate}, nil
		}
	}
	return nil, fmt.Errorf("the OpenAPI document of %s does not describe %s", s.GroupVersion(), s.Kind)
}

func describes(candidate *spec.Schema, gvk schema.GroupVersionKind) bool {
	return slices.Contains(kindsOf(candidate), gvk)
}

// kindsOf are the kinds that a schema says it is of. Most are of none, being of a part.
func kindsOf(described *spec.Schema) []schema.GroupVersionKind {
	var list []schema.GroupVersionKind
	named, _ := described.Extensions["x-kubernetes-group-version-kind"].([]any)
	for _, n := range named {
		if n, ok := n.(map[string]any); ok {
			group, _ := n["group"].(string)
			version, _ := n["version"].(string)
			kind, _ := n["kind"].(string)
			list = append(list, schema.GroupVersionKind{Group: group, Version: version, Kind: kind})
		}
	}
	return list
}

// addNewFields adds what the Go type has and the schema has not. The types of k8s.io/api may be newer than the server that
// the schemas come from; objects with a field that no schema declares would have no managed fields at all.
func addNewFields(described *spec.Schema) {
	if described.Properties == nil {
		return
	}
	for _, gvk := range kindsOf(described) {
		obj, err := scheme.Scheme.New(gvk)
		if err != nil {
			continue
		}
		t := reflect.TypeOf(obj).Elem()
		for i := range t.NumField() {
			name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
			if _, ok := described.Properties[name]; !ok && name != "" {
				described.Properties[name] = spec.Schema{VendorExtensible: spec.VendorExtensible{
					Extensions: spec.Extensions{"x-kubernetes-preserve-unknown-fields": true}}}
			}
		}
	}
}

// internalPackage is where kube-apiserver keeps its own types of a group.
func internalPackage(group string) string {
	switch group {
	case "":
		return "core"
	case "internal.apiserver.k8s.io":
		return "apiserverinternal"
	}
	for i := range len(group) {
		if group[i] == '.' {
			return group[:i]
		}
	}
	return group
}
