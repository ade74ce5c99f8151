package serve

import (
	"net/http"
	"strings"

	"k8s.io/apimachinery/pkg/api/validate/content"
	metainternal "k8s.io/apimachinery/pkg/apis/meta/internalversion"
	metainternalscheme "k8s.io/apimachinery/pkg/apis/meta/internalversion/scheme"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"vedette.dev/apitest/internal/kinds"
)

// Request is a parsed request, in terms of authorization rules.
type Request struct {
	*http.Request
	User User

	// Verb is get, list, watch, create, update, patch, delete or deletecollection; for non-resource paths it is the
	// method in lower case.
	Verb string
	// IsResource means that it is a resource path. The fields below are unset otherwise.
	IsResource bool
	// Resource is the resource of the path. Kind is nil if it is not served.
	Resource schema.GroupVersionResource
	Kind     *kinds.Kind
	// Namespace and Name are those of the path, and "" for all. For a Namespace they are the same. For a list or a
	// watch the name may come from a field selector.
	Namespace, Name string
	Subresource     string

	// namespaced means that the path had a namespace before the resource; rest is the number of its parts from the
	// resource on.
	namespaced bool
	parts      int
}

// parse parses the path as kube-apiserver does.
func parse(req *http.Request) *Request {
	r := &Request{Request: req, Verb: strings.ToLower(req.Method)}
	parts := splitPath(req.URL.Path)
	switch {
	case len(parts) >= 3 && parts[0] == "api":
		r.Resource.Version, parts = parts[1], parts[2:]
	case len(parts) >= 4 && parts[0] == "apis":
		r.Resource.Group, r.Resource.Version, parts = parts[1], parts[2], parts[3:]
	default:
		return r
	}
	r.IsResource = true
	r.Verb = verbs[req.Method]
	if parts[0] == "namespaces" && len(parts) > 1 {
		r.Namespace = parts[1]
		// /namespaces/x/status and /finalize are of the namespace itself.
		if len(parts) > 2 && parts[2] != "status" && parts[2] != "finalize" {
			parts, r.namespaced = parts[2:], true
		}
	}
	r.parts = len(parts)
	r.Resource.Resource = parts[0]
	if len(parts) > 1 {
		r.Name = parts[1]
	}
	if len(parts) > 2 {
		r.Subresource = parts[2]
	}
	if r.Name == "" {
		r.plural()
	}
	return r
}

var verbs = map[string]string{
	http.MethodPost:   "create",
	http.MethodGet:    "get",
	http.MethodHead:   "get",
	http.MethodPut:    "update",
	http.MethodPatch:  "patch",
	http.MethodDelete: "delete",
}

// plural corrects the verb of a request without a name.
func (r *Request) plural() {
	switch r.Verb {
	case "delete":
		r.Verb = "deletecollection"
	case "get":
		r.Verb = "list"
		var opts metainternal.ListOptions
		query := r.URL.Query()
		if err := metainternalscheme.ParameterCodec.DecodeParameters(query, metav1.SchemeGroupVersion, &opts); err != nil {
			opts = metainternal.ListOptions{}
			value := strings.ToLower(query.Get("watch"))
			opts.Watch = query.Has("watch") && value != "false" && value != "0"
		}
		if opts.Watch {
			r.Verb = "watch"
		}
		if opts.FieldSelector != nil {
			name, ok := opts.FieldSelector.RequiresExactMatch("metadata.name")
			if ok && len(content.IsPathSegmentName(name)) == 0 {
				r.Name = name
			}
		}
	}
}

func splitPath(path string) []string {
	path = strings.Trim(path, "/")
	if path == "" {
		return nil
	}
	return strings.Split(path, "/")
}
