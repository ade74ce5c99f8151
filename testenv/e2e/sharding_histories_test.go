package e2e

import (
	"context"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"

	"vedette.dev/internal/hashspace"
	"vedette.dev/kubernetes"
	"vedette.dev/rest"
	"vedette.dev/shard"
	"vedette.dev/testenv"
	"vedette.dev/testenv/internal/tunnel"
)

var (
	historyLength = flag.Duration("history", 20*time.Second, "how long TestShardingHistories lasts on each server, without the time to calm down")
	historySeed   = flag.Uint64("history-seed", 0, "the seed of TestShardingHistories; 0 means some")
)

const (
	historyTeams   = 5
	historyObjects = 200
)

// TestShardingHistories changes the shards at random, from every strategy to every other, while writers write, connections are cut, and
// the server is killed. Whenever all is calm, the store, the shards and the handlers have what the server has.
func TestShardingHistories(t *testing.T) {
	for _, selects := range []bool{true, false} {
		t.Run(fmt.Sprintf("selects=%v", selects), func(t *testing.T) {
			h := newShardingHistory(t, selects)
			for began := time.Now(); time.Since(began) < *historyLength; {
				h.wild(min(*historyLength, 10*time.Second))
				h.calm()
			}
			t.Logf("%d changes of objects, %d changes of shards, %d refused, %d cuts, %d kills", h.written.Load(), h.moves, h.refused, h.cuts, h.kills)
		})
	}
}

// shardingHistory is a server, its objects, and an informer through a tunnel.
type shardingHistory struct {
	t        *testing.T
	env      *testenv.Env
	tunnel   *tunnel.Tunnel
	client   kubernetes.Interface
	r        *rand.Rand
	informer *shard.TypedShardingInformer[*corev1.ConfigMap]
	all      *ledger[*corev1.ConfigMap]
	only     map[string]*ledger[*corev1.ConfigMap] // handlers of one shard
	written  atomic.Int64

	moves, refused, cuts, kills int
}

func newShardingHistory(t *testing.T, selects bool) *shardingHistory {
	seed := *historySeed
	if seed == 0 {
		seed = uint64(time.Now().UnixNano())
	}
	t.Logf("try again with -history-seed=%d", seed)
	env := testenv.New(t, testenv.Config{FeatureGates: map[string]bool{shardingGate: selects}})
	h := &shardingHistory{t: t, env: env, r: rand.New(rand.NewPCG(seed, 0)), only: map[string]*ledger[*corev1.ConfigMap]{}}
	client, err := kubernetes.NewForConfig(closing(t, env.RESTConfig()))
	if err != nil {
		t.Fatal(err)
	}
	h.client = client
	for i := range historyTeams {
		team := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("team-%d", i)}}
		if _, err := client.CoreV1().Namespaces().Create(t.Context(), team, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	h.tunnel = newTunnel(t, strings.TrimPrefix(env.Host(), "https://"))
	config := rest.CopyConfig(env.RESTConfig())
	config.Host, config.ServerName = "https://"+h.tunnel.Address(), "127.0.0.1"
	h.informer, h.all = runSharded(t, shard.Config[*corev1.ConfigMap]{
		Resource: shardingConfigMaps, REST: closing(t, config), Source: shard.Shards(h.draw()...), Partial: true,
		Tenant: shard.Tenancy{Of: func(e *shard.Envelope) string { return e.Labels()["part"] }},
		Tweak:  func(options *metav1.ListOptions) {},
	})
	h.all.mu.Lock()
	h.all.moves = true // objects leave all shards, and come back
	h.all.mu.Unlock()
	return h
}

// wild lasts for some time.
func (h *shardingHistory) wild(lasts time.Duration) {
	ctx, cancel := context.WithTimeout(h.t.Context(), lasts)
	defer cancel()
	var writers sync.WaitGroup
	for range 3 {
		seed := h.r.Uint64()
		writers.Go(func() {
			for r := rand.New(rand.NewPCG(seed, 1)); ctx.Err() == nil; {
				h.write(ctx, r)
			}
		})
	}
	kill := h.r.IntN(8) // in some turns
	for n := 0; ctx.Err() == nil; n++ {
		time.Sleep(time.Duration(200+h.r.IntN(800)) * time.Millisecond)
		switch {
		case n == kill:
			h.kills++
			if h.env.KillAPIServer(); h.env.StartAPIServer(h.t.Context()) != nil {
				h.t.Fatal("the server does not start again")
			}
		case h.r.IntN(4) == 0:
			h.cuts++
			h.tunnel.Cut()
		}
		h.listen()
		h.moves++
		if err := h.move(n); err != nil {
			h.refused++
		}
	}
	writers.Wait()
}

func (h *shardingHistory) write(ctx context.Context, r *rand.Rand) {
	number := r.IntN(historyObjects)
	maps, name := h.client.CoreV1().ConfigMaps(fmt.Sprintf("team-%d", number%historyTeams)), fmt.Sprintf("settings-%03d", number)
	var err error
	switch r.IntN(6) {
	case 0:
		err = maps.Delete(ctx, name, metav1.DeleteOptions{})
	case 1, 2:
		_, err = maps.Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{
			Name: name, Labels: map[string]string{"part": fmt.Sprint(r.IntN(6))},
		}}, metav1.CreateOptions{})
	case 3:
		patch := fmt.Appendf(nil, `{"metadata":{"labels":{"part":"%d"}}}`, r.IntN(6))
		_, err = maps.Patch(ctx, name, types.MergePatchType, patch, metav1.PatchOptions{})
	default:
		patch := fmt.Appendf(nil, `{"data":{"history":"%d"}}`, r.Uint64())
		_, err = maps.Patch(ctx, name, types.MergePatchType, patch, metav1.PatchOptions{})
	}
	if err == nil {
		h.written.Add(1)
	}
}

// listen adds a handler of one shard now and then.
func (h *shardingHistory) listen() {
	shards := h.informer.Shards()
	if len(shards) == 0 || len(h.only) >= 4 || h.r.IntN(4) > 0 {
		return
	}
	id := shards[h.r.IntN(len(shards))].ID
	if h.only[id] != nil {
		return
	}
	l := newLedger[*corev1.ConfigMap](h.t)
	l.moves = true
	if _, err := h.informer.AddShardHandler(l, shard.HandlerOptions{Shard: id}); err != nil {
		h.t.Fatal(err)
	}
	h.only[id] = l
}

// move changes the shards. Some changes make no sense for the shards that there are, and are refused.
func (h *shardingHistory) move(n int) error {
	shards := h.informer.Shards()
	if len(shards) > 1 {
		a, b := shards[h.r.IntN(len(shards))].ID, shards[h.r.IntN(len(shards))].ID
		switch h.r.IntN(8) {
		case 0:
			_, err := h.informer.Resize(1 + h.r.IntN(6))
			return err
		case 1:
			return h.informer.Split(a, fmt.Sprintf("%d-a", n), fmt.Sprintf("%d-b", n))
		case 2:
			return h.informer.Merge(a, a, b)
		case 3:
			return h.informer.RemoveShard(a)
		case 4:
			_, err := h.informer.Rebalance()
			return err
		}
	}
	return h.informer.SetShards(h.draw()...)
}

// draw returns random shards, of any strategy, under a few names.
func (h *shardingHistory) draw() (out []shard.Shard) {
	ids := []string{"000", "001", "002", "p", "q", "r"}
	h.r.Shuffle(len(ids), func(i, j int) { ids[i], ids[j] = ids[j], ids[i] })
	scopes := h.drawScopes()
	for i, scope := range scopes {
		s := shard.Shard{ID: ids[i], Scope: scope}
		if h.r.IntN(6) == 0 {
			s.Limits.EventsPerSecond = 50
		}
		out = append(out, s)
	}
	return out
}

func (h *shardingHistory) drawScopes() (out []shard.Scope) {
	n := 1 + h.r.IntN(4)
	deal := func(things int) [][]int {
		out := make([][]int, n)
		for thing := range things {
			if at := h.r.IntN(n + 1); at < n {
				out[at] = append(out[at], thing)
			}
		}
		return slices.DeleteFunc(out, func(some []int) bool { return len(some) == 0 })
	}
	switch h.r.IntN(6) {
	case 0:
		key := []shard.HashKey{shard.ByUID(), shard.ByNamespace(), shard.ByName()}[h.r.IntN(3)]
		for _, some := range deal(12) {
			scope := shard.Scope{Hash: key}
			for _, i := range some {
				scope.Ranges = append(scope.Ranges, shard.EqualRanges(12)[i])
			}
			out = append(out, scope)
		}
	case 1:
		for _, some := range deal(historyTeams) {
			scope := shard.Scope{}
			for _, i := range some {
				scope.Namespaces = append(scope.Namespaces, fmt.Sprintf("team-%d", i))
			}
			out = append(out, scope)
		}
	case 2:
		for _, some := range deal(5) {
			text := strings.Trim(strings.Join(strings.Fields(fmt.Sprint(some)), ","), "[]")
			out = append(out, shard.Scope{Labels: "part in (" + text + ")"})
		}
	case 3:
		for i := range n {
			out = append(out, shard.Scope{Tenant: fmt.Sprint(i)})
		}
	case 4:
		out = []shard.Scope{
			{Labels: "part in (0,1),!other"},
			{Labels: "part in (2,3),!other", Namespaces: []string{"team-0", "team-1", "team-2"}},
			{Labels: "part=4,!other", Fields: "metadata.name!=settings-004"},
		}[:1+h.r.IntN(3)]
	default:
		out = []shard.Scope{{}}
	}
	return out
}

// calm waits until all is where it belongs.
func (h *shardingHistory) calm() {
	h.t.Helper()
	list, err := h.client.CoreV1().ConfigMaps("").List(h.t.Context(), metav1.ListOptions{})
	if err != nil {
		h.t.Fatal(err)
	}
	settles(h.t, "all is where it belongs", func() error {
		store, total := map[string]string{}, 0
		for _, s := range h.informer.Shards() {
			want, view := map[string]string{}, map[string]string{}
			for i := range list.Items {
				if cm := &list.Items[i]; hasInScope(s.Scope, cm) {
					want[cm.Namespace+"/"+cm.Name] = cm.ResourceVersion
				}
			}
			for _, obj := range h.informer.View(s.ID).List() {
				cm := obj.(*corev1.ConfigMap)
				view[cm.Namespace+"/"+cm.Name] = cm.ResourceVersion
			}
			total += len(view)
			maps.Copy(store, view)
			if err := same("shard "+s.ID+" and the server", view, want); err != nil {
				return err
			}
			if l := h.only[s.ID]; l != nil {
				if err := same("the handler of shard "+s.ID+" and its view", l.versions(), view); err != nil {
					return err
				}
			}
		}
		for id, l := range h.only {
			if len(h.informer.View(id).ListKeys()) == 0 && len(l.versions()) > 0 {
				return fmt.Errorf("the handler of shard %s, which has nothing, believes in %d objects", id, len(l.versions()))
			}
		}
		if total != len(h.informer.GetStore().ListKeys()) {
			return fmt.Errorf("the shards have %d objects, the store %d", total, len(h.informer.GetStore().ListKeys()))
		}
		return same("the handler and the store", h.all.versions(), store)
	})
}

func same(what string, got, want map[string]string) error {
	if maps.Equal(got, want) {
		return nil
	}
	for key, version := range want {
		if got[key] != version {
			return fmt.Errorf("%s differ: %d and %d objects; %s is %q and %q", what, len(got), len(want), key, got[key], version)
		}
	}
	for key, version := range got {
		if want[key] != version {
			return fmt.Errorf("%s differ: %d and %d objects; %s is %q and %q", what, len(got), len(want), key, version, want[key])
		}
	}
	return nil
}

// hasInScope reports whether an object is in a scope, from what the documentation of shard.Scope says.
func hasInScope(s shard.Scope, cm *corev1.ConfigMap) bool {
	if len(s.Namespaces) > 0 && !slices.Contains(s.Namespaces, cm.Namespace) || s.Tenant != "" && s.Tenant != cm.Labels["part"] {
		return false
	}
	byLabels, _ := labels.Parse(s.Labels)
	byFields, _ := fields.ParseSelector(s.Fields)
	if !byLabels.Matches(labels.Set(cm.Labels)) || !byFields.Matches(fields.Set{"metadata.name": cm.Name}) {
		return false
	}
	if len(s.Ranges) == 0 {
		return true
	}
	var hash uint64
	switch s.Hash.String() {
	case shard.ByUID().String():
		hash = hashspace.FNV(string(cm.UID))
	case shard.ByNamespace().String():
		hash = hashspace.FNV(cm.Namespace)
	default:
		hash = hashspace.Mixed(cm.Namespace + "/" + cm.Name)
	}
	return slices.ContainsFunc(s.Ranges, func(r shard.Range) bool { return r.Contains(hash) })
}
