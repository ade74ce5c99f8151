package conformance

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"syscall"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"

	"vedette.dev/rest"
)

// What a client sees of a failing server is written down here once. The functions are called while the server fails:
// apitest injects a fault, and a real server is made to fail.

var configMaps = schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}

// connected returns an env for clients with that configuration, in a namespace that exists.
func connected(t *testing.T, config *rest.Config, namespace string) *env {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	t.Cleanup(cancel)
	return &env{T: t, clients: connect(t, Target{Config: config}), ctx: ctx, ns: namespace}
}

// each makes a request of each sort, in protobuf and in JSON, and hands out how it went.
func (e *env) each(check func(verb string, err error)) {
	e.Helper()
	typed, untyped := e.configMaps(), e.dynamic.Resource(configMaps).Namespace(e.ns)
	_, err := typed.List(e.ctx, metav1.ListOptions{})
	check("list", err)
	_, err = untyped.List(e.ctx, metav1.ListOptions{})
	check("list", err)
	_, err = typed.Get(e.ctx, "a", metav1.GetOptions{})
	check("get", err)
	_, err = untyped.Get(e.ctx, "a", metav1.GetOptions{})
	check("get", err)
	_, err = typed.Watch(e.ctx, metav1.ListOptions{})
	check("watch", err)
	_, err = untyped.Watch(e.ctx, metav1.ListOptions{})
	check("watch", err)
	_, err = typed.Create(e.ctx, configMap("a"), metav1.CreateOptions{})
	check("create", err)
	check("delete", typed.Delete(e.ctx, "a", metav1.DeleteOptions{}))
}

// SeeUnauthorized is for a token that the server does not know, or no longer.
func SeeUnauthorized(t *testing.T, config *rest.Config, namespace string) {
	e := connected(t, config, namespace)
	e.each(func(verb string, err error) {
		e.Helper()
		e.refused(err, refusal{code: http.StatusUnauthorized, reason: metav1.StatusReasonUnauthorized, message: "Unauthorized"})
	})
}

// SeeForbidden is for a user without rights.
func SeeForbidden(t *testing.T, config *rest.Config, namespace string) {
	e := connected(t, config, namespace)
	e.each(func(verb string, err error) {
		e.Helper()
		name, quoted := "", ""
		if verb == "get" || verb == "delete" {
			name, quoted = "a", ` "a"`
		}
		e.forbidden(err, "configmaps", "", name, "configmaps"+quoted+` is forbidden: User "?" cannot `+verb+
			` resource "configmaps" in API group "" in the namespace "`+namespace+`"`)
	})
}

// SeeTooManyRequests is for a user whose requests are rejected by priority and fairness.
func SeeTooManyRequests(t *testing.T, config *rest.Config, namespace string) {
	e := connected(t, config, namespace)
	for _, query := range []string{"", "?watch=1"} {
		a := e.ask("GET", e.configMapsPath()+query, "") // is not sent again
		e.tooMany(a.err)
		if a.code != http.StatusTooManyRequests || !strings.HasPrefix(a.contentType, "text/plain") ||
			string(a.body) != "Too many requests, please try again later.\n" {
			e.Errorf("%d %s %q", a.code, a.contentType, a.body)
		}
	}
}

func (e *env) tooMany(err error) {
	e.Helper()
	e.refused(err, refusal{code: http.StatusTooManyRequests, reason: metav1.StatusReasonTooManyRequests,
		message: "the server has received too many requests and has asked us to try again later"})
	if after, ok := apierrors.SuggestsClientDelay(err); !ok || after < 1 {
		e.Errorf("come back after %d, %v", after, ok)
	}
}

// SeeMissingKind is for a custom kind that is not defined, or no longer.
func SeeMissingKind(t *testing.T, config *rest.Config, namespace string, resource schema.GroupVersionResource) {
	e := connected(t, config, namespace)
	in := e.dynamic.Resource(resource).Namespace(namespace)
	check := func(err error) {
		t.Helper()
		e.refused(err, refusal{code: http.StatusNotFound, reason: metav1.StatusReasonNotFound, message: "the server could not find the requested resource"})
	}
	_, err := in.List(e.ctx, metav1.ListOptions{})
	check(err)
	_, err = in.Watch(e.ctx, metav1.ListOptions{})
	check(err)
}

// SeeConflict is for an update that comes after another one, of a config map that has this version.
func SeeConflict(t *testing.T, config *rest.Config, namespace, name, version string) {
	e := connected(t, config, namespace)
	old := configMap(name, "k", "mine")
	old.ResourceVersion = version
	_, err := e.configMaps().Update(e.ctx, old, metav1.UpdateOptions{})
	e.refused(err, conflict("configmaps", name, `Operation cannot be fulfilled on configmaps "`+name+`": `+modified))
}

// SeeAlreadyExists is for the creation of what is there.
func SeeAlreadyExists(t *testing.T, config *rest.Config, namespace, name string) {
	e := connected(t, config, namespace)
	_, err := e.configMaps().Create(e.ctx, configMap(name), metav1.CreateOptions{})
	e.refused(err, refusal{code: http.StatusConflict, reason: metav1.StatusReasonAlreadyExists, kind: "configmaps", name: name,
		message: `configmaps "` + name + `" already exists`})
}

// SeeExpired is for a version that was compacted away.
func SeeExpired(t *testing.T, config *rest.Config, namespace, version string) {
	e := connected(t, config, namespace)
	_, err := e.configMaps().List(e.ctx, metav1.ListOptions{ResourceVersion: version, ResourceVersionMatch: metav1.ResourceVersionMatchExact})
	e.refused(err, expired)
	w, err := e.watchFrom(version)
	e.must(err)
	status := w.failure()
	if status.Code != expired.code || status.Reason != expired.reason || !strings.HasPrefix(status.Message, "too old resource version: "+version+" (") {
		e.Errorf("%+v", status)
	}
	if events := w.rest(); len(events) != 0 {
		e.Errorf("%q after the end", words(events))
	}
}

// SeeNoInitialEvents is for a server without the feature WatchList.
func SeeNoInitialEvents(t *testing.T, config *rest.Config, namespace string) {
	e := connected(t, config, namespace)
	yes := true
	_, err := e.configMaps().Watch(e.ctx, metav1.ListOptions{SendInitialEvents: &yes, AllowWatchBookmarks: true,
		ResourceVersionMatch: metav1.ResourceVersionMatchNotOlderThan})
	r := invalidOption("ListOptions", cause{metav1.CauseType("FieldValueForbidden"), "sendInitialEvents"})
	r.message = "sendInitialEvents is forbidden for watch unless the WatchList feature gate is enabled"
	e.refused(err, r)
	w, err := e.configMaps().Watch(e.ctx, metav1.ListOptions{})
	e.must(err) // the old way goes
	w.Stop()
}

// SeeConversionFailed is for a custom kind whose conversion webhook cannot be reached, in a version other than the stored one,
// of which there is one object, called a.
func SeeConversionFailed(t *testing.T, config *rest.Config, namespace string, resource schema.GroupVersionResource) {
	e := connected(t, config, namespace)
	in := e.dynamic.Resource(resource).Namespace(namespace)
	check := func(err error) {
		t.Helper()
		status := e.status(err)
		if status == nil {
			return
		}
		if status.Code != http.StatusInternalServerError || status.Reason != metav1.StatusReasonUnknown ||
			!strings.HasPrefix(status.Message, "conversion webhook for "+resource.Group+"/") || !strings.Contains(status.Message, "connection refused") {
			e.Errorf("%+v", status)
		}
	}
	_, err := in.List(e.ctx, metav1.ListOptions{})
	check(err)
	_, err = in.Get(e.ctx, "a", metav1.GetOptions{})
	check(err)
}

// SeeCut is for connections that break off while there are watches: cut does that. There has to be something to watch.
func SeeCut(t *testing.T, config *rest.Config, namespace string, cut func()) {
	e := connected(t, config, namespace)
	typed, err := e.configMaps().Watch(e.ctx, metav1.ListOptions{})
	e.must(err)
	untyped, err := e.dynamic.Resource(configMaps).Namespace(namespace).Watch(e.ctx, metav1.ListOptions{})
	e.must(err)
	frames, err := e.json.Get().AbsPath(e.configMapsPath()).Param("watch", "1").Frames(e.ctx)
	e.must(err)
	defer frames.Close()
	streams := []*stream{e.stream(typed), e.stream(untyped)}
	for _, s := range streams {
		s.next()
	}
	_, err = frames.Next()
	e.must(err)
	cut()
	for _, s := range streams {
		// Nothing says that it was not the usual end of a watch.
		for event, ok := s.event(); ok; event, ok = s.event() {
			if event.Type == watch.Error {
				e.Errorf("%+v", event.Object)
			}
		}
	}
	for err == nil {
		_, err = frames.Next()
	}
	if err == io.EOF || errors.As(err, new(apierrors.APIStatus)) {
		e.Errorf("the frames end with %v; want an error of the connection", err)
	}
}

// SeeRefused is for a server that is not there.
func SeeRefused(t *testing.T, config *rest.Config, namespace string) {
	e := connected(t, config, namespace)
	e.each(func(verb string, err error) {
		e.Helper()
		if !errors.Is(err, syscall.ECONNREFUSED) {
			e.Errorf("%s: %v", verb, err)
		}
	})
}
