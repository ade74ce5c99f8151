package shard

import (
	"fmt"
	"maps"
	"runtime"
	"runtime/pprof"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"

	"vedette.dev/apitest"
)

// whole returns a check that takes all objects in the scope of the present shards.
func (w *world) whole() func(cm *corev1.ConfigMap) bool {
	return func(cm *corev1.ConfigMap) bool {
		return slices.ContainsFunc(w.informer.Shards(), func(s State) bool { return s.Scope.has(cm) })
	}
}

// touch changes all objects, so that a stream that does not run is noticed.
func (w *world) touch() {
	w.t.Helper()
	objects, _, err := w.server.List(w.t.Context(), configMaps, "")
	if err != nil {
		w.t.Fatal(err)
	}
	for _, obj := range objects {
		cm := obj.(*corev1.ConfigMap)
		w.change(cm.Namespace, cm.Name, func(cm *corev1.ConfigMap) { cm.Data = map[string]string{"at": time.Now().String()} })
	}
}

// settled waits, and checks that everything is where it belongs, also after each object has changed.
func (w *world) settled() {
	w.t.Helper()
	time.Sleep(time.Minute)
	w.check(w.whole())
	w.touch()
	time.Sleep(time.Minute)
	w.check(w.whole())
}

func TestSelectorsInNamespaces(t *testing.T) {
	for name, scope := range map[string]Scope{
		"labels in two":  {Namespaces: []string{"ns-a", "ns-b"}, Labels: "tenant=a"},
		"fields in two":  {Namespaces: []string{"ns-a", "ns-b"}, Fields: "metadata.name!=c000"},
		"both in five":   {Namespaces: []string{"ns-a", "ns-b", "ns-c", "ns-d", "ns-e"}, Labels: "tenant!=e", Fields: "metadata.name!=c000"},
		"labels in none": {Namespaces: []string{"none", "ns-a"}, Labels: "tenant=a"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				server := newServer(t, apitest.Config{})
				fill(t, server, 60)
				w := start(t, server, Config[*corev1.ConfigMap]{Source: Shards(Shard{ID: "x", Scope: scope})})
				w.settled()
				if _, _, deletes := w.hears.counts(); deletes > 0 {
					t.Errorf("%d deletions were told, but nothing was deleted", deletes)
				}
			})
		})
	}
}

// TestARefusedChangeChangesNothing: streams go on, and bring what changes.
func TestARefusedChangeChangesNothing(t *testing.T) {
	hash := func(id string, limits Limits, ranges ...Range) Shard {
		return Shard{ID: id, Scope: Scope{Hash: ByUID(), Ranges: ranges}, Limits: limits}
	}
	four := EqualRanges(4)
	five := []string{"ns-a", "ns-b", "ns-c", "ns-d", "ns-e"}
	inNamespaces := func(namespaces ...string) Shard {
		return Shard{ID: "x", Scope: Scope{Namespaces: namespaces, Labels: "tenant!=e"}}
	}
	for name, c := range map[string]struct {
		config Config[*corev1.ConfigMap]
		change func(i *TypedShardingInformer[*corev1.ConfigMap]) error
		want   string
	}{
		"a negative limit": {
			Config[*corev1.ConfigMap]{Source: Namespaces("ns-a", "ns-b")},
			func(i *TypedShardingInformer[*corev1.ConfigMap]) error {
				return i.SetShards(Shard{ID: "ns-a", Scope: Scope{Namespaces: []string{"ns-a"}}},
					Shard{ID: "x", Scope: Scope{Namespaces: []string{"ns-c"}}, Limits: Limits{Objects: -1}})
			}, "MaxObjects",
		},
		"a limit of bytes that was not there": {
			Config[*corev1.ConfigMap]{Source: Hash(ByUID(), 2)},
			func(i *TypedShardingInformer[*corev1.ConfigMap]) error {
				return i.SetShards(hash("000", Limits{Bytes: 1 << 30}, four[0]), hash("001", Limits{}, four[1:]...))
			}, "sizes were not counted",
		},
		"a tenant with a bad limit": {
			Config[*corev1.ConfigMap]{Source: Tenants("a", "b"), Tenant: tenancy},
			func(i *TypedShardingInformer[*corev1.ConfigMap]) error {
				return i.AddShard(Shard{ID: "c", Scope: Scope{Tenant: "c"}, Limits: Limits{EventsPerSecond: -1}})
			}, "MaxEventRate",
		},
		"other namespaces of a selector": {
			Config[*corev1.ConfigMap]{Source: Shards(inNamespaces(five...))},
			func(i *TypedShardingInformer[*corev1.ConfigMap]) error {
				return i.SetShards(inNamespaces("ns-a", "ns-b", "ns-c", "ns-d", "ns-f"))
			}, "would lose objects",
		},
		"no shards": {
			Config[*corev1.ConfigMap]{Source: Hash(ByUID(), 2)},
			func(i *TypedShardingInformer[*corev1.ConfigMap]) error { return i.SetShards() }, "set Config.Partial",
		},
		"more shards in two lists of namespaces": {
			Config[*corev1.ConfigMap]{Source: Shards(
				Shard{ID: "a", Scope: Scope{Namespaces: five[:1], Hash: ByUID(), Ranges: EqualRanges(1)}},
				Shard{ID: "b", Scope: Scope{Namespaces: five[1:], Hash: ByUID(), Ranges: EqualRanges(1)}})},
			func(i *TypedShardingInformer[*corev1.ConfigMap]) error { _, err := i.Resize(3); return err }, "use Split, Merge or SetShards",
		},
	} {
		for _, selects := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, selects=%v", name, selects), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					server := newServer(t, apitest.Config{ShardSelectors: selects})
					fill(t, server, 60)
					w := start(t, server, c.config)
					w.settled()
					before := w.informer.Changes()
					if err := c.change(w.informer); err == nil || !strings.Contains(err.Error(), c.want) {
						t.Fatalf("the error is %v, want %q in it", err, c.want)
					}
					w.settled()
					if w.informer.Changes() != before {
						t.Error("the shards have changed")
					}
				})
			})
		}
	}
}

// TestAKeyIsPartOfTheScope: another label or hash with the same values or ranges has other objects.
func TestAKeyIsPartOfTheScope(t *testing.T) {
	half := []Range{{End: 1 << 63}}
	third := EqualRanges(3)
	thirds := func(key HashKey) (out []Shard) {
		for i, r := range third {
			out = append(out, Shard{ID: hashID(i), Scope: Scope{Hash: key, Ranges: []Range{r}}})
		}
		return out
	}
	byLabel := func(suffix, key string) []Shard {
		return []Shard{{ID: "a" + suffix, Scope: Scope{Labels: key + "=a"}}, {ID: "b" + suffix, Scope: Scope{Labels: key + "=b"}}}
	}
	for name, c := range map[string]struct {
		from, to []Shard
		partial  bool
		refused  bool
	}{
		"labels":                   {from: byLabel("", "tenant"), to: byLabel("-team", "team")},
		"labels under the same ID": {from: byLabel("", "tenant"), to: byLabel("", "team"), refused: true},
		"half of the hashes": {
			from: []Shard{{ID: "u", Scope: Scope{Hash: ByUID(), Ranges: half}}}, to: []Shard{{ID: "n", Scope: Scope{Hash: ByNamespace(), Ranges: half}}},
			partial: true,
		},
		"all hashes": {from: thirds(ByUID()), to: thirds(ByNamespace())},
	} {
		for _, selects := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, selects=%v", name, selects), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					server := newServer(t, apitest.Config{ShardSelectors: selects})
					fill(t, server, 60)
					w := start(t, server, Config[*corev1.ConfigMap]{Source: Shards(c.from...), Partial: c.partial})
					for i := range 60 { // every object has a team that is not its tenant
						tenant := tenantNames[i%5]
						w.change("ns-"+tenant, fmt.Sprintf("c%03d", i), func(cm *corev1.ConfigMap) { cm.Labels["team"] = tenantNames[i/5%5] })
					}
					w.settled()
					if err := w.informer.SetShards(c.to...); (err != nil) != c.refused {
						t.Fatalf("the error is %v", err)
					}
					w.settled()
				})
			})
		}
	}
}

// TestARenamedShardMoves: nothing is lost, listed or told to a handler of all shards.
func TestARenamedShardMoves(t *testing.T) {
	for name, c := range map[string]struct {
		scope  Scope
		tenant Tenancy
	}{
		"selector":                {scope: Scope{Labels: "tenant=a,!x"}},
		"selector in namespaces":  {scope: Scope{Labels: "tenant!=e", Namespaces: []string{"ns-a", "ns-b"}}},
		"fields":                  {scope: Scope{Fields: "metadata.name!=c000"}},
		"namespaces":              {scope: Scope{Namespaces: []string{"ns-a", "ns-b"}}},
		"label":                   {scope: Scope{Labels: "tenant in (a,b)"}},
		"tenant":                  {scope: Scope{Tenant: "a"}, tenant: tenancy},
		"hash":                    {scope: Scope{Hash: ByUID(), Ranges: EqualRanges(1)}},
		"hash in some namespaces": {scope: Scope{Hash: ByUID(), Ranges: EqualRanges(1), Namespaces: []string{"ns-a", "ns-b"}}},
		"everything":              {},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				server := newServer(t, apitest.Config{})
				fill(t, server, 60)
				traffic := &traffic{}
				w := start(t, server, Config[*corev1.ConfigMap]{
					REST: traffic.wrap(server.RESTConfig()), Source: Shards(Shard{ID: "x", Scope: c.scope}), Tenant: c.tenant,
				})
				only := newBeliever(t)
				w.settled()
				if _, err := w.informer.AddShardHandler(only, HandlerOptions{Shard: "x"}); err != nil {
					t.Fatal(err)
				}
				traffic.take()
				w.hears.counts()
				for _, id := range []string{"y", "x"} {
					if err := w.informer.SetShards(Shard{ID: id, Scope: c.scope}); err != nil {
						t.Fatal(err)
					}
					time.Sleep(time.Minute)
					w.check(w.whole())
					view := map[string]string{}
					for _, obj := range w.informer.View("x").List() {
						view[keyOf(obj.(*corev1.ConfigMap))] = obj.(*corev1.ConfigMap).ResourceVersion
					}
					if got := only.versions(); !maps.Equal(got, view) {
						t.Errorf("after the change to %s, the handler of shard x and its view differ:\n%s", id, difference(got, view))
					}
				}
				if lists, _ := traffic.take(); len(lists) > 0 {
					t.Errorf("lists %v", lists)
				}
				if adds, updates, deletes := w.hears.counts(); adds+updates+deletes+len(w.hears.lost) > 0 {
					t.Errorf("a handler of all shards was told of %d adds, %d updates, %d deletions, and lost %v", adds, updates, deletes, w.hears.lost)
				}
				w.settled()
			})
		})
	}
}

// TestAFullShardThatChanges: what was left out comes when there is room.
func TestAFullShardThatChanges(t *testing.T) {
	hash := func(id string, limit int, ranges ...Range) Shard {
		return Shard{ID: id, Scope: Scope{Hash: ByUID(), Ranges: ranges}, Limits: Limits{Objects: limit}}
	}
	in := func(id string, limit int, namespaces ...string) Shard {
		return Shard{ID: id, Scope: Scope{Namespaces: namespaces}, Limits: Limits{Objects: limit}}
	}
	half, all := EqualRanges(2), EqualRanges(1)
	for name, c := range map[string]struct{ from, to []Shard }{
		"raised":                      {[]Shard{hash("a", 10, all...)}, []Shard{hash("a", 0, all...)}},
		"renamed":                     {[]Shard{hash("a", 10, all...)}, []Shard{hash("b", 0, all...)}},
		"divided":                     {[]Shard{hash("a", 10, all...)}, []Shard{hash("b", 0, half[0]), hash("c", 0, half[1])}},
		"divided, and the name stays": {[]Shard{hash("a", 10, all...)}, []Shard{hash("a", 0, half[0]), hash("c", 0, half[1])}},
		"joined":                      {[]Shard{hash("a", 10, half[0]), hash("b", 0, half[1])}, []Shard{hash("c", 0, all...)}},
		"namespaces divided":          {[]Shard{in("a", 10, "ns-a", "ns-b")}, []Shard{in("b", 0, "ns-a"), in("c", 0, "ns-b")}},
		"raised a little":             {[]Shard{hash("a", 10, all...)}, []Shard{hash("b", 20, all...)}},
	} {
		for _, selects := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, selects=%v", name, selects), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					server := newServer(t, apitest.Config{ShardSelectors: selects})
					fill(t, server, 60)
					w := start(t, server, Config[*corev1.ConfigMap]{Source: Shards(c.from...)})
					time.Sleep(time.Minute)
					if w.informer.Shards()[0].Full == nil {
						t.Error("the shard is not full")
					}
					if err := w.informer.SetShards(c.to...); err != nil {
						t.Fatal(err)
					}
					time.Sleep(time.Minute)
					if limit := c.to[0].Limits.Objects; limit > 0 {
						if s := w.informer.Shards()[0]; s.Objects != limit || s.Full == nil {
							t.Errorf("the shard has %d objects, want %d, and is full: %v", s.Objects, limit, s.Full)
						}
						return
					}
					w.settled()
					for _, s := range w.informer.Shards() {
						if s.Full != nil {
							t.Errorf("shard %s: %v", s.ID, s.Full)
						}
					}
				})
			})
		}
	}
}

// TestAFullShardThatChangesTwice: objects that were left out are listed, also if the stream that was to list them ends before it could.
func TestAFullShardThatChangesTwice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		shard := func(id string, limit int, tenants ...string) Shard {
			return Shard{ID: id, Scope: Scope{Labels: labelIn("tenant", tenants)}, Limits: Limits{Objects: limit}}
		}
		server := newServer(t, apitest.Config{})
		fill(t, server, 60)
		w := start(t, server, Config[*corev1.ConfigMap]{Source: Shards(shard("limited", 5, "a"))})
		set := func(shards ...Shard) {
			t.Helper()
			if err := w.informer.SetShards(shards...); err != nil {
				t.Fatal(err)
			}
		}
		time.Sleep(time.Second)
		set(shard("limited", 5, "a"), shard("b", 0, "b")) // listed beside the other, and then joined
		time.Sleep(10 * time.Second)
		w.informer.changing.Lock()
		streams := w.informer.streams
		w.informer.changing.Unlock()
		if len(streams) != 1 || len(streams[0].resumed) == 0 || w.informer.Shards()[1].Full == nil {
			t.Fatalf("the streams are %v, want one that began with a watch, of a shard that is full", streams)
		}
		server.RefuseConnections()
		server.CutConnections()
		set(shard("a", 0, "a"), shard("b", 0, "b")) // the stream goes on, and has to list
		set(shard("a", 0, "a"))                     // another takes its place before it has
		if err := server.AcceptConnections(); err != nil {
			t.Fatal(err)
		}
		w.settled()
	})
}

// TestBalancingStaysWithin: with Partial, what no shard has belongs to another replica.
func TestBalancingStaysWithin(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := newServer(t, apitest.Config{})
		fill(t, server, 140)
		const half = uint64(1) << 63
		within := func(cm *corev1.ConfigMap) bool {
			s := Scope{Hash: ByUID(), Ranges: []Range{{End: half}}}
			return s.has(cm)
		}
		w := start(t, server, Config[*corev1.ConfigMap]{Partial: true, Source: Shards(
			Shard{ID: "u", Scope: Scope{Hash: ByUID(), Ranges: []Range{{End: half / 8}}}},
			Shard{ID: "v", Scope: Scope{Hash: ByUID(), Ranges: []Range{{Start: half / 8, End: half}}}})})
		time.Sleep(time.Minute)
		w.check(within)
		for name, change := range map[string]func() (Moved, error){
			"Rebalance": w.informer.Rebalance,
			"Resize":    func() (Moved, error) { return w.informer.Resize(3) },
		} {
			if _, err := change(); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			w.touch()
			time.Sleep(time.Minute)
			w.check(within)
			if got := w.informer.Imbalance(); got > 1.3 {
				t.Errorf("%s: the imbalance is %v", name, got)
			}
		}
	})
}

func TestBalancingInNamespaces(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := newServer(t, apitest.Config{})
		fill(t, server, 300)
		var shards []Shard
		for _, namespace := range []string{"ns-a", "ns-b"} {
			for i, r := range []Range{{End: 1 << 61}, {Start: 1 << 61}} {
				shards = append(shards, Shard{ID: fmt.Sprint(namespace, i), Scope: Scope{Namespaces: []string{namespace}, Hash: ByUID(), Ranges: []Range{r}}})
			}
		}
		w := start(t, server, Config[*corev1.ConfigMap]{Source: Shards(shards...)})
		w.settled()
		if _, err := w.informer.Rebalance(); err != nil {
			t.Fatal(err)
		}
		w.settled()
		if got := w.informer.Imbalance(); got > 1.3 {
			t.Errorf("the imbalance is %v", got)
		}
	})
}

// TestReshardingWhileTheServerIsAway: each change costs as much as the one before.
func TestReshardingWhileTheServerIsAway(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := newServer(t, apitest.Config{ShardSelectors: true})
		fill(t, server, 60)
		w := start(t, server, Config[*corev1.ConfigMap]{Source: Hash(ByUID(), 4)})
		w.settled()
		server.RefuseConnections()
		server.CutConnections()
		most := 0
		for n := range 60 {
			if _, err := w.informer.Resize(4 + n%2); err != nil {
				t.Fatal(err)
			}
			for _, s := range w.informer.streams {
				most = max(most, len(s.resumed))
			}
		}
		if most > 4 {
			t.Errorf("a stream begins with %d versions, though there were 4 streams", most)
		}
		if err := server.AcceptConnections(); err != nil {
			t.Fatal(err)
		}
		w.settled()
	})
}

// TestAHandlerMayReshardWhileTheInformerStops: the call is refused, and RunWithContext returns.
func TestAHandlerMayReshardWhileTheInformerStops(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := newServer(t, apitest.Config{ShardSelectors: true})
		fill(t, server, 20)
		w := start(t, server, Config[*corev1.ConfigMap]{Source: Hash(ByUID(), 2)})
		w.settled()
		in, results := make(chan struct{}), make(chan error, 1)
		once := false
		if _, err := w.informer.AddShardHandler(HandlerFuncs[*corev1.ConfigMap]{UpdateFunc: func(string, *corev1.ConfigMap, *corev1.ConfigMap) {
			if once {
				return
			}
			once = true
			close(in)
			time.Sleep(time.Second) // the informer is stopped meanwhile
			_, err := w.informer.Resize(3)
			results <- err
		}}, HandlerOptions{OneAtATime: true}); err != nil {
			t.Fatal(err)
		}
		w.change("ns-a", "c000", func(cm *corev1.ConfigMap) { cm.Data = nil })
		<-in
		w.stop()
		if err := <-results; err == nil {
			t.Error("the shards were changed after the stop")
		}
	})
}

func TestShardsAreCopied(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := newServer(t, apitest.Config{})
		fill(t, server, 20)
		names := []string{"ns-a", "ns-b"}
		ranges := EqualRanges(1)
		w := start(t, server, Config[*corev1.ConfigMap]{
			Source: Shards(Shard{ID: "x", Scope: Scope{Namespaces: names, Hash: ByUID(), Ranges: ranges}}),
		})
		names[1], ranges[0].End = "ns-c", 1
		scope := w.informer.Shards()[0].Scope
		scope.Namespaces[0], scope.Ranges[0].End = "ns-d", 1
		if got := w.informer.Shards()[0].Scope; !slices.Equal(got.Namespaces, []string{"ns-a", "ns-b"}) || got.Ranges[0] != (Range{}) {
			t.Errorf("the scope has become %v", got)
		}
		w.settled()
	})
}

// TestShardsComeAndGoAThousandTimes leaves nothing behind.
func TestShardsComeAndGoAThousandTimes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := newServer(t, apitest.Config{})
		fill(t, server, 20)
		w := start(t, server, Config[*corev1.ConfigMap]{Source: LabelValues("tenant", "a")})
		w.settled()
		before := runtime.NumGoroutine()
		for range 1000 {
			if err := w.informer.AddShard(Shard{ID: "b", Scope: Scope{Labels: "tenant=b"}}); err != nil {
				t.Fatal(err)
			}
			if err := w.informer.RemoveShard("b"); err != nil {
				t.Fatal(err)
			}
		}
		w.settled()
		runtime.GC() // while it runs, NumGoroutine may also count goroutines that have ended
		if after := runtime.NumGoroutine(); after > before+5 {
			var stacks strings.Builder
			_ = pprof.Lookup("goroutine").WriteTo(&stacks, 1)
			t.Errorf("%d goroutines, before %d\n%s", after, before, stacks.String())
		}
	})
}
