package shardgroup

import (
	"context"
	"sync"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"vedette.dev/cache"
	"vedette.dev/shardgroup/internal/protocol"
)

// mapKey is the key of the ConfigMap with the map.
const mapKey = "map"

// mapWatch watches the ConfigMap of the group.
type mapWatch struct {
	g       *Group
	changed chan struct{} // has an element after a change

	mu       sync.Mutex
	informer cache.SharedIndexInformer
	// restart ends the informer, and another one begins with a list.
	restart context.CancelFunc
}

func (g *Group) newMaps() *mapWatch {
	w := &mapWatch{g: g, changed: make(chan struct{}, 1), restart: func() {}}
	w.informer = w.newInformer()
	return w
}

// run notifies the group of every change until ctx ends.
func (w *mapWatch) run(ctx context.Context) {
	for ctx.Err() == nil {
		one, cancel := context.WithCancel(ctx)
		w.mu.Lock()
		w.restart = cancel
		w.mu.Unlock()
		w.current().RunWithContext(one)
		cancel()
		next := w.newInformer()
		w.mu.Lock()
		w.informer = next
		w.mu.Unlock()
	}
}

func (w *mapWatch) current() cache.SharedIndexInformer {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.informer
}

func (w *mapWatch) newInformer() cache.SharedIndexInformer {
	lw := cache.NewListWatchFromRequester(w.g.maps.(cache.Requester), func() metav1.Object { return &corev1.ConfigMap{} }, func(o *metav1.ListOptions) {
		o.FieldSelector = "metadata.name=" + w.g.config.Name
	})
	informer := cache.NewSharedIndexInformer(lw, &corev1.ConfigMap{}, 0, nil)
	tell := func(obj any) {
		if cm, ok := obj.(*corev1.ConfigMap); ok {
			w.g.see(readMap(cm))
		} else {
			w.g.see(nil, nil)
		}
		signal(w.changed)
	}
	_, _ = informer.AddEventHandler(cache.ResourceEventHandlerFuncs{ // it has not stopped, and there is a handler
		AddFunc:    tell,
		UpdateFunc: func(_, obj any) { tell(obj) },
		DeleteFunc: func(any) { tell(nil) },
	})
	return informer
}

// begin begins the watch anew.
func (w *mapWatch) begin() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.restart()
}

// get returns the ConfigMap, nil if there is none, and false if that is not known yet.
func (w *mapWatch) get() (*corev1.ConfigMap, bool) {
	informer := w.current()
	if !informer.HasSynced() {
		return nil, false
	}
	obj, found, _ := informer.GetStore().GetByKey(w.g.config.Namespace + "/" + w.g.config.Name)
	if !found {
		return nil, true
	}
	return obj.(*corev1.ConfigMap), true
}

// readMap returns the map in a ConfigMap, nil if it has none.
func readMap(cm *corev1.ConfigMap) (*revision, error) {
	text, ok := cm.Data[mapKey]
	if !ok {
		return nil, nil
	}
	m, err := protocol.Parse([]byte(text))
	if err != nil {
		return nil, err
	}
	return &revision{Map: m, version: cm.ResourceVersion}, nil
}
