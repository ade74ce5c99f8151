package bridge_test

import (
	"context"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	clientgokubernetes "k8s.io/client-go/kubernetes"
	clientgorest "k8s.io/client-go/rest"
	clientgocache "k8s.io/client-go/tools/cache"
	clientgoleaderelection "k8s.io/client-go/tools/leaderelection"
	clientgoresourcelock "k8s.io/client-go/tools/leaderelection/resourcelock"
	clientgometrics "k8s.io/client-go/tools/metrics"
	clientgoworkqueue "k8s.io/client-go/util/workqueue"

	"vedette.dev/apitest"
	"vedette.dev/bridge"
	"vedette.dev/kubernetes"
	"vedette.dev/leaderelection"
	"vedette.dev/leaderelection/resourcelock"
	"vedette.dev/rest"
	"vedette.dev/workqueue"
)

// series records series as component-base exports them: a name, and labels with their values.
type series struct {
	mu   sync.Mutex
	seen map[string]float64
	// received is the sum of the sizes of answers.
	received float64
}

// registered is what the test registers. client-go registers once in a process, so a second run of the test uses the same.
var registered = &series{seen: map[string]float64{}}

func (s *series) add(name string, labels ...string) {
	s.change(func(seen map[string]float64) { seen[fmt.Sprint(name, labels)]++ })
}

func (s *series) set(value float64, name string, labels ...string) {
	s.change(func(seen map[string]float64) { seen[fmt.Sprint(name, labels)] = value })
}

func (s *series) change(do func(map[string]float64)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	do(s.seen)
}

// take returns the series, and forgets them.
func (s *series) take() map[string]float64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	taken := s.seen
	s.seen, s.received = map[string]float64{}, 0
	return taken
}

// registerRequests registers the metrics of requests with client-go, which takes them once in a process.
func registerRequests() {
	clientgometrics.Register(clientgometrics.RegisterOpts{
		RequestLatency:     latency{registered, "rest_client_request_duration_seconds"},
		RateLimiterLatency: latency{registered, "rest_client_rate_limiter_duration_seconds"},
		RequestSize:        size{registered, "rest_client_request_size_bytes"},
		ResponseSize:       size{registered, "rest_client_response_size_bytes"},
		RequestResult:      registered,
		RequestRetry:       registered,
		RegisterFn:         func() { requestsRegistered.Store(true) },
	})
}

// requestsRegistered says that client-go has called RegisterFn.
var requestsRegistered atomic.Bool

type latency struct {
	*series
	name string
}

func (m latency) Observe(_ context.Context, verb string, u url.URL, _ time.Duration) {
	m.add(m.name, "verb="+verb, "host="+u.Host)
}

type size struct {
	*series
	name string
}

func (m size) Observe(_ context.Context, verb, host string, n float64) {
	m.add(m.name, "verb="+verb, "host="+host)
	m.change(func(map[string]float64) {
		if m.name == "rest_client_response_size_bytes" {
			m.received += n
		}
	})
}

func (s *series) Increment(_ context.Context, code, method, host string) {
	s.add("rest_client_requests_total", "code="+code, "method="+method, "host="+host)
}

func (s *series) IncrementRetry(_ context.Context, code, method, host string) {
	s.add("rest_client_request_retries_total", "code="+code, "verb="+method, "host="+host)
}

func (s *series) NewLeaderMetric() clientgoleaderelection.LeaderMetric { return leader{s} }

type leader struct{ *series }

func (m leader) On(name string) {
	m.set(1, "leader_election_master_status", "name="+name)
	m.add("leader_election_master_status was 1", "name="+name)
}
func (m leader) Off(name string)               { m.set(0, "leader_election_master_status", "name="+name) }
func (m leader) SlowpathExercised(name string) { m.add("leader_election_slowpath_total", "name="+name) }

// queue is a metric of a queue.
type queue struct {
	*series
	metric, name string
}

func (s *series) queue(metric, name string) queue {
	s.change(func(seen map[string]float64) { seen[fmt.Sprint(metric, []string{"name=" + name})] += 0 })
	return queue{s, metric, name}
}

func (m queue) Inc()            { m.add(m.metric, "name="+m.name) }
func (m queue) Dec()            {}
func (m queue) Observe(float64) { m.add(m.metric, "name="+m.name) }
func (m queue) Set(float64)     { m.set(0, m.metric, "name="+m.name) }

type queues struct{ *series }

func (q queues) NewDepthMetric(name string) clientgoworkqueue.GaugeMetric {
	return q.queue("workqueue_depth", name)
}
func (q queues) NewAddsMetric(name string) clientgoworkqueue.CounterMetric {
	return q.queue("workqueue_adds_total", name)
}
func (q queues) NewLatencyMetric(name string) clientgoworkqueue.HistogramMetric {
	return q.queue("workqueue_queue_duration_seconds", name)
}
func (q queues) NewWorkDurationMetric(name string) clientgoworkqueue.HistogramMetric {
	return q.queue("workqueue_work_duration_seconds", name)
}
func (q queues) NewUnfinishedWorkSecondsMetric(name string) clientgoworkqueue.SettableGaugeMetric {
	return q.queue("workqueue_unfinished_work_seconds", name)
}
func (q queues) NewLongestRunningProcessorSecondsMetric(name string) clientgoworkqueue.SettableGaugeMetric {
	return q.queue("workqueue_longest_running_processor_seconds", name)
}
func (q queues) NewRetriesMetric(name string) clientgoworkqueue.CounterMetric {
	return q.queue("workqueue_retries_total", name)
}

// TestForwardMetrics has a program that runs on client-go, and then on Vedette, and compares its series. No other test may set client-go's
// providers, which are those of the process.
func TestForwardMetrics(t *testing.T) {
	api := apitest.New(t, apitest.Config{})
	must[any](t)(api.Create(t.Context(), configMap("a", "1")))
	// The lock exists: Vedette waits for LeaseDuration after it has created one.
	must[any](t)(api.Create(t.Context(), &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "election"}}))
	// A proxy refuses the first request for a config map, so that there is a retry, and does not answer deletions.
	var busy atomic.Bool
	config := must[*clientgorest.Config](t)(bridge.ToClientGo(api.RESTConfig()))
	inner := must[http.RoundTripper](t)(clientgorest.TransportFor(config))
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/api/v1/namespaces/default/configmaps/a" && busy.CompareAndSwap(false, true) {
			w.Header().Set("Retry-After", "0")
			w.WriteHeader(http.StatusTooManyRequests)
			return
		}
		if r.Method == http.MethodDelete {
			panic(http.ErrAbortHandler) // closes the connection
		}
		target := must[*url.URL](t)(url.Parse(config.Host))
		proxied := r.Clone(r.Context())
		proxied.URL.Scheme, proxied.URL.Host, proxied.Host, proxied.RequestURI = target.Scheme, target.Host, "", ""
		resp, err := inner.RoundTrip(proxied)
		if err != nil {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		defer resp.Body.Close()
		maps.Copy(w.Header(), resp.Header)
		w.WriteHeader(resp.StatusCode)
		_, _ = io.Copy(w, resp.Body)
	}))
	defer server.Close()

	seen := registered
	_ = seen.take()
	registerRequests()
	clientgoworkqueue.SetProvider(queues{seen})
	clientgoleaderelection.SetProvider(seen)
	bridge.ForwardMetrics()
	if requestsRegistered.Load() {
		t.Error("ForwardMetrics without a config has registered the metrics of requests")
	}

	// client-go renews as soon as it leads. If that were cancelled under way, it would be counted as an error, or not.
	put := fmt.Sprint("rest_client_requests_total", []string{"code=200", "method=PUT", "host=" + strings.TrimPrefix(server.URL, "http://")})
	renewed := func() (yes bool) {
		seen.change(func(seen map[string]float64) { yes = seen[put] >= 2 })
		return yes
	}
	onClientGo(t, &clientgorest.Config{Host: server.URL, QPS: 1000, Burst: 1000}, renewed)
	before := seen.take()

	busy.Store(false)
	own := &rest.Config{Host: server.URL, QPS: 1000, Burst: 1000}
	bridge.ForwardMetrics(own)
	onVedette(t, own)
	after := seen.take()

	for _, name := range slices.Sorted(maps.Keys(before)) {
		t.Log(name, before[name], after[name])
		if _, ok := after[name]; !ok {
			t.Errorf("%s is missing with Vedette", name)
		}
	}
	for name := range after {
		if _, ok := before[name]; !ok {
			t.Errorf("%s is not a series of client-go", name)
		}
	}
	if len(before) < 20 {
		t.Errorf("the program has only %d series", len(before))
	}
	if _, err := bridge.ToClientGo(own); err != nil {
		t.Errorf("a configuration with these metrics is not converted: %v", err)
	}
}

func onClientGo(t *testing.T, config *clientgorest.Config, renewed func() bool) {
	client := must[*clientgokubernetes.Clientset](t)(clientgokubernetes.NewForConfig(config))
	_ = must[any](t)(client.CoreV1().ConfigMaps("default").Get(t.Context(), "a", metav1.GetOptions{}))
	if _, err := client.CoreV1().ConfigMaps("default").Get(t.Context(), "none", metav1.GetOptions{}); err == nil {
		t.Error("there is a config map that was not made")
	}
	if err := client.CoreV1().ConfigMaps("default").Delete(t.Context(), "a", metav1.DeleteOptions{}); err == nil {
		t.Error("a deletion that was not answered has no error")
	}
	q := clientgoworkqueue.NewTypedRateLimitingQueueWithConfig(clientgoworkqueue.DefaultTypedControllerRateLimiter[string](),
		clientgoworkqueue.TypedRateLimitingQueueConfig[string]{Name: "maps"})
	work(q.AddRateLimited, q.Get, q.Done)
	q.ShutDown()
	lead, stop := context.WithCancel(t.Context())
	clientgoleaderelection.RunOrDie(lead, clientgoleaderelection.LeaderElectionConfig{
		Name: "election", LeaseDuration: 15 * time.Second, RenewDeadline: 10 * time.Second, RetryPeriod: 2 * time.Second, ReleaseOnCancel: true,
		Lock: &clientgoresourcelock.LeaseLock{LeaseMeta: metav1.ObjectMeta{Namespace: "default", Name: "election"}, Client: client.CoordinationV1(),
			LockConfig: clientgoresourcelock.ResourceLockConfig{Identity: "me"}},
		Callbacks: clientgoleaderelection.LeaderCallbacks{
			OnStartedLeading: func(ctx context.Context) {
				for !renewed() && ctx.Err() == nil {
					time.Sleep(time.Millisecond)
				}
				stop()
			},
			OnStoppedLeading: func() {},
		},
	})
	stop()
}

func onVedette(t *testing.T, config *rest.Config) {
	client := must[*kubernetes.Clientset](t)(kubernetes.NewForConfig(config))
	_ = must[any](t)(client.CoreV1().ConfigMaps("default").Get(t.Context(), "a", metav1.GetOptions{}))
	if _, err := client.CoreV1().ConfigMaps("default").Get(t.Context(), "none", metav1.GetOptions{}); err == nil {
		t.Error("there is a config map that was not made")
	}
	if err := client.CoreV1().ConfigMaps("default").Delete(t.Context(), "a", metav1.DeleteOptions{}); err == nil {
		t.Error("a deletion that was not answered has no error")
	}
	q := workqueue.NewTypedRateLimitingQueueWithConfig(workqueue.DefaultTypedControllerRateLimiter[string](),
		workqueue.TypedRateLimitingQueueConfig[string]{Name: "maps"})
	work(q.AddRateLimited, q.Get, q.Done)
	q.ShutDown()
	lead, stop := context.WithCancel(t.Context())
	leaderelection.RunOrDie(lead, leaderelection.LeaderElectionConfig{
		Name: "election", LeaseDuration: 15 * time.Second, RenewDeadline: 10 * time.Second, RetryPeriod: 2 * time.Second, ReleaseOnCancel: true,
		Lock: &resourcelock.LeaseLock{LeaseMeta: metav1.ObjectMeta{Namespace: "default", Name: "election"}, Client: client.CoordinationV1(),
			LockConfig: resourcelock.ResourceLockConfig{Identity: "me"}},
		Callbacks: leaderelection.LeaderCallbacks{OnStartedLeading: func(context.Context) { stop() }, OnStoppedLeading: func() {}},
	})
	stop()
}

// work has a queue hand out a key.
func work(add func(string), get func() (string, bool), done func(string)) {
	add("key")
	key, _ := get()
	done(key)
}

// listing is a ListerWatcher whose watches do not begin with all objects.
type listing struct{ *clientgocache.ListWatch }

func (listing) IsWatchListSemanticsUnSupported() bool { return true }

// TestMetricsOfInterceptedRequests compares what client-go counts of a list and a watch whose bytes an informer reads with what it counts
// without the bridge's transport.
func TestMetricsOfInterceptedRequests(t *testing.T) {
	registerRequests()
	// count returns the series without their host, and the sum of the sizes of answers.
	count := func(intercepted bool) (map[string]float64, float64) {
		server, config := newServer(t)
		config.QPS, config.Burst = 1000, 1000 // without a limiter there is no latency of it
		if intercepted {
			config = wrapped(t, config)
		}
		_ = registered.take()
		client := newClient(t, config)
		lw := clientgocache.NewListWatchFromClient(client.CoreV1().RESTClient(), "configmaps", "default", fields.Everything())
		informer := bridge.Options{}.NewRawInformer(listing{lw}, &corev1.ConfigMap{}, 0, nil)
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() { defer close(ended); informer.RunWithContext(ctx) }()
		must[any](t)(server.Update(t.Context(), configMap("a", "2")))
		eventually(t, "change", func() bool { return value(informer.GetStore(), "a") == "2" })
		// The change may have been in the list.
		eventually(t, "watch", func() bool { return stateOf(t, informer).Watches > 0 })
		// The request for the watch may not have been answered yet.
		must[any](t)(server.Update(t.Context(), configMap("a", "3")))
		eventually(t, "change by the watch", func() bool { return value(informer.GetStore(), "a") == "3" })
		cancel()
		<-ended
		if got := stateOf(t, informer).Bytes > 0; got != intercepted {
			t.Errorf("the informer read bytes: %v, want %v", got, intercepted)
		}
		var received float64
		registered.change(func(map[string]float64) { received = registered.received })
		seen := map[string]float64{}
		for name, n := range registered.take() {
			before, _, _ := strings.Cut(name, " host=")
			seen[before] = n
		}
		return seen, received
	}
	want, all := count(false)
	got, rest := count(true)
	if !maps.Equal(got, want) || len(want) < 5 {
		t.Errorf("client-go has counted %v, want %v", got, want)
	}
	if requests := got["rest_client_requests_total[code=200 method=GET"]; requests != 2 {
		t.Errorf("client-go has counted %v requests, want a list and a watch: %v", requests, got)
	}
	// client-go has an empty answer: docs/bridge.md says so.
	if all == 0 || rest != 0 {
		t.Errorf("the sizes of answers are %v, and %v if they are intercepted, want 0", all, rest)
	}
}
