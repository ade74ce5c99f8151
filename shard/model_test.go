package shard

import (
	"errors"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"

	"vedette.dev/apitest"
	"vedette.dev/cache"
)

var (
	histories = flag.Int("histories", 12, "how many random histories of each sort are tried")
	seed      = flag.Uint64("seed", 0, "the first history to try; 0 means some")
)

// division is a way to divide objects, and what can be done to it.
type division struct {
	name    string
	config  func() Config[*corev1.ConfigMap]
	server  apitest.Config
	reshard func(h *history) error
	// keeps tells whether an object is in the scope of the present shards; nil means that all are.
	keeps func(h *history, cm *corev1.ConfigMap) bool
}

var tenantNames = []string{"a", "b", "c", "d", "e"}

func divisions() []division {
	hash := func(key HashKey, n int) func() Config[*corev1.ConfigMap] {
		return func() Config[*corev1.ConfigMap] { return Config[*corev1.ConfigMap]{Source: Hash(key, n)} }
	}
	byTenant := ByFunc("tenant", func(e *Envelope) string { return e.Labels()["tenant"] })
	return []division{
		{name: "uid", config: hash(ByUID(), 3), reshard: reshardHash},
		{name: "uid selected", config: hash(ByUID(), 3), server: apitest.Config{ShardSelectors: true}, reshard: reshardHash},
		{name: "namespace selected", config: hash(ByNamespace(), 3), server: apitest.Config{ShardSelectors: true}, reshard: reshardHash},
		{name: "name", config: hash(ByName(), 2), reshard: reshardHash},
		{name: "function", config: hash(byTenant, 3), reshard: reshardHash},
		{name: "packed", reshard: reshardHash, config: func() Config[*corev1.ConfigMap] {
			return Config[*corev1.ConfigMap]{
				Source:   Hash(byTenant, 3),
				Informer: cache.SharedIndexInformerOptions{Storage: cache.Storage{Packed: true}},
			}
		}},
		{
			name: "namespaces", reshard: reshardNames(func(name string) Scope { return Scope{Namespaces: []string{"ns-" + name}} }),
			config: func() Config[*corev1.ConfigMap] { return Config[*corev1.ConfigMap]{Source: Namespaces("ns-a", "ns-b")} },
			keeps: func(h *history, cm *corev1.ConfigMap) bool {
				return slices.ContainsFunc(h.w.informer.Shards(), func(s State) bool { return slices.Contains(s.Scope.Namespaces, cm.Namespace) })
			},
		},
		{
			name: "labels", reshard: reshardNames(func(name string) Scope { return Scope{Labels: "tenant=" + name} }),
			config: func() Config[*corev1.ConfigMap] {
				return Config[*corev1.ConfigMap]{Source: LabelValues("tenant", "a", "b")}
			},
			keeps: func(h *history, cm *corev1.ConfigMap) bool {
				l, _ := newLayout(h.shards(), &Tenancy{}, false)
				return l.routers[""] != nil && l.routers[""].values[cm.Labels["tenant"]] != ""
			},
		},
		{
			name: "selectors", reshard: func(*history) error { return nil },
			config: func() Config[*corev1.ConfigMap] {
				return Config[*corev1.ConfigMap]{Source: Shards(
					Shard{ID: "ab", Scope: Scope{Labels: "tenant in (a,b),!other"}},
					Shard{ID: "cd", Scope: Scope{Labels: "tenant in (c,d),!other"}},
				)}
			},
			keeps: func(h *history, cm *corev1.ConfigMap) bool {
				return cm.Labels["tenant"] != "" && strings.Contains("abcd", cm.Labels["tenant"])
			},
		},
		{
			name: "tenants", reshard: reshardNames(func(name string) Scope { return Scope{Tenant: name} }),
			config: func() Config[*corev1.ConfigMap] {
				return Config[*corev1.ConfigMap]{
					Source: Tenants("a", "b"),
					Tenant: Tenancy{Of: func(e *Envelope) string { return e.Labels()["tenant"] }},
				}
			},
			keeps: func(h *history, cm *corev1.ConfigMap) bool {
				return slices.ContainsFunc(h.w.informer.Shards(), func(s State) bool { return s.Scope.Tenant == cm.Labels["tenant"] })
			},
		},
	}
}

func reshardHash(h *history) error {
	ids := h.ids()
	switch h.r.IntN(4) {
	case 0:
		_, err := h.w.informer.Resize(1 + h.r.IntN(6))
		return err
	case 1:
		_, err := h.w.informer.Rebalance()
		return err
	case 2:
		h.names++
		return h.w.informer.Split(ids[h.r.IntN(len(ids))], fmt.Sprintf("s%d", h.names), fmt.Sprintf("t%d", h.names))
	default:
		if len(ids) < 2 {
			return nil
		}
		h.r.Shuffle(len(ids), func(i, j int) { ids[i], ids[j] = ids[j], ids[i] })
		return h.w.informer.Merge(ids[0], ids[0], ids[1])
	}
}

func reshardNames(scope func(name string) Scope) func(h *history) error {
	return func(h *history) error {
		name := tenantNames[h.r.IntN(len(tenantNames))]
		ids := h.ids()
		if i := slices.IndexFunc(ids, func(id string) bool { return id == name || id == "ns-"+name }); i >= 0 {
			return h.w.informer.RemoveShard(ids[i])
		}
		return h.w.informer.AddShard(Shard{ID: name, Scope: scope(name)})
	}
}

// history is a random one.
type history struct {
	w     *world
	r     *rand.Rand
	names int
	late  []*believer // handlers that came while the informer ran
}

func (h *history) ids() (ids []string) {
	for _, s := range h.w.informer.Shards() {
		ids = append(ids, s.ID)
	}
	return ids
}

func (h *history) shards() (out []Shard) {
	for _, s := range h.w.informer.Shards() {
		out = append(out, s.Shard)
	}
	return out
}

func TestHistories(t *testing.T) {
	for _, s := range divisions() {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			first := *seed
			if first == 0 {
				first = uint64(time.Now().UnixNano())
			}
			for i := range *histories {
				n := first + uint64(i)
				if !t.Run(fmt.Sprint(n), func(t *testing.T) { synctest.Test(t, func(t *testing.T) { play(t, &s, n) }) }) {
					t.Fatalf("try again with -seed=%d -histories=1", n)
				}
			}
		})
	}
}

func play(t *testing.T, s *division, n uint64) {
	server := newServer(t, s.server)
	h := &history{r: rand.New(rand.NewPCG(n, 1)), w: &world{t: t, server: server}}
	for range h.r.IntN(40) {
		h.act(t)
	}
	var pause func()
	var options HandlerOptions
	if n%2 == 0 { // the handler is slow, so that what waits for it is merged
		options.MaxWaiting = 1 + h.r.IntN(3)
		options.OneAtATime = n%4 == 0
		slow := rand.New(rand.NewPCG(n, 2))
		var mu sync.Mutex
		pause = func() {
			mu.Lock()
			d := time.Duration(slow.IntN(400)) * time.Millisecond
			mu.Unlock()
			time.Sleep(d)
		}
	}
	config := s.config()
	switch n % 3 {
	case 1: // streams are behind, each in its own way
		lag := apitest.Fault{Effect: apitest.Lag, Delay: 700 * time.Millisecond, Probability: 0.4, Seed: n}
		if _, err := server.Inject(lag); err != nil {
			t.Fatal(err)
		}
	case 2: // what they bring waits
		shards := slices.Clone(config.Source.(fixed))
		for i := range shards {
			shards[i].Limits.EventsPerSecond = float64(1 + h.r.IntN(4))
		}
		config.Source = shards
	}
	h.w = startWith(t, server, config, options, pause)
	var keep func(cm *corev1.ConfigMap) bool
	if s.keeps != nil {
		keep = func(cm *corev1.ConfigMap) bool { return s.keeps(h, cm) }
	}
	for range 3 + h.r.IntN(6) {
		for range h.r.IntN(30) {
			h.step(t, s)
		}
		server.AcceptConnections()
		time.Sleep(5 * time.Minute)
		h.w.check(keep)
		for i, b := range h.late {
			if got, want := b.versions(), h.w.onServer(keep); !maps.Equal(got, want) {
				t.Fatalf("handler %d, which came late, and the server differ:\n%s", i, difference(got, want))
			}
		}
	}
}

func (h *history) step(t *testing.T, s *division) {
	n := h.r.IntN(40)
	t.Logf("%s step %d, version %s, shards %v", time.Now().Format("15:04:05.000"), n, h.w.server.ResourceVersion(), h.ids())
	switch {
	case n < 3:
		err := s.reshard(h)
		t.Logf("other shards: %v, %v", h.ids(), err)
		if err != nil && !tolerable(err) {
			t.Fatal(err)
		}
	case n == 3:
		h.w.server.CutConnections()
	case n == 4:
		h.w.server.Compact()
	case n == 5:
		h.w.server.RefuseConnections()
		h.w.server.CutConnections()
	case n == 6:
		_ = h.w.server.AcceptConnections()
	case n == 7 && len(h.late) < 3:
		b := newBeliever(t)
		b.pause = h.w.hears.pause
		if _, err := h.w.informer.AddShardHandler(b, HandlerOptions{HandlerOptions: cache.HandlerOptions{MaxWaiting: 2}}); err != nil {
			t.Fatal(err)
		}
		h.late = append(h.late, b)
	case n < 12:
		time.Sleep(time.Duration(h.r.IntN(3000)) * time.Millisecond)
	case n < 16:
		synctest.Wait()
	default:
		h.act(t)
	}
}

// tolerable errors are those of changes that make no sense for the shards that there are.
func tolerable(err error) bool {
	for _, text := range []string{"cannot be split", "nothing would be left", "has too few"} {
		if strings.Contains(err.Error(), text) {
			return true
		}
	}
	return errors.Is(err, errEnded)
}

// act changes an object.
func (h *history) act(t *testing.T) {
	name := fmt.Sprintf("c%02d", h.r.IntN(30))
	namespace := "ns-" + tenantNames[int(name[2])%len(tenantNames)]
	tenant := append([]string{"", "z"}, tenantNames...)[h.r.IntN(2+len(tenantNames))]
	obj, err := h.w.server.Get(t.Context(), configMaps, namespace, name)
	if err != nil {
		h.w.create(configMap(namespace, name, tenant))
		return
	}
	cm := obj.(*corev1.ConfigMap)
	t.Logf("to %s/%s", namespace, name)
	switch h.r.IntN(5) {
	case 0:
		h.w.remove(namespace, name)
	case 1:
		h.w.remove(namespace, name)
		h.w.create(configMap(namespace, name, tenant))
	case 2:
		cm.Labels = map[string]string{"tenant": tenant}
		h.update(t, cm)
	default:
		cm.Data = map[string]string{"n": fmt.Sprint(h.r.Int())}
		h.update(t, cm)
	}
}

func (h *history) update(t *testing.T, cm *corev1.ConfigMap) {
	cm.ManagedFields = nil
	if _, err := h.w.server.Update(t.Context(), cm); err != nil {
		t.Fatal(err)
	}
}
