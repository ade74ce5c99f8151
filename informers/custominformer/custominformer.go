// Package custominformer keeps copies of the objects of a kind of your own, without generated code. A struct with the two
// metadata fields is enough, as it is for its client, a gentype.Custom; it needs no DeepCopy.
//
//	client, err := gentype.NewForConfig[Widget](config, gentype.Resource{
//		Group: "example.com", Version: "v1", Kind: "Widget", Plural: "widgets",
//	})
//	widgets, err := custominformer.New(client, custominformer.Config{})
//	widgets.Informer().AddTypedEventHandler(cache.TypedResourceEventHandlerFuncs[*Widget]{AddFunc: added})
//	go widgets.Informer().RunWithContext(ctx)
//	widget, err := widgets.Lister().ByNamespace("default").Get("one")
//
// With Config.Share, the informer is one of a factory's: it is started, waited for and stopped together with the others, and
// further calls for the same type return the same informer.
package custominformer

import (
	"errors"
	"fmt"
	"path"
	"reflect"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"vedette.dev/cache"
	"vedette.dev/gentype"
	"vedette.dev/informers/pool"
)

// Config says how an informer is to be. The zero value works.
type Config struct {
	// Share is where the informer is shared, such as the Pool of an informers.Factory. Nil means that it is not. If Share has
	// namespaces, they are those that the informer looks at.
	Share *pool.Pool[reflect.Type]
	// Resync is how often handlers are notified of all objects again. Zero means never.
	Resync time.Duration
	// Indexers are the indexes to begin with, besides cache.NamespaceIndex.
	Indexers cache.Indexers
	// TweakListOptions changes the options of each list and watch. It may be nil.
	TweakListOptions func(*metav1.ListOptions)
	// Transform changes every object before it is stored. It may be nil.
	Transform cache.TransformFunc
	// Informer is what else there is to say. ResyncPeriod and Indexers are ignored.
	Informer cache.SharedIndexInformerOptions
}

func (c *Config) validate() error {
	if c.Resync < 0 {
		return fmt.Errorf("custominformer: Config.Resync is %v, want 0 or more", c.Resync)
	}
	if c.Indexers[cache.NamespaceIndex] != nil {
		return fmt.Errorf("custominformer: Config.Indexers has %q, which is there already", cache.NamespaceIndex)
	}
	return nil
}

// Object is a pointer to a struct with metadata.
type Object[T any] interface {
	*T
	cache.Object
	metav1.Object
}

// Informer is the informer of a kind, and a lister that reads from it. P is a pointer to the struct.
type Informer[P cache.Object] struct {
	informer cache.TypedSharedIndexInformer[P]
	resource schema.GroupResource
}

// Informer returns the informer.
func (i *Informer[P]) Informer() cache.TypedSharedIndexInformer[P] { return i.informer }

// Lister returns a lister of what the informer has.
func (i *Informer[P]) Lister() cache.TypedLister[P] {
	return cache.NewTypedLister[P](i.informer.GetIndexer(), i.resource)
}

// New makes an informer of what a client speaks for: one namespace, or all.
func New[T any, P Object[T]](client *gentype.Custom[T], config Config) (*Informer[P], error) {
	if client == nil {
		return nil, errors.New("custominformer: the client is nil")
	}
	if err := config.validate(); err != nil {
		return nil, err
	}
	request := client.ListRequest(metav1.ListOptions{})
	if err := request.Error(); err != nil {
		return nil, fmt.Errorf("custominformer: %w", err)
	}
	source := func(client *gentype.Custom[T]) cache.ListerWatcher {
		return cache.NewListWatchFromRequester(client, func() metav1.Object { return P(new(T)) }, config.TweakListOptions)
	}
	create := func() cache.SharedIndexInformer {
		return config.create(source(client), func(namespace string) cache.ListerWatcher { return source(client.In(namespace)) })
	}
	var informer cache.SharedIndexInformer
	if config.Share == nil {
		informer = create()
	} else {
		informer = config.Share.Get(reflect.TypeFor[P](), create)
	}
	return &Informer[P]{
		informer: cache.NewTypedSharedIndexInformer[P](informer),
		// The last part of the path is the name of the resource, whether or not there is a namespace in it.
		resource: schema.GroupResource{Group: client.RESTClient().APIVersion().Group, Resource: path.Base(request.URL().Path)},
	}, nil
}

// create makes an informer of one source, or of one for each namespace of the pool.
func (c *Config) create(source cache.ListerWatcher, in func(namespace string) cache.ListerWatcher) cache.SharedIndexInformer {
	options := c.Informer
	options.ResyncPeriod = c.Resync
	options.Indexers = cache.Indexers{cache.NamespaceIndex: cache.MetaNamespaceIndexFunc}
	for name, f := range c.Indexers {
		options.Indexers[name] = f
	}
	informer := c.newInformer(source, in, options)
	if c.Transform != nil {
		if err := informer.SetTransform(c.Transform); err != nil {
			panic(fmt.Sprintf("custominformer: the transform of a new informer cannot be set: %v", err))
		}
	}
	return informer
}

func (c *Config) newInformer(source cache.ListerWatcher, in func(namespace string) cache.ListerWatcher, options cache.SharedIndexInformerOptions) cache.SharedIndexInformer {
	if c.Share != nil {
		if namespaces := c.Share.Namespaces(); namespaces != nil {
			return cache.NewNamespacedInformer(in, nil, namespaces, options)
		}
	}
	return cache.NewSharedIndexInformerWithOptions(source, nil, options)
}
