package cache

import (
	"context"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"

	"vedette.dev/rest"
)

type contextKey struct{}

// Of each pair of functions one is enough, and the one with a context is preferred where there is one.
func TestListWatchPrefersContexts(t *testing.T) {
	ctx := context.WithValue(t.Context(), contextKey{}, "mine")
	var called []string
	note := func(what string, ctx context.Context) {
		if ctx != nil && ctx.Value(contextKey{}) == "mine" {
			what += " in context"
		}
		called = append(called, what)
	}
	plain := ListWatch{
		ListFunc:  func(metav1.ListOptions) (runtime.Object, error) { note("list", nil); return nil, nil },
		WatchFunc: func(metav1.ListOptions) (watch.Interface, error) { note("watch", nil); return nil, nil },
	}
	with := ListWatch{
		ListWithContextFunc: func(ctx context.Context, _ metav1.ListOptions) (runtime.Object, error) {
			note("list with", ctx)
			return nil, nil
		},
		WatchFuncWithContext: func(ctx context.Context, _ metav1.ListOptions) (watch.Interface, error) {
			note("watch with", ctx)
			return nil, nil
		},
	}
	both := with
	both.ListFunc, both.WatchFunc = plain.ListFunc, plain.WatchFunc
	for _, c := range []struct {
		lw   ListWatch
		want []string
	}{
		{plain, []string{"list", "list", "watch", "watch"}},
		{with, []string{"list with", "list with in context", "watch with", "watch with in context"}},
		{both, []string{"list", "list with in context", "watch", "watch with in context"}},
	} {
		called = nil
		_, _ = c.lw.List(metav1.ListOptions{})
		_, _ = c.lw.ListWithContext(ctx, metav1.ListOptions{})
		_, _ = c.lw.Watch(metav1.ListOptions{})
		_, _ = c.lw.WatchWithContext(ctx, metav1.ListOptions{})
		wantEqual(t, "called", called, c.want)
	}
}

// What knows contexts stays itself, what does not is wrapped.
func TestToWithContext(t *testing.T) {
	lw := &ListWatch{}
	wantEqual[any](t, "lister", ToListerWithContext(lw), lw)
	wantEqual[any](t, "watcher", ToWatcherWithContext(lw), lw)
	wantEqual[any](t, "both", ToListerWatcherWithContext(lw), lw)
	p := newPuppet("7")
	wrapped := ToListerWatcherWithContext(p)
	list, err := wrapped.ListWithContext(t.Context(), metav1.ListOptions{})
	mustNot(t, err)
	wantEqual(t, "version", list.(*corev1.PodList).ResourceVersion, "7")
	_, err = wrapped.WatchWithContext(t.Context(), metav1.ListOptions{})
	mustNot(t, err)
}

// What is asked for is said in the request, and may be changed on the way.
func TestListWatchFromClientAsks(t *testing.T) {
	client, err := rest.RESTClientFor(&rest.Config{
		Host: "http://nowhere", APIPath: "/api",
		ContentConfig: rest.ContentConfig{GroupVersion: &corev1.SchemeGroupVersion, NegotiatedSerializer: podCodecs},
	})
	mustNot(t, err)
	selector := fields.OneTermEqualSelector("spec.nodeName", "n1")
	for _, c := range []struct {
		lw          *ListWatch
		list, watch string
	}{
		{NewListWatchFromClient(client, "pods", "ns", selector),
			"http://nowhere/api/v1/namespaces/ns/pods?fieldSelector=spec.nodeName%3Dn1&limit=5",
			"http://nowhere/api/v1/namespaces/ns/pods?fieldSelector=spec.nodeName%3Dn1&limit=5&watch=true"},
		{NewListWatchFromClient(client, "pods", "", nil),
			"http://nowhere/api/v1/pods?limit=5", "http://nowhere/api/v1/pods?limit=5&watch=true"},
		{NewFilteredListWatchFromClient(client, "pods", "", func(o *metav1.ListOptions) { o.LabelSelector, o.Limit = "a=b", 0 }),
			"http://nowhere/api/v1/pods?labelSelector=a%3Db", "http://nowhere/api/v1/pods?labelSelector=a%3Db&watch=true"},
		{NewFilteredListWatchFromClient(client, "pods", "", nil),
			"http://nowhere/api/v1/pods?limit=5", "http://nowhere/api/v1/pods?limit=5&watch=true"},
	} {
		requests := c.lw.raw.requests
		wantEqual(t, "list", requests.ListRequest(metav1.ListOptions{Limit: 5}).URL().String(), c.list)
		wantEqual(t, "watch", requests.WatchRequest(metav1.ListOptions{Limit: 5}).URL().String(), c.watch)
	}
}

func TestAListWatchWithoutFunctionsIsAnError(t *testing.T) {
	lw := &ListWatch{}
	_, err := lw.List(metav1.ListOptions{})
	wantError(t, err, "no list function")
	_, err = lw.ListWithContext(t.Context(), metav1.ListOptions{})
	wantError(t, err, "no list function")
	_, err = lw.Watch(metav1.ListOptions{})
	wantError(t, err, "no watch function")
	_, err = lw.WatchWithContext(t.Context(), metav1.ListOptions{})
	wantError(t, err, "no watch function")
}

// wrapped is a ListerWatcher of a program, as one that filters events.
type wrapped struct{ ListerWatcher }

type wrappedWithSemantics struct {
	wrapped
	refuses bool
}

func (w wrappedWithSemantics) IsWatchListSemanticsUnSupported() bool { return w.refuses }

func TestWhichListerWatchersAreAskedForAStreamingList(t *testing.T) {
	functions := &ListWatch{}
	for name, c := range map[string]struct {
		lw   ListerWatcher
		want bool
	}{
		"functions":                                {functions, true},
		"functions of a client that refuses":       {ToListWatcherWithWatchListSemantics(functions, wrappedWithSemantics{refuses: true}), false},
		"functions of a client that says nothing":  {ToListWatcherWithWatchListSemantics(functions, nil), true},
		"a type of the program":                    {wrapped{functions}, false},
		"a type of the program that supports them": {wrappedWithSemantics{wrapped: wrapped{functions}}, true},
		"a type of the program that refuses":       {wrappedWithSemantics{wrapped{functions}, true}, false},
	} {
		wantEqual(t, name, !sourceOf(c.lw).NoWatchList, c.want)
	}
}
