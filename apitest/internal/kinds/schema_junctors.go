package kinds

import (
	"encoding/json"
	"fmt"
	"net"
	"net/url"
	"time"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// validateJunctors checks allOf, anyOf, oneOf and not. Their errors have no path of their own.
func (s *jsonSchema) validateJunctors(value any, at *field.Path) (errs field.ErrorList) {
	complain := func(format string) {
		errs = append(errs, field.Invalid(nil, "", fmt.Sprintf(format, at.String())))
	}
	for _, sub := range s.AllOf {
		errs = append(errs, sub.validate(value, at)...)
	}
	if valid, best := matches(s.AnyOf, value, at); len(s.AnyOf) > 0 && valid == 0 {
		complain("%q must validate at least one schema (anyOf)")
		errs = append(errs, best...)
	}
	if valid, best := matches(s.OneOf, value, at); len(s.OneOf) > 0 && valid != 1 {
		if valid == 0 {
			complain("%q must validate one and only one schema (oneOf). Found none valid")
			errs = append(errs, best...)
		} else {
			complain("%q must validate one and only one schema (oneOf). Found " + fmt.Sprint(valid) + " valid alternatives")
		}
	}
	if s.Not != nil && len(s.Not.validate(value, at)) == 0 {
		complain("%q must not validate the schema (not)")
	}
	return errs
}

// matches counts the schemas that take a value, and returns the errors of the one that came nearest.
func matches(schemas []*jsonSchema, value any, at *field.Path) (valid int, best field.ErrorList) {
	for _, s := range schemas {
		errs := s.validate(value, at)
		if len(errs) == 0 {
			valid++
		} else if best == nil || len(errs) < len(best) {
			best = errs
		}
	}
	return valid, best
}

// formats are those that definitions use; the real server knows some more, and lets others pass.
var formats = map[string]func(string) bool{
	"date-time": func(v string) bool { _, err := time.Parse(time.RFC3339Nano, v); return err == nil },
	"date":      func(v string) bool { _, err := time.Parse(time.DateOnly, v); return err == nil },
	"duration":  func(v string) bool { _, err := time.ParseDuration(v); return err == nil },
	"ipv4":      func(v string) bool { ip := net.ParseIP(v); return ip != nil && ip.To4() != nil },
	"ipv6":      func(v string) bool { ip := net.ParseIP(v); return ip != nil && ip.To4() == nil },
	"cidr":      func(v string) bool { _, _, err := net.ParseCIDR(v); return err == nil },
	"uri":       func(v string) bool { _, err := url.ParseRequestURI(v); return err == nil },
}

func (s *jsonSchema) validateFormat(value any, at *field.Path) field.ErrorList {
	text, ok := value.(string)
	if !ok {
		return nil
	}
	if valid, known := formats[s.Format]; known && !valid(text) {
		return field.ErrorList{field.TypeInvalid(at, text, fmt.Sprintf("%s in body must be of type %s: %q", at, s.Format, text))}
	}
	return nil
}

// validateLists finds what occurs twice in lists that are sets or maps. It runs after the rest.
func (s *jsonSchema) validateLists(value any, at *field.Path) (errs field.ErrorList) {
	switch v := value.(type) {
	case []any:
		seen := map[string]bool{}
		for i, item := range v {
			if key, ok := s.listKey(item); ok {
				text, _ := json.Marshal(key)
				if seen[string(text)] {
					errs = append(errs, field.Duplicate(at.Index(i), key))
				}
				seen[string(text)] = true
			}
			if s.Items != nil {
				errs = append(errs, s.Items.schema.validateLists(item, at.Index(i))...)
			}
		}
	case map[string]any:
		for name := range v {
			if sub := s.property(name); sub != nil {
				errs = append(errs, sub.validateLists(v[name], child(at, name))...)
			}
		}
	}
	return errs
}

// listKey is what an item of a list must not share with another.
func (s *jsonSchema) listKey(item any) (any, bool) {
	switch s.ListType {
	case "set":
		return item, true
	case "map":
		fields, ok := item.(map[string]any)
		if !ok {
			return nil, false
		}
		keys := map[string]any{}
		for _, name := range s.ListMapKeys {
			if value, ok := fields[name]; ok {
				keys[name] = value
			}
		}
		return keys, true
	}
	return nil, false
}
