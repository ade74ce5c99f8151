package e2e

import (
	"context"
	"fmt"
	"maps"
	"strconv"
	"sync"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"vedette.dev/cache"
	"vedette.dev/shard"
)

// shardedObject is an object of which the ledger can tell one state from another.
type shardedObject interface {
	cache.Object
	metav1.Object
}

// ledger is a handler that writes down what it is told, and complains of what cannot be.
type ledger[T shardedObject] struct {
	t       testing.TB
	cluster func(shard string) string // begins keys; nil for nothing
	moves   bool                      // objects come and go without a change, because the shards change

	mu      sync.Mutex
	entries map[string]entry
	last    map[string]uint64 // key → the last version that was told, also of what is deleted
	calls   int
	lost    []string
}

type entry struct {
	uid, version, shard string
}

func newLedger[T shardedObject](t testing.TB) *ledger[T] {
	return &ledger[T]{t: t, entries: map[string]entry{}, last: map[string]uint64{}}
}

func (l *ledger[T]) key(shard string, obj metav1.Object) string {
	key := obj.GetNamespace() + "/" + obj.GetName()
	if l.cluster != nil {
		key = l.cluster(shard) + "|" + key
	}
	return key
}

func (l *ledger[T]) OnAdd(shard string, obj T, _ bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	key := l.key(shard, obj)
	if was, ok := l.entries[key]; ok {
		l.t.Errorf("%s was added in shard %s, but was known in shard %s", key, shard, was.shard)
	}
	l.note(key, shard, obj)
}

func (l *ledger[T]) OnUpdate(shard string, old, obj T) {
	l.mu.Lock()
	defer l.mu.Unlock()
	key := l.key(shard, obj)
	if was, ok := l.entries[key]; !ok || was.version != old.GetResourceVersion() || was.uid != string(obj.GetUID()) {
		l.t.Errorf("%s was updated from version %s, but %+v was known (%v)", key, old.GetResourceVersion(), was, ok)
	}
	if old.GetResourceVersion() == obj.GetResourceVersion() {
		l.t.Errorf("%s was updated, but has not changed", key)
	}
	l.note(key, shard, obj)
}

func (l *ledger[T]) note(key, shard string, obj T) {
	l.entries[key] = entry{string(obj.GetUID()), obj.GetResourceVersion(), shard}
	l.calls++
	l.isLater(key, shard, obj)
}

// isLater complains of what was told before, or comes after what is newer.
func (l *ledger[T]) isLater(key, shard string, obj T) {
	version, err := strconv.ParseUint(obj.GetResourceVersion(), 10, 64)
	if last := l.last[key]; err != nil || version < last || version == last && !l.moves {
		l.t.Errorf("of %s, version %d was told in shard %s after version %d (%v)", key, version, shard, last, err)
	}
	l.last[key] = version
}

func (l *ledger[T]) OnDelete(shard string, gone cache.DeletedObject[T]) {
	l.mu.Lock()
	defer l.mu.Unlock()
	var key string
	if gone.FinalStateUnknown == nil {
		key = l.key(shard, gone.OptionalObj)
		l.isLater(key, shard, gone.OptionalObj)
	} else {
		key = gone.FinalStateUnknown.Key
	}
	if _, ok := l.entries[key]; !ok {
		l.t.Errorf("%s was deleted from shard %s, but was not known", key, shard)
	}
	delete(l.entries, key)
	l.calls++
}

func (l *ledger[T]) OnShardLost(shard string, keys []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.lost = append(l.lost, shard)
	for _, key := range keys {
		delete(l.entries, key)
		l.last[key]-- // when it comes again, it may not have changed
	}
}

// told is how many calls there were.
func (l *ledger[T]) told() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.calls
}

// versions is key → version.
func (l *ledger[T]) versions() map[string]string {
	l.mu.Lock()
	defer l.mu.Unlock()
	out := map[string]string{}
	for key, e := range l.entries {
		out[key] = e.version
	}
	return out
}

// runSharded makes an informer with a ledger, and runs it until the test ends.
func runSharded[T shardedObject](t testing.TB, config shard.Config[T]) (*shard.TypedShardingInformer[T], *ledger[T]) {
	t.Helper()
	informer, err := shard.NewTypedShardingInformer(config)
	if err != nil {
		t.Fatal(err)
	}
	l := newLedger[T](t)
	startSharded(t, informer, l)
	return informer, l
}

// startSharded runs an informer until the test ends, or stop is called.
func startSharded[T shardedObject](t testing.TB, informer *shard.TypedShardingInformer[T], handler shard.Handler[T]) (stop func()) {
	t.Helper()
	if _, err := informer.AddShardHandler(handler, shard.HandlerOptions{}); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() { defer close(ended); informer.RunWithContext(ctx) }()
	stop = func() {
		cancel()
		<-ended
	}
	t.Cleanup(stop)
	return stop
}

// awaitSync waits until all shards are there.
func awaitSync(t testing.TB, informer interface {
	cache.StateReader
	HasSynced() bool
}) {
	t.Helper()
	settles(t, "the informer has synced", func() error {
		if !informer.HasSynced() {
			return fmt.Errorf("the state is %+v", informer.State())
		}
		return nil
	})
}

// settles waits until there is no problem.
func settles(t testing.TB, what string, problem func() error) {
	t.Helper()
	var err error
	for deadline := time.Now().Add(40 * time.Second); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		if err = problem(); err == nil {
			return
		}
	}
	t.Fatalf("%s: %v", what, err)
}

// agrees compares an informer, its shards and its ledger with what the server has.
func agrees[T shardedObject](informer *shard.TypedShardingInformer[T], l *ledger[T], want map[string]string) error {
	got := map[string]string{}
	for _, key := range informer.GetStore().ListKeys() {
		obj, exists, err := informer.GetStore().GetByKey(key)
		if err != nil || !exists {
			return fmt.Errorf("%s is listed but not there: %v", key, err)
		}
		got[key] = obj.(metav1.Object).GetResourceVersion()
	}
	if !maps.Equal(got, want) {
		return fmt.Errorf("the informer has %d objects, the server %d, and they are not the same", len(got), len(want))
	}
	if known := l.versions(); !maps.Equal(known, want) {
		return fmt.Errorf("the handler knows %d objects, the server has %d, and they are not the same", len(known), len(want))
	}
	return eachInOne(informer, len(want))
}

// eachInOne checks that each object is in one shard, and there for a reason.
func eachInOne[T shardedObject](informer *shard.TypedShardingInformer[T], objects int) error {
	total := 0
	for _, s := range informer.Shards() {
		view := informer.View(s.ID)
		for _, key := range view.ListKeys() {
			if home, ok := informer.ShardOf(key); !ok || home != s.ID {
				return fmt.Errorf("%s is in shard %s and in shard %s", key, s.ID, home)
			}
			total++
		}
		if len(view.ListKeys()) != s.Objects {
			return fmt.Errorf("shard %s shows %d objects and says it has %d", s.ID, len(view.ListKeys()), s.Objects)
		}
	}
	if total != objects {
		return fmt.Errorf("the shards have %d objects together, there are %d", total, objects)
	}
	return nil
}

// homes is key → shard.
func homes[T shardedObject](informer *shard.TypedShardingInformer[T]) map[string]string {
	out := map[string]string{}
	for _, key := range informer.GetStore().ListKeys() {
		out[key], _ = informer.ShardOf(key)
	}
	return out
}
