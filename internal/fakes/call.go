package fakes

import (
	"net/http"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"vedette.dev/testing"
)

// call is a resource request.
type call struct {
	req       *http.Request
	body      []byte
	resource  schema.GroupVersionResource
	namespace string
	name      string
	sub       string // with slashes, if there is more than one
	action    testing.Action
}

// parse parses the path. ok is false for non-resource paths.
func parse(req *http.Request) (*call, bool) {
	c := &call{req: req}
	parts := strings.Split(strings.Trim(req.URL.Path, "/"), "/")
	switch {
	case len(parts) >= 3 && parts[0] == "api":
		c.resource.Version, parts = parts[1], parts[2:]
	case len(parts) >= 4 && parts[0] == "apis":
		c.resource.Group, c.resource.Version, parts = parts[1], parts[2], parts[3:]
	default:
		return nil, false
	}
	// /namespaces/x/status and /finalize are of the namespace itself.
	if parts[0] == "namespaces" && len(parts) > 2 && parts[2] != "status" && parts[2] != "finalize" {
		c.namespace, parts = parts[1], parts[2:]
	}
	c.resource.Resource = parts[0]
	if len(parts) > 1 {
		c.name, c.sub = parts[1], strings.Join(parts[2:], "/")
	}
	return c, true
}
