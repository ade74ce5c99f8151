package kinds

import (
	"encoding/json"
	"slices"
	"strings"
	"sync"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// customVersion finds the version of custom kinds that has a path.
func (t *table) customVersion(path string) (schema.GroupVersion, bool) {
	for _, k := range t.kinds {
		if k.Custom && pathOf(k.GroupVersion()) == path {
			return k.GroupVersion(), true
		}
	}
	return schema.GroupVersion{}, false
}

// object is JSON that is about to be written.
type object = map[string]any

const componentPrefix = "#/components/schemas/"

// sharedSchemas are those of metadata, of lists, and of scales, by name.
var sharedSchemas = sync.OnceValue(func() (schemas map[string]any) {
	recorded().decode("openapi/shared.json", &schemas)
	return schemas
})

func (t *table) customOpenAPIv3(gv schema.GroupVersion) []byte {
	schemas, paths := object{}, object{}
	for name, shared := range sharedSchemas() {
		schemas[name] = shared
	}
	for _, k := range t.kinds {
		if k.Custom && k.GroupVersion() == gv {
			schemas[k.schemaName(k.Kind)] = k.objectSchema()
			schemas[k.schemaName(k.custom.listKind)] = k.listSchema()
			k.addPaths(paths)
		}
	}
	body, err := json.Marshal(object{
		"openapi":    "3.0.0",
		"info":       object{"title": "Kubernetes CRD Swagger", "version": "v0.1.0"},
		"paths":      paths,
		"components": object{"schemas": schemas},
	})
	if err != nil {
		panic("kinds: OpenAPI of " + gv.String() + ": " + err.Error()) // it came from JSON
	}
	return body
}

// schemaName is such as com.example.v1.Widget.
func (k *Kind) schemaName(kind string) string {
	parts := strings.Split(k.Group, ".")
	slices.Reverse(parts)
	return strings.Join(append(parts, k.Version, kind), ".")
}

const conventions = " More info: https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#"

func typeMetaSchemas() object {
	return object{
		"apiVersion": object{"type": "string", "description": "APIVersion defines the versioned schema of this representation " +
			"of an object. Servers should convert recognized schemas to the latest internal value, and may reject " +
			"unrecognized values." + conventions + "resources"},
		"kind": object{"type": "string", "description": "Kind is a string value representing the REST resource this object " +
			"represents. Servers may infer this from the endpoint the client submits requests to. Cannot be updated. In " +
			"CamelCase." + conventions + "types-kinds"},
	}
}

func metadataSchema(kind, description string) object {
	return object{"description": description, "allOf": []any{
		object{"$ref": componentPrefix + "io.k8s.apimachinery.pkg.apis.meta.v1." + kind}}}
}

func (k *Kind) objectSchema() object {
	s := object{"type": "object"}
	if k.custom.rawSchema != nil {
		s = normalizeJSON(k.custom.rawSchema).(object)
	}
	publishSchema(s)
	properties, _ := s["properties"].(object)
	if properties == nil {
		properties = object{}
	}
	for name, p := range typeMetaSchemas() {
		properties[name] = p
	}
	properties["metadata"] = metadataSchema("ObjectMeta", "Standard object's metadata."+conventions+"metadata")
	s["properties"] = properties
	k.markSchema(s, k.Kind)
	return s
}

func (k *Kind) markSchema(s object, kind string) {
	s["x-kubernetes-group-version-kind"] = []any{object{"group": k.Group, "kind": kind, "version": k.Version}}
	var selectable []any
	for _, path := range k.custom.selectable {
		selectable = append(selectable, object{"fieldPath": path[1:]})
	}
	if selectable != nil {
		s["x-kubernetes-selectable-fields"] = selectable
	}
}

// publishSchema says in plain OpenAPI what the extensions of Kubernetes mean.
func publishSchema(s object) {
	if s["x-kubernetes-int-or-string"] == true && s["anyOf"] == nil {
		s["anyOf"] = []any{object{"type": "integer"}, object{"type": "string"}}
	}
	if s["x-kubernetes-embedded-resource"] == true {
		properties, _ := s["properties"].(object)
		if properties == nil {
			properties = object{}
		}
		properties["apiVersion"] = object{"type": "string",
			"description": "apiVersion defines the versioned schema of this representation of an object." + conventions + "resources"}
		properties["kind"] = object{"type": "string",
			"description": "kind is a string value representing the type of this object. In CamelCase." + conventions + "types-kinds"}
		properties["metadata"] = metadataSchema("ObjectMeta", "Standard object's metadata."+conventions+"metadata")
		s["properties"] = properties
		required, _ := s["required"].([]any)
		s["required"] = append(required, "kind", "apiVersion")
	}
	for _, key := range []string{"items", "additionalProperties", "not"} {
		if sub, ok := s[key].(object); ok {
			publishSchema(sub)
		}
	}
	if properties, ok := s["properties"].(object); ok {
		for _, p := range properties {
			if sub, ok := p.(object); ok {
				publishSchema(sub)
			}
		}
	}
}

func (k *Kind) listSchema() object {
	properties := typeMetaSchemas()
	properties["metadata"] = metadataSchema("ListMeta", "Standard list metadata."+conventions+"types-kinds")
	properties["items"] = object{
		"type": "array", "items": object{"$ref": componentPrefix + k.schemaName(k.Kind)},
		"description": "List of " + k.Plural + ". More info: " +
			"https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md",
	}
	s := object{"type": "object", "required": []any{"items"}, "properties": properties,
		"description": k.custom.listKind + " is a list of " + k.Kind}
	k.markSchema(s, k.custom.listKind)
	return s
}
