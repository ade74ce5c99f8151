package ctrl_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	ctrlcache "sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/config"
	"sigs.k8s.io/controller-runtime/pkg/controller/priorityqueue"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"vedette.dev/bridge/ctrl"
	"vedette.dev/console"
)

var _ ctrl.Manager = manager.Manager(nil)

// fakeManager is the part of a manager that MountConsole needs.
type fakeManager struct {
	cache   ctrlcache.Cache
	mux     *http.ServeMux
	options config.Controller
}

func (m fakeManager) GetControllerOptions() config.Controller { return m.options }

func (m fakeManager) GetCache() ctrlcache.Cache { return m.cache }

func (m fakeManager) AddMetricsServerExtraHandler(path string, handler http.Handler) error {
	m.mux.Handle(path, handler)
	return nil
}

func TestTheConsoleShowsInformers(t *testing.T) {
	_, config := newServer(t)
	m := fakeManager{cache: start(t, config, ctrl.NewCache, ctrlcache.Options{}), mux: http.NewServeMux()}
	if err := m.cache.Get(t.Context(), key, &corev1.Pod{}); err != nil {
		t.Fatal(err)
	}
	if err := ctrl.MountConsole(m, console.Config{}); err != nil {
		t.Fatal(err)
	}
	no := false
	queue := ctrl.QueueFor[string](m)("images", nil)
	defer queue.ShutDown()
	queue.Add("default/web")
	m.options.UsePriorityQueue = &no
	plain := ctrl.QueueFor[string](m)("others", nil)
	if _, ok := plain.(priorityqueue.PriorityQueue[string]); ok {
		t.Error("the manager wants no priorities")
	}
	plain.ShutDown()
	server := httptest.NewServer(m.mux)
	defer server.Close()
	for view, want := range map[string]string{"": "core/v1.Pod", "queues": "default/web"} {
		resp, err := server.Client().Get(server.URL + ctrl.ConsolePath + view + "?format=json")
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		if err != nil || resp.StatusCode != http.StatusOK || !strings.Contains(string(text), want) || strings.Contains(string(text), `"others"`) {
			t.Errorf("%q: %s, %v: %s", view, resp.Status, err, text)
		}
	}
}

// TestAManager runs a manager of controller-runtime with the cache and the page.
func TestAManager(t *testing.T) {
	_, config := newServer(t)
	mgr, err := manager.New(config, manager.Options{
		NewCache: ctrl.NewCache, Metrics: metricsserver.Options{BindAddress: "127.0.0.1:0"}, HealthProbeBindAddress: "0",
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := ctrl.MountConsole(mgr, console.Config{}); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- mgr.Start(ctx) }()
	if !mgr.GetCache().WaitForCacheSync(ctx) {
		t.Error("the cache has not synced")
	}
	if err := mgr.GetClient().Get(ctx, key, &corev1.Pod{}); err != nil {
		t.Error(err)
	}
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

func TestAConsoleWithoutTheCache(t *testing.T) {
	if err := ctrl.MountConsole(fakeManager{mux: http.NewServeMux()}, console.Config{}); err == nil || !strings.Contains(err.Error(), "NewCache") {
		t.Error(err)
	}
}
