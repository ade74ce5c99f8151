package podcache

import (
	"context"
	"iter"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"vedette.dev/cache"
	"vedette.dev/dynamic"
	"vedette.dev/dynamic/dynamicinformer"
	informersv1 "vedette.dev/informers/core/v1"
	"vedette.dev/informers/internalinterfaces"
	"vedette.dev/kubernetes"
	listersv1 "vedette.dev/listers/core/v1"
	"vedette.dev/rest"
)

type vedette struct {
	cache.SharedIndexInformer
	handler cache.ResourceEventHandlerRegistration
	// factory runs the informer, if it is of one.
	factory *dynamicinformer.Factory
}

func newVedette(r *Running) (informer, error) {
	v := &vedette{}
	if err := v.build(r); err != nil {
		return nil, err
	}
	var handler cache.ResourceEventHandler = r.View
	if r.Keys {
		handler = cache.LazyEventHandlerFunc(r.View.event)
	}
	var err error
	v.handler, err = v.AddEventHandler(handler)
	return v, err
}

func (v *vedette) build(r *Running) error {
	config := &rest.Config{
		Host:               r.Server.URL,
		ContentConfig:      rest.ContentConfig{ContentType: r.Encoding.ContentType(), AcceptContentTypes: r.Encoding.ContentType()},
		DisableCompression: true,
		QPS:                -1,
	}
	options := cache.SharedIndexInformerOptions{Storage: r.Storage}
	indexers := cache.Indexers{NamespaceIndex: cache.MetaNamespaceIndexFunc}
	if r.Unstructured {
		config.ContentConfig = rest.ContentConfig{}
		client, err := dynamic.NewForConfig(config)
		if err != nil {
			return err
		}
		if v.factory, err = dynamicinformer.New(dynamicinformer.Config{Client: client, Informers: options}); err != nil {
			return err
		}
		v.SharedIndexInformer = v.factory.ForResource(corev1.SchemeGroupVersion.WithResource("pods")).Informer()
		return nil
	}
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	v.SharedIndexInformer = informersv1.NewPodInformerWithOptions(client, "",
		internalinterfaces.InformerOptions{Indexers: indexers, Cache: options})
	return nil
}

func (v *vedette) run(ctx context.Context) {
	if v.factory == nil {
		v.RunWithContext(ctx)
		return
	}
	v.factory.StartWithContext(ctx)
	<-ctx.Done()
	v.factory.Shutdown()
}

func (v *vedette) synced() bool { return v.HasSynced() && v.handler.HasSynced() }

func (v *vedette) store() Store { return v.GetIndexer() }

func (v *vedette) lister() Lister {
	return vedetteLister{listersv1.NewPodLister(v.GetIndexer()), cache.NewTypedLister[*corev1.Pod](v.GetIndexer(), corev1.Resource("pods"))}
}

type vedetteLister struct {
	pods  listersv1.PodLister
	typed cache.TypedLister[*corev1.Pod]
}

func (l vedetteLister) Get(namespace, name string) (*corev1.Pod, error) {
	return l.pods.Pods(namespace).Get(name)
}

func (l vedetteLister) List(selector labels.Selector) ([]*corev1.Pod, error) {
	return l.pods.List(selector)
}

func (l vedetteLister) All() iter.Seq2[*corev1.Pod, error] { return l.typed.All(labels.Everything()) }

func (l vedetteLister) Metadata() iter.Seq2[*metav1.ObjectMeta, error] {
	return func(yield func(*metav1.ObjectMeta, error) bool) {
		for m, err := range l.typed.Metadata().All(labels.Everything()) {
			if !yield(&m.ObjectMeta, err) {
				return
			}
		}
	}
}

func (l vedetteLister) InNamespace(namespace string) ([]corev1.Pod, error) {
	var out []corev1.Pod
	for pod, err := range l.typed.ByNamespace(namespace).All(labels.Everything()) {
		if err != nil {
			return nil, err
		}
		out = append(out, *pod)
	}
	return out, nil
}
