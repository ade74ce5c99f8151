package cache

import "maps"

// ThreadSafeStore is an Indexer that is told the keys. What it hands out is shared and must not be changed.
type ThreadSafeStore interface {
	// Add and Update both store an object under a key. They panic if an index function fails, after the object was stored
	// and filed in all other indexes.
	Add(key string, obj interface{})
	Update(key string, obj interface{})
	// Delete removes a key and leaves the store's resource version as it was.
	Delete(key string)
	// DeleteWithObject removes a key, and the resource version becomes that of the object.
	DeleteWithObject(key string, obj interface{})
	Get(key string) (item interface{}, exists bool)
	List() []interface{}
	ListKeys() []string
	// Replace puts the map in the place of all there is, in one step. It panics as Add does.
	Replace(map[string]interface{}, string)
	Index(indexName string, obj interface{}) ([]interface{}, error)
	IndexKeys(indexName, indexedValue string) ([]string, error)
	Bookmark(rv string)
	LastStoreSyncResourceVersion() string
	ListIndexFuncValues(name string) []string
	ByIndex(indexName, indexedValue string) ([]interface{}, error)
	GetIndexers() Indexers
	AddIndexers(newIndexers Indexers) error
	// Resync does nothing.
	Resync() error
}

// ThreadSafeStoreOption is an option of NewThreadSafeStore.
type ThreadSafeStoreOption = func(*threadSafeMap)

// WithThreadSafeStoreMetrics has the store's resource version counted, if the identifier is reserved for it.
func WithThreadSafeStoreMetrics(identifier InformerNameAndResource, metricsProvider InformerMetricsProvider) ThreadSafeStoreOption {
	return func(s *threadSafeMap) { s.table.onWrite = versionMetric(identifier, metricsProvider) }
}

// NewThreadSafeStore returns an empty ThreadSafeStore. What it indexes follows from its objects, so that indices, which
// client-go takes as their first contents, are of no use here.
func NewThreadSafeStore(indexers Indexers, indices Indices, opts ...ThreadSafeStoreOption) ThreadSafeStore {
	s := &threadSafeMap{table: newTable(indexers)}
	for _, opt := range opts {
		opt(s)
	}
	return s
}

// threadSafeMap is a table that panics where it has no other way to say that something is wrong.
type threadSafeMap struct{ table *table }

var _ ThreadSafeStoreWithTransaction = (*threadSafeMap)(nil)

func must(err error) {
	if err != nil {
		panic(err)
	}
}

func (s *threadSafeMap) Add(key string, obj interface{}) { must(s.table.put(key, obj)) }

func (s *threadSafeMap) Update(key string, obj interface{}) { must(s.table.put(key, obj)) }

func (s *threadSafeMap) Delete(key string) { s.table.remove(key, nil) }

func (s *threadSafeMap) DeleteWithObject(key string, obj interface{}) { s.table.remove(key, obj) }

func (s *threadSafeMap) Transaction(fns ...ThreadSafeStoreTransaction) { must(s.table.apply(fns)) }

func (s *threadSafeMap) Replace(items map[string]interface{}, resourceVersion string) {
	must(s.table.replace(maps.All(items), len(items), resourceVersion))
}

func (s *threadSafeMap) Get(key string) (item interface{}, exists bool) { return s.table.get(key) }

func (s *threadSafeMap) List() []interface{} { return s.table.list(nil) }

func (s *threadSafeMap) ListKeys() []string { return s.table.listKeys() }

func (s *threadSafeMap) Index(indexName string, obj interface{}) ([]interface{}, error) {
	return s.table.index(indexName, obj, nil)
}

func (s *threadSafeMap) IndexKeys(indexName, indexedValue string) ([]string, error) {
	return s.table.indexKeys(indexName, indexedValue)
}

func (s *threadSafeMap) Bookmark(rv string) { s.table.bookmark(rv) }

func (s *threadSafeMap) LastStoreSyncResourceVersion() string { return s.table.lastVersion() }

func (s *threadSafeMap) ListIndexFuncValues(name string) []string { return s.table.values(name) }

func (s *threadSafeMap) ByIndex(indexName, indexedValue string) ([]interface{}, error) {
	return s.table.listByIndex(indexName, indexedValue, nil)
}

func (s *threadSafeMap) GetIndexers() Indexers { return s.table.indexers.Load().indexers() }

func (s *threadSafeMap) AddIndexers(newIndexers Indexers) error {
	return s.table.addIndexers(newIndexers)
}

func (s *threadSafeMap) Resync() error { return nil }
