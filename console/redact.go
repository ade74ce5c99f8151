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
	// hideAnnotation on an object names the fields whose values the page does not show: "spec.password, data.key". A star stands
	// for all fields or elements: "spec.users.*.password".
	hideAnnotation = "vedette.dev/hide"
	// lastApplied is a copy of the whole object, as somebody wrote it.
	lastApplied = "kubectl.kubernetes.io/last-applied-configuration"
	hidden      = "‹hidden›"
)

// shown is an object as the page may show it.
type shown struct {
	fields map[string]any
	metadata
	// hidden is how many values were taken out, managed tells that managed fields were.
	hidden  int
	managed bool
}

// redacted returns a copy of an object without what is not to be seen. Hints are names by which its kind may be known where it
// does not say so itself.
func (p *Page) redacted(obj any, keepManaged bool, hints ...string) (shown, error) {
	fields, err := fieldsOf(obj)
	if err != nil {
		return shown{}, err
	}
	s := shown{fields: fields}
	meta, isAPI := fields["metadata"].(map[string]any)
	if isSecret(obj, fields, hints) {
		if !isAPI {
			// Somebody has made something else of it: which of its fields are secret cannot be told.
			return shown{}, fmt.Errorf("it is made of a Secret, and is not shown")
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

// metadata returns what may be shown of the metadata of an object.
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

// fieldsOf makes a copy of an object that has only maps, slices and simple values.
func fieldsOf(obj any) (map[string]any, error) {
	text, err := json.Marshal(obj)
	if err != nil {
		return nil, fmt.Errorf("it is a %T, which has no JSON: %w", obj, err)
	}
	var fields map[string]any
	decoder := json.NewDecoder(strings.NewReader(string(text)))
	decoder.UseNumber()
	if err := decoder.Decode(&fields); err != nil || fields == nil {
		return nil, fmt.Errorf("it is a %T, which is not an object in JSON", obj)
	}
	return fields, nil
}

// isSecret errs on the side of hiding: whatever is called a secret is one.
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

// hide replaces a value, or all values in a map. The names of the fields stay.
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

// hideAnnotated hides what the object itself says, and the copy of the object that kubectl keeps in it.
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

// hidePath hides all that a path can mean: what may be meant to be hidden is.
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

// hideBelow follows a path into a value of a name, and tells whether the path ends there.
func (s *shown) hideBelow(value any, path []string, name string) bool {
	for n := 1; n <= len(path); n++ {
		// Names of labels and annotations have dots in them.
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

// metaOf is the metadata of an object, nil if it has none.
func metaOf(obj any) metav1.Object {
	m, _ := obj.(metav1.Object)
	return m
}
