package object

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/validation"

	"vedette.dev/internal/jsonpath"
)

// None is the group of objects without the value that they are grouped by.
const None = "<none>"

// By is a grouping of objects. The zero value puts all objects in one group.
type By struct {
	// Title is the name of the column.
	Title string
	of    func(*unstructured.Unstructured) string
}

// IsZero reports whether objects are not grouped.
func (b By) IsZero() bool { return b.of == nil }

// Of returns the group of an object.
func (b By) Of(obj *unstructured.Unstructured) string {
	if b.of == nil {
		return ""
	}
	if group := b.of(obj); group != "" {
		return group
	}
	return None
}

// ParseBy parses node, namespace, owner, label:KEY, or a JSONPath in braces. Empty text is the zero By.
func ParseBy(text string) (By, error) {
	switch {
	case text == "":
		return By{}, nil
	case text == "node":
		return By{Title: "NODE", of: nodeOf}, nil
	case text == "namespace":
		return By{Title: "NAMESPACE", of: (*unstructured.Unstructured).GetNamespace}, nil
	case text == "owner":
		return By{Title: "OWNER", of: ownerOf}, nil
	case strings.HasPrefix(text, "label:"):
		return byLabel(strings.TrimPrefix(text, "label:"))
	case strings.HasPrefix(text, "{") || strings.HasPrefix(text, "."):
		path, err := jsonpath.Parse(text)
		if err != nil {
			return By{}, err
		}
		return By{Title: strings.ToUpper(cmp.Or(path.LastField(), "group")), of: func(obj *unstructured.Unstructured) string {
			return join(path.Find(obj.Object))
		}}, nil
	}
	return By{}, fmt.Errorf("it is %q, and must be node, namespace, owner, label:KEY, or a JSONPath such as '{.status.phase}'", text)
}

func byLabel(key string) (By, error) {
	if problems := validation.IsQualifiedName(key); len(problems) > 0 {
		return By{}, fmt.Errorf("%q is not a label key: %s", key, strings.Join(problems, "; "))
	}
	title := key[strings.LastIndexByte(key, '/')+1:]
	return By{Title: strings.ToUpper(title), of: func(obj *unstructured.Unstructured) string { return obj.GetLabels()[key] }}, nil
}

// nodeOf returns the node that an object is on, or that it is about, such as a Lease of a node.
func nodeOf(obj *unstructured.Unstructured) string {
	for _, path := range [][]string{{"spec", "nodeName"}, {"nodeName"}} {
		if node, _, _ := unstructured.NestedString(obj.Object, path...); node != "" {
			return node
		}
	}
	if obj.GetKind() == "Node" {
		return obj.GetName()
	}
	for _, owner := range obj.GetOwnerReferences() {
		if owner.Kind == "Node" {
			return owner.Name
		}
	}
	return ""
}

// ownerOf returns the controller of an object, or its first owner if none is a controller.
func ownerOf(obj *unstructured.Unstructured) string {
	if c := metav1.GetControllerOfNoCopy(obj); c != nil {
		return c.Kind + "/" + c.Name
	}
	if owners := obj.GetOwnerReferences(); len(owners) > 0 {
		return owners[0].Kind + "/" + owners[0].Name
	}
	return ""
}

// join returns several values as one text.
func join(values []any) string {
	texts := make([]string, len(values))
	for i, v := range values {
		switch v := v.(type) {
		case map[string]any, []any:
			data, _ := json.Marshal(v) // it came as JSON
			texts[i] = string(data)
		default:
			texts[i] = fmt.Sprint(v)
		}
	}
	return strings.Join(texts, ",")
}
