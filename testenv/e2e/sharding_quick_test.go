package e2e

import (
	"testing"

	corev1 "k8s.io/api/core/v1"

	"vedette.dev/kubernetes"
	"vedette.dev/shard"
	"vedette.dev/testenv"
)

// Shards that change in quick succession list nothing: a watch that has not begun yet is known to be where it was to begin.
func TestShardingInQuickSuccession(t *testing.T) {
	env := testenv.New(t, testenv.Config{FeatureGates: map[string]bool{shardingGate: true}})
	client, err := kubernetes.NewForConfig(closing(t, env.RESTConfig()))
	if err != nil {
		t.Fatal(err)
	}
	writeConfigMaps(t, client, "default", 100)
	traffic, counted := newTraffic(t, env.RESTConfig(), "configmaps")
	informer, _ := runSharded(t, shard.Config[*corev1.ConfigMap]{
		Resource: shardingConfigMaps, REST: counted, Source: shard.Hash(shard.ByUID(), 4),
	})
	awaitSync(t, informer)
	made := traffic.made()
	for range 100 {
		if err := informer.Split("001", "a", "b", "c"); err != nil {
			t.Fatal(err)
		}
		if err := informer.Merge("001", "a", "b", "c"); err != nil {
			t.Fatal(err)
		}
	}
	lists, _, watches := traffic.since(made)
	anew := 0
	for _, w := range watches {
		if !w.resumes() {
			anew++
		}
	}
	if len(lists) != 0 || anew != 0 {
		t.Errorf("%d lists, and %d of %d watches begin anew", len(lists), anew, len(watches))
	}
}
