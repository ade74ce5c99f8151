package conformance

import (
	"net/http"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

var expired = refusal{code: http.StatusGone, reason: metav1.StatusReasonExpired}

// past is what a client remembers of a time that the server has forgotten.
type past struct {
	ns   string
	page *corev1.ConfigMapList // c0 and c1, with a token for more
}

// remember makes the server forget, once for all behaviours: a real one takes seconds. There are c0, c1, c2 and new by
// now; c3 was there when the page was read.
func (e *env) remember() *past {
	e.Helper()
	if e.target.Compact == nil {
		e.Skip("the target cannot be made to forget")
	}
	if e.clients.past == nil {
		e.fill(4)
		page := e.list(metav1.ListOptions{Limit: 2})
		e.delete("c3")
		e.create(configMap("new"))
		e.must(e.target.Compact(e.ctx))
		e.clients.past = &past{e.ns, page}
	}
	e.ns = e.clients.past.ns
	return e.clients.past
}

var expiring = []behaviour{
	{"a watch from a forgotten version ends with 410", func(e *env) {
		w, err := e.watchFrom(e.remember().page.ResourceVersion)
		if err != nil { // which is as good as an event
			e.refused(err, expired)
			return
		}
		status := w.failure()
		if status.Code != expired.code || status.Reason != expired.reason {
			e.Errorf("%+v", status)
		}
		if events := w.rest(); len(events) != 0 {
			e.Errorf("%q after the end", words(events))
		}
	}},
	{"a list of an exact forgotten version is expired", func(e *env) {
		old := e.remember().page.ResourceVersion
		_, err := e.configMaps().List(e.ctx, metav1.ListOptions{ResourceVersion: old, ResourceVersionMatch: metav1.ResourceVersionMatchExact})
		e.refused(err, expired)
	}},
	{"a list that is not older than a forgotten version is fine", func(e *env) {
		old := e.remember().page.ResourceVersion
		e.equal("names", namesOf(e.list(metav1.ListOptions{ResourceVersion: old})), []string{"c0", "c1", "c2", "new"})
	}},
	{"the next page is expired, and comes with a token to go on from now", func(e *env) {
		_, err := e.configMaps().List(e.ctx, metav1.ListOptions{Limit: 2, Continue: e.remember().page.Continue})
		e.refused(err, expired)
		status := e.status(err)
		if status == nil || status.Continue == "" {
			e.Fatalf("%+v", status)
		}
		l := e.list(metav1.ListOptions{Limit: 2, Continue: status.Continue})
		e.equal("names", namesOf(l), []string{"c2", "new"})
	}},
	{"a watch from a new list goes on", func(e *env) {
		e.remember()
		w := e.watch(metav1.ListOptions{ResourceVersion: e.list(metav1.ListOptions{}).ResourceVersion})
		e.create(configMap("zz"))
		w.expect("ADDED zz")
	}},
}

func (e *env) watchFrom(version string) (*stream, error) {
	e.Helper()
	w, err := e.configMaps().Watch(e.ctx, metav1.ListOptions{ResourceVersion: version, TimeoutSeconds: seconds(10)})
	if err != nil {
		return nil, err
	}
	return e.stream(w), nil
}
