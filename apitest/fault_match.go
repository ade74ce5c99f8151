package apitest

import (
	"slices"
	"strings"

	"vedette.dev/apitest/internal/serve"
)

// request reports whether the fault may apply to the request.
func (f *Fault) request(r *serve.Request) bool {
	m := &f.Match
	switch {
	case len(m.Verbs) > 0 && !slices.Contains(m.Verbs, r.Verb),
		effects[f.Effect].watches && r.Verb != "watch",
		m.User != "" && m.User != r.User.Name,
		!strings.HasPrefix(r.URL.Path, m.Path),
		!m.resource(r):
		return false
	}
	if f.ofObjects(r.Verb) {
		return within(m.Namespace, r.Namespace) && within(m.Name, r.Name)
	}
	return (m.Namespace == "" || m.Namespace == r.Namespace) && (m.Name == "" || m.Name == r.Name)
}

// ofObjects reports whether namespace and name are those of objects in the response to a request for many.
func (f *Fault) ofObjects(verb string) bool {
	return verb == "list" && f.Effect == Garbage || verb == "watch" && f.Effect.sortFor(true) == onFrame
}

// within reports whether a response to a request for asked can contain wanted.
func within(wanted, asked string) bool { return wanted == "" || asked == "" || wanted == asked }

func (m *Match) resource(r *serve.Request) bool {
	if m.Resource == "" {
		if m.Subresource != "" {
			return m.subresource(r)
		}
		// Namespace and name apply to objects.
		return r.IsResource || m.Namespace == "" && m.Name == ""
	}
	plural, group, hasGroup := strings.Cut(m.Resource, ".")
	return r.IsResource && r.Resource.Resource == plural && (!hasGroup || r.Resource.Group == group) && m.subresource(r)
}

func (m *Match) subresource(r *serve.Request) bool {
	if m.Subresource == "*" {
		return r.Subresource != ""
	}
	return r.Subresource == m.Subresource
}

// object reports whether the fault applies to the object.
func (m *Match) object(namespace, name string) bool {
	return (m.Namespace == "" || m.Namespace == namespace) && (m.Name == "" || m.Name == name)
}

// key is like object, for a key, which is just the name without a namespace.
func (m *Match) key(key string) bool {
	namespace, name, ok := strings.Cut(key, "/")
	if !ok {
		namespace, name = "", key
	}
	return m.object(namespace, name)
}
