package conformance

import (
	"net/http"
	"regexp"

	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"vedette.dev/kubernetes"
	"vedette.dev/rest"
)

var user = regexp.MustCompile(`User "[^"]+"`)

// forbidden checks what a user without rights is told. Programs and people read these messages to know what to grant.
func (e *env) forbidden(err error, kind, group, name, message string) {
	e.Helper()
	status := e.status(err)
	if status == nil {
		return
	}
	e.refused(err, refusal{code: http.StatusForbidden, reason: metav1.StatusReasonForbidden, kind: kind, group: group, name: name})
	if got := user.ReplaceAllString(status.Message, `User "?"`); got != message {
		e.Errorf("message %q\nwant %q", got, message)
	}
}

// plain is a client of the user without rights.
func (e *env) plain() *kubernetes.Clientset {
	e.Helper()
	if e.target.Plain == nil {
		e.Skip("the target has no user without rights")
	}
	client, err := kubernetes.NewForConfig(e.target.Plain)
	e.must(err)
	return client
}

func (e *env) withToken(token string) *kubernetes.Clientset {
	e.Helper()
	config := rest.AnonymousClientConfig(e.target.Config)
	config.QPS, config.BearerToken = -1, token
	http, err := rest.HTTPClientFor(config)
	e.must(err)
	e.Cleanup(http.CloseIdleConnections)
	client, err := kubernetes.NewForConfigAndClient(config, http)
	e.must(err)
	return client
}

var authorizing = []behaviour{
	{"a wrong token is unauthorized", func(e *env) {
		_, err := e.withToken("wrong").CoreV1().ConfigMaps(e.namespace()).List(e.ctx, metav1.ListOptions{})
		e.refused(err, refusal{code: http.StatusUnauthorized, reason: metav1.StatusReasonUnauthorized, message: "Unauthorized"})
	}},
	{"a user without rights is told what is missing", func(e *env) {
		plain, ns := e.plain(), e.namespace()
		_, err := plain.CoreV1().ConfigMaps(ns).List(e.ctx, metav1.ListOptions{})
		e.forbidden(err, "configmaps", "", "", `configmaps is forbidden: User "?" cannot list resource "configmaps" in API group "" in the namespace "`+ns+`"`)
		_, err = plain.CoreV1().ConfigMaps(ns).Get(e.ctx, "a", metav1.GetOptions{})
		e.forbidden(err, "configmaps", "", "a", `configmaps "a" is forbidden: User "?" cannot get resource "configmaps" in API group "" in the namespace "`+ns+`"`)
		_, err = plain.CoreV1().Nodes().Get(e.ctx, "n", metav1.GetOptions{})
		e.forbidden(err, "nodes", "", "n", `nodes "n" is forbidden: User "?" cannot get resource "nodes" in API group "" at the cluster scope`)
		_, err = plain.CoreV1().ConfigMaps("").List(e.ctx, metav1.ListOptions{})
		e.forbidden(err, "configmaps", "", "", `configmaps is forbidden: User "?" cannot list resource "configmaps" in API group "" at the cluster scope`)
		_, err = plain.AppsV1().Deployments(ns).GetScale(e.ctx, "d", metav1.GetOptions{})
		e.forbidden(err, "deployments", "apps", "d", `deployments.apps "d" is forbidden: User "?" cannot get resource "deployments/scale" in API group "apps" in the namespace "`+ns+`"`)
	}},
	{"each verb has its name", func(e *env) {
		plain, ns := e.plain(), e.namespace()
		tail := ` resource "configmaps" in API group "" in the namespace "` + ns + `"`
		_, err := plain.CoreV1().ConfigMaps(ns).Create(e.ctx, configMap("a"), metav1.CreateOptions{})
		e.forbidden(err, "configmaps", "", "", `configmaps is forbidden: User "?" cannot create`+tail)
		_, err = plain.CoreV1().ConfigMaps(ns).Watch(e.ctx, metav1.ListOptions{})
		e.forbidden(err, "configmaps", "", "", `configmaps is forbidden: User "?" cannot watch`+tail)
		_, err = plain.CoreV1().ConfigMaps(ns).Update(e.ctx, configMap("a"), metav1.UpdateOptions{})
		e.forbidden(err, "configmaps", "", "a", `configmaps "a" is forbidden: User "?" cannot update`+tail)
		_, err = plain.CoreV1().ConfigMaps(ns).Patch(e.ctx, "a", "application/merge-patch+json", []byte(`{}`), metav1.PatchOptions{})
		e.forbidden(err, "configmaps", "", "a", `configmaps "a" is forbidden: User "?" cannot patch`+tail)
		err = plain.CoreV1().ConfigMaps(ns).Delete(e.ctx, "a", metav1.DeleteOptions{})
		e.forbidden(err, "configmaps", "", "a", `configmaps "a" is forbidden: User "?" cannot delete`+tail)
		err = plain.CoreV1().ConfigMaps(ns).DeleteCollection(e.ctx, metav1.DeleteOptions{}, metav1.ListOptions{})
		e.forbidden(err, "configmaps", "", "", `configmaps is forbidden: User "?" cannot deletecollection`+tail)
	}},
	{"everybody may ask for the version and for discovery", func(e *env) {
		plain := e.plain()
		if v, err := plain.Discovery().ServerVersion(); err != nil || v.Major != "1" {
			e.Errorf("%+v, %v", v, err)
		}
		if _, err := plain.Discovery().ServerGroups(); err != nil {
			e.Error(err)
		}
	}},
	{"everybody may ask who they are and what they may do", func(e *env) {
		plain := e.plain()
		who, err := plain.AuthenticationV1().SelfSubjectReviews().Create(e.ctx, &authenticationv1.SelfSubjectReview{}, metav1.CreateOptions{})
		e.must(err)
		if who.Status.UserInfo.Username == "" {
			e.Errorf("%+v", who)
		}
		ask := &authorizationv1.SelfSubjectAccessReview{Spec: authorizationv1.SelfSubjectAccessReviewSpec{
			ResourceAttributes: &authorizationv1.ResourceAttributes{Namespace: "default", Verb: "list", Resource: "configmaps"}}}
		for client, want := range map[*kubernetes.Clientset]bool{plain: false, e.kube: true} {
			may, err := client.AuthorizationV1().SelfSubjectAccessReviews().Create(e.ctx, ask.DeepCopy(), metav1.CreateOptions{})
			if e.must(err); may.Status.Allowed != want {
				e.Errorf("%+v, want %v", may.Status, want)
			}
		}
	}},
	{"the token of a service account is of that account", func(e *env) {
		accounts := e.kube.CoreV1().ServiceAccounts(e.namespace())
		_, err := accounts.Create(e.ctx, &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: "a"}}, metav1.CreateOptions{})
		e.must(err)
		token, err := accounts.CreateToken(e.ctx, "a", &authenticationv1.TokenRequest{}, metav1.CreateOptions{})
		e.must(err)
		_, err = e.withToken(token.Status.Token).CoreV1().ConfigMaps(e.ns).List(e.ctx, metav1.ListOptions{})
		e.refused(err, refusal{code: http.StatusForbidden, reason: metav1.StatusReasonForbidden, message: `User "system:serviceaccount:` + e.ns + `:a" cannot list`})
	}},
	{"an administrator may impersonate a user", func(e *env) {
		config := rest.CopyConfig(e.target.Config)
		config.Impersonate.UserName = "conformance-nobody"
		client, err := kubernetes.NewForConfig(config)
		e.must(err)
		_, err = client.CoreV1().ConfigMaps(e.namespace()).List(e.ctx, metav1.ListOptions{})
		e.refused(err, refusal{code: http.StatusForbidden, reason: metav1.StatusReasonForbidden, message: `User "conformance-nobody" cannot list`})
	}},
}
