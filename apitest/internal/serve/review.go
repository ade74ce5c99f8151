package serve

import (
	"net/http"

	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// review handles objects that are created but not stored, such as a SubjectAccessReview.
func (s *Server) review(w http.ResponseWriter, r *Request, c *call, obj runtime.Object, out output) error {
	m := metaOf(obj)
	if err := c.ensureNamespace(m); err != nil {
		return err
	}
	switch o := obj.(type) {
	case *corev1.Binding: // the older path of pods/binding
		return methodNotAllowed(r.Verb)
	case *authenticationv1.TokenReview:
		user, ok := s.userOf(o.Spec.Token)
		o.Status = authenticationv1.TokenReviewStatus{Authenticated: ok}
		if ok {
			o.Status.User = userInfo(user)
			o.Status.Audiences = o.Spec.Audiences
		} else {
			o.Status.Error = "invalid bearer token"
		}
	case *authenticationv1.SelfSubjectReview:
		o.Status.UserInfo = userInfo(r.User)
	case *authorizationv1.SelfSubjectAccessReview:
		o.Status = s.may(r, r.User, o.Spec.ResourceAttributes, o.Spec.NonResourceAttributes)
	case *authorizationv1.SubjectAccessReview:
		user := User{Name: o.Spec.User, UID: o.Spec.UID, Groups: o.Spec.Groups}
		o.Status = s.may(r, user, o.Spec.ResourceAttributes, o.Spec.NonResourceAttributes)
	case *authorizationv1.LocalSubjectAccessReview:
		user := User{Name: o.Spec.User, UID: o.Spec.UID, Groups: o.Spec.Groups}
		o.Status = s.may(r, user, o.Spec.ResourceAttributes, o.Spec.NonResourceAttributes)
	}
	return c.answer(w, r, http.StatusCreated, obj, out)
}

func userInfo(u User) authenticationv1.UserInfo {
	return authenticationv1.UserInfo{Username: u.Name, UID: u.UID, Groups: u.Groups}
}

// may checks authorization for a hypothetical request.
func (s *Server) may(r *Request, user User, resource *authorizationv1.ResourceAttributes, other *authorizationv1.NonResourceAttributes) authorizationv1.SubjectAccessReviewStatus {
	if s.config.Authorize == nil {
		return authorizationv1.SubjectAccessReviewStatus{Allowed: true}
	}
	asked := &Request{Request: r.Request, User: user}
	switch {
	case resource != nil:
		asked.IsResource, asked.Verb = true, resource.Verb
		asked.Resource = schema.GroupVersionResource{Group: resource.Group, Version: resource.Version, Resource: resource.Resource}
		asked.Namespace, asked.Name, asked.Subresource = resource.Namespace, resource.Name, resource.Subresource
	case other != nil:
		asked.Verb = other.Verb
		plain := r.Request.Clone(r.Context())
		plain.URL.Path = other.Path
		asked.Request = plain
	}
	return authorizationv1.SubjectAccessReviewStatus{Allowed: s.config.Authorize(asked)}
}
