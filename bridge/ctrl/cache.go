package ctrl

import (
	"errors"
	"fmt"
	"maps"
	"reflect"
	"sync"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	clientgocache "k8s.io/client-go/tools/cache"
	ctrlcache "sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"

	"vedette.dev/bridge"
	"vedette.dev/cache"
	"vedette.dev/internal/informername"
)

var _ ctrlcache.NewCacheFunc = NewCache

// NewCache is controller-runtime's cache.New with informers that run on Vedette.
func NewCache(config *rest.Config, opts ctrlcache.Options) (ctrlcache.Cache, error) {
	return NewCacheWith(bridge.Options{})(config, opts)
}

// NewCacheWith is NewCache with options. A storage of StorageFor is that of a kind in all its forms: typed, unstructured and metadata.
//
// Objects in packed storage are made for each reader, so the cache does not copy them once more.
func NewCacheWith(options bridge.Options) ctrlcache.NewCacheFunc {
	return func(config *rest.Config, opts ctrlcache.Options) (ctrlcache.Cache, error) {
		c := &Cache{options: options, named: map[string]cache.SharedIndexInformer{}, trackers: map[string]any{}}
		if err := c.prepare(config, &opts); err != nil {
			return nil, err
		}
		var err error
		if c.Cache, err = ctrlcache.New(config, opts); err != nil {
			return nil, err
		}
		return c, nil
	}
}

// Cache is a controller-runtime cache that knows its informers.
type Cache struct {
	ctrlcache.Cache
	options bridge.Options
	scheme  *runtime.Scheme
	// storages has StorageFor by kind.
	storages map[schema.GroupVersionKind]cache.Storage

	mu sync.Mutex
	// named has the informers by the names that they have on the console.
	named map[string]cache.SharedIndexInformer
	// trackers has a *tracker[T] for each name of a controller.
	trackers map[string]any
	// controllers are those whose queues are of QueueFor, until they have ended.
	controllers []queued
	// servers are those of ServeConsole. They are fixed once the cache has started.
	servers []consoleServer
	started bool
}

// prepare changes the options of a cache, so that its informers run on Vedette. A program that makes informers itself keeps these.
func (c *Cache) prepare(config *rest.Config, opts *ctrlcache.Options) error {
	if err := c.options.Validate(); err != nil {
		return err
	}
	if c.scheme = opts.Scheme; c.scheme == nil {
		c.scheme = scheme.Scheme
	}
	if err := c.readStorages(opts); err != nil {
		return err
	}
	if opts.NewInformer != nil {
		return nil
	}
	httpClient := opts.HTTPClient
	if httpClient == nil {
		var err error
		if httpClient, err = rest.HTTPClientFor(config); err != nil {
			return fmt.Errorf("could not create HTTP client from config: %w", err)
		}
	}
	wrapped, err := bridge.WrapHTTPClient(httpClient)
	if err != nil && !errors.Is(err, bridge.ErrWrapped) {
		return err
	}
	if wrapped != nil {
		httpClient = wrapped
	}
	opts.HTTPClient = httpClient
	opts.NewInformer = c.newInformer
	return nil
}

// readStorages finds the kinds of StorageFor, and has readers of packed objects not copy them.
func (c *Cache) readStorages(opts *ctrlcache.Options) error {
	yes, no := true, false
	if c.options.Storage.Packed && opts.DefaultUnsafeDisableDeepCopy == nil {
		opts.DefaultUnsafeDisableDeepCopy = &yes
	}
	c.storages = map[schema.GroupVersionKind]cache.Storage{}
	for obj, storage := range c.options.StorageFor {
		gvk, err := apiutil.GVKForObject(obj, c.scheme)
		if err != nil {
			return fmt.Errorf("bridge: Options.StorageFor[%T]: %w", obj, err)
		}
		if _, ok := c.storages[gvk]; ok {
			return fmt.Errorf("bridge: Options.StorageFor has %s twice", gvk)
		}
		c.storages[gvk] = storage
		if storage.Packed == c.options.Storage.Packed {
			continue
		}
		byObject, ok := obj.(client.Object)
		if !ok {
			return fmt.Errorf("bridge: Options.StorageFor[%T]: it is not an object", obj)
		}
		copied := &no
		if storage.Packed {
			copied = &yes
		}
		if err := c.setCopied(opts, gvk, byObject, copied); err != nil {
			return err
		}
	}
	return nil
}

// setCopied sets whether objects of a kind are handed out without a copy, unless the program says so itself.
func (c *Cache) setCopied(opts *ctrlcache.Options, gvk schema.GroupVersionKind, obj client.Object, uncopied *bool) error {
	opts.ByObject = maps.Clone(opts.ByObject)
	for key, entry := range opts.ByObject {
		other, err := apiutil.GVKForObject(key, c.scheme)
		if err != nil {
			return err
		}
		if other == gvk {
			if entry.UnsafeDisableDeepCopy == nil {
				entry.UnsafeDisableDeepCopy = uncopied
				opts.ByObject[key] = entry
			}
			return nil
		}
	}
	if opts.ByObject == nil {
		opts.ByObject = map[client.Object]ctrlcache.ByObject{}
	}
	opts.ByObject[obj] = ctrlcache.ByObject{UnsafeDisableDeepCopy: uncopied}
	return nil
}

// newInformer implements cache.Options.NewInformer. The ListerWatcher is one of controller-runtime, which is plain.
func (c *Cache) newInformer(lw clientgocache.ListerWatcher, obj runtime.Object, resync time.Duration, indexers clientgocache.Indexers) clientgocache.SharedIndexInformer {
	options := c.options
	gvk, err := apiutil.GVKForObject(obj, c.scheme)
	if err != nil {
		gvk = obj.GetObjectKind().GroupVersionKind()
	}
	storage, ok := c.storages[gvk]
	if !ok {
		storage = options.Storage
	}
	storage = storage.Fit(reflect.TypeOf(obj))
	options.StorageFor = map[runtime.Object]cache.Storage{obj: storage}
	informer := options.NewRawInformer(lw, obj, resync, indexers)
	if engine, ok := bridge.Unwrap(informer); ok {
		name := c.remember(informername.OfObject(obj), engine)
		informer = &feedingInformer{informer, c, feed{informer: name, kind: gvk.Version + "." + gvk.Kind, engine: engine}}
	}
	if !storage.Packed {
		return informer
	}
	return &uncopiedInformer{informer, &uncopiedIndexer{informer.GetIndexer(), gvk}}
}

// remember keeps an informer under a name, which it returns, and forgets those that have stopped.
func (c *Cache) remember(kind string, informer cache.SharedIndexInformer) (name string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	maps.DeleteFunc(c.named, func(_ string, i cache.SharedIndexInformer) bool { return i.IsStopped() })
	name = kind
	for n := 2; c.named[name] != nil; n++ {
		name = fmt.Sprintf("%s %d", kind, n)
	}
	c.named[name] = informer
	return name
}

// NeedLeaderElection implements manager.LeaderElectionRunnable: a cache runs on every replica.
func (c *Cache) NeedLeaderElection() bool { return false }

// Informers implements console.Informers: it returns the informers that run or will, by name.
func (c *Cache) Informers() map[string]cache.StateReader {
	c.mu.Lock()
	defer c.mu.Unlock()
	out := map[string]cache.StateReader{}
	for name, informer := range c.named {
		if reader, ok := informer.(cache.StateReader); ok && !informer.IsStopped() {
			out[name] = reader
		}
	}
	return out
}

// uncopiedInformer is an informer whose objects the cache does not copy, since each reader has its own.
type uncopiedInformer struct {
	clientgocache.SharedIndexInformer
	indexer *uncopiedIndexer
}

// Unwrap is for bridge.Unwrap.
func (i *uncopiedInformer) Unwrap() clientgocache.SharedIndexInformer { return i.SharedIndexInformer }

func (i *uncopiedInformer) GetStore() clientgocache.Store { return i.indexer }

func (i *uncopiedInformer) GetIndexer() clientgocache.Indexer { return i.indexer }

// uncopiedIndexer gives each object its apiVersion and kind, which the cache does only with those that it copies.
type uncopiedIndexer struct {
	clientgocache.Indexer
	gvk schema.GroupVersionKind
}

func (i *uncopiedIndexer) name(obj any) {
	if o, ok := obj.(runtime.Object); ok {
		o.GetObjectKind().SetGroupVersionKind(i.gvk)
	}
}

func (i *uncopiedIndexer) nameAll(objs []any) []any {
	for _, obj := range objs {
		i.name(obj)
	}
	return objs
}

func (i *uncopiedIndexer) List() []any { return i.nameAll(i.Indexer.List()) }

func (i *uncopiedIndexer) ByIndex(name, value string) ([]any, error) {
	objs, err := i.Indexer.ByIndex(name, value)
	return i.nameAll(objs), err
}

func (i *uncopiedIndexer) Index(name string, obj any) ([]any, error) {
	objs, err := i.Indexer.Index(name, obj)
	return i.nameAll(objs), err
}

func (i *uncopiedIndexer) Get(obj any) (any, bool, error) {
	found, ok, err := i.Indexer.Get(obj)
	i.name(found)
	return found, ok, err
}

func (i *uncopiedIndexer) GetByKey(key string) (any, bool, error) {
	found, ok, err := i.Indexer.GetByKey(key)
	i.name(found)
	return found, ok, err
}
