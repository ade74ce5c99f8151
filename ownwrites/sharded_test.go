package ownwrites

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"vedette.dev/apitest"
	"vedette.dev/cache"
	typed "vedette.dev/kubernetes/typed/core/v1"
	"vedette.dev/shard"
)

// running runs an informer with a tracker until the test ends, in a bubble.
func running(t *testing.T, informer cache.SharedIndexInformer, config Config) *Tracker {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	tracker, err := New(informer, config)
	mustNot(t, err)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		informer.RunWithContext(ctx)
	}()
	t.Cleanup(func() {
		cancel()
		<-ended
		mustNot(t, tracker.check())
		mustNot(t, tracker.Close())
	})
	cache.WaitForCacheSync(t.Context().Done(), informer.HasSynced)
	return tracker
}

func shardingInformer(t *testing.T, config shard.Config[metav1.Object]) *shard.ShardingInformer {
	t.Helper()
	config.Resource, config.Example = configMaps, &corev1.ConfigMap{}
	informer, err := shard.NewShardingInformer(config)
	mustNot(t, err)
	return informer
}

func labelled(name, value string) *corev1.ConfigMap {
	return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name, Labels: map[string]string{"t": value}}}
}

// One shard applies a change in a second, and another of the same namespace is far ahead. What was written to the slow one stays to
// be seen.
func TestOwnWritesToAShardThatIsBehindOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := apitest.New(t, apitest.Config{InMemory: true})
		informer := shardingInformer(t, shard.Config[metav1.Object]{REST: server.RESTConfig(), Source: shard.Shards(
			shard.Shard{ID: "a", Scope: shard.Scope{Labels: "t=a"}, Limits: shard.Limits{EventsPerSecond: 1}},
			shard.Shard{ID: "b", Scope: shard.Scope{Labels: "t=b"}})})
		tracker := running(t, informer, Config{})
		own := Client(typed.NewForConfigOrDie(server.RESTConfig()).ConfigMaps("default"), tracker)
		wanted := []string{}
		for i := range 4 {
			made, err := own.Create(t.Context(), labelled(fmt.Sprint("own-", i), "a"), metav1.CreateOptions{})
			mustNot(t, err)
			wanted = append(wanted, short(made))
		}
		foreign, err := server.Create(t.Context(), labelled("foreign", "b"))
		mustNot(t, err)
		for range 40 {
			list := slices.DeleteFunc(shorts(tracker.Indexer().List()), func(one string) bool { return one == short(foreign) })
			want(t, "shown", list, wanted)
			time.Sleep(100 * time.Millisecond)
			synctest.Wait()
		}
		time.Sleep(defaultSweep)
		want(t, "waiting", tracker.Stats().Waiting, 0)
	})
}

// An object that is created and deleted while a shard is behind is never delivered. Its entry leaves when the streams are past it.
func TestAnOwnWriteThatAShardNeverTellsOf(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := apitest.New(t, apitest.Config{InMemory: true})
		informer := shardingInformer(t, shard.Config[metav1.Object]{REST: server.RESTConfig(), Source: shard.Shards(
			shard.Shard{ID: "a", Scope: shard.Scope{Labels: "t=a"}, Limits: shard.Limits{EventsPerSecond: 1}})})
		tracker := running(t, informer, Config{})
		own := Client(typed.NewForConfigOrDie(server.RESTConfig()).ConfigMaps("default"), tracker)
		for i := range 3 {
			_, err := own.Create(t.Context(), labelled(fmt.Sprint("own-", i), "a"), metav1.CreateOptions{})
			mustNot(t, err)
		}
		mustNot(t, server.Delete(t.Context(), labelled("own-2", "a"), metav1.DeleteOptions{}))
		time.Sleep(10 * time.Second)
		want(t, "waiting", tracker.Stats().Waiting, 0)
		want(t, "shown", len(tracker.Indexer().List()), 2)
	})
}

// A namespace that no shard looks at is not recorded.
func TestOwnWritesOutsideOfAllShards(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := apitest.New(t, apitest.Config{InMemory: true, CreateNamespaces: true})
		tracker := running(t, shardingInformer(t, shard.Config[metav1.Object]{REST: server.RESTConfig(), Source: shard.Namespaces("other")}), Config{})
		own := Client(typed.NewForConfigOrDie(server.RESTConfig()).ConfigMaps("default"), tracker)
		_, err := own.Create(t.Context(), labelled("x", "a"), metav1.CreateOptions{})
		mustNot(t, err)
		want(t, "waiting", tracker.Stats().Waiting, 0)
		want(t, "shown", show(t, tracker.Indexer(), "default/x"), "none")
	})
}

// Objects of the same name in two clusters are two objects.
func TestNamesInSeveralClusters(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var shards []shard.Shard
		servers := map[string]*apitest.Server{}
		for _, cluster := range []string{"east", "west"} {
			servers[cluster] = apitest.New(t, apitest.Config{InMemory: true})
			_, err := servers[cluster].Create(t.Context(), labelled("x", "foreign"))
			mustNot(t, err)
			shards = append(shards, shard.Shard{ID: cluster, Scope: shard.Scope{Cluster: cluster, REST: servers[cluster].RESTConfig()}})
		}
		informer := shardingInformer(t, shard.Config[metav1.Object]{Source: shard.Shards(shards...),
			Informer: cache.SharedIndexInformerOptions{Indexers: cache.Indexers{cache.NamespaceIndex: cache.MetaNamespaceIndexFunc}}})
		tracker := running(t, informer, Config{})
		indexer := tracker.Indexer()
		look := func(what string, wanted ...string) {
			t.Helper()
			values := func(list []any) []string {
				out := []string{}
				for _, obj := range list {
					out = append(out, metaOf(obj).GetLabels()["t"])
				}
				slices.Sort(out)
				return out
			}
			want(t, what, values(indexer.List()), wanted)
			list, err := indexer.ByIndex(cache.NamespaceIndex, "default")
			mustNot(t, err)
			want(t, what+", by index", values(list), wanted)
			list, err = indexer.Index(cache.NamespaceIndex, labelled("x", ""))
			mustNot(t, err)
			want(t, what+", by an object", values(list), wanted)
			want(t, what+", keys", len(indexer.ListKeys()), len(wanted))
		}
		for _, server := range servers {
			_, err := server.Inject(apitest.Fault{Match: apitest.Match{Verbs: []string{"watch"}}, Effect: apitest.Lag, Delay: time.Second})
			mustNot(t, err)
		}
		client := func(cluster string) *TypedClient[*corev1.ConfigMap, *corev1.ConfigMapList] {
			return Client[*corev1.ConfigMap, *corev1.ConfigMapList](
				typed.NewForConfigOrDie(servers[cluster].RESTConfig()).ConfigMaps("default"), tracker.InCluster(cluster))
		}
		look("at first", "foreign", "foreign")
		_, err := client("east").Update(t.Context(), labelled("x", "own"), metav1.UpdateOptions{})
		mustNot(t, err)
		look("written in one", "foreign", "own")
		got, exists, err := indexer.GetByKey("west|default/x")
		if err != nil || !exists || metaOf(got).GetLabels()["t"] != "foreign" {
			t.Errorf("%v %v %v", got, exists, err)
		}
		mustNot(t, client("west").Delete(t.Context(), "x", metav1.DeleteOptions{}))
		look("deleted in the other", "own")
		want(t, "waiting", tracker.Stats().Waiting, 2)
		time.Sleep(2 * time.Second)
		synctest.Wait()
		want(t, "waiting", tracker.Stats().Waiting, 0)
		look("at last", "own")
		// Keys are those of package shard.
		want(t, "key", ident{"east", cache.ObjectName{Namespace: "n", Name: "x"}}.String(),
			shard.Key{Cluster: "east", ObjectName: cache.ObjectName{Namespace: "n", Name: "x"}}.String())
	})
}

// An object that was never seen is deleted, and the server does not say a version from after that. Once the informer has delivered the
// deletion, nothing is left to wait for.
func TestADeletionThatWasToldLeavesNothingBehind(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := apitest.New(t, apitest.Config{InMemory: true})
		core := typed.NewForConfigOrDie(server.RESTConfig())
		informer := cache.NewSharedIndexInformer(cache.NewListWatchFromClient(core.RESTClient(), "configmaps", "", nil), &corev1.ConfigMap{}, 0, nil)
		tracker := running(t, informer, Config{})
		inject := func(verb string, f apitest.Fault) {
			f.Match = apitest.Match{Verbs: []string{verb}, Resource: "configmaps"}
			_, err := server.Inject(f)
			mustNot(t, err)
		}
		inject("watch", apitest.Fault{Effect: apitest.Lag, Delay: time.Second})
		inject("list", apitest.Fault{Effect: apitest.AnswerForbidden})
		own := Client[*corev1.ConfigMap, *corev1.ConfigMapList](core.ConfigMaps("default"), tracker)
		_, err := server.Create(t.Context(), labelled("x", "unseen"))
		mustNot(t, err)
		mustNot(t, own.Delete(t.Context(), "x", metav1.DeleteOptions{}))
		want(t, "waiting", tracker.Stats().Waiting, 1)
		time.Sleep(time.Second + defaultSweep)
		synctest.Wait()
		want(t, "waiting", tracker.Stats().Waiting, 0)

		// The watch may be faster than the answer.
		_, err = server.Create(t.Context(), labelled("y", "unseen"))
		mustNot(t, err)
		own = Client[*corev1.ConfigMap, *corev1.ConfigMapList](lateAnswers{core.ConfigMaps("default")}, tracker)
		mustNot(t, own.Delete(t.Context(), "y", metav1.DeleteOptions{}))
		want(t, "waiting", tracker.Stats().Waiting, 0)
	})
}

// lateAnswers is a client to which the answers to deletions come late.
type lateAnswers struct{ typed.ConfigMapInterface }

func (lateAnswers) GetNamespace() string { return "default" }

func (c lateAnswers) DeleteAnswer(ctx context.Context, name string, opts metav1.DeleteOptions) (runtime.Object, error) {
	answer, err := c.ConfigMapInterface.(interface {
		DeleteAnswer(ctx context.Context, name string, opts metav1.DeleteOptions) (runtime.Object, error)
	}).DeleteAnswer(ctx, name, opts)
	time.Sleep(5 * time.Second)
	return answer, err
}

// stuck is an informer of one namespace whose watch does not move.
type stuck struct{ *stub }

func (stuck) Namespaces() []string       { return []string{"ns"} }
func (stuck) StoreVersion(string) string { return "3" }

// An informer that says how far it is may be behind for as long as it likes: own writes stay to be seen.
func TestOwnWritesOfAnInformerThatIsBehindForLong(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tracker := newTracker(t, stuck{newStub()}, Config{})
		mustNot(t, tracker.Created(configMap("a", "1", 4, "red")))
		time.Sleep(giveUp + 2*defaultSweep)
		want(t, "shown", show(t, tracker.Indexer(), "ns/a"), "a@4")
		mustNot(t, tracker.Close())
	})
}
