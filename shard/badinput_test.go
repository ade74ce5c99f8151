package shard

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"vedette.dev/apitest"
	"vedette.dev/cache"
	"vedette.dev/rest"
)

func TestBadShards(t *testing.T) {
	uid := func(ranges ...Range) Scope { return Scope{Hash: ByUID(), Ranges: ranges} }
	half := uint64(1) << 63
	for name, c := range map[string]struct {
		source Source
		tenant Tenancy
		want   string
	}{
		"none":                 {source: Hash(ByUID(), 0), want: "into 0 shards"},
		"too many":             {source: Hash(ByUID(), 100000), want: "into 100000 shards"},
		"no ID":                {source: Shards(Shard{}), want: "without an ID"},
		"same ID":              {source: Namespaces("a", "a"), want: `duplicate shard "a"`},
		"bad namespace":        {source: Namespaces("A_b"), want: `invalid namespace "A_b"`},
		"namespace twice":      {source: Shards(Shard{ID: "x", Scope: Scope{Namespaces: []string{"a", "a"}}}), want: "duplicate namespace"},
		"shared namespace":     {source: Shards(Shard{ID: "x", Scope: Scope{Namespaces: []string{"a"}}}, Shard{ID: "y", Scope: Scope{Namespaces: []string{"b", "a"}}}), want: `namespace "a" is in shard "x" and in shard "y"`},
		"shared value":         {source: Shards(Shard{ID: "x", Scope: Scope{Labels: "t in (a,b)"}}, Shard{ID: "y", Scope: Scope{Labels: "t=b"}}), want: `value "b" is in shard "x" and in shard "y"`},
		"two labels":           {source: Shards(Shard{ID: "x", Scope: Scope{Labels: "t=a"}}, Shard{ID: "y", Scope: Scope{Labels: "u=a"}}), want: "an object could be in both"},
		"bad labels":           {source: Shards(Shard{ID: "x", Scope: Scope{Labels: "t in (a"}}), want: `Labels is "t in (a"`},
		"bad fields":           {source: Shards(Shard{ID: "x", Scope: Scope{Fields: "a~b"}}), want: `Fields is "a~b"`},
		"ranges overlap":       {source: Shards(Shard{ID: "x", Scope: uid(Range{End: half + 1})}, Shard{ID: "y", Scope: uid(Range{Start: half})}), want: `"x" and "y" both hold`},
		"range is missing":     {source: Shards(Shard{ID: "x", Scope: uid(Range{End: half})}), want: "do not fit together"},
		"range is reversed":    {source: Shards(Shard{ID: "x", Scope: uid(Range{Start: 5, End: 2})}), want: "Ranges"},
		"no ranges":            {source: Shards(Shard{ID: "x", Scope: Scope{Hash: ByUID()}}), want: "Ranges are not"},
		"no hash":              {source: Shards(Shard{ID: "x", Scope: Scope{Ranges: EqualRanges(1)}}), want: "Hash is not"},
		"two hashes":           {source: Shards(Shard{ID: "x", Scope: uid(Range{End: half})}, Shard{ID: "y", Scope: Scope{Hash: ByName(), Ranges: []Range{{Start: half}}}}), want: "hash of"},
		"hash and labels":      {source: Shards(Shard{ID: "x", Scope: Scope{Hash: ByUID(), Ranges: EqualRanges(1), Labels: "a=b"}}), want: "Config.Tweak"},
		"different strategies": {source: Shards(Shard{ID: "x", Scope: Scope{Namespaces: []string{"a"}}}, Shard{ID: "y", Scope: Scope{Labels: "a=b"}}), want: "different strategies"},
		"selectors overlap":    {source: Shards(Shard{ID: "x", Scope: Scope{Labels: "app=web,!canary"}}, Shard{ID: "y", Scope: Scope{Labels: "app,tier=front"}}), want: `shard "x"`},
		"fields overlap":       {source: Shards(Shard{ID: "x", Scope: Scope{Fields: "spec.nodeName=a"}}, Shard{ID: "y", Scope: Scope{Fields: "spec.nodeName!=b"}}), want: `shard "x"`},
		"everything twice":     {source: Shards(Shard{ID: "x"}, Shard{ID: "y"}), want: "both have all objects"},
		"unknown tenants":      {source: Tenants("a"), want: "Config.Tenant is not set"},
		"tenant as value":      {source: Tenants("not a value!"), tenant: Tenancy{Label: "tenant"}, want: "Tenant"},
		"tenant as label":      {source: Tenants("a"), tenant: Tenancy{Label: "!"}, want: "Config.Tenant.Label"},
		"tenants twice":        {source: Tenants("a"), tenant: Tenancy{Label: "a", Of: func(*Envelope) string { return "" }}, want: "Config.Tenant.Label and Config.Tenant.Of cannot be combined"},
		"cluster's name":       {source: Clusters(map[string]*rest.Config{"a|b": {}}), want: "contains a |"},
		"cluster of none":      {source: Shards(Shard{ID: "x", Scope: Scope{Cluster: "moon"}}), want: `cluster "moon": no rest.Config`},
		"nameless cluster":     {source: Shards(Shard{ID: "x", Scope: Scope{REST: &rest.Config{}}}), want: "Cluster has no name"},
		"weight":               {source: Shards(Shard{ID: "x", Weight: -1}), want: "Weight is -1"},
		"limit":                {source: Shards(Shard{ID: "x", Limits: Limits{Objects: -1}}), want: "MaxObjects"},
		"follow nothing":       {source: FollowNamespaces(FollowConfig{}), want: "REST is nil"},
		"follow badly":         {source: FollowNamespaces(FollowConfig{REST: &rest.Config{}, Selector: "a in ("}), want: "Selector"},
		"no source":            {want: "Config.Source is nil"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := NewTypedShardingInformer(Config[*corev1.ConfigMap]{
				Resource: configMaps, REST: &rest.Config{Host: "localhost"}, Source: c.source, Tenant: c.tenant,
			})
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("the error is %v, want %q in it", err, c.want)
			}
		})
	}
}

func TestBadConfig(t *testing.T) {
	_, err := NewTypedShardingInformer(Config[*corev1.ConfigMap]{Source: Namespaces("a"), REST: &rest.Config{}})
	wantError(t, err, "Config.Resource")
	_, err = NewShardingInformer(Config[metav1.Object]{Resource: configMaps, Source: Namespaces("a"), REST: &rest.Config{}})
	wantError(t, err, "Config.Example")
	_, err = NewTypedShardingInformer(Config[*corev1.ConfigMap]{Resource: configMaps, Source: Namespaces("a")})
	wantError(t, err, "rest.Config")
	_, err = NewTypedShardingInformer(Config[*corev1.ConfigMap]{
		Resource: configMaps, Source: Namespaces("a"),
		Client: func(string, string) (cache.Requester, error) { return nil, errors.New("no such client") },
	})
	wantError(t, err, "no such client")
}

func wantError(t *testing.T, err error, text string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), text) {
		t.Errorf("the error is %v, want %q in it", err, text)
	}
}

// TestBadChanges leave everything as it was.
func TestBadChanges(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := newServer(t, apitest.Config{})
		fill(t, server, 50)
		w := start(t, server, Config[*corev1.ConfigMap]{Source: Hash(ByUID(), 2)})
		w.check(nil)
		i := w.informer
		wantError(t, i.RemoveShard("000"), "Config.Partial")
		wantError(t, i.RemoveShard("x"), `no shard "x"`)
		wantError(t, i.Split("x", "a", "b"), `no shard "x"`)
		wantError(t, i.Split("000", "a"), "2 or more")
		wantError(t, i.Split("000", "001", "b"), "001")
		wantError(t, i.Merge("a", "000"), "2 or more")
		wantError(t, i.Merge("a", "000", "x"), `no shard "x"`)
		wantError(t, i.AddShard(Shard{ID: "new"}), "different strategies")
		wantError(t, i.AddShard(Shard{ID: "000", Scope: Scope{Hash: ByUID(), Ranges: EqualRanges(1)}}), `duplicate shard "000"`)
		_, err := i.Resize(0)
		wantError(t, err, "resize to 0")
		shards := []Shard{{ID: "000", Scope: Scope{Cluster: "moon", REST: server.RESTConfig(), Hash: ByUID(), Ranges: EqualRanges(1)}}}
		wantError(t, i.SetShards(shards...), "cluster")
		w.check(nil)
		if ids := (&history{w: w}).ids(); len(ids) != 2 || w.informer.Changes() != 1 {
			t.Errorf("shards %v after %d changes", ids, w.informer.Changes())
		}
	})
}

func TestShrinkingIsAnError(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := newServer(t, apitest.Config{})
		fill(t, server, 20)
		w := start(t, server, Config[*corev1.ConfigMap]{Source: Shards(Shard{ID: "ab", Scope: Scope{Namespaces: []string{"ns-a", "ns-b"}}})})
		err := w.informer.SetShards(Shard{ID: "ab", Scope: Scope{Namespaces: []string{"ns-a"}}})
		wantError(t, err, "would lose objects")
		if err := w.informer.Split("ab", "a", "b"); err != nil {
			t.Fatal(err)
		}
		if err := w.informer.RemoveShard("b"); err != nil {
			t.Fatal(err)
		}
		w.check(func(cm *corev1.ConfigMap) bool { return cm.Namespace == w.informer.Shards()[0].Scope.Namespaces[0] })
	})
}

// TestErrorsOfOneShard is its own.
func TestErrorsOfOneShard(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		forbidden := func(r *apitest.Request) bool {
			return r.Namespace != "ns-b" || r.Resource != configMaps || r.Verb == "create"
		}
		server := newServer(t, apitest.Config{Allow: forbidden})
		fill(t, server, 50)
		w := start(t, server, Config[*corev1.ConfigMap]{Source: Namespaces("ns-a", "ns-b", "nowhere")})
		time.Sleep(10 * time.Second)
		for _, s := range w.informer.Shards() {
			switch s.ID {
			case "ns-b":
				if s.Cause == nil || !strings.Contains(s.Cause.Error(), "forbidden") || s.Synced {
					t.Errorf("shard ns-b: %v", s.Cause)
				}
			default:
				if s.Cause != nil || !s.Synced {
					t.Errorf("shard %s: %v, synced %v", s.ID, s.Cause, s.Synced)
				}
			}
		}
		wantError(t, w.informer.Err(), `shard "ns-b"`)
		if n := len(w.hears.versions()); n != 10 {
			t.Errorf("the handler knows %d objects, want 10", n)
		}
		if w.informer.HasSynced() {
			t.Error("synced without a shard")
		}
	})
}

// TestClusterThatNeverAnswers does not keep others from starting.
func TestClusterThatNeverAnswers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		well, silent := newServer(t, apitest.Config{}), newServer(t, apitest.Config{})
		if _, err := silent.Inject(apitest.Fault{Effect: apitest.Silence}); err != nil {
			t.Fatal(err)
		}
		fill(t, well, 20)
		hash := func(cluster string, config *rest.Config) Scope {
			return Scope{Cluster: cluster, REST: config, Hash: ByUID(), Ranges: EqualRanges(1)}
		}
		informer, err := NewTypedShardingInformer(Config[*corev1.ConfigMap]{Resource: configMaps, Source: Shards(
			Shard{ID: "well", Scope: hash("well", well.RESTConfig())}, Shard{ID: "silent", Scope: hash("silent", silent.RESTConfig())})})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		run(t, informer)
		if !cache.WaitFor(ctx, "", syncedOf(informer.View("well").Synced())) {
			t.Fatal("the shard that is well has not synced")
		}
		time.Sleep(time.Minute)
		for _, s := range informer.Shards() {
			if failing := s.Err() != nil; failing != (s.ID == "silent") {
				t.Errorf("shard %s: %v", s.ID, s.Err())
			}
		}
	})
}

type syncedOf <-chan struct{}

func (s syncedOf) Name() string          { return "shard" }
func (s syncedOf) Done() <-chan struct{} { return s }
