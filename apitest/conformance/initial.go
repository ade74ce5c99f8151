package conformance

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
)

// whole asks for a watch that begins with the state, and says when that is complete.
func whole(version string) metav1.ListOptions {
	yes := true
	return metav1.ListOptions{SendInitialEvents: &yes, AllowWatchBookmarks: true, ResourceVersion: version,
		ResourceVersionMatch: metav1.ResourceVersionMatchNotOlderThan}
}

// end reads the bookmark that ends the initial events.
func (s *stream) end() told {
	s.e.Helper()
	got := s.next()
	if got.kind != watch.Bookmark || got.object.GetAnnotations()[metav1.InitialEventsAnnotationKey] != "true" {
		s.e.Fatalf("%s %+v, want the bookmark that ends the initial events", got, got.object)
	}
	return got
}

var streaming = []behaviour{
	{"the state comes first, then a bookmark, then what happens", func(e *env) {
		e.fill(3)
		w := e.watch(whole(""))
		w.expect("ADDED c0", "ADDED c1", "ADDED c2")
		w.end()
		e.create(configMap("d"))
		e.delete("c0")
		w.expect("ADDED d", "DELETED c0")
	}},
	{"the state has what was just written", func(e *env) {
		var last string
		for _, name := range e.fill(5) {
			last = e.read(name).ResourceVersion
		}
		w := e.watch(whole(""))
		w.expect("ADDED c0", "ADDED c1", "ADDED c2", "ADDED c3", "ADDED c4")
		if end := w.end(); e.version(end.version) < e.version(last) {
			e.Errorf("the state of %s, after a change of %s", end.version, last)
		}
	}},
	{"of nothing, the bookmark comes at once", func(e *env) {
		end := e.watch(whole("")).end()
		if e.version(end.version) == 0 || end.name != "" || end.object.GetUID() != "" {
			e.Errorf("%+v", end.object)
		}
	}},
	{"the state is not older than the version asked for", func(e *env) {
		c := e.create(configMap("a"))
		w := e.watch(whole(c.ResourceVersion))
		w.expect("ADDED a")
		if end := w.end(); e.version(end.version) < e.version(c.ResourceVersion) {
			e.Errorf("the state of %s, want %s at least", end.version, c.ResourceVersion)
		}
	}},
	{"from version 0 any state will do", func(e *env) {
		e.fill(1)
		e.synced()
		w := e.watch(whole("0"))
		w.expect("ADDED c0")
		w.end()
	}},
	{"the state is that of the selection", func(e *env) {
		e.fill(4)
		opts := whole("")
		opts.LabelSelector = "odd=true"
		w := e.watch(opts)
		w.expect("ADDED c1", "ADDED c3")
		w.end()
	}},
	{"without bookmarks allowed the end is not told", func(e *env) {
		e.fill(1)
		opts := whole("")
		opts.AllowWatchBookmarks = false
		w := e.watch(opts)
		w.expect("ADDED c0")
		e.create(configMap("d"))
		w.expect("ADDED d")
	}},
	{"if it is not wanted the watch begins now", func(e *env) {
		e.fill(2)
		opts, no := whole(""), false
		opts.SendInitialEvents = &no
		w := e.watch(opts)
		// The watch has begun for sure once the server has answered, and it has.
		e.create(configMap("d"))
		w.expect("ADDED d")
	}},
	{"of the future is an error that says so", func(e *env) {
		opts := whole(future)
		opts.TimeoutSeconds = seconds(10)
		status := e.watch(opts).failure()
		if status.Code != tooLarge.code || status.Reason != tooLarge.reason || status.Details == nil || len(status.Details.Causes) != 1 ||
			status.Details.Causes[0].Type != metav1.CauseTypeResourceVersionTooLarge {
			e.Errorf("%+v", status)
		}
	}},
	{"it works for custom resources and for metadata alone", func(e *env) {
		e.fill(2)
		w, err := e.meta.Resource(configMapResource).Namespace(e.ns).Watch(e.ctx, whole(""))
		e.must(err)
		s := e.stream(w)
		s.expect("ADDED c0", "ADDED c1")
		s.end()
		w, err = e.dynamic.Resource(configMapResource).Namespace(e.ns).Watch(e.ctx, whole(""))
		e.must(err)
		s = e.stream(w)
		s.expect("ADDED c0", "ADDED c1")
		s.end()
	}},
}
