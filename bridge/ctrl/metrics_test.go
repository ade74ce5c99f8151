package ctrl_test

import (
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	ctrlcache "sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/metrics"

	"vedette.dev/bridge"
	"vedette.dev/bridge/ctrl"
	"vedette.dev/cache"
)

// objectsOf returns the series vedette_informer_objects of a source, by the names of the informers.
func objectsOf(t *testing.T, source string) map[string]float64 {
	t.Helper()
	families, err := metrics.Registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]float64{}
	for _, family := range families {
		if family.GetName() != "vedette_informer_objects" {
			continue
		}
		for _, m := range family.GetMetric() {
			labels := map[string]string{}
			for _, label := range m.GetLabel() {
				labels[label.GetName()] = label.GetValue()
			}
			if labels["source"] == source {
				got[labels["informer"]] = m.GetGauge().GetValue()
			}
		}
	}
	return got
}

// TestMetricsOfInformers has two caches with one registry, each with informers that come and go.
func TestMetricsOfInformers(t *testing.T) {
	_, config := newServer(t)
	newCache := ctrl.NewCacheWith(bridge.Options{Metrics: ctrl.Metrics(), MetricsSource: "a cluster"})
	metadata := &metav1.PartialObjectMetadata{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"}}
	c := start(t, config, newCache, ctrlcache.Options{})
	for _, obj := range []client.Object{&corev1.Pod{}, &corev1.ConfigMap{}, metadata} {
		if err := c.Get(t.Context(), key, obj); err != nil {
			t.Fatal(err)
		}
	}
	t.Run("another cache", func(t *testing.T) {
		other := start(t, config, newCache, ctrlcache.Options{})
		if err := other.Get(t.Context(), key, &corev1.Pod{}); err != nil {
			t.Fatal(err)
		}
		want := map[string]float64{"core/v1.Pod": 1, "core/v1.Pod 2": 1, "core/v1.Pod (metadata)": 1, "core/v1.ConfigMap": 1}
		if got := objectsOf(t, "a cluster"); !maps.Equal(got, want) {
			t.Errorf("there are %v, want %v", got, want)
		}
		names := slices.Sorted(maps.Keys(c.Informers()))
		if want := []string{"core/v1.ConfigMap", "core/v1.Pod", "core/v1.Pod (metadata)"}; !slices.Equal(names, want) {
			t.Errorf("the page has the informers %q, want %q", names, want)
		}
	})
	if err := c.RemoveInformer(t.Context(), &corev1.Pod{}); err != nil {
		t.Fatal(err)
	}
	want := map[string]float64{"core/v1.Pod (metadata)": 1, "core/v1.ConfigMap": 1}
	deadline := time.Now().Add(10 * time.Second)
	for got := objectsOf(t, "a cluster"); !maps.Equal(got, want); got = objectsOf(t, "a cluster") {
		if time.Now().After(deadline) {
			t.Fatalf("there are %v, want %v", got, want)
		}
		time.Sleep(time.Millisecond)
	}
	if err := c.Get(t.Context(), key, &corev1.Pod{}); err != nil { // the name is free
		t.Fatal(err)
	}
	if got := objectsOf(t, "a cluster"); got["core/v1.Pod"] != 1 {
		t.Errorf("there are %v", got)
	}
}

// TestMetricsOfASourceThatIsInUse checks that a factory and informers cannot have the same source.
func TestMetricsOfASourceThatIsInUse(t *testing.T) {
	remove, err := ctrl.Metrics().Informers("used", func() map[string]cache.State { return nil })
	if err != nil {
		t.Fatal(err)
	}
	defer remove()
	defer func() {
		if value := recover(); value == nil || !strings.Contains(value.(error).Error(), `source "used" is already exported`) {
			t.Errorf("it panics with %v", value)
		}
	}()
	bridge.Options{Metrics: ctrl.Metrics(), MetricsSource: "used"}.NewInformer(nil, &corev1.Pod{}, 0, nil)
}
