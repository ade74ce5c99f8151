package ownwrites

import (
	"context"
	"math/rand/v2"
	"strconv"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"

	"vedette.dev/cache"
	"vedette.dev/dynamic"
)

// worker creates, changes and deletes the child of one owner, as a controller would.
type worker struct {
	*plant
	owner, namespace string
	random           *rand.Rand
	count            int
}

func (w *worker) cycle(ctx context.Context) {
	w.none("before")
	if list, err := w.indexer.ByIndex(byOwner, w.owner); err != nil || len(list) > 0 {
		w.stale.Add(1)
	}
	child := w.create(ctx)
	w.sees(child)
	if list, _ := w.indexer.ByIndex(byOwner, w.owner); len(list) == 0 {
		w.duplicates.Add(1) // a controller would now make another one
	}
	for range 1 + w.random.IntN(2) {
		w.think(ctx)
		child = w.update(ctx, child)
		w.sees(child)
	}
	if w.random.IntN(4) == 0 {
		w.leave(ctx, child) // the shard
	}
	w.think(ctx)
	w.remove(ctx, child.Name)
	w.none(child.Name)
	w.think(ctx)
}

func (w *worker) think(ctx context.Context) {
	if w.random.IntN(3) > 0 {
		sleep(ctx, time.Duration(w.random.IntN(800))*time.Millisecond)
	}
}

// dynamically tells by which client to write.
func (w *worker) dynamically() bool {
	w.writes.Add(1)
	return w.random.IntN(2) == 0
}

func (w *worker) typedClient() interface {
	Create(context.Context, *corev1.ConfigMap, metav1.CreateOptions) (*corev1.ConfigMap, error)
	Update(context.Context, *corev1.ConfigMap, metav1.UpdateOptions) (*corev1.ConfigMap, error)
	Delete(context.Context, string, metav1.DeleteOptions) error
} {
	if w.tracker == nil {
		return w.client.ConfigMaps(w.namespace)
	}
	return Client(w.client.ConfigMaps(w.namespace), w.tracker)
}

func (w *worker) dynamicClient() dynamic.ResourceInterface {
	if w.tracker == nil {
		return w.dynamic.Resource(configMaps).Namespace(w.namespace)
	}
	return Dynamic(w.dynamic.Resource(configMaps), w.tracker).Namespace(w.namespace)
}

func (w *worker) create(ctx context.Context) *corev1.ConfigMap {
	child := &corev1.ConfigMap{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "ConfigMap"}, ObjectMeta: metav1.ObjectMeta{
		GenerateName: "child-", Namespace: w.namespace, Labels: map[string]string{byOwner: w.owner, "shard": "0"},
	}}
	if !w.dynamically() {
		out, err := w.typedClient().Create(ctx, child, metav1.CreateOptions{})
		return w.must(out, err)
	}
	out, err := w.dynamicClient().Create(ctx, toMap(child), metav1.CreateOptions{})
	return w.must(fromMap(out), err)
}

func (w *worker) update(ctx context.Context, child *corev1.ConfigMap) *corev1.ConfigMap {
	w.count++
	child = child.DeepCopy()
	child.Data = map[string]string{"count": strconv.Itoa(w.count)}
	return w.put(ctx, child)
}

func (w *worker) put(ctx context.Context, child *corev1.ConfigMap) *corev1.ConfigMap {
	if !w.dynamically() {
		out, err := w.typedClient().Update(ctx, child, metav1.UpdateOptions{})
		return w.must(out, err)
	}
	child.APIVersion, child.Kind = "v1", "ConfigMap"
	out, err := w.dynamicClient().Update(ctx, toMap(child), metav1.UpdateOptions{})
	return w.must(fromMap(out), err)
}

// leave takes the child out of the shard. Only an informer of the shard then has it no more.
func (w *worker) leave(ctx context.Context, child *corev1.ConfigMap) {
	if w.tracker == nil || w.tracker.config.Scope == nil {
		return
	}
	child = child.DeepCopy()
	child.Labels["shard"] = "1"
	out := w.put(ctx, child)
	w.none(out.Name)
}

func (w *worker) remove(ctx context.Context, name string) {
	var err error
	if w.dynamically() {
		err = w.dynamicClient().Delete(ctx, name, metav1.DeleteOptions{})
	} else {
		err = w.typedClient().Delete(ctx, name, metav1.DeleteOptions{})
	}
	w.must(nil, err)
}

func (w *worker) must(obj *corev1.ConfigMap, err error) *corev1.ConfigMap {
	if err != nil {
		panic(err)
	}
	return obj
}

// sees checks that every sort of read shows the child as it was answered, once.
func (w *worker) sees(child *corev1.ConfigMap) {
	byIndex, err := w.indexer.ByIndex(byOwner, w.owner)
	w.must(nil, err)
	lister, err := cache.NewGenericLister(w.indexer, configMaps.GroupResource()).ByNamespace(w.namespace).List(
		labels.SelectorFromSet(labels.Set{byOwner: w.owner}))
	w.must(nil, err)
	obj, exists, err := w.indexer.GetByKey(w.namespace + "/" + child.Name)
	w.must(nil, err)
	if !exists || short(obj) != short(child) || len(byIndex) != 1 || short(byIndex[0]) != short(child) ||
		len(lister) != 1 || short(lister[0]) != short(child) {
		w.stale.Add(1)
	}
}

// none checks that no sort of read shows a child.
func (w *worker) none(name string) {
	byIndex, err := w.indexer.ByIndex(byOwner, w.owner)
	w.must(nil, err)
	list, err := cache.NewGenericLister(w.indexer, configMaps.GroupResource()).List(labels.SelectorFromSet(labels.Set{byOwner: w.owner}))
	w.must(nil, err)
	_, exists, err := w.indexer.GetByKey(w.namespace + "/" + name)
	w.must(nil, err)
	if exists || len(byIndex)+len(list) > 0 {
		w.stale.Add(1)
	}
}

func toMap(obj *corev1.ConfigMap) *unstructured.Unstructured {
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(obj)
	if err != nil {
		panic(err)
	}
	return &unstructured.Unstructured{Object: content}
}

func fromMap(u *unstructured.Unstructured) *corev1.ConfigMap {
	if u == nil {
		return nil
	}
	out := &corev1.ConfigMap{}
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(u.Object, out); err != nil {
		panic(err)
	}
	return out
}
