package conformance

import (
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

var watching = []behaviour{
	{"creation, change and deletion are events, with growing versions", func(e *env) {
		w := e.watch(metav1.ListOptions{ResourceVersion: e.list(metav1.ListOptions{}).ResourceVersion})
		c := e.create(configMap("a", "k", "1"))
		c.Data["k"] = "2"
		changed := e.update(c)
		e.delete("a")
		events := w.expect("ADDED a", "MODIFIED a", "DELETED a")
		if events[0].version != c.ResourceVersion || events[1].version != changed.ResourceVersion {
			e.Errorf("%+v", events)
		}
		e.grows(events)
	}},
	{"the version of a deletion is newer than the object's last", func(e *env) {
		c := e.create(configMap("a", "k", "last"))
		w := e.watch(metav1.ListOptions{ResourceVersion: c.ResourceVersion})
		e.delete("a")
		event := w.expect("DELETED a")[0]
		if e.version(event.version) <= e.version(c.ResourceVersion) || event.object.(*corev1.ConfigMap).Data["k"] != "last" || event.object.GetUID() != c.UID {
			e.Errorf("%+v", event.object)
		}
		// A watch can be taken up again from there.
		e.create(configMap("b"))
		e.watch(metav1.ListOptions{ResourceVersion: event.version}).expect("ADDED b")
	}},
	{"from a list's version there is no gap and no double", func(e *env) {
		e.fill(3)
		l := e.list(metav1.ListOptions{})
		e.create(configMap("before"))
		w := e.watch(metav1.ListOptions{ResourceVersion: l.ResourceVersion})
		e.create(configMap("after"))
		w.expect("ADDED before", "ADDED after")
	}},
	{"from an old version the past is told as it happened", func(e *env) {
		a := e.create(configMap("a", "k", "1"))
		a.Data["k"] = "2"
		e.update(a.DeepCopy())
		e.create(configMap("b"))
		e.delete("a")
		events := e.watch(metav1.ListOptions{ResourceVersion: a.ResourceVersion}).expect("MODIFIED a", "ADDED b", "DELETED a")
		e.grows(events)
	}},
	{"a change of nothing is not an event", func(e *env) {
		c := e.create(configMap("a", "k", "v"))
		w := e.watch(metav1.ListOptions{ResourceVersion: c.ResourceVersion})
		e.update(c)
		e.patch(types.MergePatchType, "a", `{}`)
		e.create(configMap("b"))
		w.expect("ADDED b")
	}},
	{"what others do elsewhere is not told", func(e *env) {
		other := e.newNamespace()
		w := e.watch(metav1.ListOptions{ResourceVersion: e.list(metav1.ListOptions{}).ResourceVersion})
		_, err := e.kube.CoreV1().ConfigMaps(other).Create(e.ctx, configMap("elsewhere"), metav1.CreateOptions{})
		e.must(err)
		e.createPod(pod("another-kind"))
		e.create(configMap("here"))
		w.expect("ADDED here")
	}},
	{"an object that enters or leaves a selection is added or deleted", func(e *env) {
		c := e.create(configMap("a"))
		w := e.watch(metav1.ListOptions{ResourceVersion: c.ResourceVersion, LabelSelector: "in=yes"})
		label := func(value string) { e.patch(types.MergePatchType, "a", `{"metadata":{"labels":{"in":`+value+`}}}`) }
		label(`"yes"`)
		e.patch(types.MergePatchType, "a", `{"data":{"k":"v"}}`)
		label(`"no"`)
		e.patch(types.MergePatchType, "a", `{"data":{"k":"unseen"}}`)
		label(`"yes"`)
		e.delete("a")
		events := w.expect("ADDED a", "MODIFIED a", "DELETED a", "ADDED a", "DELETED a")
		e.grows(events)
		// The deletion shows the object as it was while it was in, with the version at which it left.
		if left := events[2].object.(*corev1.ConfigMap); left.Labels["in"] != "yes" || left.Data["k"] != "v" {
			e.Errorf("%+v", left)
		}
	}},
	{"a field selector follows the field", func(e *env) {
		p := e.createPod(pod("a"))
		w, err := e.pods().Watch(e.ctx, metav1.ListOptions{ResourceVersion: p.ResourceVersion, FieldSelector: "spec.nodeName=node-1"})
		e.must(err)
		s := e.stream(w)
		e.must(e.pods().Bind(e.ctx, &corev1.Binding{ObjectMeta: metav1.ObjectMeta{Name: "a"}, Target: corev1.ObjectReference{Kind: "Node", Name: "node-1"}}, metav1.CreateOptions{}))
		e.must(e.pods().Delete(e.ctx, "a", grace(0)))
		s.expect("ADDED a", "MODIFIED a", "DELETED a")
	}},
	{"one object alone can be watched by its name", func(e *env) {
		e.fill(2)
		w := e.watch(metav1.ListOptions{ResourceVersion: e.list(metav1.ListOptions{}).ResourceVersion, FieldSelector: "metadata.name=c1"})
		e.delete("c0")
		e.delete("c1")
		w.expect("DELETED c1")
	}},
	{"many watchers see the same events in the same order", func(e *env) {
		const watchers, objects = 10, 20
		version := e.list(metav1.ListOptions{}).ResourceVersion
		var streams []*stream
		for range watchers {
			streams = append(streams, e.watch(metav1.ListOptions{ResourceVersion: version}))
		}
		for i := range objects {
			e.create(configMap(fmt.Sprint("c", i)))
		}
		e.must(e.configMaps().DeleteCollection(e.ctx, metav1.DeleteOptions{}, metav1.ListOptions{}))
		var first []string
		for i, s := range streams {
			var events []told
			for range 2 * objects {
				events = append(events, s.next())
			}
			e.grows(events)
			if i == 0 {
				first = words(events)
			} else if !slices.Equal(words(events), first) {
				e.Errorf("watcher %d: %q, the first %q", i, words(events), first)
			}
		}
	}},
	{"deletion by collection is an event for each", func(e *env) {
		e.fill(3)
		w := e.watch(metav1.ListOptions{ResourceVersion: e.list(metav1.ListOptions{}).ResourceVersion})
		e.must(e.configMaps().DeleteCollection(e.ctx, metav1.DeleteOptions{}, metav1.ListOptions{}))
		events := []told{w.next(), w.next(), w.next()}
		e.grows(events)
		got := words(events)
		slices.Sort(got)
		e.equal("events", got, []string{"DELETED c0", "DELETED c1", "DELETED c2"})
	}},
	{"all namespaces can be watched at once", func(e *env) {
		selector := "conformance=" + e.namespace()
		l, err := e.kube.CoreV1().ConfigMaps("").List(e.ctx, metav1.ListOptions{LabelSelector: selector})
		e.must(err)
		w, err := e.kube.CoreV1().ConfigMaps("").Watch(e.ctx, metav1.ListOptions{LabelSelector: selector, ResourceVersion: l.ResourceVersion})
		e.must(err)
		s := e.stream(w)
		for _, ns := range []string{e.ns, e.newNamespace()} {
			c := configMap("a")
			c.Labels = map[string]string{"conformance": e.ns}
			_, err := e.kube.CoreV1().ConfigMaps(ns).Create(e.ctx, c, metav1.CreateOptions{})
			e.must(err)
			if event := s.expect("ADDED a")[0]; event.object.GetNamespace() != ns {
				e.Errorf("in %s", event.object.GetNamespace())
			}
		}
	}},
}

// grows checks that each event is newer than the one before.
func (e *env) grows(events []told) {
	e.Helper()
	for i := 1; i < len(events); i++ {
		if e.version(events[i].version) <= e.version(events[i-1].version) {
			e.Errorf("%s of %s after %s of %s", events[i], events[i].version, events[i-1], events[i-1].version)
		}
	}
}
