package ownwrites

import (
	"errors"
	"slices"
	"strconv"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"vedette.dev/cache"
)

// stub is an informer whose store a test fills by hand.
type stub struct {
	cache.SharedIndexInformer // for what is not used
	store                     cache.Indexer
	handlers                  []cache.ResourceEventHandler
	stopped, unsynced         bool
}

const byColor = "color"

func colors(obj any) ([]string, error) {
	color := obj.(*corev1.ConfigMap).Labels["color"]
	switch color {
	case "":
		return nil, errors.New("it has no color")
	case "panic":
		panic("an index function that does not like panic")
	}
	return []string{color}, nil
}

func newStub() *stub {
	return &stub{store: cache.NewIndexer(cache.DeletionHandlingMetaNamespaceKeyFunc, cache.Indexers{
		cache.NamespaceIndex: cache.MetaNamespaceIndexFunc, byColor: colors,
	})}
}

type handle struct{ ended chan struct{} }

func (handle) HasSynced() bool                        { return true }
func (handle) HasSyncedChecker() cache.DoneChecker    { return nil }
func (h handle) ShutdownChan() <-chan struct{}        { return h.ended }
func (s *stub) GetIndexer() cache.Indexer             { return s.store }
func (s *stub) HasSynced() bool                       { return !s.unsynced }
func (s *stub) IsStopped() bool                       { return s.stopped }
func (s *stub) AddIndexers(more cache.Indexers) error { return s.store.AddIndexers(more) }

func (s *stub) AddEventHandlerWithResyncPeriod(h cache.ResourceEventHandler, _ time.Duration) (cache.ResourceEventHandlerRegistration, error) {
	if s.stopped {
		return nil, errors.New("the informer has stopped already")
	}
	s.handlers = append(s.handlers, h)
	ended := make(chan struct{})
	close(ended)
	return handle{ended}, nil
}

func (s *stub) RemoveEventHandler(cache.ResourceEventHandlerRegistration) error {
	s.handlers = nil
	return nil
}

// put, remove and bookmark are what the watch brings.
func (s *stub) put(obj any) {
	old, exists, _ := s.store.Get(obj)
	_ = s.store.Update(obj)
	for _, h := range s.handlers {
		if exists {
			h.OnUpdate(old, obj)
		} else {
			h.OnAdd(obj, false)
		}
	}
}

func (s *stub) remove(obj any) {
	_ = s.store.Delete(obj)
	for _, h := range s.handlers {
		h.OnDelete(obj)
	}
}

func (s *stub) bookmark(version int) { s.store.Bookmark(strconv.Itoa(version)) }

func newTracker(t *testing.T, s cache.SharedIndexInformer, config Config) *Tracker {
	t.Helper()
	tracker, err := New(s, config)
	mustNot(t, err)
	t.Cleanup(func() { mustNot(t, tracker.Close()) })
	return tracker
}

func mustNot(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func configMap(name, uid string, version int, color string) *corev1.ConfigMap {
	c := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{
		Namespace: "ns", Name: name, UID: types.UID(uid), ResourceVersion: strconv.Itoa(version),
	}}
	if color != "" {
		c.Labels = map[string]string{"color": color}
	}
	return c
}

// show is name@version of what a view has under a key, or none.
func show(t testing.TB, i cache.Indexer, key string) string {
	t.Helper()
	obj, exists, err := i.GetByKey(key)
	mustNot(t, err)
	if !exists {
		return "none"
	}
	return short(obj)
}

func short(obj any) string {
	m := metaOf(obj)
	return m.GetName() + "@" + m.GetResourceVersion()
}

func shorts(list []any) []string {
	out := []string{}
	for _, obj := range list {
		out = append(out, short(obj))
	}
	slices.Sort(out)
	return out
}

func want(t interface {
	Helper()
	Fatalf(string, ...any)
}, what string, got, want any) {
	t.Helper()
	if !equal(got, want) {
		t.Fatalf("%s: got %v, want %v", what, got, want)
	}
}

func equal(a, b any) bool {
	as, ok := a.([]string)
	bs, ok2 := b.([]string)
	if ok && ok2 {
		return slices.Equal(as, bs)
	}
	return a == b
}
