package testing

import (
	"strings"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"

	"vedette.dev/rest"
)

// ReactionFunc answers an action. If handled is false, the next reactor is called.
type ReactionFunc func(action Action) (handled bool, ret runtime.Object, err error)

// WatchReactionFunc answers a watch. The client gets the events of ret, which is stopped when the client stops the
// watch.
type WatchReactionFunc func(action Action) (handled bool, ret watch.Interface, err error)

// ProxyReactionFunc answers a request to a pod or a service.
type ProxyReactionFunc func(action Action) (handled bool, ret rest.ResponseWrapper, err error)

// Reactor answers the actions that it handles.
type Reactor interface {
	Handles(action Action) bool
	React(action Action) (handled bool, ret runtime.Object, err error)
}

// WatchReactor answers the watches that it handles.
type WatchReactor interface {
	Handles(action Action) bool
	React(action Action) (handled bool, ret watch.Interface, err error)
}

// ProxyReactor answers the requests to pods or services that it handles.
type ProxyReactor interface {
	Handles(action Action) bool
	React(action Action) (handled bool, ret rest.ResponseWrapper, err error)
}

// SimpleReactor is a ReactionFunc for one verb and one resource, "pods" or "pods/status". "*" means all.
type SimpleReactor struct {
	Verb     string
	Resource string
	Reaction ReactionFunc
}

// Handles implements Reactor.
func (r *SimpleReactor) Handles(action Action) bool {
	return (r.Verb == "*" || r.Verb == action.GetVerb()) && covers(r.Resource, action)
}

// React implements Reactor.
func (r *SimpleReactor) React(action Action) (bool, runtime.Object, error) { return r.Reaction(action) }

// SimpleWatchReactor is a WatchReactionFunc for one resource. "*" means all.
type SimpleWatchReactor struct {
	Resource string
	Reaction WatchReactionFunc
}

// Handles implements WatchReactor.
func (r *SimpleWatchReactor) Handles(action Action) bool { return covers(r.Resource, action) }

// React implements WatchReactor.
func (r *SimpleWatchReactor) React(action Action) (bool, watch.Interface, error) {
	return r.Reaction(action)
}

// SimpleProxyReactor is a ProxyReactionFunc for one resource. "*" means all.
type SimpleProxyReactor struct {
	Resource string
	Reaction ProxyReactionFunc
}

// Handles implements ProxyReactor.
func (r *SimpleProxyReactor) Handles(action Action) bool { return covers(r.Resource, action) }

// React implements ProxyReactor.
func (r *SimpleProxyReactor) React(action Action) (bool, rest.ResponseWrapper, error) {
	return r.Reaction(action)
}

func covers(resource string, action Action) bool {
	if resource == "*" || resource == action.GetResource().Resource {
		return true
	}
	name, sub, ok := strings.Cut(resource, "/")
	return ok && name == action.GetResource().Resource && sub == action.GetSubresource()
}
