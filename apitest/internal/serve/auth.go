package serve

import (
	"fmt"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// User is who a request comes from.
type User struct {
	Name   string
	UID    string
	Groups []string
}

// authenticate finds out who it is. A request without credentials is anonymous, as it is for a kube-apiserver with its
// default settings: it may be refused later for want of rights. One with wrong credentials is refused here.
func (s *Server) authenticate(r *Request) error {
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	token = strings.TrimSpace(token)
	if !strings.EqualFold(scheme, "Bearer") || token == "" {
		r.User = Anonymous
		return nil
	}
	user, ok := s.userOf(token)
	if !ok {
		return apierrors.NewUnauthorized("Unauthorized")
	}
	r.User = user
	if name := r.Header.Get("Impersonate-User"); name != "" {
		r.User = User{Name: name, UID: r.Header.Get("Impersonate-Uid"), Groups: r.Header.Values("Impersonate-Group")}
	}
	return nil
}

// userOf tells whose a token is.
func (s *Server) userOf(token string) (User, bool) {
	if user, ok := s.issued.find(token); ok {
		return user, true
	}
	if s.config.Authenticate == nil {
		return User{}, false
	}
	return s.config.Authenticate(token)
}

// Anonymous is the user of a request without credentials.
var Anonymous = User{Name: "system:anonymous", Groups: []string{"system:unauthenticated"}}

// authorize refuses what the user may not do.
func (s *Server) authorize(r *Request) error {
	if s.config.Authorize == nil || s.config.Authorize(r) {
		return nil
	}
	return apierrors.NewForbidden(r.Resource.GroupResource(), r.Name, fmt.Errorf("%s", forbidden(r)))
}

func forbidden(r *Request) string {
	if !r.IsResource {
		return fmt.Sprintf("User %q cannot %s path %q", r.User.Name, r.Verb, r.URL.Path)
	}
	resource := r.Resource.Resource
	if r.Subresource != "" {
		resource += "/" + r.Subresource
	}
	if r.Namespace != "" {
		return fmt.Sprintf("User %q cannot %s resource %q in API group %q in the namespace %q",
			r.User.Name, r.Verb, resource, r.Resource.Group, r.Namespace)
	}
	return fmt.Sprintf("User %q cannot %s resource %q in API group %q at the cluster scope",
		r.User.Name, r.Verb, resource, r.Resource.Group)
}
