package shard_test

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"vedette.dev/apitest"
	"vedette.dev/cache"
	"vedette.dev/rest"
	"vedette.dev/shard"
)

var pods = corev1.SchemeGroupVersion.WithResource("pods")

// cluster is a server in this process with pods in some namespaces, named after how many they have: ns-3 has three.
func cluster(namespaces ...int) (config *rest.Config, end func()) {
	server, err := apitest.Start(apitest.Config{InProcess: true})
	if err != nil {
		panic(err)
	}
	for _, n := range namespaces {
		pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: fmt.Sprint("ns-", n), Name: "web"}}
		if err := server.Fill(context.Background(), apitest.Load{Object: pod, Count: n}); err != nil {
			panic(err)
		}
	}
	return server.RESTConfig(), server.Close
}

// run runs an informer until end is called, and returns when it has synced.
func run(informer cache.SharedInformer) (end func()) {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		defer close(done)
		informer.RunWithContext(ctx)
	}()
	<-informer.HasSyncedChecker().Done()
	return func() {
		cancel()
		<-done
	}
}

// Pods in eight shards, each with an informer of its own.
func ExampleNewTypedShardingInformer() {
	config, end := cluster(3, 5, 7, 11)
	defer end()

	informer, err := shard.NewTypedShardingInformer(shard.Config[*corev1.Pod]{
		Resource: corev1.SchemeGroupVersion.WithResource("pods"),
		REST:     config,
		Source:   shard.Hash(shard.ByUID(), 8),
	})
	if err != nil {
		panic(err)
	}
	defer run(informer)()

	all, err := informer.Lister().ByNamespace("ns-7").List(labels.Everything())
	fmt.Println(len(informer.Shards()), "shards,", len(informer.GetStore().ListKeys()), "pods,", len(all), "in ns-7", err)
	// Output: 8 shards, 26 pods, 7 in ns-7 <nil>
}

// A handler learns in which shard something happens. It is never called twice at the same time for one shard.
func ExampleTypedShardingInformer_AddShardHandler() {
	config, end := cluster(2)
	defer end()
	informer, err := shard.NewTypedShardingInformer(shard.Config[*corev1.Pod]{
		Resource: pods, REST: config, Source: shard.Namespaces("ns-2"),
	})
	if err != nil {
		panic(err)
	}
	lost := make(chan struct{})
	registration, err := informer.AddShardHandler(shard.HandlerFuncs[*corev1.Pod]{
		AddFunc: func(shard string, pod *corev1.Pod, isInInitialList bool) {
			fmt.Println(shard, "has", pod.Name)
		},
		DeleteFunc: func(shard string, gone cache.DeletedObject[*corev1.Pod]) {
			fmt.Println(shard, "had", gone.GetName(), "which is deleted")
		},
		LostFunc: func(shard string, keys []string) {
			fmt.Println(shard, "was removed, which had", len(keys), "pods")
			close(lost)
		},
	}, shard.HandlerOptions{})
	if err != nil {
		panic(err)
	}
	defer run(informer)()
	<-registration.HasSyncedChecker().Done()
	if err := informer.RemoveShard("ns-2"); err != nil {
		panic(err)
	}
	<-lost
	// Unordered output:
	// ns-2 has web-000000
	// ns-2 has web-000001
	// ns-2 was removed, which had 2 pods
}

// Shards are changed while they are in use. Nothing that stays is listed or delivered again.
func ExampleTypedShardingInformer_Rebalance() {
	config, end := cluster(10, 20, 30, 40, 50, 60)
	defer end()
	informer, err := shard.NewTypedShardingInformer(shard.Config[*corev1.Pod]{
		Resource: pods, REST: config, Source: shard.Hash(shard.ByNamespace(), 2),
	})
	if err != nil {
		panic(err)
	}
	defer run(informer)()
	change := func() error {
		if err := informer.Split("000", "000-a", "000-b"); err != nil {
			return err
		}
		if err := informer.Merge("000", "000-a", "000-b"); err != nil {
			return err
		}
		if _, err := informer.Resize(3); err != nil {
			return err
		}
		moved, err := informer.Rebalance()
		if err != nil {
			return err
		}
		fmt.Printf("balanced: %v\n", moved.Imbalance < 1.5)
		return nil
	}
	if err := change(); err != nil {
		panic(err)
	}
	for _, s := range informer.Shards() {
		fmt.Println("shard", s.ID)
	}
	// Output:
	// balanced: true
	// shard 000
	// shard 001
	// shard 002
}

// What each shard does, for people and for probes.
func ExampleTypedShardingInformer_Shards() {
	config, end := cluster(3, 5)
	defer end()
	informer, err := shard.NewTypedShardingInformer(shard.Config[*corev1.Pod]{
		Resource: pods, REST: config, Source: shard.Namespaces("ns-3", "ns-5"),
	})
	if err != nil {
		panic(err)
	}
	defer run(informer)()
	for _, s := range informer.Shards() {
		fmt.Printf("%s (%s): %d objects, %d wait, left out: %v, error: %v\n", s.ID, s.Scope, s.Objects, s.Pending, s.Full != nil, s.Err())
	}
	fmt.Printf("%d streams, imbalance %.2f, error: %v\n", informer.Streams(), informer.Imbalance(), informer.Err())
	// Output:
	// ns-3 (namespace ns-3): 3 objects, 0 wait, left out: false, error: <nil>
	// ns-5 (namespace ns-5): 5 objects, 0 wait, left out: false, error: <nil>
	// 2 streams, imbalance 1.25, error: <nil>
}
