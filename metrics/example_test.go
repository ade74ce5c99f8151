package metrics_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"vedette.dev/metrics"
	"vedette.dev/workqueue"
)

// A program shows its work queue at /metrics.
func Example() {
	registry := prometheus.NewRegistry()
	m, err := metrics.New(registry)
	if err != nil {
		panic(err)
	}
	mux := http.NewServeMux()
	mux.Handle("/metrics", promhttp.HandlerFor(registry, promhttp.HandlerOpts{}))

	queue := workqueue.NewTypedWithConfig(workqueue.TypedQueueConfig[string]{Name: "pods", MetricsProvider: m.Workqueue()})
	defer queue.ShutDown()
	queue.Add("default/web-0")

	answer := httptest.NewRecorder()
	mux.ServeHTTP(answer, httptest.NewRequest("GET", "/metrics", nil))
	for line := range strings.Lines(answer.Body.String()) {
		if strings.HasPrefix(line, "workqueue_depth") {
			fmt.Print(line)
		}
	}
	// Output: workqueue_depth{controller="pods",name="pods"} 1
}
