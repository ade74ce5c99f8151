package pool

import (
	"k8s.io/apimachinery/pkg/runtime/schema"

	"vedette.dev/cache"
)

// GenericInformer is an informer of any kind, and a lister that reads from it. It is defined here, and package informers has an alias
// for it, so that dynamic informers do not depend on the code of all built-in kinds.
type GenericInformer interface {
	Informer() cache.SharedIndexInformer
	Lister() cache.GenericLister
}

// NewGenericInformer returns an informer together with its lister. The errors of the lister name the resource.
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
