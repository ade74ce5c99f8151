// Package framework has a source of objects for tests of controllers: a list and watch without a server, to which the
// test says what happens.
//
// It has client-go's name and behaviour. New tests are closer to a cluster with package apitest.
package framework

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strconv"
	"sync"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
)

// watchers have this many events before Change waits for them.
const buffered = 100

// FakeControllerSource is a cache.ListerWatcher. Its lists are of type corev1.List.
type FakeControllerSource struct {
	lock sync.RWMutex
	// Items are the objects that there are.
	Items map[nnu]runtime.Object
	// Broadcaster sends events to watches.
	Broadcaster *watch.Broadcaster
	// ListError, if set, is the result of List.
	ListError error

	changes []watch.Event // those since the last ResetWatch; the last one is that of version lastRV
	lastRV  int
}

// FakePVControllerSource is a FakeControllerSource with lists of persistent volumes.
type FakePVControllerSource struct {
	FakeControllerSource
}

// FakePVCControllerSource is a FakeControllerSource with lists of persistent volume claims.
type FakePVCControllerSource struct {
	FakeControllerSource
}

// nnu is the key of an object.
type nnu struct {
	namespace, name string
	uid             types.UID
}

// NewFakeControllerSource returns a source without objects.
func NewFakeControllerSource() *FakeControllerSource {
	return &FakeControllerSource{Items: map[nnu]runtime.Object{}, Broadcaster: newBroadcaster()}
}

// NewFakePVControllerSource returns a source without objects.
func NewFakePVControllerSource() *FakePVControllerSource {
	return &FakePVControllerSource{FakeControllerSource{Items: map[nnu]runtime.Object{}, Broadcaster: newBroadcaster()}}
}

// NewFakePVCControllerSource returns a source without objects.
func NewFakePVCControllerSource() *FakePVCControllerSource {
	return &FakePVCControllerSource{FakeControllerSource{Items: map[nnu]runtime.Object{}, Broadcaster: newBroadcaster()}}
}

func newBroadcaster() *watch.Broadcaster {
	return watch.NewBroadcaster(buffered, watch.WaitIfChannelFull)
}

// IsWatchListSemanticsUnSupported returns true: there are no streaming lists.
func (f *FakeControllerSource) IsWatchListSemanticsUnSupported() bool { return true }

// Add adds an object, and sets its resource version.
func (f *FakeControllerSource) Add(obj runtime.Object) {
	f.Change(watch.Event{Type: watch.Added, Object: obj}, 1)
}

// Modify replaces an object, and sets its resource version.
func (f *FakeControllerSource) Modify(obj runtime.Object) {
	f.Change(watch.Event{Type: watch.Modified, Object: obj}, 1)
}

// Delete removes an object, and sets its resource version.
func (f *FakeControllerSource) Delete(lastValue runtime.Object) {
	f.Change(watch.Event{Type: watch.Deleted, Object: lastValue}, 1)
}

// AddDropWatch is Add without an event for watches.
func (f *FakeControllerSource) AddDropWatch(obj runtime.Object) {
	f.Change(watch.Event{Type: watch.Added, Object: obj}, 0)
}

// ModifyDropWatch is Modify without an event for watches.
func (f *FakeControllerSource) ModifyDropWatch(obj runtime.Object) {
	f.Change(watch.Event{Type: watch.Modified, Object: obj}, 0)
}

// DeleteDropWatch is Delete without an event for watches.
func (f *FakeControllerSource) DeleteDropWatch(lastValue runtime.Object) {
	f.Change(watch.Event{Type: watch.Deleted, Object: lastValue}, 0)
}

// Change does what an event says, sets the resource version of its object, and with the given probability sends it to
// watches. It panics if the object has no metadata.
func (f *FakeControllerSource) Change(e watch.Event, watchProbability float64) {
	f.lock.Lock()
	defer f.lock.Unlock()
	m, err := meta.Accessor(e.Object)
	if err != nil {
		panic(fmt.Sprintf("FakeControllerSource: %T: %v", e.Object, err))
	}
	f.lastRV++
	m.SetResourceVersion(strconv.Itoa(f.lastRV))
	f.changes = append(f.changes, e)
	key := nnu{m.GetNamespace(), m.GetName(), m.GetUID()}
	switch e.Type {
	case watch.Added, watch.Modified:
		f.Items[key] = e.Object
	case watch.Deleted:
		delete(f.Items, key)
	}
	if rand.Float64() < watchProbability {
		_ = f.Broadcaster.Action(e.Type, e.Object)
	}
}

// ResetWatch ends all watches, and forgets the changes so far, so that a watch from an old version fails.
func (f *FakeControllerSource) ResetWatch() {
	f.lock.Lock()
	defer f.lock.Unlock()
	f.Broadcaster.Shutdown()
	f.Broadcaster = newBroadcaster()
	f.changes = nil
}

// List returns copies of the objects.
func (f *FakeControllerSource) List(metav1.ListOptions) (runtime.Object, error) {
	return f.list(&corev1.List{})
}

// List returns copies of the objects.
func (f *FakePVControllerSource) List(metav1.ListOptions) (runtime.Object, error) {
	return f.list(&corev1.PersistentVolumeList{})
}

// List returns copies of the objects.
func (f *FakePVCControllerSource) List(metav1.ListOptions) (runtime.Object, error) {
	return f.list(&corev1.PersistentVolumeClaimList{})
}

func (f *FakeControllerSource) list(list runtime.Object) (runtime.Object, error) {
	f.lock.RLock()
	defer f.lock.RUnlock()
	if f.ListError != nil {
		return nil, f.ListError
	}
	items := make([]runtime.Object, 0, len(f.Items))
	for _, obj := range f.Items {
		items = append(items, obj.DeepCopyObject())
	}
	if err := meta.SetList(list, items); err != nil {
		return nil, err
	}
	m, err := meta.ListAccessor(list)
	if err != nil {
		return nil, err
	}
	m.SetResourceVersion(strconv.Itoa(f.lastRV))
	return list, nil
}

// Watch returns a watch that begins with the changes after the resource version in the options, which must be set.
func (f *FakeControllerSource) Watch(options metav1.ListOptions) (watch.Interface, error) {
	f.lock.RLock()
	defer f.lock.RUnlock()
	from, err := strconv.Atoi(options.ResourceVersion)
	if err != nil {
		return nil, fmt.Errorf("FakeControllerSource: resource version: %w", err)
	}
	oldest := f.lastRV - len(f.changes) // the version before the first change
	switch {
	case from > f.lastRV:
		return nil, errors.New("FakeControllerSource: the resource version is in the future")
	case from == f.lastRV:
		return f.Broadcaster.Watch()
	case from < oldest+1:
		return nil, apierrors.NewResourceExpired(fmt.Sprintf("too old resource version: %d (%d)", from, oldest+1))
	}
	var changes []watch.Event
	for _, c := range f.changes[from-oldest:] {
		changes = append(changes, watch.Event{Type: c.Type, Object: c.Object.DeepCopyObject()})
	}
	return f.Broadcaster.WatchWithPrefix(changes)
}

// Shutdown ends all watches when they have their events. No method may be called afterwards: they would wait forever.
func (f *FakeControllerSource) Shutdown() {
	f.lock.Lock() // for good
	f.Broadcaster.Shutdown()
}
