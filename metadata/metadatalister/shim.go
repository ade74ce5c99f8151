package metadatalister

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"

	"vedette.dev/cache"
)

// NewRuntimeObjectShim returns a lister as a cache.GenericLister.
func NewRuntimeObjectShim(lister Lister) cache.GenericLister { return shim{lister} }

type shim struct{ lister Lister }

func (s shim) List(selector labels.Selector) (ret []runtime.Object, err error) {
	return untyped(s.lister.List(selector))
}

func (s shim) Get(name string) (runtime.Object, error) { return one(s.lister.Get(name)) }

func (s shim) ByNamespace(namespace string) cache.GenericNamespaceLister {
	return namespaceShim{s.lister.Namespace(namespace)}
}

type namespaceShim struct{ lister NamespaceLister }

func (s namespaceShim) List(selector labels.Selector) (ret []runtime.Object, err error) {
	return untyped(s.lister.List(selector))
}

func (s namespaceShim) Get(name string) (runtime.Object, error) { return one(s.lister.Get(name)) }

// one prevents that a nil pointer becomes a non-nil interface.
func one(obj *metav1.PartialObjectMetadata, err error) (runtime.Object, error) {
	if err != nil {
		return nil, err
	}
	return obj, nil
}

func untyped(list []*metav1.PartialObjectMetadata, err error) ([]runtime.Object, error) {
	if err != nil {
		return nil, err
	}
	out := make([]runtime.Object, len(list))
	for i, obj := range list {
		out[i] = obj
	}
	return out, nil
}
