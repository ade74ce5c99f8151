package serve

import (
	"net/http"
	"slices"
	"strings"

	"vedette.dev/apitest/internal/kinds"
)

// subresource handles a path below an object.
func (s *Server) subresource(w http.ResponseWriter, r *Request) error {
	sub, ok := r.Kind.Subresource(r.Subresource)
	if !ok || r.Name == "" {
		return notServed(r.Verb)
	}
	if !slices.Contains(sub.Verbs, r.Verb) {
		return methodNotAllowed(r.Verb)
	}
	switch name := r.Kind.Plural + "/" + r.Subresource; {
	case r.Subresource == "scale":
		return s.scale(w, r)
	case name == "pods/binding":
		return s.bind(w, r)
	case name == "pods/eviction":
		return s.evict(w, r)
	case name == "serviceaccounts/token":
		return s.requestToken(w, r)
	case name == "namespaces/finalize":
		return s.finalize(w, r)
	case r.Verb == "create" || r.Verb == "delete": // exec, attach, proxy and the like need a node
		return methodNotAllowed(r.Verb)
	case sub.GroupVersionKind.Kind != "" && sub.GroupVersionKind.Kind != r.Kind.Kind:
		return notServed(r.Verb)
	}
	return s.verb(w, r)
}

// internalPackage returns the name of the package with kube-apiserver's internal type of a kind. It appears in
// messages.
func internalPackage(k *kinds.Kind) string {
	if k.Group == "" {
		return "core"
	}
	name, _, _ := strings.Cut(k.Group, ".")
	return name
}
