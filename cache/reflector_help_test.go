package cache

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
)

// puppet is a ListerWatcher made of functions that tests set. It remembers what it was asked for, and knows no streams
// unless it is told to.
type puppet struct {
	list    func(metav1.ListOptions) (runtime.Object, error)
	watch   func(metav1.ListOptions) (watch.Interface, error)
	streams bool

	mu       sync.Mutex
	lists    []metav1.ListOptions
	watches  []metav1.ListOptions
	watchers []*watch.FakeWatcher
}

func newPuppet(version string, pods ...*corev1.Pod) *puppet {
	p := &puppet{list: func(metav1.ListOptions) (runtime.Object, error) { return podList(version, pods...), nil }}
	p.watch = func(metav1.ListOptions) (watch.Interface, error) {
		w := watch.NewFakeWithChanSize(100, false)
		p.mu.Lock()
		defer p.mu.Unlock()
		p.watchers = append(p.watchers, w)
		return w, nil
	}
	return p
}

func podList(version string, pods ...*corev1.Pod) *corev1.PodList {
	list := &corev1.PodList{ListMeta: metav1.ListMeta{ResourceVersion: version}}
	for _, p := range pods {
		list.Items = append(list.Items, *p)
	}
	return list
}

func (p *puppet) IsWatchListSemanticsUnSupported() bool { return !p.streams }

func (p *puppet) List(options metav1.ListOptions) (runtime.Object, error) {
	p.mu.Lock()
	p.lists = append(p.lists, options)
	list := p.list
	p.mu.Unlock()
	return list(options)
}

func (p *puppet) Watch(options metav1.ListOptions) (watch.Interface, error) {
	p.mu.Lock()
	p.watches = append(p.watches, options)
	watch := p.watch
	p.mu.Unlock()
	return watch(options)
}

// change has other functions answer from now on.
func (p *puppet) change(f func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	f()
}

// current is the watch that was opened last.
func (p *puppet) current() *watch.FakeWatcher {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.watchers[len(p.watchers)-1]
}

func (p *puppet) asked() (lists, watches int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.lists), len(p.watches)
}

// reflecting runs a reflector in a bubble while f runs.
func reflecting(t *testing.T, lw ListerWatcher, store ReflectorStore, options ReflectorOptions, f func(r *Reflector)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		r := NewReflectorWithOptions(lw, &corev1.Pod{}, store, options)
		r.core.Random = func() float64 { return 0 }
		while(t, r, func() { f(r) })
	})
}

// while runs a reflector while f runs.
func while(t *testing.T, r *Reflector, f func()) {
	ctx, cancel := context.WithCancel(t.Context())
	var running sync.WaitGroup
	running.Go(func() { r.RunWithContext(ctx) })
	defer running.Wait()
	defer cancel()
	synctest.Wait()
	f()
}

func newPodStore() Store { return NewStore(MetaNamespaceKeyFunc) }
