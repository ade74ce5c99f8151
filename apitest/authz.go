package apitest

import (
	"slices"
	"strings"
)

func isMaster(user User) bool { return slices.Contains(user.Groups, masters) }

// public are the paths that every user may read.
var public = []string{"/healthz", "/livez", "/readyz", "/version"}

// allowMasters is the rule of a cluster with the default roles only.
func allowMasters(r *Request) bool {
	if isMaster(r.User) {
		return true
	}
	path := strings.TrimSuffix(r.URL.Path, "/")
	if !r.IsResource && r.Verb == "get" {
		if slices.Contains(public, path) {
			return true
		}
		return !isAnonymous(r.User) && isDiscovery(path)
	}
	// Every user may request its own identity and permissions.
	return r.IsResource && r.Verb == "create" && !isAnonymous(r.User) && strings.HasPrefix(r.Resource.Resource, "selfsubject")
}

func isAnonymous(user User) bool { return user.Name == "system:anonymous" }

func isDiscovery(path string) bool {
	for _, root := range []string{"/api", "/apis", "/openapi"} {
		if path == root || strings.HasPrefix(path, root+"/") {
			return true
		}
	}
	return false
}
