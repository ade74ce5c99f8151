package metrics

import (
	"context"
	"fmt"
	"io"
	"net/http/httptest"
	"sort"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"github.com/prometheus/client_golang/prometheus/testutil/promlint"
	"go.uber.org/goleak"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"vedette.dev/apitest"
	"vedette.dev/informers"
	"vedette.dev/kubernetes"
	"vedette.dev/rest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var background = context.Background()

func mustNew(t testing.TB) (*Metrics, *prometheus.Registry) {
	t.Helper()
	registry := prometheus.NewPedanticRegistry()
	m, err := New(registry)
	if err != nil {
		t.Fatal(err)
	}
	return m, registry
}

// series is what a registry shows: the value of each series, of a histogram its count, by the name of the family and the
// labels in alphabetical order.
type series map[string]float64

func gather(t testing.TB, g prometheus.Gatherer) series {
	t.Helper()
	families, err := g.Gather()
	if err != nil {
		t.Fatal(err)
	}
	seen := series{}
	for _, f := range families {
		for _, m := range f.GetMetric() {
			var labels []string
			for _, l := range m.GetLabel() {
				labels = append(labels, fmt.Sprintf("%s=%q", l.GetName(), l.GetValue()))
			}
			v := m.GetCounter().GetValue() + m.GetGauge().GetValue() + float64(m.GetHistogram().GetSampleCount())
			seen[fmt.Sprintf("%s{%s}", f.GetName(), strings.Join(labels, ","))] = v
		}
	}
	return seen
}

// expect compares the series of one family.
func (s series) expect(t testing.TB, family string, want map[string]float64) {
	t.Helper()
	got := map[string]float64{}
	for name, v := range s {
		if labels, ok := strings.CutPrefix(name, family+"{"); ok {
			got[strings.TrimSuffix(labels, "}")] = v
		}
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%s is %v, want %v", family, got, want)
	}
}

// families are the names, in alphabetical order.
func (s series) families() []string {
	seen := map[string]bool{}
	for name := range s {
		seen[name[:strings.IndexByte(name, '{')]] = true
	}
	var names []string
	for name := range seen {
		names = append(names, name)
	}
	sort.Strings(names)
	return names
}

// page reads the metrics as Prometheus does.
func page(t testing.TB, registry *prometheus.Registry) string {
	t.Helper()
	server := httptest.NewServer(promhttp.HandlerFor(registry, promhttp.HandlerOpts{Registry: registry}))
	defer server.Close()
	resp, err := server.Client().Get(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != 200 {
		t.Fatalf("%s: %v\n%s", resp.Status, err, text)
	}
	return string(text)
}

func lint(t testing.TB, text string) {
	t.Helper()
	problems, err := promlint.New(strings.NewReader(text)).Lint()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range problems {
		t.Errorf("%s: %s", p.Metric, p.Text)
	}
}

// newServer is a server with three pods, and the configuration of its clients.
func newServer(t testing.TB, config apitest.Config) (*apitest.Server, *rest.Config) {
	t.Helper()
	for _, name := range []string{"a", "b", "c"} {
		config.Objects = append(config.Objects, pod(name))
	}
	server := apitest.New(t, config)
	return server, server.RESTConfig()
}

func pod(name string) runtime.Object {
	return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name}}
}

func newFactory(t testing.TB, config *rest.Config) *informers.Factory {
	t.Helper()
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	f, err := informers.New(informers.Config{Client: client})
	if err != nil {
		t.Fatal(err)
	}
	return f
}
