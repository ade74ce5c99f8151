package kinds

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// metaFields are the names of the fields of metadata.
var metaFields = sync.OnceValue(func() map[string]bool {
	names := map[string]bool{}
	t := reflect.TypeFor[metav1.ObjectMeta]()
	for i := range t.NumField() {
		name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		names[name] = true
	}
	return names
})

// prune removes what no schema knows, and returns the paths of what it has removed.
func (s *jsonSchema) prune(value any) []string {
	p := pruner{}
	p.prune(value, s, "", true)
	slices.Sort(p.removed)
	return p.removed
}

type pruner struct{ removed []string }

// prune goes down. object says that value has apiVersion, kind and metadata without the schema saying so.
func (p *pruner) prune(value any, s *jsonSchema, at string, object bool) {
	switch v := value.(type) {
	case map[string]any:
		for name, field := range v {
			p.pruneField(v, name, field, s, join(at, name), object)
		}
	case []any:
		if s == nil || s.Items == nil {
			return
		}
		for i := range v {
			p.prune(v[i], s.Items.schema, fmt.Sprintf("%s[%d]", at, i), s.Items.schema.Embedded)
		}
	}
}

func (p *pruner) pruneField(parent map[string]any, name string, field any, s *jsonSchema, at string, object bool) {
	if object && (name == "apiVersion" || name == "kind") {
		return
	}
	if object && name == "metadata" {
		p.pruneMetadata(field, at)
		return
	}
	sub := s.property(name)
	switch {
	case sub != nil:
		p.prune(field, sub, at, sub.Embedded)
	case s.Preserve, s.AdditionalProperties != nil && s.AdditionalProperties.allowed:
		// The schema does not describe its content.
	default:
		delete(parent, name)
		p.removed = append(p.removed, at)
	}
}

func (p *pruner) pruneMetadata(metadata any, at string) {
	fields, ok := metadata.(map[string]any)
	if !ok {
		return
	}
	for name := range fields {
		if !metaFields()[name] {
			delete(fields, name)
			p.removed = append(p.removed, join(at, name))
		}
	}
}

func join(at, name string) string {
	if at == "" {
		return name
	}
	return at + "." + name
}

// setDefaults fills in what is missing. A null where none may be counts as missing.
func (s *jsonSchema) setDefaults(value any) {
	switch v := value.(type) {
	case map[string]any:
		s.defaultFields(v)
		for name, field := range v {
			if sub := s.property(name); sub != nil {
				sub.setDefaults(field)
			}
		}
	case []any:
		if s.Items == nil {
			return
		}
		for i := range v {
			if v[i] == nil && !s.Items.schema.Nullable && s.Items.schema.Default != nil {
				v[i] = runtime.DeepCopyJSONValue(s.Items.schema.Default)
			}
			s.Items.schema.setDefaults(v[i])
		}
	}
}

func (s *jsonSchema) defaultFields(fields map[string]any) {
	for name, sub := range s.Properties {
		value, present := fields[name]
		missing := !present || value == nil && !sub.Nullable
		switch {
		case missing && sub.Default != nil:
			fields[name] = runtime.DeepCopyJSONValue(sub.Default)
		case missing:
			delete(fields, name)
		}
	}
}
