package shard

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"

	"vedette.dev/apitest"
	"vedette.dev/cache"
	"vedette.dev/internal/testsize"
)

// TestStuckHandler has a handler stuck on one shard: it hears of the others, and so do all who come late.
func TestStuckHandler(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := newServer(t, apitest.Config{})
		fill(t, server, 50)
		w := start(t, server, Config[*corev1.ConfigMap]{Source: LabelValues("tenant", tenantNames...)})
		w.check(nil)
		release := make(chan struct{})
		var mu sync.Mutex
		heard := map[string]int{}
		handler := HandlerFuncs[*corev1.ConfigMap]{
			AddFunc: func(shard string, cm *corev1.ConfigMap, initial bool) {
				if !initial {
					t.Errorf("%s is not in the initial list", cm.Name)
				}
			},
			UpdateFunc: func(shard string, old, cm *corev1.ConfigMap) {
				if shard == "a" {
					<-release
				}
				mu.Lock()
				defer mu.Unlock()
				heard[shard]++
			},
		}
		registration, err := w.informer.AddShardHandler(handler, HandlerOptions{HandlerOptions: cache.HandlerOptions{MaxWaiting: 4}})
		if err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if !registration.HasSynced() {
			t.Error("the handler has not synced")
		}
		rounds := testsize.Of(30, 6)
		for n := range rounds {
			for i := range 50 {
				tenant := tenantNames[i%len(tenantNames)]
				w.change("ns-"+tenant, fmt.Sprintf("c%03d", i), func(cm *corev1.ConfigMap) { cm.Data["n"] = fmt.Sprint(n + 1) })
			}
			synctest.Wait()
		}
		w.check(nil)
		mu.Lock()
		if heard["a"] != 0 || heard["b"] != 10*rounds || heard["e"] != 10*rounds {
			t.Errorf("heard %v", heard)
		}
		mu.Unlock()
		state := cache.HandlerStateOf(registration)
		if state.Busy.IsZero() || state.Waiting > 11 {
			t.Errorf("the handler is %+v", state)
		}
		close(release)
		synctest.Wait()
		if mu.Lock(); heard["a"] > 12 || heard["a"] < 10 {
			t.Errorf("of the shard on which it was stuck it heard %d times", heard["a"])
		}
		mu.Unlock()
	})
}

// TestMovesPastAStuckHandler keep their order.
func TestMovesPastAStuckHandler(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := newServer(t, apitest.Config{})
		(&world{t: t, server: server}).create(configMap("ns", "c", "a"))
		w := start(t, server, Config[*corev1.ConfigMap]{Source: LabelValues("tenant", "a", "b")})
		w.check(nil)
		slow := newBeliever(t)
		release := make(chan struct{})
		slow.pause = func() { <-release }
		if _, err := w.informer.AddShardHandler(slow, HandlerOptions{HandlerOptions: cache.HandlerOptions{MaxWaiting: 2}}); err != nil {
			t.Fatal(err)
		}
		for n := range 50 {
			w.change("ns", "c", func(cm *corev1.ConfigMap) { cm.Labels["tenant"] = "ab"[n%2 : n%2+1] })
			if n%10 == 3 {
				w.remove("ns", "c")
				w.create(configMap("ns", "c", "b"))
			}
			synctest.Wait()
		}
		close(release)
		w.check(nil)
		if fmt.Sprint(slow.versions()) != fmt.Sprint(w.hears.versions()) {
			t.Errorf("the slow handler believes %v", slow.versions())
		}
	})
}

func TestEventRate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := newServer(t, apitest.Config{})
		fill(t, server, 20)
		w := start(t, server, Config[*corev1.ConfigMap]{Source: Shards(
			Shard{ID: "noisy", Scope: Scope{Labels: "tenant=a"}, Limits: Limits{EventsPerSecond: 2}},
			Shard{ID: "quiet", Scope: Scope{Labels: "tenant in (b,c,d,e)"}})})
		w.check(nil)
		w.hears.counts()
		began := time.Now()
		for n := range 200 {
			w.change("ns-a", fmt.Sprintf("c%03d", 5*(n%4)), func(cm *corev1.ConfigMap) { cm.Data["n"] = fmt.Sprint(n) })
			time.Sleep(50 * time.Millisecond)
		}
		w.change("ns-b", "c001", func(cm *corev1.ConfigMap) { cm.Data["n"] = "quiet" })
		synctest.Wait()
		if w.hears.versions()["ns-b/c001"] != w.onServer(nil)["ns-b/c001"] {
			t.Error("the quiet shard was held up")
		}
		_, updates, _ := w.hears.counts()
		if most := 2*int(time.Since(began)/time.Second) + 4; updates > most {
			t.Errorf("%d updates in %v, want %d at most", updates, time.Since(began), most)
		}
		time.Sleep(10 * time.Second)
		w.check(nil)
	})
}

func TestObjectLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := newServer(t, apitest.Config{})
		w := &world{t: t, server: server}
		for i := range 30 {
			w.create(configMap("ns-a", fmt.Sprintf("c%03d", i), ""))
			w.create(configMap("ns-b", fmt.Sprintf("c%03d", i), ""))
		}
		w = start(t, server, Config[*corev1.ConfigMap]{Source: Shards(
			Shard{ID: "a", Scope: Scope{Namespaces: []string{"ns-a"}}, Limits: Limits{Objects: 20}},
			Shard{ID: "b", Scope: Scope{Namespaces: []string{"ns-b"}}})})
		synctest.Wait()
		counts := func() (a, b State) {
			states := w.informer.Shards()
			return states[0], states[1]
		}
		a, b := counts()
		if a.Objects != 20 || b.Objects != 30 || b.Cause != nil {
			t.Errorf("%d and %d objects, %v", a.Objects, b.Objects, b.Cause)
		}
		if a.Full == nil || a.Full.LeftOut != 10 || !strings.Contains(fmt.Sprint(a.Err()), "limit of 20 objects") {
			t.Errorf("the full shard says %v", a.Err())
		}
		// What is known goes on to change, and what is left out is there when there is room.
		for _, key := range w.informer.View("a").ListKeys()[:15] {
			w.remove("ns-a", strings.TrimPrefix(key, "ns-a/"))
		}
		time.Sleep(time.Minute)
		if a, _ := counts(); a.Objects != 15 || a.Full != nil {
			t.Errorf("%d objects, %v", a.Objects, a.Full)
		}
		w.check(nil)
		// Another limit.
		err := w.informer.SetShards(
			Shard{ID: "a", Scope: Scope{Namespaces: []string{"ns-a"}}, Limits: Limits{Objects: 15}},
			Shard{ID: "b", Scope: Scope{Namespaces: []string{"ns-b"}}})
		if err != nil {
			t.Fatal(err)
		}
		w.create(configMap("ns-a", "one-more", ""))
		synctest.Wait()
		if a, _ := counts(); a.Objects != 15 || a.Full == nil {
			t.Errorf("%d objects, %v", a.Objects, a.Full)
		}
	})
}

// In a shard with a limit of 30, room for one object is not much, and is filled all the same.
func TestObjectLimitWithLittleRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := newServer(t, apitest.Config{})
		w := &world{t: t, server: server}
		for i := range 31 {
			w.create(configMap("ns-a", fmt.Sprintf("c%03d", i), ""))
		}
		w = start(t, server, Config[*corev1.ConfigMap]{Source: Shards(
			Shard{ID: "a", Scope: Scope{Namespaces: []string{"ns-a"}}, Limits: Limits{Objects: 30}})})
		synctest.Wait()
		lists := func() uint64 { s := w.informer.Shards()[0]; return s.Lists + s.Watches }
		before := lists()
		w.remove("ns-a", strings.TrimPrefix(w.informer.View("a").ListKeys()[0], "ns-a/"))
		time.Sleep(time.Minute)
		if a := w.informer.Shards()[0]; a.Objects != 29 || a.Full == nil || lists() != before {
			t.Errorf("after a minute: %d objects, full: %v, %d lists and watches more", a.Objects, a.Full, lists()-before)
		}
		time.Sleep(2 * time.Minute)
		if a := w.informer.Shards()[0]; a.Objects != 30 || a.Full != nil {
			t.Errorf("%d objects, full: %v", a.Objects, a.Full)
		}
		w.check(nil)
	})
}

func TestByteLimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := newServer(t, apitest.Config{})
		w := &world{t: t, server: server}
		for i := range 10 {
			cm := configMap("ns-a", fmt.Sprintf("c%03d", i), "")
			cm.Data["large"] = strings.Repeat("x", 10_000)
			w.create(cm)
		}
		w = start(t, server, Config[*corev1.ConfigMap]{Source: Shards(
			Shard{ID: "a", Scope: Scope{Namespaces: []string{"ns-a"}}, Limits: Limits{Bytes: 55_000}})})
		synctest.Wait()
		if a := w.informer.Shards()[0]; a.Objects != 5 || a.Full == nil || a.Full.What != "bytes" {
			t.Errorf("%d objects, %v", a.Objects, a.Full)
		}
	})
}

// TestTransformAndIndexes has objects forget who they are.
func TestTransformAndIndexes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := newServer(t, apitest.Config{})
		fill(t, server, 40)
		informer, err := NewTypedShardingInformer(Config[*corev1.ConfigMap]{
			Resource: configMaps, REST: server.RESTConfig(), Source: Hash(ByUID(), 3),
			Informer: cache.SharedIndexInformerOptions{Indexers: cache.Indexers{cache.NamespaceIndex: cache.MetaNamespaceIndexFunc}},
		})
		if err != nil {
			t.Fatal(err)
		}
		err = informer.SetTransform(func(obj any) (any, error) {
			cm := obj.(*corev1.ConfigMap)
			cm.UID, cm.ResourceVersion, cm.ManagedFields = "", "", nil
			return cm, nil
		})
		if err != nil {
			t.Fatal(err)
		}
		run(t, informer)
		synctest.Wait()
		w := &world{t: t, server: server, informer: informer}
		check := func() {
			t.Helper()
			synctest.Wait()
			total, in := 0, 0
			for _, s := range informer.Shards() {
				list, err := informer.View(s.ID).Lister().ByNamespace("ns-a").List(nil)
				if err != nil {
					t.Fatal(err)
				}
				in += len(list)
				indexed, err := informer.View(s.ID).ByTypedIndex(cache.NamespaceIndex, "ns-a")
				if err != nil || len(indexed) != len(list) {
					t.Errorf("shard %s: %d by index, %d by lister, %v", s.ID, len(indexed), len(list), err)
				}
				total += s.Objects
			}
			if all := len(w.onServer(nil)); total != all || len(informer.GetStore().ListKeys()) != all {
				t.Errorf("%d objects in shards, %d in all, want %d", total, len(informer.GetStore().ListKeys()), all)
			}
			if byIndex, err := informer.GetIndexer().ByIndex(cache.NamespaceIndex, "ns-a"); err != nil || len(byIndex) != in {
				t.Errorf("%d in the namespace, %d by shards, %v", len(byIndex), in, err)
			}
		}
		check()
		if _, err := informer.Resize(5); err != nil {
			t.Fatal(err)
		}
		check()
		w.remove("ns-a", "c000")
		w.remove("ns-b", "c001")
		w.create(configMap("ns-b", "c001", ""))
		check()
		server.Compact()
		server.CutConnections()
		time.Sleep(time.Minute)
		check()
	})
}

// TestNamespacesAreBalanced chooses ranges by what is in them.
func TestNamespacesAreBalanced(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := newServer(t, apitest.Config{ShardSelectors: true})
		w := &world{t: t, server: server}
		for i := range 100 {
			for j := range 1 + i%4 {
				w.create(configMap(fmt.Sprintf("tenant-%d", i), fmt.Sprintf("c%d", j), ""))
			}
		}
		w = start(t, server, Config[*corev1.ConfigMap]{Source: Hash(ByNamespace(), 8)})
		synctest.Wait()
		w.check(nil)
		if is := w.informer.Imbalance(); is > 1.25 {
			t.Errorf("the largest shard has %.2f of the mean", is)
		}
		if adds, updates, deletes := w.hears.counts(); adds != 250 || updates+deletes != 0 {
			t.Errorf("%d adds, %d updates, %d deletions", adds, updates, deletes)
		}
	})
}

// TestListPassesWhatWaits has a list come while changes wait that are older.
func TestListPassesWhatWaits(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := newServer(t, apitest.Config{})
		fill(t, server, 50)
		w := start(t, server, Config[*corev1.ConfigMap]{Source: Shards(
			Shard{ID: "slow", Scope: Scope{Namespaces: []string{"ns-a"}}, Limits: Limits{EventsPerSecond: 0.1}})})
		synctest.Wait()
		for i := range 10 {
			w.change("ns-a", fmt.Sprintf("c%03d", 5*i), func(cm *corev1.ConfigMap) { cm.Data["n"] = "waits" })
		}
		synctest.Wait()
		server.RefuseConnections()
		server.CutConnections()
		for i := range 10 {
			w.remove("ns-a", fmt.Sprintf("c%03d", 5*i))
		}
		server.Compact()
		if err := server.AcceptConnections(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(5 * time.Minute)
		w.check(func(cm *corev1.ConfigMap) bool { return cm.Namespace == "ns-a" })
	})
}
