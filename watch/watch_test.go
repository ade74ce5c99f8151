package watch_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/wait"
	apiwatch "k8s.io/apimachinery/pkg/watch"

	"vedette.dev/apitest"
	"vedette.dev/cache"
	corev1client "vedette.dev/kubernetes/typed/core/v1"
	"vedette.dev/rest"
	"vedette.dev/watch"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func start(t *testing.T) (*apitest.Server, *cache.ListWatch) {
	t.Helper()
	server, err := apitest.Start(apitest.Config{CreateNamespaces: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(server.Close)
	client := corev1client.NewForConfigOrDie(server.RESTConfig())
	t.Cleanup(client.RESTClient().(*rest.RESTClient).Client.CloseIdleConnections)
	return server, cache.NewListWatchFromClient(client.RESTClient(), "configmaps", "default", fields.Everything())
}

func configMap(name, value string) *corev1.ConfigMap {
	return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "default"}, Data: map[string]string{"v": value}}
}

func put(t *testing.T, server *apitest.Server, objs ...runtime.Object) {
	t.Helper()
	if err := server.Put(objs...); err != nil {
		t.Fatal(err)
	}
}

func text(e apiwatch.Event) string {
	c := e.Object.(*corev1.ConfigMap)
	return fmt.Sprintf("%s %s %s", e.Type, c.Name, c.Data["v"])
}

func read(t *testing.T, w apiwatch.Interface) apiwatch.Event {
	t.Helper()
	select {
	case e, ok := <-w.ResultChan():
		if !ok {
			t.Fatal("the watch is closed")
		}
		return e
	case <-time.After(20 * time.Second):
		t.Fatal("no event")
	}
	return apiwatch.Event{}
}

// TestRetryWatcher: connections are cut between events, and each event is seen once.
func TestRetryWatcher(t *testing.T) {
	server, lw := start(t)
	put(t, server, configMap("before", ""))
	w, err := watch.NewRetryWatcherWithContext(t.Context(), server.ResourceVersion(), lw)
	if err != nil {
		t.Fatal(err)
	}
	var got, want []string
	for i := range 4 {
		put(t, server, configMap("a", fmt.Sprint(i)))
		kind := apiwatch.Modified
		if i == 0 {
			kind = apiwatch.Added
		}
		want = append(want, fmt.Sprintf("%s a %d", kind, i))
		if i == 1 {
			got = append(got, text(read(t, w)), text(read(t, w)))
			server.CutConnections()
		}
	}
	got = append(got, text(read(t, w)), text(read(t, w)))
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	w.Stop()
	<-w.Done()
	if _, ok := <-w.ResultChan(); ok {
		t.Error("an event after the end")
	}
}

func TestRetryWatcherEnds(t *testing.T) {
	server, lw := start(t)
	if _, err := watch.NewRetryWatcher("0", lw); err == nil || !strings.Contains(err.Error(), `"0"`) {
		t.Error(err)
	}
	put(t, server, configMap("a", "0"))
	version := server.ResourceVersion()
	put(t, server, configMap("a", "1"))
	server.Compact()
	w, err := watch.NewRetryWatcher(version, lw)
	if err != nil {
		t.Fatal(err)
	}
	if e := read(t, w); e.Type != apiwatch.Error || !apierrors.IsResourceExpired(apierrors.FromObject(e.Object)) {
		t.Errorf("%v", e)
	}
	<-w.Done()

	for name, tt := range map[string]struct {
		err  error
		e    apiwatch.Event
		code int32
	}{
		"forbidden":  {err: apierrors.NewForbidden(corev1.Resource("configmaps"), "", errors.New("no")), code: http.StatusForbidden},
		"no version": {e: apiwatch.Event{Type: apiwatch.Added, Object: configMap("a", "")}, code: http.StatusInternalServerError},
		"type":       {e: apiwatch.Event{Type: "ODD", Object: configMap("a", "")}, code: http.StatusInternalServerError},
	} {
		w, err := watch.NewRetryWatcher("1", &cache.ListWatch{WatchFunc: func(metav1.ListOptions) (apiwatch.Interface, error) {
			fake := apiwatch.NewFakeWithChanSize(1, false)
			fake.Action(tt.e.Type, tt.e.Object)
			return fake, tt.err
		}})
		if err != nil {
			t.Fatal(err)
		}
		e := read(t, w)
		if status, ok := e.Object.(*metav1.Status); !ok || e.Type != apiwatch.Error || status.Code != tt.code {
			t.Errorf("%s: %v", name, e)
		}
		<-w.Done()
	}
}

func TestUntil(t *testing.T) {
	server, lw := start(t)
	version := server.ResourceVersion()
	put(t, server, configMap("a", "1"), configMap("a", "2"), configMap("a", "3"))
	has := func(v string) watch.ConditionFunc {
		return func(e apiwatch.Event) (bool, error) { return e.Object.(*corev1.ConfigMap).Data["v"] == v, nil }
	}
	added := func(e apiwatch.Event) (bool, error) { return e.Type == apiwatch.Added, nil }
	e, err := watch.Until(t.Context(), version, lw, added, has("1"), has("3"))
	if err != nil || text(*e) != "MODIFIED a 3" {
		t.Errorf("%v, %v", e, err)
	}
	mine := errors.New("mine")
	if e, err := watch.Until(t.Context(), version, lw, added, func(apiwatch.Event) (bool, error) { return false, mine }); err != mine || e == nil {
		t.Errorf("%v, %v", e, err)
	}
	ctx, cancel := watch.ContextWithOptionalTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if e, err := watch.Until(ctx, version, lw, has("4")); !wait.Interrupted(err) || e == nil {
		t.Errorf("%v, %v", e, err)
	}
	if _, err := watch.Until(t.Context(), "", lw, added); err == nil {
		t.Error("a watch without a version")
	}
	closed := apiwatch.NewFake()
	closed.Stop()
	if e, err := watch.UntilWithoutRetry(t.Context(), closed, added); err != watch.ErrWatchClosed || e != nil {
		t.Errorf("%v, %v", e, err)
	}
}

func TestUntilWithSync(t *testing.T) {
	server, lw := start(t)
	put(t, server, configMap("a", "1"))
	never := func(apiwatch.Event) (bool, error) { return false, errors.New("a condition was called") }
	var found bool
	e, err := watch.UntilWithSync(t.Context(), lw, &corev1.ConfigMap{}, func(store cache.Store) (bool, error) {
		_, exists, err := store.GetByKey("default/a")
		found = exists
		return exists, err
	}, never)
	if e != nil || err != nil || !found {
		t.Errorf("%v, %v, %t", e, err, found)
	}
	seen := 0
	e, err = watch.UntilWithSync(t.Context(), lw, &corev1.ConfigMap{}, func(cache.Store) (bool, error) { return false, nil },
		func(e apiwatch.Event) (bool, error) {
			if seen++; seen == 1 {
				put(t, server, configMap("a", "2"))
				server.CutConnections()
				server.Compact()
			}
			return e.Object.(*corev1.ConfigMap).Data["v"] == "2", nil
		})
	if err != nil || e.Type == apiwatch.Deleted {
		t.Errorf("%v, %v", e, err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err = watch.UntilWithSync(ctx, lw, &corev1.ConfigMap{}, nil, func(apiwatch.Event) (bool, error) { return false, nil }); !wait.Interrupted(err) {
		t.Error(err)
	}
	server.RefuseConnections()
	ctx, cancel = context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err = watch.UntilWithSync(ctx, lw, &corev1.ConfigMap{}, func(cache.Store) (bool, error) { return true, nil }); !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
}

func TestIndexerInformerWatcher(t *testing.T) {
	server, lw := start(t)
	put(t, server, configMap("a", "1"))
	indexer, informer, w, done := watch.NewIndexerInformerWatcher(lw, &corev1.ConfigMap{})
	// It must sync although no event is read.
	if !cache.WaitForCacheSync(t.Context().Done(), informer.HasSynced) || len(indexer.List()) != 1 {
		t.Fatal(indexer.List())
	}
	if _, err := server.Update(t.Context(), configMap("a", "2")); err != nil {
		t.Fatal(err)
	}
	if got := text(read(t, w)); got != "ADDED a 1" {
		t.Error(got)
	}
	if got := text(read(t, w)); got != "MODIFIED a 2" {
		t.Error(got)
	}
	if err := server.Delete(t.Context(), configMap("a", ""), metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	if got := text(read(t, w)); got != "DELETED a 2" {
		t.Error(got)
	}
	put(t, server, configMap("b", "1")) // waits in the handler
	w.Stop()
	w.Stop()
	<-done
	for range w.ResultChan() { // is closed
	}
}

func TestContextWithOptionalTimeout(t *testing.T) {
	for timeout, want := range map[time.Duration]bool{-1: false, 0: false, time.Hour: true} {
		ctx, cancel := watch.ContextWithOptionalTimeout(t.Context(), timeout)
		if _, ok := ctx.Deadline(); ok != want || ctx.Err() != nil {
			t.Errorf("%v: %t", timeout, ok)
		}
		cancel()
		if ctx.Err() == nil {
			t.Error("cancel did nothing")
		}
	}
}
