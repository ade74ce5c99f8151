package kubernetes_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"

	"vedette.dev/flowcontrol"
	"vedette.dev/kubernetes"
	"vedette.dev/kubernetes/scheme"
	typedcorev1 "vedette.dev/kubernetes/typed/core/v1"
	"vedette.dev/rest"
)

func TestLimits(t *testing.T) {
	own := flowcontrol.NewTokenBucketRateLimiter(3, 3)
	tests := []struct {
		name   string
		config rest.Config
		qps    float32 // of a group's limit
		shared bool
	}{
		{"nothing set: a limit for each group", rest.Config{}, 5, false},
		{"QPS: one limit for all", rest.Config{QPS: 7, Burst: 9}, 7, true},
		{"a limiter: that one", rest.Config{RateLimiter: own}, 3, true},
		{"a limiter beats QPS without burst", rest.Config{RateLimiter: own, QPS: 7}, 3, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tt.config.Host = "http://localhost"
			c, err := kubernetes.NewForConfig(&tt.config)
			if err != nil {
				t.Fatal(err)
			}
			core, apps := c.CoreV1().RESTClient().GetRateLimiter(), c.AppsV1().RESTClient().GetRateLimiter()
			if got := core.QPS(); got != tt.qps {
				t.Errorf("the limit is %v requests a second, want %v", got, tt.qps)
			}
			if shared := core == apps; shared != tt.shared {
				t.Errorf("the limit is shared: %v, want %v", shared, tt.shared)
			}
		})
	}
	if _, err := kubernetes.NewForConfig(&rest.Config{QPS: 7}); err == nil || !strings.Contains(err.Error(), "burst is required") {
		t.Errorf("QPS without a burst: got the error %v", err)
	}
}

// TestErrorsComeAtOnce: a group's client, made later, cannot report one.
func TestErrorsComeAtOnce(t *testing.T) {
	tls := func(c rest.TLSClientConfig) *rest.Config {
		return &rest.Config{Host: "https://localhost", TLSClientConfig: c}
	}
	for name, config := range map[string]*rest.Config{
		"host":            {Host: "http://[bad"},
		"host and path":   {Host: "localhost/path"},
		"CA":              tls(rest.TLSClientConfig{CAFile: "/does/not/exist"}),
		"certificate":     tls(rest.TLSClientConfig{CertData: []byte("c"), KeyData: []byte("k")}),
		"CA but insecure": tls(rest.TLSClientConfig{CAData: []byte("ca"), Insecure: true}),
	} {
		if _, err := kubernetes.NewForConfig(config); err == nil {
			t.Errorf("bad %s: no error", name)
		}
	}
}

func TestTheCallersConfigIsLeftAlone(t *testing.T) {
	config := &rest.Config{Host: "http://localhost", QPS: 7, Burst: 9}
	c, err := kubernetes.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	c.CoreV1()
	if config.RateLimiter != nil || config.UserAgent != "" || config.GroupVersion != nil || config.NegotiatedSerializer != nil {
		t.Errorf("the configuration was changed: %#v", config)
	}
	// And what the caller does with it later makes no difference.
	config.Host = "http://[bad"
	c.AppsV1()
}

func TestOneClientForAllGoroutines(t *testing.T) {
	c, err := kubernetes.NewForConfig(&rest.Config{Host: "http://localhost"})
	if err != nil {
		t.Fatal(err)
	}
	clients := make([]typedcorev1.CoreV1Interface, 8)
	var wg sync.WaitGroup
	for i := range clients {
		wg.Go(func() { clients[i] = c.CoreV1() })
	}
	wg.Wait()
	for _, client := range clients {
		if client != clients[0] {
			t.Fatal("two goroutines got different clients")
		}
	}
}

func TestNewUsesTheGivenClient(t *testing.T) {
	s := newServer(t)
	core := s.clientset(t).CoreV1().RESTClient()
	s.reply = func(seen) runtime.Object { return &corev1.Pod{ObjectMeta: named("a")} }
	c := kubernetes.New(core)
	if c.CoreV1().RESTClient() != core || c.AppsV1().RESTClient() != core || c.Discovery().RESTClient() != core {
		t.Error("a group's client does not use the given one")
	}
	if _, err := c.CoreV1().Pods("ns").Get(t.Context(), "a", metav1.GetOptions{}); err != nil {
		t.Error(err)
	}
	if got := s.last(t); got.path != "/api/v1/namespaces/ns/pods/a" {
		t.Errorf("the request went to %s", got.path)
	}
}

func TestTypedPackageAlone(t *testing.T) {
	s := newServer(t)
	s.reply = func(seen) runtime.Object { return &corev1.PodList{Items: []corev1.Pod{{ObjectMeta: named("a")}}} }
	core := typedcorev1.NewForConfigOrDie(s.config)
	list, err := core.Pods("ns").List(t.Context(), metav1.ListOptions{})
	if err != nil || len(list.Items) != 1 {
		t.Errorf("got %v, %v", list, err)
	}
	withClient, err := typedcorev1.NewForConfigAndClient(s.config, http.DefaultClient)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := withClient.Pods("ns").List(t.Context(), metav1.ListOptions{}); err != nil {
		t.Error(err)
	}
	defer func() {
		if recover() == nil {
			t.Error("NewForConfigOrDie took a bad host")
		}
	}()
	typedcorev1.NewForConfigOrDie(&rest.Config{Host: "http://[bad"})
}

func TestOrDieAndNil(t *testing.T) {
	if (*kubernetes.Clientset)(nil).Discovery() != nil {
		t.Error("nil has discovery")
	}
	if (*typedcorev1.CoreV1Client)(nil).RESTClient() != nil {
		t.Error("nil has a client")
	}
	defer func() {
		if recover() == nil {
			t.Error("NewForConfigOrDie took a bad host")
		}
	}()
	kubernetes.NewForConfigOrDie(&rest.Config{Host: "http://[bad"})
}

func TestWatch(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/apis/apps/v1/namespaces/ns/deployments" || r.URL.Query().Get("watch") != "true" {
			t.Errorf("the watch went to %s", r.URL)
		}
		w.Header().Set("Content-Type", "application/json")
		w.Write([]byte(`{"type":"ADDED","object":{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"name":"d"}}}` + "\n"))
	}))
	defer server.Close()
	c := kubernetes.NewForConfigOrDie(&rest.Config{Host: server.URL})
	w, err := c.AppsV1().Deployments("ns").Watch(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Stop()
	event := <-w.ResultChan()
	if m, ok := event.Object.(metav1.Object); event.Type != watch.Added || !ok || m.GetName() != "d" {
		t.Errorf("got %v of %v", event.Type, event.Object)
	}
}

func TestSchemeCanBeAddedToAnother(t *testing.T) {
	other := runtime.NewScheme()
	if err := scheme.AddToScheme(other); err != nil {
		t.Fatal(err)
	}
	for gvk := range scheme.Scheme.AllKnownTypes() {
		if !other.Recognizes(gvk) {
			t.Errorf("%v was not added", gvk)
		}
	}
	params, err := scheme.ParameterCodec.EncodeParameters(&metav1.ListOptions{Limit: 3}, corev1.SchemeGroupVersion)
	if err != nil || params.Get("limit") != "3" {
		t.Errorf("got %v, %v", params, err)
	}
}
