package main

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"

	"vedette.dev/apitest"
	"vedette.dev/dynamic"
	"vedette.dev/gentype"
	"vedette.dev/internal/sites"
	"vedette.dev/kubernetes"
	"vedette.dev/runner"
)

// world is the operator on an API server, both in a bubble.
type world struct {
	t      *testing.T
	server *apitest.Server
	client kubernetes.Interface
	sites  *gentype.Custom[sites.Site]
	log    logged
}

// logged is a log that can be read while it is written.
type logged struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *logged) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *logged) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

func inWorld(t *testing.T, f func(w *world)) {
	synctest.Test(t, func(t *testing.T) {
		w := &world{t: t, server: apitest.New(t, apitest.Config{InMemory: true})}
		w.client = kubernetes.NewForConfigOrDie(w.server.RESTConfig())
		all, err := gentype.NewForConfig[sites.Site](w.server.RESTConfig(), resource)
		w.do(err)
		w.sites = all.In("default")
		ctx, stop := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() {
			ended <- run(ctx, 4, runner.Config{RESTConfig: w.server.RESTConfig(), KeepSignals: true, Logger: slog.New(slog.NewTextHandler(&w.log, nil))})
		}()
		time.Sleep(time.Second)
		f(w)
		stop()
		w.do(<-ended)
	})
}

func (w *world) do(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) create(name string, pages int) {
	w.t.Helper()
	_, err := w.sites.Create(w.t.Context(), &sites.Site{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: sites.SiteSpec{Pages: pages, Text: "hello"}}, metav1.CreateOptions{})
	w.do(err)
}

func (w *world) site(name string) *sites.Site {
	w.t.Helper()
	site, err := w.sites.Get(w.t.Context(), name, metav1.GetOptions{})
	w.do(err)
	return site
}

// pages is how many config maps belong to a site of that name.
func (w *world) pages(site string) int {
	w.t.Helper()
	list, err := w.client.CoreV1().ConfigMaps("default").List(w.t.Context(), metav1.ListOptions{})
	w.do(err)
	count := 0
	for i := range list.Items {
		if ref := metav1.GetControllerOf(&list.Items[i]); ref != nil && ref.Name == site {
			count++
		}
	}
	return count
}

func (w *world) inject(text string) *apitest.Injection {
	w.t.Helper()
	fault, err := apitest.ParseFault(text)
	w.do(err)
	injection, err := w.server.Inject(fault)
	w.do(err)
	return injection
}

func TestSitesGetTheirPages(t *testing.T) {
	inWorld(t, func(w *world) {
		// The watch of pages lags: what the operator has written is not in its cache when it looks again.
		w.inject("watch configmaps: lag delay=3s")
		for i := range 20 {
			w.create(fmt.Sprint("site-", i), 2)
		}
		time.Sleep(time.Second)
		for i := range 20 {
			_, err := w.sites.Patch(w.t.Context(), fmt.Sprint("site-", i), types.MergePatchType, []byte(`{"spec":{"pages":3}}`), metav1.PatchOptions{})
			w.do(err)
		}
		time.Sleep(time.Minute)
		for i := range 20 {
			name := fmt.Sprint("site-", i)
			if site := w.site(name); w.pages(name) != 3 || site.Status.Pages != 3 || site.Status.ObservedGeneration != site.Generation {
				t.Errorf("%s has %d pages and says %+v", name, w.pages(name), site.Status)
			}
		}
		if strings.Contains(w.log.String(), "already exists") {
			t.Error("the operator tried to create what it had created")
		}
		w.do(w.sites.Delete(w.t.Context(), "site-7", metav1.DeleteOptions{}))
		time.Sleep(time.Minute)
		if _, err := w.sites.Get(w.t.Context(), "site-7", metav1.GetOptions{}); err == nil || w.pages("site-7") != 0 {
			t.Errorf("site-7 is still there, with %d pages", w.pages("site-7"))
		}
	})
}

// allow changes the least number of pages that the schema allows in a status.
func (w *world) allow(minimum int) {
	w.t.Helper()
	client, err := dynamic.NewForConfig(w.server.RESTConfig())
	w.do(err)
	patch := fmt.Sprintf(`[{"op":"replace","path":"/spec/versions/0/schema/openAPIV3Schema/properties/status/properties/pages/minimum","value":%d}]`, minimum)
	_, err = client.Resource(schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"}).
		Patch(w.t.Context(), "sites.demo.vedette.dev", types.JSONPatchType, []byte(patch), metav1.PatchOptions{})
	w.do(err)
}

// A status that the server rejects is reported and retried, and the pages exist nevertheless.
func TestAStatusThatIsRejected(t *testing.T) {
	inWorld(t, func(w *world) {
		w.allow(5)
		w.create("home", 2)
		time.Sleep(time.Minute)
		if site := w.site("home"); w.pages("home") != 2 || site.Status.Pages != 0 {
			t.Errorf("%d pages, the status is %+v", w.pages("home"), site.Status)
		}
		if !strings.Contains(w.log.String(), "should be greater than or equal to 5") {
			t.Errorf("nothing was said: %s", w.log.String())
		}
		w.allow(0)
		time.Sleep(5 * time.Minute)
		if site := w.site("home"); site.Status.Pages != 2 {
			t.Errorf("the status is %+v", site.Status)
		}
	})
}

// A page whose site never was does no harm.
func TestAnOwnerThatDoesNotExist(t *testing.T) {
	inWorld(t, func(w *world) {
		ghost := &sites.Site{ObjectMeta: metav1.ObjectMeta{Name: "ghost", UID: "00000000-0000-0000-0000-000000000000"}}
		orphan := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "ghost-0", OwnerReferences: []metav1.OwnerReference{ghost.OwnerReference(resource)}}}
		_, err := w.client.CoreV1().ConfigMaps("default").Create(w.t.Context(), orphan, metav1.CreateOptions{})
		w.do(err)
		w.create("home", 1)
		time.Sleep(time.Minute)
		if w.pages("ghost") != 1 || w.pages("home") != 1 || strings.Contains(w.log.String(), "failed") {
			t.Errorf("%d and %d pages: %s", w.pages("ghost"), w.pages("home"), w.log.String())
		}
	})
}

// A config map that is in the way is not taken over. The site says so, and gets its page when it is gone.
func TestAPageThatIsNotOurs(t *testing.T) {
	inWorld(t, func(w *world) {
		maps := w.client.CoreV1().ConfigMaps("default")
		_, err := maps.Create(w.t.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "home-0"}}, metav1.CreateOptions{})
		w.do(err)
		w.create("home", 1)
		time.Sleep(time.Minute)
		if message := w.site("home").Status.Message; !strings.Contains(message, "default/home-0 exists and is not a page of this site") {
			t.Errorf("the status says %q", message)
		}
		w.do(maps.Delete(w.t.Context(), "home-0", metav1.DeleteOptions{}))
		time.Sleep(5 * time.Minute)
		if site := w.site("home"); w.pages("home") != 1 || site.Status.Message != "" {
			t.Errorf("%d pages, the status is %+v", w.pages("home"), site.Status)
		}
	})
}

// Events are for people: an API that refuses them, or is not there, keeps nothing from being done.
func TestEventsThatTheServerRejects(t *testing.T) {
	for _, fault := range []string{"create,patch events: 403", "create,patch events: cut"} {
		inWorld(t, func(w *world) {
			w.inject(fault)
			w.create("home", 3)
			time.Sleep(time.Minute)
			if w.pages("home") != 3 || w.site("home").Status.Pages != 3 {
				t.Errorf("with %q there are %d pages", fault, w.pages("home"))
			}
		})
	}
}
