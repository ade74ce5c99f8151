package jsonpath

import (
	"fmt"
	"maps"
	"slices"
)

// Path is a JSONPath: the way from an object to some of its fields.
type Path []step

// step leads from a value to some below it.
type step struct {
	kind   stepKind
	field  string
	index  int
	filter *filter
}

type stepKind int

const (
	stepField stepKind = iota
	stepEvery
	stepIndex
	stepFilter
)

// filter keeps the items in which what path leads to is, or is not, as wanted.
type filter struct {
	path  Path
	equal bool
	want  string
}

// Find is what the path leads to, in order. Fields that are not there lead to nothing.
func (p Path) Find(in any) []any {
	values := []any{in}
	for _, s := range p {
		var next []any
		for _, v := range values {
			next = append(next, s.from(v)...)
		}
		values = next
	}
	return values
}

// LastField is the name of the last field on the way, empty if there is none.
func (p Path) LastField() string {
	for i := len(p) - 1; i >= 0; i-- {
		if p[i].kind == stepField {
			return p[i].field
		}
	}
	return ""
}

func (s step) from(v any) []any {
	fields, _ := v.(map[string]any)
	items, _ := v.([]any)
	switch s.kind {
	case stepField:
		if value, ok := fields[s.field]; ok && value != nil {
			return []any{value}
		}
	case stepEvery:
		for _, name := range slices.Sorted(maps.Keys(fields)) {
			items = append(items, fields[name])
		}
		return items
	case stepIndex:
		i := s.index
		if i < 0 {
			i += len(items)
		}
		if i >= 0 && i < len(items) {
			return items[i : i+1]
		}
	case stepFilter:
		return s.filter.of(items)
	}
	return nil
}

func (f *filter) of(items []any) (kept []any) {
	for _, item := range items {
		found := f.path.Find(item)
		if len(found) > 0 && (fmt.Sprint(found[0]) == f.want) == f.equal {
			kept = append(kept, item)
		}
	}
	return kept
}
