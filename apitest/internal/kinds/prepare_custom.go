package kinds

import (
	"strings"

	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
)

// Prune removes the fields of a custom resource that its schema does not have, and returns their paths, for warnings or
// errors. Objects of other kinds are not changed. Prepare calls it, too.
func (k *Kind) Prune(obj runtime.Object) []string {
	u, ok := obj.(*unstructured.Unstructured)
	if !ok || k.custom == nil || u.Object == nil {
		return nil
	}
	return k.custom.schema.prune(u.Object)
}

func (k *Kind) prepareUnstructured(u, old *unstructured.Unstructured, op Operation) {
	if u.Object == nil {
		u.Object = map[string]any{}
	}
	if k.custom != nil {
		k.Prune(u)
		k.custom.schema.setDefaults(u.Object)
	} else if k.Kind == "CustomResourceDefinition" {
		defaultDefinition(u, op)
	}
	switch op {
	case Create:
		if k.HasStatus() && k.custom != nil {
			delete(u.Object, "status")
		}
		u.SetGeneration(1)
		return
	case Update:
		if k.HasStatus() {
			setOrDelete(u.Object, "status", old.Object["status"])
		}
	case UpdateStatus:
		keepAllButStatus(u, old)
	}
	keepMetadata(u, old)
	u.SetGeneration(old.GetGeneration())
	if !sameBody(u, old, k.HasStatus()) {
		u.SetGeneration(old.GetGeneration() + 1)
	}
	if k.Kind == "CustomResourceDefinition" && k.custom == nil {
		addStoredVersion(u)
	}
}

// keepAllButStatus is what a write of the status may change: the status. Of metadata, what is about the write itself.
func keepAllButStatus(u, old *unstructured.Unstructured) {
	status, managed, version := u.Object["status"], u.GetManagedFields(), u.GetResourceVersion()
	apiVersion := u.GetAPIVersion()
	for name := range u.Object {
		delete(u.Object, name)
	}
	for name, value := range old.Object {
		u.Object[name] = runtime.DeepCopyJSONValue(value)
	}
	setOrDelete(u.Object, "status", status)
	u.SetAPIVersion(apiVersion)
	u.SetResourceVersion(version)
	u.SetManagedFields(managed)
}

func setOrDelete(fields map[string]any, name string, value any) {
	if value == nil {
		delete(fields, name)
	} else {
		fields[name] = value
	}
}

// sameBody compares all but metadata and, if it is written apart, the status.
func sameBody(a, b *unstructured.Unstructured, statusApart bool) bool {
	body := func(u *unstructured.Unstructured) map[string]any {
		fields := map[string]any{}
		for name, value := range u.Object {
			switch {
			case name == "metadata", name == "apiVersion", name == "status" && statusApart:
			default:
				fields[name] = value
			}
		}
		return fields
	}
	return equality.Semantic.DeepEqual(body(a), body(b))
}

// defaultDefinition fills in a CustomResourceDefinition.
func defaultDefinition(u *unstructured.Unstructured, op Operation) {
	spec, _ := u.Object["spec"].(map[string]any)
	if spec == nil {
		return
	}
	if names, ok := spec["names"].(map[string]any); ok {
		kind, _ := names["kind"].(string)
		if s, _ := names["singular"].(string); s == "" {
			names["singular"] = strings.ToLower(kind)
		}
		if s, _ := names["listKind"].(string); s == "" && kind != "" {
			names["listKind"] = kind + "List"
		}
	}
	if spec["conversion"] == nil {
		spec["conversion"] = map[string]any{"strategy": "None"}
	}
	if op == Create {
		u.Object["status"] = map[string]any{
			"conditions":     nil,
			"acceptedNames":  map[string]any{"plural": "", "kind": ""},
			"storedVersions": []any{},
		}
		addStoredVersion(u)
	}
}

// addStoredVersion remembers in which versions objects may be stored.
func addStoredVersion(u *unstructured.Unstructured) {
	status, _ := u.Object["status"].(map[string]any)
	spec, _ := u.Object["spec"].(map[string]any)
	versions, _ := spec["versions"].([]any)
	if status == nil {
		return
	}
	stored, _ := status["storedVersions"].([]any)
	for _, v := range versions {
		fields, _ := v.(map[string]any)
		name, _ := fields["name"].(string)
		if fields["storage"] != true || containsAny(stored, name) {
			continue
		}
		stored = append(stored, name)
	}
	if len(stored) > 0 {
		status["storedVersions"] = stored
	}
}

func containsAny(list []any, value string) bool {
	for _, item := range list {
		if item == value {
			return true
		}
	}
	return false
}
