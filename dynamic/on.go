package dynamic

import (
	"fmt"

	"k8s.io/apimachinery/pkg/runtime/schema"

	"vedette.dev/rest"
)

// On points a request at a resource, in a namespace unless that is empty. It is for what the client has no method for:
//
//	log, err := dynamic.On(client.Get(), pods, "default").Name("web-0").SubResource("log").Stream(ctx)
//
// What is wrong with the address sticks to the request, as the errors of all its setters do.
func On(r *rest.Request, resource schema.GroupVersionResource, namespace string) *rest.Request {
	if err := check(resource); err != nil {
		return r.Fail(err)
	}
	path := []string{"api", resource.Version}
	if resource.Group != "" {
		path = []string{"apis", resource.Group, resource.Version}
	}
	return r.AbsPath(path...).NamespaceIfScoped(namespace, namespace != "").Resource(resource.Resource)
}

// check finds what would lead a request elsewhere. The request itself checks the namespace, the name and the
// subresource.
func check(resource schema.GroupVersionResource) error {
	switch {
	case resource.Version == "":
		return fmt.Errorf("%s: the version is missing", resource)
	case resource.Resource == "":
		return fmt.Errorf("%s: the resource is missing", resource)
	}
	for _, part := range []string{resource.Group, resource.Version, resource.Resource} {
		if wrong := rest.IsValidPathSegmentName(part); len(wrong) > 0 {
			return fmt.Errorf("%s: %q %s", resource, part, wrong[0])
		}
	}
	return nil
}
