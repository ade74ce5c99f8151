package kinds

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
)

// jsonSchema is the part of OpenAPI v3 that definitions of custom resources may use. Rules in CEL
// (x-kubernetes-validations) are read past.
type jsonSchema struct {
	Type   string `json:"type"`
	Format string `json:"format"`

	Properties           map[string]*jsonSchema `json:"properties"`
	AdditionalProperties *schemaOrBool          `json:"additionalProperties"`
	Items                *schemaOrList          `json:"items"`
	Required             []string               `json:"required"`
	Default              any                    `json:"default"`
	Nullable             bool                   `json:"nullable"`
	Enum                 []any                  `json:"enum"`

	Minimum          *float64 `json:"minimum"`
	Maximum          *float64 `json:"maximum"`
	ExclusiveMinimum bool     `json:"exclusiveMinimum"`
	ExclusiveMaximum bool     `json:"exclusiveMaximum"`
	MultipleOf       *float64 `json:"multipleOf"`

	MinLength     *int64 `json:"minLength"`
	MaxLength     *int64 `json:"maxLength"`
	Pattern       string `json:"pattern"`
	MinItems      *int64 `json:"minItems"`
	MaxItems      *int64 `json:"maxItems"`
	MinProperties *int64 `json:"minProperties"`
	MaxProperties *int64 `json:"maxProperties"`

	AllOf []*jsonSchema `json:"allOf"`
	AnyOf []*jsonSchema `json:"anyOf"`
	OneOf []*jsonSchema `json:"oneOf"`
	Not   *jsonSchema   `json:"not"`

	Preserve    bool     `json:"x-kubernetes-preserve-unknown-fields"`
	IntOrString bool     `json:"x-kubernetes-int-or-string"`
	Embedded    bool     `json:"x-kubernetes-embedded-resource"`
	ListType    string   `json:"x-kubernetes-list-type"`
	ListMapKeys []string `json:"x-kubernetes-list-map-keys"`

	pattern *regexp.Regexp
}

// schemaOrBool is additionalProperties: a schema for all of them, or whether there may be any.
type schemaOrBool struct {
	schema  *jsonSchema
	allowed bool
}

func (s *schemaOrBool) UnmarshalJSON(data []byte) error {
	if json.Unmarshal(data, &s.allowed) == nil {
		return nil
	}
	s.allowed = true
	return json.Unmarshal(data, &s.schema)
}

// schemaOrList is items: one schema. A list of them is not structural.
type schemaOrList struct{ schema *jsonSchema }

func (s *schemaOrList) UnmarshalJSON(data []byte) error { return json.Unmarshal(data, &s.schema) }

// parseSchema reads the openAPIV3Schema of a version. nil is a schema without rules.
func parseSchema(raw map[string]any) (*jsonSchema, error) {
	data, err := json.Marshal(raw)
	if err != nil {
		return nil, err
	}
	s := &jsonSchema{}
	if err := json.Unmarshal(data, s); err != nil {
		return nil, fmt.Errorf("openAPIV3Schema: %w", err)
	}
	s.normalize()
	return s, nil
}

// normalize makes the rest simpler: there are no nil schemas, and patterns are compiled.
func (s *jsonSchema) normalize() {
	if s.Default != nil {
		s.Default = normalizeJSON(s.Default)
	}
	for i := range s.Enum {
		s.Enum[i] = normalizeJSON(s.Enum[i])
	}
	if s.Pattern != "" {
		s.pattern, _ = regexp.Compile(s.Pattern) // one that does not compile matches everything
	}
	for name, p := range s.Properties {
		if p == nil {
			s.Properties[name] = &jsonSchema{}
		}
		s.Properties[name].normalize()
	}
	if s.Items != nil && s.Items.schema == nil {
		s.Items = nil
	}
	for _, list := range []*[]*jsonSchema{&s.AllOf, &s.AnyOf, &s.OneOf} {
		*list = slices.DeleteFunc(*list, func(s *jsonSchema) bool { return s == nil })
	}
	for _, sub := range s.children() {
		sub.normalize()
	}
}

// children are all schemas below but the properties.
func (s *jsonSchema) children() []*jsonSchema {
	children := slices.Concat(s.AllOf, s.AnyOf, s.OneOf)
	if s.Not != nil {
		children = append(children, s.Not)
	}
	if s.Items != nil {
		children = append(children, s.Items.schema)
	}
	if s.AdditionalProperties != nil && s.AdditionalProperties.schema != nil {
		children = append(children, s.AdditionalProperties.schema)
	}
	return children
}

// normalizeJSON returns a copy in which whole numbers are int64, as they are in unstructured objects. It is a copy because
// requests that are served at the same time share the original.
func normalizeJSON(v any) any {
	switch v := v.(type) {
	case float64:
		if n := int64(v); float64(n) == v {
			return n
		}
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = normalizeJSON(v[i])
		}
		return out
	case map[string]any:
		out := make(map[string]any, len(v))
		for key := range v {
			out[key] = normalizeJSON(v[key])
		}
		return out
	}
	return v
}

// property is the schema of a field, or nil if nothing is known about it.
func (s *jsonSchema) property(name string) *jsonSchema {
	if p, ok := s.Properties[name]; ok {
		return p
	}
	if s.AdditionalProperties != nil {
		return s.AdditionalProperties.schema
	}
	return nil
}
