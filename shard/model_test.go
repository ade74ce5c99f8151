package shard

import (
	"errors"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"

	"vedette.dev/apitest"
	"vedette.dev/cache"
	"vedette.dev/internal/testsize"
)

var (
	histories = flag.Int("histories", 0, "how many random histories of each sort are tried; 0 means as many as there is time for")
	length    = flag.Duration("length", 0, "how long random histories are tried; 0 means 40 seconds, and three with -short")
	seed      = flag.Uint64("seed", 0, "the first history to try; 0 means some")
)

// story is a sort of random histories: a strategy, a server, and a configuration.
type story struct {
	name   string
	server apitest.Config
	config Config[*corev1.ConfigMap]
	// draw returns a random layout.
	draw func(h *history) []Shard
	// mutable says that an object can leave its shard by a change.
	mutable bool
	// partial says that there need not be a shard for each object.
	partial bool
}

var (
	tenantNames = []string{"a", "b", "c", "d", "e"}
	shardNames  = []string{"000", "001", "002", "p", "q", "r", "s"}
	tenancy     = Tenancy{Of: func(e *Envelope) string { return e.Labels()["tenant"] }}
	byTenant    = ByFunc("tenant", func(e *Envelope) string { return e.Labels()["tenant"] })
)

func stories() []story {
	selects := apitest.Config{ShardSelectors: true}
	out := []story{
		{name: "uid", draw: drawHashes(ByUID())},
		{name: "uid selected", draw: drawHashes(ByUID()), server: selects},
		{name: "partial uid", draw: drawHashes(ByUID()), partial: true},
		{name: "partial uid selected", draw: drawHashes(ByUID()), partial: true, server: selects},
		{name: "namespace selected", draw: drawHashes(ByNamespace()), server: selects},
		{name: "name", draw: drawHashes(ByName())},
		{name: "function", draw: drawHashes(byTenant), mutable: true},
		{name: "uid in namespaces", draw: drawHashesIn, partial: true},
		{name: "uid in namespaces selected", draw: drawHashesIn, partial: true, server: selects},
		{name: "keys", draw: drawKeys, mutable: true, partial: true},
		{name: "keys selected", draw: drawKeys, mutable: true, partial: true, server: selects},
		{name: "namespaces", draw: drawNames(func(names []string) Scope { return Scope{Namespaces: prefixed("ns-", names)} }), partial: true},
		{name: "labels", draw: drawNames(func(names []string) Scope { return Scope{Labels: labelIn("tenant", names)} }), mutable: true, partial: true},
		{name: "tenants", draw: drawTenants, mutable: true, partial: true},
		{name: "selectors", draw: drawSelectors, mutable: true, partial: true},
		{name: "everything", draw: drawAll},
		{name: "mixed", draw: drawMixed, mutable: true, partial: true},
		{name: "mixed selected", draw: drawMixed, mutable: true, partial: true, server: selects},
		{name: "packed", draw: drawHashes(byTenant), mutable: true, config: Config[*corev1.ConfigMap]{
			Informer: cache.SharedIndexInformerOptions{Storage: cache.Storage{Packed: true}},
		}},
	}
	for i := range out {
		out[i].config.Tenant, out[i].config.Partial = tenancy, out[i].partial
	}
	return out
}

func prefixed(prefix string, names []string) []string {
	out := make([]string, len(names))
	for i, name := range names {
		out[i] = prefix + name
	}
	return out
}

// ids returns some names of shards.
func (h *history) someIDs(n int) []string {
	ids := slices.Clone(shardNames)
	h.r.Shuffle(len(ids), func(i, j int) { ids[i], ids[j] = ids[j], ids[i] })
	return ids[:n]
}

// deal deals things out to some shards, and leaves some out if it may.
func deal[V any](h *history, things []V, leave bool) map[string][]V {
	ids := h.someIDs(1 + h.r.IntN(4))
	out := map[string][]V{}
	for _, thing := range things {
		if leave && h.r.IntN(4) == 0 {
			continue
		}
		id := ids[h.r.IntN(len(ids))]
		out[id] = append(out[id], thing)
	}
	return out
}

func (h *history) shardsOf(scopes map[string]Scope) (out []Shard) {
	for _, id := range slices.Sorted(maps.Keys(scopes)) {
		s := Shard{ID: id, Scope: scopes[id]}
		switch h.r.IntN(8) {
		case 0:
			s.Limits.Objects = 1 + h.r.IntN(8)
		case 1:
			s.Limits.EventsPerSecond = float64(1 + h.r.IntN(4))
		}
		out = append(out, s)
	}
	return out
}

func drawHashes(key HashKey) func(h *history) []Shard {
	return func(h *history) []Shard {
		scopes := map[string]Scope{}
		for id, ranges := range deal(h, EqualRanges(12), h.s.partial) {
			scopes[id] = Scope{Hash: key, Ranges: ranges}
		}
		return h.shardsOf(scopes)
	}
}

// drawHashesIn has the hashes of two groups of namespaces, each divided for itself.
func drawHashesIn(h *history) []Shard {
	scopes := map[string]Scope{}
	for suffix, namespaces := range map[string][]string{"x": {"ns-a"}, "y": {"ns-b", "ns-c"}} {
		for id, ranges := range deal(h, EqualRanges(6), true) {
			scopes[id+suffix] = Scope{Namespaces: namespaces, Hash: ByUID(), Ranges: ranges}
		}
	}
	return h.shardsOf(scopes)
}

// drawKeys has hashes by one of several keys, with the same ranges.
func drawKeys(h *history) []Shard {
	return drawHashes([]HashKey{ByUID(), ByNamespace(), ByName(), byTenant}[h.r.IntN(4)])(h)
}

func drawNames(scope func(names []string) Scope) func(h *history) []Shard {
	return func(h *history) []Shard {
		scopes := map[string]Scope{}
		for id, names := range deal(h, tenantNames, true) {
			scopes[id] = scope(names)
		}
		return h.shardsOf(scopes)
	}
}

func drawTenants(h *history) []Shard {
	scopes := map[string]Scope{}
	for i, id := range h.someIDs(len(tenantNames)) {
		if h.r.IntN(4) > 0 {
			scopes[id] = Scope{Tenant: tenantNames[i]}
		}
	}
	return h.shardsOf(scopes)
}

// drawSelectors has selectors that the server alone evaluates, and of which no two match one object.
func drawSelectors(h *history) []Shard {
	all := []Scope{
		{Labels: "tenant in (a,b),!other"},
		{Labels: "tenant in (c,d),!other", Namespaces: []string{"ns-a", "ns-b", "ns-c"}},
		{Labels: "tenant=a,other"},
		{Labels: "tenant=e,!other", Fields: "metadata.name!=c01"},
		{Labels: "tenant in (b,c),other", Fields: "metadata.name!=c02", Namespaces: []string{"ns-c", "ns-d"}},
	}
	scopes := map[string]Scope{}
	for i, id := range h.someIDs(len(all)) {
		if h.r.IntN(4) > 0 {
			scopes[id] = all[i]
		}
	}
	return h.shardsOf(scopes)
}

func drawAll(h *history) []Shard { return h.shardsOf(map[string]Scope{h.someIDs(1)[0]: {}}) }

func drawMixed(h *history) []Shard {
	draws := []func(*history) []Shard{
		drawKeys, drawHashesIn, drawTenants, drawSelectors, drawAll,
		drawNames(func(names []string) Scope { return Scope{Namespaces: prefixed("ns-", names)} }),
		drawNames(func(names []string) Scope { return Scope{Labels: labelIn("tenant", names)} }),
	}
	return draws[h.r.IntN(len(draws))](h)
}

// has reports whether an object is in a scope, from what the documentation of Scope says.
func (s *Scope) has(cm *corev1.ConfigMap) bool {
	if len(s.Namespaces) > 0 && !slices.Contains(s.Namespaces, cm.Namespace) || s.Tenant != "" && s.Tenant != cm.Labels["tenant"] {
		return false
	}
	byLabels, _ := labels.Parse(s.Labels)
	byFields, _ := fields.ParseSelector(s.Fields)
	if !byLabels.Matches(labels.Set(cm.Labels)) || !byFields.Matches(fields.Set{"metadata.name": cm.Name}) {
		return false
	}
	if s.Hash.of == nil {
		return true
	}
	e := *envelopeOf(cm)
	return slices.ContainsFunc(s.Ranges, func(r Range) bool { return r.Contains(s.Hash.hash(&e)) })
}

// history is a random one.
type history struct {
	t     *testing.T
	s     *story
	w     *world
	r     *rand.Rand
	names int
	// only are the handlers of one shard, by its ID.
	only    map[string]*believer
	late    []*believer // handlers that came while the informer ran
	plain   *believer
	witness *believer // a quick handler, of which nothing is coalesced
	deleted sync.Map  // of UIDs
	changes int
	moves   int
}

func (h *history) ids() (ids []string) {
	for _, s := range h.w.informer.Shards() {
		ids = append(ids, s.ID)
	}
	return ids
}

var played struct{ histories, changes, moves atomic.Int64 }

// TestHistories attacks the informer at random: writers, shards that change in every way, handlers of all sorts, faults. Whenever all is
// quiet, the store, the shards and what each handler believes are what the server has.
func TestHistories(t *testing.T) {
	budget := *length
	if budget == 0 {
		budget = testsize.Of(40*time.Second, 3*time.Second) // for more, see the flags
	}
	t.Cleanup(func() {
		log := t.Logf
		if *length > 0 { // a run for the record, which has no use for the log of each history
			log = func(format string, args ...any) { fmt.Printf(format+"\n", args...) }
		}
		log("%d histories, %d changes of objects, %d changes of shards", played.histories.Load(), played.changes.Load(), played.moves.Load())
	})
	stories := stories()
	share := budget * time.Duration(runtime.GOMAXPROCS(0)) / time.Duration(len(stories)) // as many run at the same time
	for _, s := range stories {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			end := time.Now().Add(share)
			first := *seed
			if first == 0 {
				first = uint64(time.Now().UnixNano())
			}
			for n := first; ; n++ {
				if *histories > 0 && n >= first+uint64(*histories) || *histories == 0 && n > first && time.Now().After(end) {
					break
				}
				synctest.Test(t, func(t *testing.T) {
					defer func() {
						if t.Failed() {
							t.Logf("try again with -run='TestHistories/%s$' -seed=%d -histories=1", strings.ReplaceAll(s.name, " ", "_"), n)
						}
					}()
					play(t, &s, n)
				})
				if t.Failed() {
					return
				}
			}
		})
	}
}

func play(t *testing.T, s *story, n uint64) {
	server := newServer(t, s.server)
	h := &history{
		t: t, s: s, r: rand.New(rand.NewPCG(n, 1)), w: &world{t: t, server: server},
		only: map[string]*believer{},
	}
	for range h.r.IntN(40) {
		h.act()
	}
	config := s.config
	config.Source = Shards(h.draw()...)
	if n%3 == 1 { // streams are behind, each in its own way
		lag := apitest.Fault{Effect: apitest.Lag, Delay: 700 * time.Millisecond, Probability: 0.4, Seed: n}
		if _, err := server.Inject(lag); err != nil {
			t.Fatal(err)
		}
	}
	options := HandlerOptions{}
	var pause func()
	if n%2 == 0 { // the handlers are slow, so that what waits for them is coalesced
		options.MaxWaiting = 1 + h.r.IntN(3)
		options.OneAtATime = n%4 == 0
		pause = slowly(n)
	}
	h.w = startWith(t, server, config, options, pause)
	h.witness = newBeliever(t)
	everything := HandlerOptions{HandlerOptions: cache.HandlerOptions{MaxWaiting: -1}}
	if _, err := h.w.informer.AddShardHandler(h.witness, everything); err != nil {
		t.Fatal(err)
	}
	h.plain = newBeliever(t)
	h.plain.pause, h.plain.lossesUntold = pause, true
	if _, err := h.w.informer.AddEventHandler(plainBeliever{h.plain}); err != nil {
		t.Fatal(err)
	}
	if !s.mutable {
		h.w.hears.mu.Lock()
		h.w.hears.mayBeDeleted = func(uid string) bool {
			_, deleted := h.deleted.Load(uid)
			return deleted
		}
		h.w.hears.mu.Unlock()
	}
	for range 3 + h.r.IntN(6) {
		for range h.r.IntN(60) {
			h.step()
		}
		if err := server.AcceptConnections(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(5 * time.Minute)
		h.check()
	}
	played.histories.Add(1)
	played.changes.Add(int64(h.changes))
	played.moves.Add(int64(h.moves))
}

// slowly returns a function that takes some time.
func slowly(n uint64) func() {
	slow := rand.New(rand.NewPCG(n, 2))
	var mu sync.Mutex
	return func() {
		mu.Lock()
		d := time.Duration(slow.IntN(400)) * time.Millisecond
		mu.Unlock()
		time.Sleep(d)
	}
}

// draw returns a random layout that has shards.
func (h *history) draw() []Shard {
	for {
		if shards := h.s.draw(h); len(shards) > 0 {
			return shards
		}
	}
}

func (h *history) step() {
	n := h.r.IntN(60)
	h.t.Logf("%s step %d, version %s, shards %v", time.Now().Format("15:04:05.000"), n, h.w.server.ResourceVersion(), h.ids())
	switch {
	case n < 6:
		err := h.reshard()
		h.t.Logf("other shards: %v", err)
		for _, s := range h.w.informer.Shards() {
			h.t.Logf("  %s: %v, limits %+v", s.ID, s.Scope, s.Limits)
		}
		if err != nil && !tolerable(err) {
			h.t.Fatal(err)
		}
		h.moves++
	case n == 6:
		h.w.server.CutConnections()
	case n == 7:
		h.w.server.Compact()
	case n == 8:
		h.w.server.RefuseConnections()
		h.w.server.CutConnections()
	case n == 9:
		_ = h.w.server.AcceptConnections()
	case n == 10 && len(h.late) < 3:
		h.late = append(h.late, h.listen(""))
	case n == 11 && len(h.only) < 4:
		if ids := h.ids(); len(ids) > 0 {
			if id := ids[h.r.IntN(len(ids))]; h.only[id] == nil {
				h.only[id] = h.listen(id)
			}
		}
	case n < 20:
		time.Sleep(time.Duration(200+h.r.IntN(800)) * time.Millisecond)
	case n < 26:
		synctest.Wait()
	default:
		h.act()
	}
}

// listen adds a handler of all shards, or of one.
func (h *history) listen(shard string) *believer {
	b := newBeliever(h.t)
	b.pause, b.only = h.w.hears.pause, shard
	options := HandlerOptions{Shard: shard, HandlerOptions: cache.HandlerOptions{MaxWaiting: 2}}
	if _, err := h.w.informer.AddShardHandler(b, options); err != nil {
		h.t.Fatal(err)
	}
	return b
}

// reshard changes the shards in some way.
func (h *history) reshard() error {
	ids := h.ids()
	h.r.Shuffle(len(ids), func(i, j int) { ids[i], ids[j] = ids[j], ids[i] })
	h.names++
	informer := h.w.informer
	switch n := h.r.IntN(10); {
	case n == 0:
		_, err := informer.Resize(1 + h.r.IntN(6))
		return err
	case n == 1:
		_, err := informer.Rebalance()
		return err
	case n == 2 && len(ids) > 0:
		return informer.Split(ids[0], fmt.Sprintf("s%d", h.names), fmt.Sprintf("t%d", h.names))
	case n == 3 && len(ids) > 1:
		return informer.Merge(ids[h.r.IntN(2)], ids[0], ids[1])
	case n == 4 && len(ids) > 1:
		return informer.RemoveShard(ids[0])
	case n == 5:
		return h.rename()
	case n == 6 && h.r.IntN(3) == 0:
		if err := informer.SetShards(); err != nil {
			return err
		}
	}
	return informer.SetShards(h.draw()...)
}

// rename gives a shard another name, and perhaps other limits.
func (h *history) rename() error {
	var shards []Shard
	for _, s := range h.w.informer.Shards() {
		shards = append(shards, s.Shard)
	}
	if len(shards) == 0 {
		return nil
	}
	free := slices.DeleteFunc(h.someIDs(len(shardNames)), func(id string) bool { return slices.Contains(h.ids(), id) })
	if len(free) > 0 {
		shards[h.r.IntN(len(shards))].ID = free[0]
	}
	if h.r.IntN(2) == 0 {
		shards[h.r.IntN(len(shards))].Limits.Objects = h.r.IntN(10)
	}
	return h.w.informer.SetShards(shards...)
}

// tolerable errors are those of changes that make no sense for the shards that there are.
func tolerable(err error) bool {
	for _, text := range []string{
		"cannot split", "cannot merge", "would be empty", "is not by hash",
		"would lose objects", "in no shard", "there are shards in", "no shards to balance", "are of different strategies",
	} {
		if strings.Contains(err.Error(), text) {
			return true
		}
	}
	return errors.Is(err, errEnded)
}

// act changes an object.
func (h *history) act() {
	h.changes++
	name := fmt.Sprintf("c%02d", h.r.IntN(30))
	namespace := "ns-" + tenantNames[int(name[2])%len(tenantNames)]
	tenant := append([]string{"", "z"}, tenantNames...)[h.r.IntN(2+len(tenantNames))]
	obj, err := h.w.server.Get(h.t.Context(), configMaps, namespace, name)
	if err != nil {
		h.create(namespace, name, tenant)
		return
	}
	cm := obj.(*corev1.ConfigMap)
	h.t.Logf("to %s/%s", namespace, name)
	switch n := h.r.IntN(5); n {
	case 0:
		h.t.Logf("deleted")
		h.remove(cm)
	case 1:
		h.remove(cm)
		h.create(namespace, name, tenant)
	case 2:
		cm.Labels = h.labels(tenant)
		h.update(cm)
	default:
		cm.Data = map[string]string{"n": fmt.Sprint(h.r.Int())}
		h.update(cm)
	}
}

func (h *history) labels(tenant string) map[string]string {
	out := map[string]string{}
	if tenant != "" {
		out["tenant"] = tenant
	}
	if h.r.IntN(3) == 0 {
		out["other"] = "1"
	}
	return out
}

func (h *history) create(namespace, name, tenant string) {
	cm := configMap(namespace, name, "")
	cm.Labels = h.labels(tenant)
	h.w.create(cm)
}

func (h *history) remove(cm *corev1.ConfigMap) {
	h.deleted.Store(string(cm.UID), true)
	h.w.remove(cm.Namespace, cm.Name)
}

func (h *history) update(cm *corev1.ConfigMap) {
	cm.ManagedFields = nil
	if _, err := h.w.server.Update(h.t.Context(), cm); err != nil {
		h.t.Fatal(err)
	}
}

// check compares the store, the shards and the handlers with the server. All is quiet.
func (h *history) check() {
	t := h.t
	t.Helper()
	synctest.Wait()
	objects, _, err := h.w.server.List(t.Context(), configMaps, "")
	if err != nil {
		t.Fatal(err)
	}
	in := map[string]map[string]string{} // shard → key → version
	for _, s := range h.w.informer.Shards() {
		in[s.ID] = map[string]string{}
		for _, obj := range objects {
			if cm := obj.(*corev1.ConfigMap); s.Scope.has(cm) {
				in[s.ID][keyOf(cm)] = cm.ResourceVersion
			}
		}
	}
	store := map[string]string{}
	for _, s := range h.w.informer.Shards() {
		have := map[string]string{}
		for _, obj := range h.w.informer.View(s.ID).List() {
			cm := obj.(*corev1.ConfigMap)
			have[keyOf(cm)], store[keyOf(cm)] = cm.ResourceVersion, cm.ResourceVersion
		}
		h.checkShard(s, have, in[s.ID])
		if b := h.only[s.ID]; b != nil {
			h.compare("the handler of shard "+s.ID+" and its view", b.versions(), have)
		}
	}
	if whole := storeOf(h.w.informer); !maps.Equal(whole, store) {
		t.Fatalf("the store and its shards differ:\n%s", difference(whole, store))
	}
	for id, b := range h.only {
		if in[id] == nil {
			h.compare("the handler of shard "+id+", which is gone,", b.versions(), nil)
		}
	}
	h.compare("the handler and the store", h.w.hears.versions(), store)
	h.compare("the quick handler and the store", h.witness.versions(), store)
	for i, b := range h.late {
		h.compare(fmt.Sprintf("handler %d, which came late, and the store", i), b.versions(), store)
	}
	believed := h.plain.versions()
	maps.DeleteFunc(believed, func(key, _ string) bool { // it is not told what is lost
		_, kept := store[key]
		return !kept && h.witness.everLost(key)
	})
	h.compare("the plain handler and the store", believed, store)
}

func (h *history) compare(what string, got, want map[string]string) {
	h.t.Helper()
	if !maps.Equal(got, want) {
		h.t.Fatalf("%s differ:\n%s", what, difference(got, want))
	}
}

// checkShard compares a shard with what it should have. If it is full, some may be missing, but no more than need be.
func (h *history) checkShard(s State, have, want map[string]string) {
	h.t.Helper()
	if s.Err() == nil {
		h.compare("shard "+s.ID+" and the server", have, want)
		return
	}
	if s.Full == nil {
		h.t.Fatalf("shard %s: %v", s.ID, s.Err())
	}
	for key, version := range have {
		if want[key] != version {
			h.t.Fatalf("shard %s has %s at version %s, want %q", s.ID, key, version, want[key])
		}
	}
	if len(have) < min(len(want), s.Limits.Objects) || s.Limits.Objects == 0 {
		h.t.Fatalf("shard %s has %d objects of %d with a limit of %d", s.ID, len(have), len(want), s.Limits.Objects)
	}
}

func keyOf(cm *corev1.ConfigMap) string { return cm.Namespace + "/" + cm.Name }

func storeOf(informer *TypedShardingInformer[*corev1.ConfigMap]) map[string]string {
	out := map[string]string{}
	for _, obj := range informer.GetStore().List() {
		cm := obj.(*corev1.ConfigMap)
		out[keyOf(cm)] = cm.ResourceVersion
	}
	return out
}
