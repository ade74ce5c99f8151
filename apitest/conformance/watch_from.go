package conformance

import (
	"net/http"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
)

func seconds(n int64) *int64 { return &n }

var watchingFrom = []behaviour{
	{"from version 0 what is there is added first", func(e *env) {
		e.fill(2)
		e.synced()
		w := e.watch(metav1.ListOptions{ResourceVersion: "0"})
		w.expect("ADDED c0", "ADDED c1")
		e.create(configMap("d"))
		e.delete("c0")
		w.expect("ADDED d", "DELETED c0")
	}},
	{"from no version what is there is added first", func(e *env) {
		e.fill(2)
		w := e.watch(metav1.ListOptions{})
		w.expect("ADDED c0", "ADDED c1")
		e.create(configMap("d"))
		w.expect("ADDED d")
	}},
	{"from no version only the selection is added", func(e *env) {
		e.fill(4)
		w := e.watch(metav1.ListOptions{LabelSelector: "odd=true"})
		w.expect("ADDED c1", "ADDED c3")
	}},
	{"from the future there is silence until it ends", func(e *env) {
		w := e.watch(metav1.ListOptions{ResourceVersion: future, TimeoutSeconds: seconds(1)})
		e.create(configMap("a"))
		if events := w.rest(); len(events) != 0 {
			e.Errorf("%q", words(events))
		}
	}},
	{"from a version that is not a number is rejected", func(e *env) {
		// The status is that of an accident; so it is on the real server.
		a := e.ask("GET", e.configMapsPath()+"?watch=true&resourceVersion=abc", "")
		e.refused(a.err, refusal{code: http.StatusInternalServerError, message: `resourceVersion: Invalid value: "abc"`})
	}},
	{"options that contradict each other are refused", func(e *env) {
		for query, want := range map[string]cause{
			"resourceVersion=5&resourceVersionMatch=NotOlderThan": {metav1.CauseTypeForbidden, "resourceVersionMatch"},
			"continue=abc":           {metav1.CauseTypeForbidden, "resourceVersionMatch"},
			"sendInitialEvents=true": {metav1.CauseTypeForbidden, "resourceVersionMatch"},
			"sendInitialEvents=true&resourceVersion=5&resourceVersionMatch=Exact": {metav1.CauseTypeFieldValueNotSupported, "resourceVersionMatch"},
		} {
			e.refused(e.ask("GET", e.configMapsPath()+"?watch=true&timeoutSeconds=1&"+query, "").err, invalidOption("ListOptions", want))
		}
	}},
	{"it ends after timeoutSeconds, properly", func(e *env) {
		begin := time.Now()
		w := e.watch(metav1.ListOptions{TimeoutSeconds: seconds(1)})
		if events := w.rest(); len(events) != 0 {
			e.Errorf("%q", words(events))
		}
		if took := time.Since(begin); took < 900*time.Millisecond || took > 10*time.Second {
			e.Errorf("after %v", took)
		}
	}},
	{"it goes on where another one ended", func(e *env) {
		e.create(configMap("a"))
		events := e.watch(metav1.ListOptions{TimeoutSeconds: seconds(1)}).rest()
		e.equal("events", words(events), []string{"ADDED a"})
		e.create(configMap("b"))
		e.watch(metav1.ListOptions{ResourceVersion: events[0].version}).expect("ADDED b")
	}},
	{"bookmarks tell a newer version, and nothing else, and a watch can go on from there", func(e *env) {
		l := e.list(metav1.ListOptions{})
		// One comes about two seconds before the end, if the kind has changed since the beginning.
		w := e.watch(metav1.ListOptions{ResourceVersion: l.ResourceVersion, AllowWatchBookmarks: true, LabelSelector: "none", TimeoutSeconds: seconds(4)})
		unseen := e.create(configMap("unseen"))
		events := w.rest()
		if len(events) == 0 {
			e.Fatal("no bookmark came before the end")
		}
		for _, event := range events {
			if event.kind != watch.Bookmark || event.name != "" || event.object.GetNamespace() != "" || event.object.GetUID() != "" || len(event.object.GetAnnotations()) != 0 {
				e.Errorf("%s %+v", event, event.object)
			}
		}
		last := events[len(events)-1]
		if e.version(last.version) < e.version(unseen.ResourceVersion) {
			e.Errorf("a bookmark of %s after a change of %s", last.version, unseen.ResourceVersion)
		}
		e.create(configMap("b"))
		e.watch(metav1.ListOptions{ResourceVersion: last.version}).expect("ADDED b")
	}},
	{"without being allowed no bookmarks come", func(e *env) {
		w := e.watch(metav1.ListOptions{ResourceVersion: e.list(metav1.ListOptions{}).ResourceVersion, TimeoutSeconds: seconds(3)})
		e.create(configMap("a"))
		e.equal("events", words(w.rest()), []string{"ADDED a"})
	}},
	{"of what is not served is not found", func(e *env) {
		a := e.ask("GET", "/api/v1/namespaces/"+e.namespace()+"/nothings?watch=true", "")
		e.refused(a.err, refusal{code: http.StatusNotFound, reason: metav1.StatusReasonNotFound})
	}},
}

// synced waits until the server's caches have what was just written, so that version 0 means that.
func (e *env) synced() {
	e.Helper()
	e.list(metav1.ListOptions{ResourceVersion: e.list(metav1.ListOptions{}).ResourceVersion})
}
