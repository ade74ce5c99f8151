package conformance

import (
	"fmt"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// fill creates config maps c0, c1, ... with the label n=0, n=1, ..., and odd=true or odd=false.
func (e *env) fill(n int) (names []string) {
	e.Helper()
	for i := range n {
		c := configMap(fmt.Sprint("c", i))
		c.Labels = map[string]string{"n": fmt.Sprint(i), "odd": fmt.Sprint(i%2 == 1)}
		names = append(names, e.create(c).Name)
	}
	return names
}

var paging = []behaviour{
	{"a limit gives a page, a token and how many remain", func(e *env) {
		e.fill(5)
		l := e.list(metav1.ListOptions{Limit: 2})
		e.equal("names", namesOf(l), []string{"c0", "c1"})
		if l.Continue == "" || l.RemainingItemCount == nil || *l.RemainingItemCount != 3 {
			e.Errorf("%+v", l.ListMeta)
		}
	}},
	{"all pages together are the list, and the last has no token", func(e *env) {
		want := e.fill(7)
		var names []string
		opts := metav1.ListOptions{Limit: 3}
		for pages := 1; ; pages++ {
			l := e.list(opts)
			names = append(names, namesOf(l)...)
			if opts.Continue = l.Continue; opts.Continue == "" {
				if pages != 3 || l.RemainingItemCount != nil && *l.RemainingItemCount != 0 {
					e.Errorf("%d pages, the last with %+v", pages, l.ListMeta)
				}
				break
			}
		}
		e.equal("names", names, want)
	}},
	{"a limit of as many as there are leaves no token", func(e *env) {
		e.fill(2)
		if l := e.list(metav1.ListOptions{Limit: 2}); len(l.Items) != 2 || l.Continue != "" || l.RemainingItemCount != nil {
			e.Errorf("%d items, %+v", len(l.Items), l.ListMeta)
		}
	}},
	{"pages show one moment, whatever happens between them", func(e *env) {
		e.fill(4)
		first := e.list(metav1.ListOptions{Limit: 2})
		e.delete("c2")
		e.create(configMap("c22"))
		changed := configMap("c3")
		changed.Labels = map[string]string{"changed": "yes"}
		e.update(changed)
		second := e.list(metav1.ListOptions{Limit: 2, Continue: first.Continue})
		e.equal("names", namesOf(second), []string{"c2", "c3"})
		if second.ResourceVersion != first.ResourceVersion || second.Items[1].Labels["changed"] != "" || second.Continue != "" {
			e.Errorf("%+v after %+v", second, first.ListMeta)
		}
	}},
	{"the size of a page may change on the way", func(e *env) {
		e.fill(6)
		l := e.list(metav1.ListOptions{Limit: 1})
		l = e.list(metav1.ListOptions{Limit: 4, Continue: l.Continue})
		e.equal("names", namesOf(l), []string{"c1", "c2", "c3", "c4"})
		l = e.list(metav1.ListOptions{Continue: l.Continue})
		e.equal("names", namesOf(l), []string{"c5"})
	}},
	{"a page of a selection is full, and does not say how many remain", func(e *env) {
		e.fill(7)
		l := e.list(metav1.ListOptions{Limit: 2, LabelSelector: "odd=true"})
		e.equal("names", namesOf(l), []string{"c1", "c3"})
		if l.Continue == "" || l.RemainingItemCount != nil {
			e.Errorf("%+v", l.ListMeta)
		}
		l = e.list(metav1.ListOptions{Limit: 2, LabelSelector: "odd=true", Continue: l.Continue})
		e.equal("names", namesOf(l), []string{"c5"})
	}},
	{"a negative limit is none", func(e *env) {
		e.fill(3)
		if l := e.list(metav1.ListOptions{Limit: -1}); len(l.Items) != 3 {
			e.Errorf("%d items", len(l.Items))
		}
	}},
	{"a limit works in all encodings and views", func(e *env) {
		e.fill(3)
		meta, err := e.meta.Resource(configMapResource).Namespace(e.ns).List(e.ctx, metav1.ListOptions{Limit: 2})
		e.must(err)
		dynamic, err := e.dynamic.Resource(configMapResource).Namespace(e.ns).List(e.ctx, metav1.ListOptions{Limit: 2})
		e.must(err)
		if len(meta.Items) != 2 || len(dynamic.Items) != 2 || meta.Continue == "" || dynamic.GetContinue() == "" {
			e.Errorf("%+v, %+v", meta.ListMeta, dynamic.Object)
		}
	}},
	{"a token that is none is refused", func(e *env) {
		for _, token := range []string{"garbage", "eyJ2IjoibWV0YS5rOHMuaW8vdjEifQ", "eyJ2IjoieCIsInJ2IjoxLCJzdGFydCI6ImEifQ"} {
			_, err := e.configMaps().List(e.ctx, metav1.ListOptions{Limit: 2, Continue: token})
			e.refused(err, badRequest("continue"))
		}
	}},
	{"a token and a version exclude each other", func(e *env) {
		e.fill(2)
		l := e.list(metav1.ListOptions{Limit: 1})
		_, err := e.configMaps().List(e.ctx, metav1.ListOptions{Limit: 1, Continue: l.Continue, ResourceVersion: l.ResourceVersion})
		e.refused(err, badRequest("specifying resource version is not allowed when using continue"))
	}},
	{"a watch from the first page's version misses nothing", func(e *env) {
		e.fill(3)
		first := e.list(metav1.ListOptions{Limit: 2})
		e.delete("c0")
		rest := e.list(metav1.ListOptions{Limit: 2, Continue: first.Continue})
		if names := slices.Concat(namesOf(first), namesOf(rest)); len(names) != 3 {
			e.Errorf("%q", names)
		}
		e.watch(metav1.ListOptions{ResourceVersion: rest.ResourceVersion}).expect("DELETED c0")
	}},
}
