package bridge

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"strings"
	"sync"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/informers/internalinterfaces"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/scheme"
	clientgocache "k8s.io/client-go/tools/cache"

	"vedette.dev/cache"
)

// ErrAlreadyMade is returned by InformerFor if the factory has an informer of the kind, made by something else. Call InformerFor first.
var ErrAlreadyMade = errors.New("bridge: the factory has made an informer of the kind already")

// InformerConfig configures the informers of a factory. The zero value works.
type InformerConfig struct {
	Options
	// Namespace is that of the objects; empty means all namespaces, or that of the factory.
	Namespace string
	// TweakListOptions changes the options of each list and watch. It may be nil.
	TweakListOptions func(options *metav1.ListOptions)
}

// InformerFor makes the informer of a kind in a factory that informer-gen has written. It must be called before anything else asks the
// factory for the kind.
//
//	factory := externalversions.NewSharedInformerFactory(client, 0)
//	_, err := bridge.InformerFor(factory, &v1.Widget{}, client, bridge.InformerConfig{})
//
// The client is the clientset of the factory, or another one. If its configuration is that of WrapConfig, the informer reads bytes. The
// type of the client is the interface of the clientset.
func InformerFor[C any, F ~func(C, time.Duration) clientgocache.SharedIndexInformer](
	factory interface {
		InformerFor(obj runtime.Object, newFunc F) clientgocache.SharedIndexInformer
	},
	obj runtime.Object, client C, config InformerConfig,
) (clientgocache.SharedIndexInformer, error) {
	k, ok := kindsOf(reflect.TypeFor[C]())[reflect.TypeOf(obj)]
	if !ok {
		return nil, fmt.Errorf("bridge: %s has no client for %T", reflect.TypeFor[C](), obj)
	}
	if err := config.fit(obj); err != nil {
		return nil, err
	}
	if err := config.take(factory); err != nil {
		return nil, err
	}
	made := false
	informer := factory.InformerFor(obj, func(_ C, resync time.Duration) clientgocache.SharedIndexInformer {
		made = true
		return config.informer(k, client, resync)
	})
	if !made {
		return nil, fmt.Errorf("%w: %T", ErrAlreadyMade, obj)
	}
	return informer, nil
}

// fit returns an error if the options are wrong, or their storage does not fit objects such as obj.
func (c *InformerConfig) fit(obj runtime.Object) error {
	if err := c.Validate(); err != nil {
		return err
	}
	return c.storage(obj).Validate(reflect.TypeOf(obj))
}

// take takes over the namespace of a factory. A function that changes the options of lists cannot be read from outside of the factory: it
// has to be in the configuration, too.
func (c *InformerConfig) take(factory any) error {
	v := reflect.Indirect(reflect.ValueOf(factory))
	if v.Kind() != reflect.Struct {
		return nil
	}
	if tweak := v.FieldByName("tweakListOptions"); tweak.IsValid() && tweak.Kind() == reflect.Func && !tweak.IsNil() && c.TweakListOptions == nil {
		return errors.New("bridge: the factory has a function that changes list options: set InformerConfig.TweakListOptions to the same")
	}
	if namespace := v.FieldByName("namespace"); namespace.IsValid() && namespace.Kind() == reflect.String && c.Namespace == "" {
		c.Namespace = namespace.String()
	}
	return nil
}

// informer makes the informer of a kind.
func (c *InformerConfig) informer(k kind, client any, resync time.Duration) clientgocache.SharedIndexInformer {
	obj := reflect.New(k.object.Elem()).Interface().(runtime.Object)
	indexers := clientgocache.Indexers{clientgocache.NamespaceIndex: clientgocache.MetaNamespaceIndexFunc}
	return c.NewRawInformer(k.listWatch(client, c.Namespace, c.TweakListOptions), obj, resync, indexers)
}

// FactoryConfig configures a factory. The zero value works.
type FactoryConfig struct {
	InformerConfig
	// Resync is how often handlers are notified of all objects again. Zero means never.
	Resync time.Duration
	// Transform changes each object before it is stored. It may be nil.
	Transform clientgocache.TransformFunc
}

// NewFactory returns a factory of client-go's informers whose informers run on Vedette, each from the moment on at which it is first asked
// for. Only informers of types that the clientset does not know, which a program makes with InformerFor of the factory, are client-go's.
//
// If the configuration of the clientset is that of WrapConfig, the informers read bytes. console.Factory shows the factory on the page.
func NewFactory(client kubernetes.Interface, config FactoryConfig) (informers.SharedInformerFactory, error) {
	if client == nil {
		return nil, errors.New("bridge: the clientset is nil")
	}
	if err := config.Validate(); err != nil {
		return nil, err
	}
	behind := informers.NewSharedInformerFactoryWithOptions(client, config.Resync, informers.WithTransform(config.Transform))
	return &factory{
		groups: groups{behind, config.Namespace, config.TweakListOptions}, client: client, config: config,
		kinds: kindsOf(reflect.TypeFor[kubernetes.Interface]()), made: map[reflect.Type]cache.SharedIndexInformer{},
	}, nil
}

// factory is a factory of client-go that makes informers in another way.
type factory struct {
	groups
	client kubernetes.Interface
	config FactoryConfig
	kinds  map[reflect.Type]kind

	mu sync.Mutex
	// made has the informers that run on Vedette.
	made map[reflect.Type]cache.SharedIndexInformer
}

func (f *factory) InformerFor(obj runtime.Object, newFunc internalinterfaces.NewInformerFunc) clientgocache.SharedIndexInformer {
	if k, ok := f.kinds[reflect.TypeOf(obj)]; ok {
		newFunc = func(_ kubernetes.Interface, resync time.Duration) clientgocache.SharedIndexInformer {
			informer := f.config.informer(k, f.client, resync)
			if engine, ok := Unwrap(informer); ok {
				f.mu.Lock()
				defer f.mu.Unlock()
				f.made[k.object] = engine
			}
			return informer
		}
	}
	return f.groups.behind.InformerFor(obj, newFunc)
}

// Informers returns the informers that were made, for console.Factory.
func (f *factory) Informers() map[reflect.Type]cache.SharedIndexInformer {
	f.mu.Lock()
	defer f.mu.Unlock()
	return maps.Clone(f.made)
}

// ForResource makes the informer of a resource, and leaves the rest to the factory behind, which finds it.
func (f *factory) ForResource(resource schema.GroupVersionResource) (informers.GenericInformer, error) {
	for _, k := range f.kinds {
		if strings.ToLower(k.resource.Name) != resource.Resource {
			continue
		}
		obj := reflect.New(k.object.Elem()).Interface().(runtime.Object)
		gvks, _, err := scheme.Scheme.ObjectKinds(obj)
		if err == nil && len(gvks) > 0 && gvks[0].GroupVersion() == resource.GroupVersion() {
			f.InformerFor(obj, nil)
			break
		}
	}
	return f.groups.behind.ForResource(resource)
}
