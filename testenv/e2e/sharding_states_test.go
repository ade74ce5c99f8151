package e2e

import (
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"vedette.dev/cache"
	"vedette.dev/rest"
	"vedette.dev/shard"
	"vedette.dev/testenv"
)

// A shard that is new, and gets its objects from others and from a watch that was there before, has synced.
func TestShardingOfNewShardsOfOneWatch(t *testing.T) {
	client := newClientset(t)
	namespace := newNamespace(t, client)
	writeConfigMaps(t, client, namespace, 30)
	informer, err := shard.NewTypedShardingInformer(shard.Config[*corev1.ConfigMap]{
		Resource: shardingConfigMaps, REST: closing(t, adminConfig(t)), Source: shard.Hash(shard.ByUID(), 2),
	})
	if err != nil {
		t.Fatal(err)
	}
	added := make(chan bool, 1000)
	startSharded(t, informer, shard.HandlerFuncs[*corev1.ConfigMap]{
		AddFunc: func(_ string, cm *corev1.ConfigMap, isInInitialList bool) {
			if cm.Namespace == namespace && cm.Data["n"] == "60" {
				added <- isInInitialList
			}
		},
	})
	awaitSync(t, informer)
	if _, err := informer.Resize(8); err != nil {
		t.Fatal(err)
	}
	writeConfigMaps(t, client, namespace, 60)
	for range 30 {
		if <-added {
			t.Error("an object that was made later is told to be in the first list")
		}
	}
	for _, s := range informer.Shards() {
		if s.Err() != nil || !s.Synced {
			t.Errorf("shard %s: %v", s.ID, s.Err())
		}
		select {
		case <-informer.View(s.ID).Synced():
		default:
			t.Errorf("the view of shard %s has not synced", s.ID)
		}
	}
}

// The name of an object of a cluster, whose deletion no stream reported, is without the cluster, as it is of others.
func TestShardingOfUnseenDeletions(t *testing.T) {
	env := testenv.New(t, testenv.Config{})
	store := newStore(t, env)
	store.put("configmaps", &corev1.ConfigMap{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "ConfigMap"},
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "gone", UID: newUIDs(1).next()},
	})
	informer, err := shard.NewTypedShardingInformer(shard.Config[*corev1.ConfigMap]{
		Resource: shardingConfigMaps, Source: shard.Clusters(map[string]*rest.Config{"west": closing(t, env.RESTConfig())}),
	})
	if err != nil {
		t.Fatal(err)
	}
	deleted := make(chan string, 10)
	startSharded(t, informer, shard.HandlerFuncs[*corev1.ConfigMap]{
		DeleteFunc: func(_ string, gone cache.DeletedObject[*corev1.ConfigMap]) {
			deleted <- fmt.Sprint(gone.FinalStateUnknown == nil, " ", gone.GetObjectName())
		},
	})
	awaitSync(t, informer)
	env.KillAPIServer()
	store.remove("configmaps", "default", "gone")
	if err := env.StartAPIServer(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := <-deleted; got != "false default/gone" {
		t.Errorf("%s was deleted, want false default/gone", got)
	}
}
