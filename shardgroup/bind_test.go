package shardgroup

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"vedette.dev/apitest"
	"vedette.dev/cache"
	"vedette.dev/controller"
	"vedette.dev/internal/shardhistory"
	coreclient "vedette.dev/kubernetes/typed/core/v1"
	"vedette.dev/shard"
	"vedette.dev/shardgroup/internal/protocol"
)

// replica is a process with an informer and a controller of ConfigMaps, which copies "want" to "have" in each.
type replica struct {
	*running
	stopAll context.CancelFunc
	all     sync.WaitGroup
}

func newReplica(t *testing.T, server *apitest.Server, log *shardhistory.Log) *replica {
	t.Helper()
	config := server.RESTConfig()
	g, err := New(Config{Name: "group", Namespace: "default", REST: config, Shards: 16, Identity: "r", Key: shard.ByName()})
	if err != nil {
		t.Fatal(err)
	}
	informer, err := shard.NewTypedShardingInformer(shard.Config[*corev1.ConfigMap]{
		Resource: schema.GroupVersionResource{Version: "v1", Resource: "configmaps"},
		REST:     config, Source: g.Source(), Partial: true,
		Tweak: func(o *metav1.ListOptions) { o.LabelSelector = "work" },
	})
	if err != nil {
		t.Fatal(err)
	}
	shards, err := Bind(g, informer)
	if err != nil {
		t.Fatal(err)
	}
	core, err := coreclient.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	c, err := controller.New(controller.Config[cache.ObjectName]{
		Name: "copy", Workers: 4, Owner: g,
		Sources: []controller.Source[cache.ObjectName]{controller.For(informer), shards},
		Reconcile: func(ctx context.Context, key cache.ObjectName) (controller.Result, error) {
			i, _ := g.ShardOfName(key.Namespace, key.Name)
			epoch, _ := Epoch(ctx)
			log.Act(shardhistory.Act{At: time.Now(), Member: g.Name(), Shard: i, Epoch: epoch})
			obj, found, _ := informer.View(ShardID(i)).GetByKey(key.String())
			cm, _ := obj.(*corev1.ConfigMap)
			if !found || cm.Data["have"] == cm.Data["want"] {
				return controller.Result{}, nil
			}
			cm = cm.DeepCopy()
			cm.Data["have"] = cm.Data["want"]
			time.Sleep(5 * time.Millisecond)
			_, err := core.ConfigMaps(key.Namespace).Update(ctx, cm, metav1.UpdateOptions{})
			return controller.Result{}, err
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	all, stopAll := context.WithCancel(t.Context())
	r := &replica{running: &running{Group: g, cancel: cancel, done: make(chan struct{})}, stopAll: stopAll}
	go func() {
		defer close(r.done)
		r.err = g.Run(ctx)
	}()
	r.all.Go(func() { informer.RunWithContext(all) })
	r.all.Go(func() {
		if err := c.Run(all); err != nil {
			t.Error(err)
		}
	})
	return r
}

// leave gives the shards away, and then stops the informer and the controller.
func (r *replica) leave(t *testing.T) {
	t.Helper()
	r.stop(t)
	r.stopAll()
	r.all.Wait()
}

// Objects change all the time, while replicas come, leave, and lose their membership. Each change is reconciled, by one replica.
func TestReplicasShareAController(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := apitest.New(t, apitest.Config{InMemory: true})
		core, err := coreclient.NewForConfig(server.RESTConfig())
		if err != nil {
			t.Fatal(err)
		}
		objects := core.ConfigMaps("default")
		const n = 200
		for i := range n {
			_, err := server.Create(t.Context(), &corev1.ConfigMap{
				ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("cm-%d", i), Namespace: "default", Labels: map[string]string{"work": ""}},
				Data:       map[string]string{"want": "0"},
			})
			if err != nil {
				t.Fatal(err)
			}
		}
		var log shardhistory.Log
		ctx, stop := context.WithCancel(t.Context())
		var changing sync.WaitGroup
		changing.Go(func() {
			for i := 1; ctx.Err() == nil; i++ {
				for {
					cm, err := objects.Get(t.Context(), fmt.Sprintf("cm-%d", i%n), metav1.GetOptions{})
					if err != nil {
						t.Error(err)
						return
					}
					cm.Data["want"] = strconv.Itoa(i)
					if _, err = objects.Update(t.Context(), cm, metav1.UpdateOptions{}); err == nil {
						break
					}
				}
				time.Sleep(100 * time.Millisecond)
			}
		})
		undone := func() (n int) {
			list, err := objects.List(t.Context(), metav1.ListOptions{LabelSelector: "work"})
			if err != nil {
				t.Fatal(err)
			}
			for _, cm := range list.Items {
				if cm.Data["have"] != cm.Data["want"] {
					n++
				}
			}
			return n
		}
		a, b := newReplica(t, server, &log), newReplica(t, server, &log)
		time.Sleep(40 * time.Second)
		if x, y := len(a.Owned()), len(b.Owned()); x != 8 || y != 8 {
			t.Errorf("two replicas own %d and %d of 16 shards", x, y)
		}
		if n := undone(); n > 5 {
			t.Errorf("%d objects wait with two replicas", n)
		}
		c := newReplica(t, server, &log)
		time.Sleep(20 * time.Second)
		a.leave(t)
		time.Sleep(5 * time.Second)
		if n := undone(); n > 5 {
			t.Errorf("%d objects wait after one of three has left", n)
		}
		_ = server.Delete(t.Context(), lease(b.Name()), metav1.DeleteOptions{})
		<-b.done
		if !errors.Is(b.err, ErrLost) {
			t.Errorf("Run returned %v", b.err)
		}
		b.stopAll()
		b.all.Wait()
		time.Sleep(15 * time.Second)
		if n := undone(); n > 5 {
			t.Errorf("%d objects wait after one was lost", n)
		}
		stop()
		changing.Wait()
		time.Sleep(5 * time.Second)
		if n := undone(); n > 0 {
			t.Errorf("%d objects were not reconciled", n)
		}
		c.leave(t)
		for _, err := range log.Check() {
			t.Error(err)
		}
		if acts, _ := log.Size(); acts < n {
			t.Errorf("%d reconciles", acts)
		}
	})
}

func TestBindRefusesKeysWithoutNames(t *testing.T) {
	server := apitest.New(t, apitest.Config{})
	g, err := New(Config{Name: "pods", Namespace: "default", REST: server.RESTConfig(), Key: shard.ByUID()})
	if err != nil {
		t.Fatal(err)
	}
	want := "use shard.ByNamespace or shard.ByName"
	if _, err := Bind[*corev1.Pod](g, nil); !contains(err, want) {
		t.Errorf("%v, want %q", err, want)
	}
	if _, _, err := g.BeginKey(t.Context(), cache.ObjectName{Name: "a"}); !contains(err, want) || errors.Is(err, ErrNotOwner) {
		t.Errorf("%v, want %q", err, want)
	}
}

func TestShardOfNameIsInItsRange(t *testing.T) {
	server := apitest.New(t, apitest.Config{})
	for _, key := range []shard.HashKey{shard.ByName(), shard.ByNamespace(), shard.ByNamespaceMixed()} {
		g, err := New(Config{Name: "pods", Namespace: "default", REST: server.RESTConfig(), Shards: 7, Key: key})
		if err != nil {
			t.Fatal(err)
		}
		for i := range 1000 {
			namespace, name := "n"+strconv.Itoa(i%50), strings.Repeat("x", i%9)+strconv.Itoa(i)
			hash, _ := key.HashOfName(namespace, name)
			at, ok := g.ShardOfName(namespace, name)
			if r := g.ranges[at]; !ok || hash < r.Start || r.End != 0 && hash >= r.End {
				t.Fatalf("%s/%s with hash %x is in shard %d, which is %v", namespace, name, hash, at, r)
			}
		}
	}
}

// Namespaces that differ in their last letters are divided as well as others, with the default key and number of shards.
func TestNamespacesAreDividedEvenly(t *testing.T) {
	server := apitest.New(t, apitest.Config{})
	g, err := New(Config{Name: "pods", Namespace: "default", REST: server.RESTConfig()})
	if err != nil {
		t.Fatal(err)
	}
	for _, form := range []string{"team-%04d", "%d-customer", "ns-%d", "prod-eu-west-1-app-%05d"} {
		for _, namespaces := range []int{50, 200, 1000} {
			for _, members := range []int{3, 5, 8} {
				loads := make([]float64, len(g.ranges))
				for i := range namespaces {
					at, _ := g.ShardOfName(fmt.Sprintf(form, i), "x")
					loads[at] += 100
				}
				var capacities []protocol.Capacity
				for i := range members {
					capacities = append(capacities, protocol.Capacity{Member: protocol.Member(strconv.Itoa(i)), Share: 1})
				}
				owners := protocol.Plan(make([]protocol.Member, len(loads)), loads, capacities, true)
				if over := protocol.Imbalance(owners, loads, capacities); over > 1.25 {
					t.Errorf("%d namespaces such as %s, %d members: one has %.2f times its share", namespaces, fmt.Sprintf(form, 0), members, over)
				}
			}
		}
	}
}
