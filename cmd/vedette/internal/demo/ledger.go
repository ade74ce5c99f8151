package demo

import (
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"vedette.dev/cache"
	"vedette.dev/shard"
)

// identity identifies an object and its state.
type identity struct {
	uid     types.UID
	version string
}

func identityOf(obj metav1.Object) identity { return identity{obj.GetUID(), obj.GetResourceVersion()} }

// ledger is a handler that keeps the objects it is called with. If it is called for every change, in order, it equals the server.
type ledger struct {
	name string

	mu    sync.Mutex
	known map[string]identity
	told  uint64
	// wrong has the first calls that should not have been made.
	wrong      []string
	wrongCount int
}

var _ cache.ResourceEventHandler = (*ledger)(nil)

func newLedger(name string) *ledger { return &ledger{name: name, known: make(map[string]identity)} }

// OnAdd implements cache.ResourceEventHandler.
func (l *ledger) OnAdd(obj any, _ bool) {
	l.note(obj, func(key string, now identity) {
		if old, ok := l.known[key]; ok {
			l.complain("%s was added, but existed already (%s at %s)", key, old.uid, old.version)
		}
		l.known[key] = now
	})
}

// OnUpdate implements cache.ResourceEventHandler.
func (l *ledger) OnUpdate(_, obj any) {
	l.note(obj, func(key string, now identity) {
		old, ok := l.known[key]
		switch {
		case !ok:
			l.complain("%s was updated, but did not exist", key)
		case old.uid != now.uid:
			l.complain("%s was updated, but is another object of the same name", key)
		case older(now.version, old.version):
			l.complain("%s was updated from version %s back to %s", key, old.version, now.version)
		}
		l.known[key] = now
	})
}

// OnDelete implements cache.ResourceEventHandler.
func (l *ledger) OnDelete(obj any) {
	if gone, ok := obj.(cache.DeletedFinalStateUnknown); ok {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.told++
		l.remove(gone.Key)
		return
	}
	l.note(obj, func(key string, _ identity) { l.remove(key) })
}

// note records an object.
func (l *ledger) note(obj any, take func(key string, now identity)) {
	m, err := meta.Accessor(obj)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.told++
	if err != nil {
		l.complain("it was called with a %T: %v", obj, err)
		return
	}
	take(cache.MetaObjectToName(m).String(), identityOf(m))
}

func (l *ledger) remove(key string) {
	if _, ok := l.known[key]; !ok {
		l.complain("%s was deleted, but did not exist", key)
	}
	delete(l.known, key)
}

// maxWrong is how many wrong calls are kept.
const maxWrong = 5

func (l *ledger) complain(format string, args ...any) {
	l.wrongCount++
	if len(l.wrong) < maxWrong {
		l.wrong = append(l.wrong, fmt.Sprintf(format, args...))
	}
}

// older reports whether one version is older than another. Versions that are not numbers cannot be compared.
func older(a, b string) bool {
	x, err := strconv.ParseUint(a, 10, 64)
	y, wrong := strconv.ParseUint(b, 10, 64)
	return err == nil && wrong == nil && x < y
}

// read calls a function with the objects and the wrong calls.
func (l *ledger) read(f func(known map[string]identity, wrong []string, wrongCount int)) {
	l.mu.Lock()
	defer l.mu.Unlock()
	f(l.known, l.wrong, l.wrongCount)
}

// sluggish is a ledger whose calls block while it is stalled.
type sluggish struct {
	*ledger
	stall atomic.Pointer[chan struct{}]
}

// hold stalls it until the returned function is called, which may be called twice.
func (s *sluggish) hold() (release func()) {
	stall := make(chan struct{})
	s.stall.Store(&stall)
	return sync.OnceFunc(func() {
		s.stall.CompareAndSwap(&stall, nil)
		close(stall)
	})
}

func (s *sluggish) wait() {
	if stall := s.stall.Load(); stall != nil {
		<-*stall
	}
}

// OnAdd implements cache.ResourceEventHandler.
func (s *sluggish) OnAdd(obj any, initial bool) {
	s.wait()
	s.ledger.OnAdd(obj, initial)
}

// OnUpdate implements cache.ResourceEventHandler.
func (s *sluggish) OnUpdate(old, obj any) {
	s.wait()
	s.ledger.OnUpdate(old, obj)
}

// OnDelete implements cache.ResourceEventHandler.
func (s *sluggish) OnDelete(obj any) {
	s.wait()
	s.ledger.OnDelete(obj)
}

// sharded is a ledger that all shards call concurrently.
type sharded struct{ *ledger }

var _ shard.Handler[metav1.Object] = sharded{}

// OnAdd implements shard.Handler.
func (s sharded) OnAdd(_ string, obj metav1.Object, initial bool) { s.ledger.OnAdd(obj, initial) }

// OnUpdate implements shard.Handler.
func (s sharded) OnUpdate(_ string, old, obj metav1.Object) { s.ledger.OnUpdate(old, obj) }

// OnDelete implements shard.Handler.
func (s sharded) OnDelete(_ string, gone cache.DeletedObject[metav1.Object]) {
	if gone.FinalStateUnknown != nil {
		s.ledger.OnDelete(*gone.FinalStateUnknown)
		return
	}
	s.ledger.OnDelete(gone.OptionalObj)
}

// OnShardLost implements shard.Handler.
func (s sharded) OnShardLost(_ string, keys []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, key := range keys {
		s.remove(key)
	}
}
