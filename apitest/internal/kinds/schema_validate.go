package kinds

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"

	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// validate checks a value, in the words of the real server.
func (s *jsonSchema) validate(value any, at *field.Path) field.ErrorList {
	if value == nil && s.Nullable {
		return nil
	}
	errs, rightType := s.validateType(value, at)
	if rightType {
		switch v := value.(type) {
		case string:
			errs = append(errs, s.validateString(v, at)...)
		case int64:
			errs = append(errs, s.validateNumber(float64(v), v, at)...)
		case float64:
			errs = append(errs, s.validateNumber(v, v, at)...)
		case []any:
			errs = append(errs, s.validateList(v, at)...)
		case map[string]any:
			errs = append(errs, s.validateObject(v, at)...)
		}
	}
	errs = append(errs, s.validateEnum(value, at)...)
	return append(errs, s.validateJunctors(value, at)...)
}

// typeOf is the name that JSON has for the type of a value.
func typeOf(value any) string {
	switch v := value.(type) {
	case nil:
		return "null"
	case string:
		return "string"
	case bool:
		return "boolean"
	case int64:
		return "integer"
	case float64:
		if v == math.Trunc(v) {
			return "integer"
		}
		return "number"
	case []any:
		return "array"
	case map[string]any:
		return "object"
	}
	return fmt.Sprintf("%T", value)
}

func (s *jsonSchema) validateType(value any, at *field.Path) (errs field.ErrorList, right bool) {
	got := typeOf(value)
	wrong := func(want string, shown any) field.ErrorList {
		return field.ErrorList{field.TypeInvalid(at, shown, fmt.Sprintf("%s in body must be of type %s: %q", at, want, shown))}
	}
	switch {
	case s.IntOrString && got != "integer" && got != "string":
		return wrong("integer,string", got), false
	case s.Type == "", s.IntOrString:
		return nil, true
	case s.Type == "number" && got == "integer", s.Type == got:
		return s.validateFormat(value, at), true
	case s.Type == "integer" && got == "number" && s.Format != "":
		return append(wrong(s.Format, "float64"), field.Invalid(nil, "",
			fmt.Sprintf("Checked value must be of type integer with format %s in %s", s.Format, at))), false
	}
	return wrong(s.Type, got), false
}

func (s *jsonSchema) validateEnum(value any, at *field.Path) field.ErrorList {
	if len(s.Enum) == 0 {
		return nil
	}
	var words []string
	for _, allowed := range s.Enum {
		if equality.Semantic.DeepEqual(allowed, value) {
			return nil
		}
		if word, ok := allowed.(string); ok {
			words = append(words, word)
		} else {
			text, _ := json.Marshal(allowed)
			words = append(words, string(text))
		}
	}
	return field.ErrorList{field.NotSupported(at, value, words)}
}

func (s *jsonSchema) validateString(v string, at *field.Path) field.ErrorList {
	n := int64(len([]rune(v)))
	switch {
	case s.MaxLength != nil && n > *s.MaxLength:
		return field.ErrorList{field.TooLong(at, v, int(*s.MaxLength))}
	case s.MinLength != nil && n < *s.MinLength:
		return field.ErrorList{field.Invalid(at, v, fmt.Sprintf("%s in body should be at least %d chars long", at, *s.MinLength))}
	case s.pattern != nil && !s.pattern.MatchString(v):
		return field.ErrorList{field.Invalid(at, v, fmt.Sprintf("%s in body should match '%s'", at, s.Pattern))}
	}
	return nil
}

// validateNumber is given the number twice: to compute with, and to show.
func (s *jsonSchema) validateNumber(v float64, shown any, at *field.Path) (errs field.ErrorList) {
	complain := func(format string, args ...any) {
		errs = append(errs, field.Invalid(at, shown, fmt.Sprintf(format, args...)))
	}
	if s.MultipleOf != nil && *s.MultipleOf > 0 {
		if v == 0 { // sic
			complain("factor MultipleOf declared for %s must be positive: %v", at, shown)
		} else if times := v / *s.MultipleOf; times != math.Trunc(times) {
			complain("%s in body should be a multiple of %v", at, *s.MultipleOf)
		}
	}
	if s.Maximum != nil && (v > *s.Maximum || s.ExclusiveMaximum && v == *s.Maximum) {
		complain("%s in body should be less than %s%v", at, orEqual(s.ExclusiveMaximum), *s.Maximum)
	}
	if s.Minimum != nil && (v < *s.Minimum || s.ExclusiveMinimum && v == *s.Minimum) {
		complain("%s in body should be greater than %s%v", at, orEqual(s.ExclusiveMinimum), *s.Minimum)
	}
	return errs
}

func orEqual(exclusive bool) string {
	if exclusive {
		return ""
	}
	return "or equal to "
}

func (s *jsonSchema) validateList(v []any, at *field.Path) (errs field.ErrorList) {
	if s.Items != nil {
		for i := range v {
			errs = append(errs, s.Items.schema.validate(v[i], at.Index(i))...)
		}
	}
	if s.MinItems != nil && int64(len(v)) < *s.MinItems {
		errs = append(errs, field.Invalid(at, int64(len(v)), fmt.Sprintf("%s in body should have at least %d items", at, *s.MinItems)))
	}
	if s.MaxItems != nil && int64(len(v)) > *s.MaxItems {
		errs = append(errs, field.TooMany(at, len(v), int(*s.MaxItems)))
	}
	return errs
}

func (s *jsonSchema) validateObject(v map[string]any, at *field.Path) (errs field.ErrorList) {
	if s.MinProperties != nil && int64(len(v)) < *s.MinProperties {
		errs = append(errs, field.Invalid(at, int64(len(v)), fmt.Sprintf("%s in body should have at least %d properties", at, *s.MinProperties)))
	}
	if s.MaxProperties != nil && int64(len(v)) > *s.MaxProperties {
		errs = append(errs, field.TooMany(at, len(v), int(*s.MaxProperties)))
	}
	for _, name := range slices.Sorted(maps.Keys(v)) {
		if sub := s.property(name); sub != nil {
			errs = append(errs, sub.validate(v[name], child(at, name))...)
		}
	}
	for _, name := range s.Required {
		if _, present := v[name]; !present {
			errs = append(errs, field.Required(child(at, name), ""))
		}
	}
	if s.Embedded {
		for _, name := range []string{"apiVersion", "kind"} {
			if text, _ := v[name].(string); text == "" {
				errs = append(errs, field.Required(child(at, name), ""))
			}
		}
	}
	return errs
}

func child(at *field.Path, name string) *field.Path {
	if at == nil {
		return field.NewPath(name)
	}
	return at.Child(name)
}
