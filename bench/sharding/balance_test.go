package sharding

import (
	"context"
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"vedette.dev/apitest"
	"vedette.dev/bench/pods"
	"vedette.dev/shard"
)

// The balance of shards does not depend on time, so it is a test: go test -v -run Balance ./sharding prints the figures.

// balancing runs an informer over config maps, the smallest objects that there are, until it has synced.
func balancing(t *testing.T, source shard.Source, objects []*corev1.ConfigMap) *shard.TypedShardingInformer[*corev1.ConfigMap] {
	t.Helper()
	server := apitest.New(t, apitest.Config{InProcess: true, ShardSelectors: true})
	for _, obj := range objects {
		if err := server.Put(obj); err != nil {
			t.Fatal(err)
		}
	}
	informer, err := shard.NewTypedShardingInformer(shard.Config[*corev1.ConfigMap]{
		Resource: corev1.SchemeGroupVersion.WithResource("configmaps"), REST: server.RESTConfig(), Source: source,
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		informer.RunWithContext(ctx)
	}()
	t.Cleanup(func() {
		cancel()
		<-ended
	})
	<-informer.HasSyncedChecker().Done()
	return informer
}

// configMaps are so many for each namespace, by its number.
func configMaps(namespace string, counts ...int) []*corev1.ConfigMap {
	var out []*corev1.ConfigMap
	for n, count := range counts {
		for range count {
			i := len(out)
			out = append(out, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{
				Namespace: fmt.Sprintf("%s-%d", namespace, n), Name: fmt.Sprintf("object-%d", i), UID: pods.UID(i),
			}})
		}
	}
	return out
}

// within fails if a figure is larger than it may be.
func within(t *testing.T, what string, got, most float64) {
	t.Helper()
	t.Logf("%-60s %.4f  (≤ %.4f)", what, got, most)
	if got > most {
		t.Errorf("%s: %.4f, want at most %.4f", what, got, most)
	}
}

func TestBalanceByUID(t *testing.T) {
	for _, n := range []int{2, 4, 8, 16} {
		informer := balancing(t, shard.Hash(shard.ByUID(), n), configMaps("default", n*1000))
		name := fmt.Sprintf("by UID, %d shards of 1,000", n)
		// With 1,000 objects a shard, chance alone has the largest of equal ranges some 5 % above the mean.
		within(t, name+", equal ranges: max/mean", informer.Imbalance(), 1.15)
		moved, err := informer.Rebalance()
		if err != nil {
			t.Fatal(err)
		}
		within(t, name+", balanced: max/mean", informer.Imbalance(), 1.05)
		within(t, name+", balanced: part that moved", moved.Part, 0.10)
		if moved, err = informer.Resize(n + 1); err != nil {
			t.Fatal(err)
		}
		within(t, fmt.Sprintf("by UID, %d → %d shards: part that moved", n, n+1), moved.Part, 1/float64(n+1)+0.01)
		within(t, fmt.Sprintf("by UID, %d → %d shards: max/mean", n, n+1), informer.Imbalance(), 1.05)
	}
}

// TestBalanceByNamespace has names that put most of them into one of eight equal ranges, as many tenants are named.
func TestBalanceByNamespace(t *testing.T) {
	even, uneven := make([]int, 100), make([]int, 100)
	for i := range even {
		even[i], uneven[i] = 80, 10+(i*37)%150
	}
	for name, counts := range map[string][]int{"of the same size": even, "of 10 to 159 objects": uneven} {
		informer := balancing(t, shard.Hash(shard.ByNamespace(), 8), configMaps("tenant", counts...))
		if _, err := informer.Rebalance(); err != nil {
			t.Fatal(err)
		}
		within(t, "by namespace, tenant-0..99 "+name+", 8 shards: max/mean", informer.Imbalance(), 1.25)
		moved, err := informer.Resize(9)
		if err != nil {
			t.Fatal(err)
		}
		within(t, "by namespace, 8 → 9 shards: part that moved", moved.Part, 1.0/9+0.01)
		within(t, "by namespace, 8 → 9 shards: max/mean", informer.Imbalance(), 1.25)
	}
}
