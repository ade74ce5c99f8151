package serve

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
)

// User is the user of a request.
type User struct {
	Name   string
	UID    string
	Groups []string
}

// authenticate determines the user. A request without credentials is anonymous, as with the default settings of
// kube-apiserver: authorization may reject it later. Invalid credentials are rejected here.
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
		r.User = impersonated(name, r.Header)
	}
	return nil
}

// impersonated returns the impersonated user. A user with a name counts as authenticated.
func impersonated(name string, header http.Header) User {
	user := User{Name: name, UID: header.Get("Impersonate-Uid"), Groups: slices.Clone(header.Values("Impersonate-Group"))}
	group := authenticatedGroup
	if name == Anonymous.Name {
		group = Anonymous.Groups[0]
	}
	if namespace, ok := serviceAccountNamespace(name); ok && len(user.Groups) == 0 {
		user.Groups = []string{"system:serviceaccounts", "system:serviceaccounts:" + namespace}
	}
	if !slices.Contains(user.Groups, group) {
		user.Groups = append(user.Groups, group)
	}
	return user
}

const authenticatedGroup = "system:authenticated"

// serviceAccountNamespace returns the namespace of system:serviceaccount:NAMESPACE:NAME.
func serviceAccountNamespace(user string) (string, bool) {
	account, ok := strings.CutPrefix(user, "system:serviceaccount:")
	namespace, _, whole := strings.Cut(account, ":")
	return namespace, ok && whole
}

// userOf returns the user of a token.
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

// authorize rejects requests that the user may not make.
func (s *Server) authorize(r *Request) error {
	if s.config.Authorize == nil || s.config.Authorize(r) {
		return nil
	}
	return Forbidden(r)
}

// Forbidden returns the error for a request that the user may not make.
func Forbidden(r *Request) error {
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
