package wirefilter

import (
	"encoding/json"
	"maps"
	"math/rand"
	"reflect"
	"slices"
	"strings"
)

// paths draws paths of a type. It looks at the types by itself, so that it does not share the package's mistakes.
type paths struct {
	r    *rand.Rand
	keys []string // to name in maps
}

// drawn is a path, and the members of objects that it goes through. The member "*" is every one.
type drawn struct {
	text    string
	members []string
}

func (d drawn) to(text string, member string) drawn {
	return drawn{d.text + text, append(slices.Clone(d.members), member)}
}

// some draws up to n paths of which none is a part of another.
func (p *paths) some(t reflect.Type, n int) (out []drawn) {
	for range n {
		path := p.one(t, drawn{})
		if !slices.ContainsFunc(out, func(o drawn) bool { return within(o.text, path.text) || within(path.text, o.text) }) {
			out = append(out, path)
		}
	}
	return out
}

func texts(all []drawn) (out []string) {
	for _, d := range all {
		out = append(out, d.text)
	}
	return out
}

// within reports whether a is b, or a part of it.
func within(a, b string) bool {
	rest, ok := strings.CutPrefix(a, b)
	return ok && (rest == "" || rest[0] == '.' || rest[0] == '[')
}

// one goes down from t, and stops somewhere.
func (p *paths) one(t reflect.Type, path drawn) drawn {
	t = unwrap(t)
	atEach := len(path.members) > 0 && path.members[len(path.members)-1] == "*"
	if path.text != "" && !atEach && p.r.Intn(4) == 0 {
		return path
	}
	switch {
	case reflect.PointerTo(t).Implements(reflect.TypeFor[json.Unmarshaler]()):
	case t.Kind() == reflect.Map:
		if in := unwrap(t.Elem()); in.Kind() == reflect.Struct && !reflect.PointerTo(in).Implements(reflect.TypeFor[json.Unmarshaler]()) && p.r.Intn(2) == 0 {
			return p.one(in, path.to("", "*"))
		}
		key := p.keys[p.r.Intn(len(p.keys))]
		return p.one(t.Elem(), path.to("["+key+"]", key))
	case t.Kind() == reflect.Struct:
		if members := membersOf(t); len(members) > 0 {
			names := slices.Sorted(maps.Keys(members))
			name := names[p.r.Intn(len(names))]
			if path.text == "" {
				return p.one(members[name], path.to(name, name))
			}
			return p.one(members[name], path.to("."+name, name))
		}
	}
	return path
}

func unwrap(t reflect.Type) reflect.Type {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice {
		t = t.Elem()
	}
	return t
}

func membersOf(t reflect.Type) map[string]reflect.Type {
	out := map[string]reflect.Type{}
	for i := range t.NumField() {
		sf := t.Field(i)
		name, _, _ := strings.Cut(sf.Tag.Get("json"), ",")
		switch {
		case name == "" && sf.Anonymous:
			maps.Copy(out, membersOf(sf.Type))
		case name != "-":
			out[name] = sf.Type
		}
	}
	return out
}

// project is the plainest way to do what a filter does: on JSON that is decoded without a type, a path at a time.
func project(content map[string]any, keep bool, all []drawn) map[string]any {
	out := map[string]any{}
	for _, path := range identity {
		out = overlay(out, pick(content, strings.Split(path, "."))).(map[string]any)
	}
	if !keep {
		for _, path := range all {
			remove(content, path.members)
		}
		return overlay(content, out).(map[string]any)
	}
	for _, path := range all {
		out = overlay(out, pick(content, path.members)).(map[string]any)
	}
	return out
}

func pick(v any, members []string) any {
	if len(members) == 0 {
		return v
	}
	switch v := v.(type) {
	case map[string]any:
		out := map[string]any{}
		for name, in := range v {
			if name == members[0] || members[0] == "*" {
				out[name] = pick(in, members[1:])
			}
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i := range v {
			out[i] = pick(v[i], members)
		}
		return out
	}
	return v
}

func remove(v any, members []string) {
	switch v := v.(type) {
	case map[string]any:
		for name := range v {
			switch {
			case name != members[0] && members[0] != "*":
			case len(members) == 1:
				delete(v, name)
			default:
				remove(v[name], members[1:])
			}
		}
	case []any:
		for i := range v {
			remove(v[i], members)
		}
	}
}

// overlay is a with all that b has.
func overlay(a, b any) any {
	switch b := b.(type) {
	case map[string]any:
		m, ok := a.(map[string]any)
		if !ok {
			m = map[string]any{}
		}
		for name, v := range b {
			m[name] = overlay(m[name], v)
		}
		return m
	case []any:
		l, ok := a.([]any)
		if !ok || len(l) != len(b) {
			l = make([]any, len(b))
		}
		for i := range b {
			l[i] = overlay(l[i], b[i])
		}
		return l
	}
	return b
}

// sparse leaves out what is zero, except in lists: a Go struct does not tell whether it was there.
func sparse(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := map[string]any{}
		for name, in := range v {
			if in = sparse(in); in != nil {
				out[name] = in
			}
		}
		if len(out) == 0 {
			return nil
		}
		return out
	case []any:
		if len(v) == 0 {
			return nil
		}
		out := make([]any, len(v))
		for i := range v {
			out[i] = sparse(v[i])
		}
		return out
	case nil:
		return nil
	}
	if reflect.ValueOf(v).IsZero() {
		return nil
	}
	return v
}
