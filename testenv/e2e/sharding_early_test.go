package e2e

import (
	"testing"

	corev1 "k8s.io/api/core/v1"

	"vedette.dev/kubernetes"
	"vedette.dev/shard"
	"vedette.dev/testenv"
)

// An informer that says it has synced has all objects, also if its streams were exchanged on the way there.
func TestShardingSyncsNoSooner(t *testing.T) {
	env := testenv.New(t, testenv.Config{FeatureGates: map[string]bool{shardingGate: true}})
	client, err := kubernetes.NewForConfig(closing(t, env.RESTConfig()))
	if err != nil {
		t.Fatal(err)
	}
	e := &shardedEvents{t: t, client: client}
	e.write("before", 200)
	newStore(t, env).put("configmaps", manyConfigMaps(5000)...)

	t.Run("when the server does not select what is watched", func(t *testing.T) {
		config := shard.Config[*corev1.Event]{Resource: corev1.SchemeGroupVersion.WithResource("events"), REST: env.RESTConfig(), Source: shard.Hash(shard.ByUID(), 8)}
		informer, _ := runSharded(t, config)
		<-informer.HasSyncedChecker().Done()
		if n := len(informer.GetStore().ListKeys()); n < 200 {
			t.Errorf("synced with %d objects, of 200", n)
		}
	})
	t.Run("when shards change meanwhile", func(t *testing.T) {
		config := shard.Config[*corev1.ConfigMap]{Resource: shardingConfigMaps, REST: env.RESTConfig(), Source: shard.Hash(shard.ByUID(), 8)}
		informer, _ := runSharded(t, config)
		for n := range 4 {
			for informer.Streams() == 0 {
			}
			if _, err := informer.Resize(8 + n%2); err != nil {
				t.Fatal(err)
			}
		}
		<-informer.HasSyncedChecker().Done()
		if n := len(informer.GetStore().ListKeys()); n < 5000 {
			t.Errorf("synced with %d objects, of 5000", n)
		}
	})
}
