package podcache

import (
	"context"
	"iter"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	informersv1 "k8s.io/client-go/informers/core/v1"
	"k8s.io/client-go/kubernetes"
	listersv1 "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
)

type clientGo struct {
	cache.SharedIndexInformer
	handler cache.ResourceEventHandlerRegistration
}

func newClientGo(r *Running) (informer, error) {
	c := &clientGo{}
	var err error
	if c.SharedIndexInformer, err = clientGoInformer(r); err != nil {
		return nil, err
	}
	if r.Strip {
		if err := c.SetTransform(stripManagedFields); err != nil {
			return nil, err
		}
	}
	c.handler, err = c.AddEventHandler(r.View)
	return c, err
}

func clientGoInformer(r *Running) (cache.SharedIndexInformer, error) {
	config := &rest.Config{
		Host:               r.Server.URL,
		ContentConfig:      rest.ContentConfig{ContentType: r.Encoding.ContentType(), AcceptContentTypes: r.Encoding.ContentType()},
		DisableCompression: true,
		QPS:                -1,
	}
	indexers := cache.Indexers{NamespaceIndex: cache.MetaNamespaceIndexFunc}
	if r.Unstructured {
		config.ContentConfig = rest.ContentConfig{}
		client, err := dynamic.NewForConfig(config)
		if err != nil {
			return nil, err
		}
		gvr := corev1.SchemeGroupVersion.WithResource("pods")
		return dynamicinformer.NewFilteredDynamicInformer(client, gvr, "", 0, indexers, nil).Informer(), nil
	}
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	return informersv1.NewPodInformer(client, "", 0, indexers), nil
}

func (c *clientGo) run(ctx context.Context) { c.RunWithContext(ctx) }

func (c *clientGo) synced() bool { return c.HasSynced() && c.handler.HasSynced() }

func (c *clientGo) store() Store { return c.GetIndexer() }

func (c *clientGo) lister() Lister { return clientGoLister{listersv1.NewPodLister(c.GetIndexer())} }

type clientGoLister struct{ pods listersv1.PodLister }

func (l clientGoLister) Get(namespace, name string) (*corev1.Pod, error) {
	return l.pods.Pods(namespace).Get(name)
}

func (l clientGoLister) List(selector labels.Selector) ([]*corev1.Pod, error) {
	return l.pods.List(selector)
}

func (l clientGoLister) All() iter.Seq2[*corev1.Pod, error] {
	return func(yield func(*corev1.Pod, error) bool) {
		list, err := l.pods.List(labels.Everything())
		for _, pod := range list {
			if !yield(pod.DeepCopy(), err) {
				return
			}
		}
	}
}

func (l clientGoLister) Metadata() iter.Seq2[*metav1.ObjectMeta, error] {
	return func(yield func(*metav1.ObjectMeta, error) bool) {
		list, err := l.pods.List(labels.Everything())
		for _, pod := range list {
			if !yield(pod.ObjectMeta.DeepCopy(), err) {
				return
			}
		}
	}
}

func (l clientGoLister) InNamespace(namespace string) ([]corev1.Pod, error) {
	list, err := l.pods.Pods(namespace).List(labels.Everything())
	out := make([]corev1.Pod, len(list))
	for i, pod := range list {
		pod.DeepCopyInto(&out[i])
	}
	return out, err
}

// stripManagedFields is the transform that many programs have.
func stripManagedFields(obj any) (any, error) {
	if m, err := meta.Accessor(obj); err == nil {
		m.SetManagedFields(nil)
	}
	return obj, nil
}
