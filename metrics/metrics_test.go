package metrics

import (
	"fmt"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"

	"vedette.dev/apitest"
	"vedette.dev/cache"
	"vedette.dev/controller"
)

func TestNewNeedsARegisterer(t *testing.T) {
	if _, err := New(nil); err == nil || !strings.Contains(err.Error(), "nil") {
		t.Error(err)
	}
}

func TestTwiceOnOneRegistererIsAnError(t *testing.T) {
	m, registry := mustNew(t)
	if _, err := New(registry); err == nil || !strings.Contains(err.Error(), "share the Metrics") {
		t.Error(err)
	}
	for _, cluster := range []string{"a", "b"} {
		if _, err := New(prometheus.WrapRegistererWith(prometheus.Labels{"fleet": cluster}, prometheus.NewRegistry())); err != nil {
			t.Error(err)
		}
	}
	m.Close()
	if _, err := New(registry); err != nil {
		t.Errorf("after Close: %v", err)
	}
}

// Metrics of another package with the same name are an error too, and nothing is left half registered.
func TestNamesOfOthers(t *testing.T) {
	registry := prometheus.NewRegistry()
	other := prometheus.NewCounter(prometheus.CounterOpts{Name: "rest_client_requests_total", Help: "Other."})
	registry.MustRegister(other)
	if _, err := New(registry); err == nil {
		t.Error("no error")
	}
	queues := newQueueFamilies()
	if err := registry.Register(queues); err != nil {
		t.Errorf("half was left: %v", err)
	}
}

func TestTwoRegistriesKnowNothingOfEachOther(t *testing.T) {
	first, one := mustNew(t)
	second, two := mustNew(t)
	a := first.Reconcile().NewControllerMetrics("x", 1)
	b := second.Reconcile().NewControllerMetrics("x", 5)
	a.Began()
	a.Ended(controller.OutcomeSuccess, 0)
	labels := `controller="x"`
	gather(t, one).expect(t, "controller_runtime_max_concurrent_reconciles", map[string]float64{labels: 1})
	gather(t, two).expect(t, "controller_runtime_max_concurrent_reconciles", map[string]float64{labels: 5})
	gather(t, two).expect(t, "controller_runtime_reconcile_time_seconds", map[string]float64{labels: 0})
	a.Close()
	if len(gather(t, one)) != 0 || len(gather(t, two)) == 0 {
		t.Error("one ended, and the other not")
	}
	b.Close()
}

// A name that is not UTF-8 would make Prometheus panic, or refuse to answer.
func TestNamesThatAreNoText(t *testing.T) {
	m, registry := mustNew(t)
	bad := "a\xff"
	q := newQueue(m, bad)
	c := m.Reconcile().NewControllerMetrics(bad, 1)
	l := m.LeaderElection().NewLeaderMetric()
	l.On(bad)
	r := m.REST()
	r.Throttled(bad, bad, 0)
	r.Finished(bad, bad, 0, 0)
	gather(t, registry).expect(t, "leader_election_master_status", map[string]float64{`name="a�"`: 1})
	q.ShutDown()
	c.Close()
	r.Close()
	l.(interface{ Close() }).Close()
	if got := gather(t, registry); len(got) != 0 {
		t.Errorf("left: %v", got)
	}
}

// A registerer that has the metrics of others takes those of informers, and names that are used twice get a number.
func TestInformersAlone(t *testing.T) {
	if _, err := NewInformers(nil); err == nil || !strings.Contains(err.Error(), "nil") {
		t.Error(err)
	}
	registry := prometheus.NewPedanticRegistry()
	registry.MustRegister(newQueueFamilies(), newReconcileFamilies(), newRequestFamilies(), newLeaderFamilies())
	m, err := NewInformers(registry)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := NewInformers(registry); err == nil || !strings.Contains(err.Error(), "share the Metrics") {
		t.Error(err)
	}
	_, config := newServer(t, apitest.Config{})
	var removes []func()
	for range 3 {
		remove, err := m.AddInformer("", "pods", newFactory(t, config).Core().V1().Pods().Informer())
		if err != nil {
			t.Fatal(err)
		}
		removes = append(removes, remove)
	}
	is := func(names ...string) {
		t.Helper()
		want := map[string]float64{}
		for _, name := range names {
			want[fmt.Sprintf(`informer=%q,source=""`, name)] = 0
		}
		gather(t, registry).expect(t, "vedette_informer_objects", want)
	}
	is("pods", "pods 2", "pods 3")
	removes[1]()
	is("pods", "pods 3")
	if _, err := m.AddInformer("", "pods", newFactory(t, config).Core().V1().Pods().Informer()); err != nil {
		t.Fatal(err)
	}
	is("pods", "pods 2", "pods 3")
	if _, err := m.Informers("states", func() map[string]cache.State { return nil }); err != nil {
		t.Fatal(err)
	}
	if _, err := m.AddInformer("states", "pods", newFactory(t, config).Core().V1().Pods().Informer()); err == nil {
		t.Error("a source has informers and a function of states")
	}
	m.Close()
	is()
}
