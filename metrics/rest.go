package metrics

import (
	"strconv"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"vedette.dev/rest"
)

// requestFamilies are the metrics of clients.
type requestFamilies struct {
	collectors
	requests, retries *prometheus.CounterVec
	took, waited      *prometheus.HistogramVec
	sent, received    *prometheus.HistogramVec
	hosts             *shared[struct{}]
}

func newRequestFamilies() *requestFamilies {
	labels := []string{"verb", "host"}
	seconds := []float64{0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60}
	bytes := []float64{64, 256, 512, 1024, 4096, 16384, 65536, 262144, 1048576, 4194304, 16777216}
	f := &requestFamilies{
		requests: counters([]string{"code", "method", "host"}, "rest_client_requests_total",
			"Number of HTTP requests, by status code, method and host. Each retry counts."),
		retries: counters([]string{"code", "verb", "host"}, "rest_client_request_retries_total",
			"Number of retries of HTTP requests, by status code, method and host."),
		took: histograms(labels, seconds, "rest_client_request_duration_seconds",
			"Duration of requests including waits and retries, to the end of the response; for streams and watches, to its beginning."),
		waited: histograms(labels, seconds, "rest_client_rate_limiter_duration_seconds",
			"Time that requests waited for the client's rate limiter."),
		sent:     histograms(labels, bytes, "rest_client_request_size_bytes", "Size of request bodies."),
		received: histograms(labels, bytes, "rest_client_response_size_bytes", "Size of response bodies, except for streams and watches."),
	}
	f.collectors = collectors{f.requests, f.retries, f.took, f.waited, f.sent, f.received}
	f.hosts = newShared(
		func(string) struct{} { return struct{}{} }, // series start with the first request of a kind
		func(host string) { f.drop(prometheus.Labels{"host": host}) },
	)
	return f
}

// REST returns the [Metrics] for a rest.Config, of one cluster or of several.
func (m *Metrics) REST() *REST { return &REST{families: m.requests, hosts: map[string]host{}} }

// REST measures requests. Clients have no end, so it has a Close method: a program whose clusters come and go creates
// one for each cluster, and closes it when the cluster is removed.
type REST struct {
	families *requestFamilies

	mu     sync.RWMutex
	hosts  map[string]host
	closed bool
}

// host is the value of a label, and the function that ends its series.
type host struct {
	name  string
	leave func()
}

var _ rest.Metrics = (*REST)(nil)

// Close ends the series of the hosts that requests went to, unless another REST has requests to them too. Later
// requests are not measured.
func (r *REST) Close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closed = true
	for _, h := range r.hosts {
		h.leave()
	}
	clear(r.hosts)
}

// observe calls do with the label of a host, and ensures that the series end with r.
func (r *REST) observe(name string, do func(f *requestFamilies, host string)) {
	r.enter(name)
	r.mu.RLock()
	defer r.mu.RUnlock()
	if h, ok := r.hosts[name]; ok {
		do(r.families, h.name)
	}
}

func (r *REST) enter(name string) {
	r.mu.RLock()
	_, known := r.hosts[name]
	r.mu.RUnlock()
	if known {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, known := r.hosts[name]; known || r.closed {
		return
	}
	_, leave := r.families.hosts.take(name)
	r.hosts[name] = host{name: value(name), leave: leave}
}

// Throttled implements rest.Metrics.
func (r *REST) Throttled(verb, host string, waited time.Duration) {
	r.observe(host, func(f *requestFamilies, host string) {
		f.waited.WithLabelValues(value(verb), host).Observe(waited.Seconds())
	})
}

// Attempted implements rest.Metrics.
func (r *REST) Attempted(a rest.Attempt) {
	code, verb := "<error>", value(a.Verb)
	if a.Code != 0 {
		code = strconv.Itoa(a.Code)
	}
	r.observe(a.Host, func(f *requestFamilies, host string) {
		f.requests.WithLabelValues(code, verb, host).Inc()
		if a.Retry {
			f.retries.WithLabelValues(code, verb, host).Inc()
		}
		if a.Sent >= 0 {
			f.sent.WithLabelValues(verb, host).Observe(float64(a.Sent))
		}
	})
}

// Finished implements rest.Metrics.
func (r *REST) Finished(verb, host string, took time.Duration, received int64) {
	verb = value(verb)
	r.observe(host, func(f *requestFamilies, host string) {
		f.took.WithLabelValues(verb, host).Observe(took.Seconds())
		if received >= 0 {
			f.received.WithLabelValues(verb, host).Observe(float64(received))
		}
	})
}
