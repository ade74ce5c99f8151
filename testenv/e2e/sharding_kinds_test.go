package e2e

import (
	"fmt"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"vedette.dev/dynamic"
	"vedette.dev/shard"
	"vedette.dev/testenv"
)

// TestShardingOfOtherKinds is about kinds of which a server that selects by hash does not say so, or does so only by halves.
func TestShardingOfOtherKinds(t *testing.T) {
	env := testenv.New(t, testenv.Config{FeatureGates: map[string]bool{shardingGate: true}})
	t.Run("custom resources", func(t *testing.T) { testShardingOfCustomResources(t, env) })
	t.Run("events", func(t *testing.T) { testShardingOfEvents(t, env, false) })
	// Without lists that are watches, all is well until something happens.
	env = testenv.New(t, testenv.Config{FeatureGates: map[string]bool{shardingGate: true, "WatchList": false}})
	t.Run("events that are listed", func(t *testing.T) { testShardingOfEvents(t, env, true) })
}

// Lists of custom resources carry no sign of having been selected from, but they have been: that is found out by asking.
func testShardingOfCustomResources(t *testing.T, env *testenv.Env) {
	client, err := dynamic.NewForConfig(closing(t, env.RESTConfig()))
	if err != nil {
		t.Fatal(err)
	}
	kind := &passingKind{t: t, client: client, resource: newPassingKind(t).resource}
	kind.define()
	for i := range 200 {
		kind.create("default", fmt.Sprintf("gadget-%03d", i))
	}
	traffic, counted := newTraffic(t, env.RESTConfig(), kind.resource.Resource)
	informer, ledger := runSharded(t, shard.Config[*unstructured.Unstructured]{
		Resource: kind.resource, REST: counted, Example: kind.example(), Source: shard.Hash(shard.ByUID(), manyShards),
	})
	awaitSync(t, informer)
	gadgets := client.Resource(kind.resource).Namespace("default")
	agree := func() {
		t.Helper()
		settles(t, "informer and server agree", func() error {
			list, err := gadgets.List(t.Context(), metav1.ListOptions{})
			if err != nil {
				return err
			}
			want := map[string]string{}
			for i := range list.Items {
				want["default/"+list.Items[i].GetName()] = list.Items[i].GetResourceVersion()
			}
			return agrees(informer, ledger, want)
		})
	}
	agree()
	lists, questions, watches := traffic.since(0)
	selectors := map[string]bool{}
	for _, w := range watches {
		selectors[w.selector()] = true
	}
	t.Logf("%d lists, %d questions, %d watches with %d selectors", len(lists), len(questions), len(watches), len(selectors))
	if len(lists) != 0 || len(watches) != manyShards || len(selectors) != manyShards || selectors[""] {
		t.Errorf("want %d watches, each with a selector of its own, and no list", manyShards)
	}

	before := ledger.told()
	for i := range 50 {
		kind.create("default", fmt.Sprintf("later-%03d", i))
		if err := gadgets.Delete(t.Context(), fmt.Sprintf("gadget-%03d", i), metav1.DeleteOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	agree()
	if calls := ledger.told() - before; calls != 100 {
		t.Errorf("the handler was called %d times for 100 changes", calls)
	}
	if n := informer.Streams(); n != manyShards {
		t.Errorf("%d streams after some changes, want %d: the server does select", n, manyShards)
	}
}
