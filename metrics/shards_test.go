package metrics

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"vedette.dev/apitest"
	"vedette.dev/rest"
	"vedette.dev/shard"
)

type podShards = shard.TypedShardingInformer[*corev1.Pod]

// runSharded runs an informer of pods in shards, and shows it as "pods" of a source, until the test ends or stop is called.
func runSharded(t *testing.T, m *Metrics, source string, config *rest.Config, shards shard.Source) (informer *podShards, stop func()) {
	t.Helper()
	informer, err := shard.NewTypedShardingInformer(shard.Config[*corev1.Pod]{
		Resource: corev1.SchemeGroupVersion.WithResource("pods"), REST: config, Source: shards,
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.Shards(source, "pods", informer); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(background)
	done := make(chan struct{})
	go func() {
		defer close(done)
		informer.RunWithContext(ctx)
	}()
	stop = func() {
		cancel()
		<-done
	}
	t.Cleanup(stop)
	<-informer.HasSyncedChecker().Done()
	return informer, stop
}

// namespaceShard is a shard of one namespace.
func namespaceShard(name string, limits shard.Limits) shard.Shard {
	return shard.Shard{ID: name, Scope: shard.Scope{Namespaces: []string{name}}, Limits: limits}
}

func put(t *testing.T, server *apitest.Server, namespace string, n int) {
	t.Helper()
	for i := range n {
		p := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: fmt.Sprint("p", i)}}
		if err := server.Put(p); err != nil {
			t.Fatal(err)
		}
	}
}

func ofShard(id string) string { return fmt.Sprintf(`informer="pods",shard=%q,source="one"`, id) }

func TestShards(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server, config := newServer(t, apitest.Config{InProcess: true, Lenient: true})
		put(t, server, "a", 6)
		put(t, server, "b", 4)
		m, registry := mustNew(t)
		informer, stop := runSharded(t, m, "one", config, shard.Shards(
			namespaceShard("a", shard.Limits{}), namespaceShard("b", shard.Limits{Objects: 2})))
		synctest.Wait()
		put(t, server, "a", 1)
		time.Sleep(time.Second)
		got := gather(t, registry)
		for family, v := range map[string]float64{"shards": 2, "streams": 2, "imbalance_ratio": 1.5, "shard_changes_total": 1, "objects": 8} {
			got.expect(t, "vedette_informer_"+family, map[string]float64{`informer="pods",source="one"`: v})
		}
		for family, v := range map[string][2]float64{
			"objects": {6, 2}, "synced": {1, 1}, "failures": {0, 0}, "failing_seconds": {0, 0}, "last_event_age_seconds": {1, 1},
			"pending": {0, 0}, "pending_age_seconds": {0, 0}, "left_out": {0, 2}, "events_total": {7, 4},
			"coalesced_total": {0, 0}, "moved_in_total": {0, 0}, "moved_out_total": {0, 0},
		} {
			got.expect(t, "vedette_informer_shard_"+family, map[string]float64{ofShard("a"): v[0], ofShard("b"): v[1]})
		}
		for _, family := range []string{"received_bytes_total", "lag_seconds"} {
			if v := got["vedette_informer_shard_"+family+"{"+ofShard("a")+"}"]; v < 1 {
				t.Errorf("%s is %v", family, v)
			}
		}
		// A shard that goes takes its series along; those that take its place have theirs from then on.
		if err := informer.RemoveShard("b"); err != nil {
			t.Fatal(err)
		}
		if err := informer.SetShards(shard.Shard{ID: "c", Scope: shard.Scope{Namespaces: []string{"a"}}}); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		got = gather(t, registry)
		got.expect(t, "vedette_informer_shard_objects", map[string]float64{ofShard("c"): 6})
		got.expect(t, "vedette_informer_shard_moved_in_total", map[string]float64{ofShard("c"): 6})
		got.expect(t, "vedette_informer_shard_changes_total", map[string]float64{`informer="pods",source="one"`: 3})
		stop()
		if got := gather(t, registry); len(got) != 0 || len(m.sources.groups) != 0 {
			t.Errorf("after the stop there are %v", got)
		}
	})
}

// A storm in one shard is seen there, and in no other.
func TestAStormInAShard(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server, config := newServer(t, apitest.Config{InProcess: true, Lenient: true})
		m, registry := mustNew(t)
		runSharded(t, m, "one", config, shard.Shards(
			namespaceShard("a", shard.Limits{}), namespaceShard("b", shard.Limits{EventsPerSecond: 1})))
		for range 3 {
			put(t, server, "a", 4)
			put(t, server, "b", 4)
			synctest.Wait()
		}
		time.Sleep(500 * time.Millisecond)
		got := gather(t, registry)
		got.expect(t, "vedette_informer_shard_events_total", map[string]float64{ofShard("a"): 12, ofShard("b"): 1})
		got.expect(t, "vedette_informer_shard_pending_age_seconds", map[string]float64{ofShard("a"): 0, ofShard("b"): 0.5})
		// Of four pods one is about to be applied, and of the others the newest state waits.
		if v := got["vedette_informer_shard_pending{"+ofShard("b")+"}"]; v < 3 || v > 4 {
			t.Errorf("%v changes wait", v)
		}
		if v := got["vedette_informer_shard_coalesced_total{"+ofShard("b")+"}"]; v < 5 || v > 7 {
			t.Errorf("%v changes were coalesced", v)
		}
	})
}

// Informer shows how many shards there are, and none of them.
func TestAnInformerWithShardsAsOne(t *testing.T) {
	_, config := newServer(t, apitest.Config{InProcess: true})
	m, registry := mustNew(t)
	informer, _ := runSharded(t, m, "one", config, shard.Hash(shard.ByUID(), 3))
	if _, err := m.Informer("two", "pods", informer); err != nil {
		t.Fatal(err)
	}
	got := gather(t, registry)
	got.expect(t, "vedette_informer_shards", map[string]float64{`informer="pods",source="one"`: 3, `informer="pods",source="two"`: 3})
	for name := range got {
		if strings.Contains(name, `shard="`) && strings.Contains(name, `source="two"`) {
			t.Errorf("%s is shown", name)
		}
	}
	if _, err := m.Shards("one", "pods", informer); err == nil || !strings.Contains(err.Error(), "already exported") {
		t.Error(err)
	}
	if _, err := m.Shards("one", "nothing", nil); err == nil || !strings.Contains(err.Error(), "nil") {
		t.Error(err)
	}
}
