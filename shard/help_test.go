package shard

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"vedette.dev/apitest"
	"vedette.dev/cache"
)

var configMaps = schema.GroupVersionResource{Version: "v1", Resource: "configmaps"}

// world is a server, an informer under test, and a handler that believes what it hears.
type world struct {
	t        *testing.T
	server   *apitest.Server
	informer *TypedShardingInformer[*corev1.ConfigMap]
	hears    *believer
	stop     func() // stops the informer, and waits until it has
}

func newServer(t *testing.T, config apitest.Config) *apitest.Server {
	config.InMemory, config.CreateNamespaces = true, true
	return apitest.New(t, config)
}

func start(t *testing.T, server *apitest.Server, config Config[*corev1.ConfigMap]) *world {
	t.Helper()
	return startWith(t, server, config, HandlerOptions{}, nil)
}

// startWith is start with options for the handler, which pauses before each call, if it is to.
func startWith(t *testing.T, server *apitest.Server, config Config[*corev1.ConfigMap], options HandlerOptions, pause func()) *world {
	t.Helper()
	config.Resource = configMaps
	if config.REST == nil && config.Client == nil {
		config.REST = server.RESTConfig()
	}
	if config.Tweak == nil {
		config.Tweak = tweakNothing
	}
	informer, err := NewTypedShardingInformer(config)
	if err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, server: server, informer: informer, hears: newBeliever(t)}
	w.hears.pause = pause
	if _, err := informer.AddShardHandler(w.hears, options); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		informer.RunWithContext(ctx)
	}()
	w.stop = func() {
		cancel()
		<-done
	}
	t.Cleanup(w.stop)
	return w
}

func tweakNothing(*metav1.ListOptions) {}

func configMap(namespace, name, tenant string) *corev1.ConfigMap {
	cm := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}, Data: map[string]string{"n": "0"}}
	if tenant != "" {
		cm.Labels = map[string]string{"tenant": tenant}
	}
	return cm
}

func (w *world) create(cm *corev1.ConfigMap) {
	w.t.Helper()
	if _, err := w.server.Create(w.t.Context(), cm); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) change(namespace, name string, change func(cm *corev1.ConfigMap)) {
	w.t.Helper()
	obj, err := w.server.Get(w.t.Context(), configMaps, namespace, name)
	if err != nil {
		w.t.Fatal(err)
	}
	cm := obj.(*corev1.ConfigMap)
	change(cm)
	if _, err := w.server.Update(w.t.Context(), cm); err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) remove(namespace, name string) {
	w.t.Helper()
	cm := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}}
	if err := w.server.Delete(w.t.Context(), cm, metav1.DeleteOptions{}); err != nil {
		w.t.Fatal(err)
	}
}

// sawServer lists what the server has and should be in the informer: key → version.
func (w *world) onServer(keep func(cm *corev1.ConfigMap) bool) map[string]string {
	w.t.Helper()
	objects, _, err := w.server.List(w.t.Context(), configMaps, "")
	if err != nil {
		w.t.Fatal(err)
	}
	out := map[string]string{}
	for _, obj := range objects {
		cm := obj.(*corev1.ConfigMap)
		if keep == nil || keep(cm) {
			out[cm.Namespace+"/"+cm.Name] = cm.ResourceVersion
		}
	}
	return out
}

// check compares the informer, each shard, and the handler with the server.
func (w *world) check(keep func(cm *corev1.ConfigMap) bool) {
	w.t.Helper()
	synctest.Wait()
	want := w.onServer(keep)
	got := map[string]string{}
	for _, obj := range w.informer.GetStore().List() {
		cm := obj.(*corev1.ConfigMap)
		got[cm.Namespace+"/"+cm.Name] = cm.ResourceVersion
	}
	if !maps.Equal(got, want) {
		w.t.Fatalf("the informer and the server differ:\n%s", difference(got, want))
	}
	total := 0
	for _, shard := range w.informer.Shards() {
		total += shard.Objects
		for _, key := range w.informer.View(shard.ID).ListKeys() {
			if id, ok := w.informer.ShardOf(key); !ok || id != shard.ID {
				w.t.Fatalf("%s is in shard %q and in %q", key, shard.ID, id)
			}
		}
	}
	if total != len(want) {
		w.t.Fatalf("the shards have %d objects, there are %d", total, len(want))
	}
	if believed := w.hears.versions(); !maps.Equal(believed, want) {
		w.t.Fatalf("the handler and the server differ:\n%s", difference(believed, want))
	}
}

func difference(got, want map[string]string) string {
	var b strings.Builder
	for _, key := range slices.Sorted(maps.Keys(want)) {
		if got[key] != want[key] {
			fmt.Fprintf(&b, "%s: have %q, want %q\n", key, got[key], want[key])
		}
	}
	for _, key := range slices.Sorted(maps.Keys(got)) {
		if _, ok := want[key]; !ok {
			fmt.Fprintf(&b, "%s: have %q, want nothing\n", key, got[key])
		}
	}
	return b.String()
}

// believer is a handler that believes what it hears, and complains if that does not fit together.
type believer struct {
	t     *testing.T
	pause func() // nil for none
	only  string // the only shard that it hears of, if there is one
	// lossesUntold says that it is not told of lost shards, so that it may be told of an object that it believes to be there.
	lossesUntold bool
	// mayBeDeleted reports whether an object of a UID may be deleted; nil means that any may be.
	mayBeDeleted func(uid string) bool

	mu      sync.Mutex
	known   map[string]*corev1.ConfigMap
	shards  map[string]string
	last    map[string]uint64 // the newest version that was told of a key
	calls   map[string]int    // those that run, by shard
	adds    int
	updates int
	deletes int
	lost    []string
	losses  map[string]bool // keys
}

func newBeliever(t *testing.T) *believer {
	return &believer{
		t: t, known: map[string]*corev1.ConfigMap{}, shards: map[string]string{}, last: map[string]uint64{},
		calls: map[string]int{}, losses: map[string]bool{},
	}
}

// begin begins a call for a shard. The caller holds mu until it calls end.
func (b *believer) begin(shard string) (end func()) {
	b.mu.Lock()
	if b.only != "" && shard != b.only {
		b.t.Errorf("a handler of shard %q was called for shard %q", b.only, shard)
	}
	if b.calls[shard]++; b.calls[shard] > 1 {
		b.t.Errorf("two calls for shard %q at a time", shard)
	}
	b.mu.Unlock()
	if b.pause != nil {
		b.pause()
	}
	b.mu.Lock()
	return func() {
		b.calls[shard]--
		b.mu.Unlock()
	}
}

// told notes the version of an object that was told, which must not be older than what was told before.
func (b *believer) told(shard string, cm *corev1.ConfigMap) {
	version, _ := strconv.ParseUint(cm.ResourceVersion, 10, 64)
	key := keyOf(cm)
	if version < b.last[key] {
		b.t.Errorf("%s was told at version %d in %q after version %d", key, version, shard, b.last[key])
	}
	b.last[key] = version
	b.known[key], b.shards[key] = cm, shard
}

func (b *believer) OnAdd(shard string, cm *corev1.ConfigMap, _ bool) {
	defer b.begin(shard)()
	key := keyOf(cm)
	if b.known[key] != nil && !b.lossesUntold {
		b.t.Errorf("%s was added to %q, but was there in %q", key, shard, b.shards[key])
	}
	b.told(shard, cm)
	b.adds++
}

func (b *believer) OnUpdate(shard string, old, cm *corev1.ConfigMap) {
	defer b.begin(shard)()
	key := keyOf(cm)
	if known := b.known[key]; known == nil || known.ResourceVersion != old.ResourceVersion {
		b.t.Errorf("%s was updated in %q from version %s, but version %v was known", key, shard, old.ResourceVersion, b.known[key])
	}
	if old.UID != cm.UID {
		b.t.Errorf("%s was updated to another object", key)
	}
	b.told(shard, cm)
	b.updates++
}

func (b *believer) OnDelete(shard string, gone cache.DeletedObject[*corev1.ConfigMap]) {
	defer b.begin(shard)()
	key := gone.GetObjectName().String()
	switch known := b.known[key]; {
	case known == nil:
		b.t.Errorf("%s was deleted from %q, but was not known", key, shard)
	case b.mayBeDeleted != nil && !b.mayBeDeleted(string(known.UID)):
		b.t.Errorf("%s was deleted from %q, but is there", key, shard)
	}
	delete(b.known, key)
	delete(b.shards, key)
	b.deletes++
}

func (b *believer) OnShardLost(shard string, keys []string) {
	defer b.begin(shard)()
	b.lost = append(b.lost, shard)
	for _, key := range keys {
		if b.known[key] == nil {
			b.t.Errorf("%s was lost with %q, but was not known", key, shard)
		}
		delete(b.known, key)
		delete(b.shards, key)
		b.losses[key] = true
	}
}

// everLost reports whether the handler was told that a key was lost with its shard.
func (b *believer) everLost(key string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.losses[key]
}

func (b *believer) versions() map[string]string {
	b.mu.Lock()
	defer b.mu.Unlock()
	out := map[string]string{}
	for key, cm := range b.known {
		out[key] = cm.ResourceVersion
	}
	return out
}

// counts are the calls since the last time.
func (b *believer) counts() (adds, updates, deletes int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	adds, updates, deletes = b.adds, b.updates, b.deletes
	b.adds, b.updates, b.deletes = 0, 0, 0
	return adds, updates, deletes
}

// plainBeliever is a believer that knows nothing of shards.
type plainBeliever struct{ *believer }

func (b plainBeliever) OnAdd(obj any, initial bool) {
	b.believer.OnAdd("", obj.(*corev1.ConfigMap), initial)
}

func (b plainBeliever) OnUpdate(old, obj any) {
	b.believer.OnUpdate("", old.(*corev1.ConfigMap), obj.(*corev1.ConfigMap))
}

func (b plainBeliever) OnDelete(obj any) {
	var gone cache.DeletedObject[*corev1.ConfigMap]
	switch o := obj.(type) {
	case *corev1.ConfigMap:
		gone.OptionalObj = o
	case cache.DeletedFinalStateUnknown:
		gone.FinalStateUnknown = &o
		gone.OptionalObj, _ = o.Obj.(*corev1.ConfigMap)
	}
	b.believer.OnDelete("", gone)
}
