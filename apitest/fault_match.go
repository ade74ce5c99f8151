package apitest

import (
	"slices"
	"strings"

	"vedette.dev/apitest/internal/serve"
)

// request tells whether the fault may happen to the request.
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

// ofObjects says that namespace and name are those of objects in the answer to a request for many.
func (f *Fault) ofObjects(verb string) bool {
	return verb == "list" && f.Effect == Garbage || verb == "watch" && f.Effect.sortFor(true) == onFrame
}

// within tells whether an answer to a request for all of asked can have what is wanted.
func within(wanted, asked string) bool { return wanted == "" || asked == "" || wanted == asked }

func (m *Match) resource(r *serve.Request) bool {
	if m.Resource == "" {
		if m.Subresource != "" {
			return m.subresource(r)
		}
		// Namespace and name are of objects.
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

// object tells whether the object is one that the fault is about.
func (m *Match) object(namespace, name string) bool {
	return (m.Namespace == "" || m.Namespace == namespace) && (m.Name == "" || m.Name == name)
}

// key is object for a key, which for what has no namespace is the name.
func (m *Match) key(key string) bool {
	namespace, name, ok := strings.Cut(key, "/")
	if !ok {
		namespace, name = "", key
	}
	return m.object(namespace, name)
}
