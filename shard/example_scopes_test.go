package shard_test

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"

	"vedette.dev/rest"
	"vedette.dev/shard"
)

// A shard for each namespace that has a label, each with limits. Shards come and go with the namespaces.
func ExampleFollowNamespaces() {
	config, end := cluster(3)
	defer end()
	informer, err := shard.NewTypedShardingInformer(shard.Config[*corev1.Pod]{
		Resource: pods,
		REST:     config,
		Source: shard.FollowNamespaces(shard.FollowConfig{
			REST:     config,
			Selector: "kubernetes.io/metadata.name in (ns-3)",
			Shard: func(namespace string) shard.Shard {
				return shard.Shard{ID: namespace, Limits: shard.Limits{Objects: 10_000, EventsPerSecond: 100}}
			},
		}),
	})
	if err != nil {
		panic(err)
	}
	defer run(informer)()
	for _, s := range informer.Shards() {
		fmt.Println(s.ID, s.Objects, s.Limits)
	}
	// Output: ns-3 3 {10000 0 100}
}

// Tenants are told apart by a function, here by the name of the namespace. Large ones get limits.
func ExampleTenancy() {
	config, end := cluster(3, 5)
	defer end()
	informer, err := shard.NewTypedShardingInformer(shard.Config[*corev1.Pod]{
		Resource: pods,
		REST:     config,
		Tenant: shard.Tenancy{Of: func(e *shard.Envelope) string {
			if e.Namespace == "ns-3" {
				return "shop"
			}
			return "others"
		}},
		Source: shard.Shards(
			shard.Shard{ID: "shop", Scope: shard.Scope{Tenant: "shop"}},
			shard.Shard{ID: "others", Scope: shard.Scope{Tenant: "others"}, Limits: shard.Limits{Objects: 4}},
		),
	})
	if err != nil {
		panic(err)
	}
	defer run(informer)()
	for _, s := range informer.Shards() {
		fmt.Println(s.ID, s.Objects, s.Full)
	}
	// Output:
	// others 4 shard "others" has reached its limit of 4 objects: objects left out: 1; raise the limit, or split the shard
	// shop 3 <nil>
}

// Keys carry the cluster.
func ExampleClusters() {
	east, end := cluster(2)
	defer end()
	west, end := cluster(2)
	defer end()
	informer, err := shard.NewTypedShardingInformer(shard.Config[*corev1.Pod]{
		Resource: pods,
		Source:   shard.Clusters(map[string]*rest.Config{"east": east, "west": west}),
	})
	if err != nil {
		panic(err)
	}
	defer run(informer)()
	key, err := shard.ParseKey("west|ns-2/web-000001")
	if err != nil {
		panic(err)
	}
	pod, err := informer.Lister().Get(key.String())
	if err != nil {
		panic(err)
	}
	fmt.Println(key.Cluster, key.Namespace, key.Name, pod.Name)
	inEast, err := informer.View("east").Lister().List(labels.Everything())
	fmt.Println(len(inEast), "pods in east", err)
	// Output:
	// west ns-2 web-000001 web-000001
	// 2 pods in east <nil>
}

// replica is a Source of the shards that this replica has, as something outside decides.
type replica struct {
	// mine is the ranges of hashes, by the ID of the shard: all of them, each time that they change.
	mine <-chan map[string]shard.Range
}

// Run implements shard.Source.
func (r replica) Run(ctx context.Context, emit func([]shard.Shard) error) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case ranges := <-r.mine:
			var shards []shard.Shard
			for id, r := range ranges {
				shards = append(shards, shard.Shard{ID: id, Scope: shard.Scope{Hash: shard.ByUID(), Ranges: []shard.Range{r}}})
			}
			if err := emit(shards); err != nil {
				return err
			}
		}
	}
}

// A replica looks after some ranges of hashes, and others after the rest.
func ExampleSource() {
	config, end := cluster(100)
	defer end()
	mine := make(chan map[string]shard.Range, 1)
	parts := shard.EqualRanges(64)
	mine <- map[string]shard.Range{"07": parts[7], "08": parts[8]}
	informer, err := shard.NewTypedShardingInformer(shard.Config[*corev1.Pod]{
		Resource: pods,
		REST:     config,
		Source:   replica{mine},
		Partial:  true, // the other ranges are not forgotten: others have them
	})
	if err != nil {
		panic(err)
	}
	defer run(informer)()
	fmt.Println(len(informer.Shards()), "shards,", len(informer.GetStore().ListKeys()) < 20)
	// Output: 2 shards, true
}
