package pool

import (
	"k8s.io/apimachinery/pkg/runtime/schema"

	"vedette.dev/cache"
)

// GenericInformer is an informer of any kind, and a lister that reads from it. It is here, and package informers has another
// name for it, so that dynamic informers do without the code of all built-in kinds.
type GenericInformer interface {
	Informer() cache.SharedIndexInformer
	Lister() cache.GenericLister
}

// NewGenericInformer returns an informer together with its lister. The resource is what the errors of the lister speak of.
func NewGenericInformer(informer cache.SharedIndexInformer, resource schema.GroupResource) GenericInformer {
	return genericInformer{informer, resource}
}

type genericInformer struct {
	informer cache.SharedIndexInformer
	resource schema.GroupResource
}

func (g genericInformer) Informer() cache.SharedIndexInformer { return g.informer }

func (g genericInformer) Lister() cache.GenericLister {
	return cache.NewGenericLister(g.informer.GetIndexer(), g.resource)
}
