//go:build !vedette_noconsole

package console

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

const (
	// hideAnnotation is the annotation with the fields of an object whose values are not shown: "spec.password,
	// data.key". A star stands for all fields or elements: "spec.users.*.password".
	hideAnnotation = "vedette.dev/hide"
	// lastApplied contains a copy of the whole object.
	lastApplied = "kubectl.kubernetes.io/last-applied-configuration"
	hidden      = "‹hidden›"
)

// shown is a redacted object.
type shown struct {
	fields map[string]any
	metadata
	// hidden is the number of values removed; managed is true if managed fields were removed.
	hidden  int
	managed bool
}

// redacted returns a copy of an object without the hidden values. hints are names that may tell its kind if the object
// itself does not.
func (p *Page) redacted(obj any, keepManaged bool, hints ...string) (shown, error) {
	fields, err := fieldsOf(obj)
	if err != nil {
		return shown{}, err
	}
	s := shown{fields: fields}
	meta, isAPI := fields["metadata"].(map[string]any)
	if isSecret(obj, fields, hints) {
		if !isAPI {
			// A transform has changed its type: it is not known which of its fields are secret.
			return shown{}, fmt.Errorf("derived from a Secret, not shown")
		}
		s.hide(fields, "data")
		s.hide(fields, "stringData")
	}
	if isAPI {
		s.hideAnnotated(meta)
	}
	if p.config.Redact != nil {
		p.config.Redact(fields)
	}
	s.metadata = metadataIn(fields)
	if meta, _ := fields["metadata"].(map[string]any); meta["managedFields"] != nil && !keepManaged {
		delete(meta, "managedFields")
		s.managed = true
	}
	return s, nil
}

// untouched reports whether an object has metadata of which nothing is hidden, so that it can be shown without a copy.
func (p *Page) untouched(obj any) bool {
	meta := metaOf(obj)
	return p.config.Redact == nil && meta != nil && meta.GetAnnotations()[hideAnnotation] == ""
}

// metadata returns the metadata of an object that may be shown.
func (p *Page) metadata(obj any, hints ...string) metadata {
	if p.untouched(obj) {
		return metadataOf(metaOf(obj))
	}
	s, err := p.redacted(obj, false, hints...)
	if err != nil {
		return metadata{} // nothing of it is shown
	}
	return s.metadata
}

// fieldsOf returns a copy of an object that consists of maps, slices and simple values.
func fieldsOf(obj any) (map[string]any, error) {
	text, err := json.Marshal(obj)
	if err != nil {
		return nil, fmt.Errorf("cannot encode %T as JSON: %w", obj, err)
	}
	var fields map[string]any
	decoder := json.NewDecoder(strings.NewReader(string(text)))
	decoder.UseNumber()
	if err := decoder.Decode(&fields); err != nil || fields == nil {
		return nil, fmt.Errorf("%T is not a JSON object", obj)
	}
	return fields, nil
}

// isSecret reports whether obj is a Secret. In case of doubt it returns true.
func isSecret(obj any, fields map[string]any, hints []string) bool {
	names := append([]string{reflect.TypeOf(obj).String()}, hints...)
	if o, ok := obj.(runtime.Object); ok {
		names = append(names, o.GetObjectKind().GroupVersionKind().Kind)
	}
	if kind, ok := fields["kind"].(string); ok {
		names = append(names, kind)
	}
	return strings.Contains(strings.ToLower(strings.Join(names, " ")), "secret")
}

// hide replaces a value, or all values of a map. The names of the fields are kept.
func (s *shown) hide(in map[string]any, field string) {
	value, ok := in[field]
	if !ok {
		return
	}
	within, ok := value.(map[string]any)
	if !ok {
		in[field] = hidden
		s.hidden++
		return
	}
	for name := range within {
		within[name] = hidden
		s.hidden++
	}
}

// hideAnnotated hides the fields that the object's annotation lists, and the last applied configuration.
func (s *shown) hideAnnotated(meta map[string]any) {
	annotations, _ := meta["annotations"].(map[string]any)
	if annotations == nil {
		return
	}
	s.hide(annotations, lastApplied)
	paths, _ := annotations[hideAnnotation].(string)
	for path := range strings.SplitSeq(paths, ",") {
		path = strings.Trim(strings.TrimSpace(path), ".")
		if path != "" {
			s.hidePath(s.fields, strings.Split(path, "."))
		}
	}
}

// hidePath hides everything that a path may refer to.
func (s *shown) hidePath(in any, path []string) {
	switch in := in.(type) {
	case map[string]any:
		for name := range in {
			if s.hideBelow(in[name], path, name) {
				in[name] = hidden
			}
		}
	case []any:
		for i := range in {
			if s.hideBelow(in[i], path, strconv.Itoa(i)) {
				in[i] = hidden
			}
		}
	}
}

// hideBelow follows a path into a named value, and reports whether the path ends there.
func (s *shown) hideBelow(value any, path []string, name string) bool {
	for n := 1; n <= len(path); n++ {
		// Names of labels and annotations contain dots.
		if path[0] == "*" && n == 1 || strings.Join(path[:n], ".") == name {
			if n == len(path) {
				s.hidden++
				return true
			}
			s.hidePath(value, path[n:])
		}
	}
	return false
}

// metaOf returns the metadata of an object, nil if it has none.
func metaOf(obj any) metav1.Object {
	m, _ := obj.(metav1.Object)
	return m
}
