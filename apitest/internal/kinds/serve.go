package kinds

import (
	"net/http"
	"strings"

	"k8s.io/apimachinery/pkg/runtime/schema"
)

// Serves reports whether a path is one that ServeHTTP answers for.
func Serves(path string) bool {
	parts := split(path)
	switch parts[0] {
	case "api":
		return len(parts) <= 2
	case "apis":
		return len(parts) <= 3
	case "version":
		return len(parts) == 1
	case "openapi":
		return len(parts) > 1 && (parts[1] == "v2" && len(parts) == 2 || parts[1] == "v3")
	}
	return false
}

// split leaves out the slashes at either end. It returns at least one part.
func split(path string) []string { return strings.Split(strings.Trim(path, "/"), "/") }

// ServeHTTP answers for discovery (/api, /apis and below), OpenAPI (/openapi/v2 and v3) and /version.
func (r *Registry) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	t := r.current.Load()
	parts := split(req.URL.Path)
	if w.Header().Get("Cache-Control") == "" {
		w.Header().Set("Cache-Control", "no-cache, private")
	}
	switch {
	case !Serves(req.URL.Path):
		http.NotFound(w, req)
	case parts[0] == "openapi":
		t.serveOpenAPI(w, req, parts[1:])
	case parts[0] == "version":
		t.serveVersion(w, req)
	default:
		t.serveDiscovery(w, req, parts)
	}
}

func (t *table) serveDiscovery(w http.ResponseWriter, req *http.Request, parts []string) {
	if len(parts) == 1 {
		t.serveRoot(w, req, parts[0])
		return
	}
	if req.Method != http.MethodGet && req.Method != http.MethodHead {
		writeStatus(w, req, methodNotAllowed)
		return
	}
	switch {
	case parts[0] == "api":
		t.serveResources(w, req, schema.GroupVersion{Version: parts[1]})
	case !t.hasGroup(parts[1]):
		// The real server hands unknown groups from one of its three parts to the next, and the last one speaks plainly.
		http.NotFound(w, req)
	case len(parts) == 2:
		group := t.group(parts[1])
		respond(w, req, http.StatusOK, &group)
	default:
		t.serveResources(w, req, schema.GroupVersion{Group: parts[1], Version: parts[2]})
	}
}

func (t *table) serveResources(w http.ResponseWriter, req *http.Request, gv schema.GroupVersion) {
	list := t.resourceList(gv)
	if len(list.APIResources) == 0 {
		writeStatus(w, req, notFound)
		return
	}
	respond(w, req, http.StatusOK, list)
}

// serveRoot answers in the form that the client prefers: all that there is in one document, or only the names.
func (t *table) serveRoot(w http.ResponseWriter, req *http.Request, root string) {
	for _, accept := range parseAccept(req.Header.Get("Accept")) {
		switch {
		case accept.aggregated():
			t.serveAggregated(w, req, root, accept.media)
			return
		case accept.params["as"] == "" && mediaType(accept.media) != "":
			if root == "api" {
				respond(w, req, http.StatusOK, t.legacyVersions(req.Host))
			} else {
				respond(w, req, http.StatusOK, t.legacyGroups())
			}
			return
		}
	}
	if root == "api" {
		writeStatus(w, req, notAcceptable)
	} else {
		writeStatus(w, req, notAcceptableGroups)
	}
}

func (t *table) serveVersion(w http.ResponseWriter, req *http.Request) {
	if req.Method != http.MethodGet && req.Method != http.MethodHead {
		writeStatus(w, req, methodNotAllowed)
		return
	}
	version, _ := recorded().document("version.json")
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(version)
}
