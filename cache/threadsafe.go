package cache

import (
	"maps"

	"vedette.dev/internal/table"
)

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
	return func(s *threadSafeMap) { s.metric = versionMetric(identifier, metricsProvider) }
}

// NewThreadSafeStore returns an empty ThreadSafeStore. What it indexes follows from its objects, so that indices, which
// client-go takes as their first contents, are of no use here.
func NewThreadSafeStore(indexers Indexers, indices Indices, opts ...ThreadSafeStoreOption) ThreadSafeStore {
	s := &threadSafeMap{}
	for _, opt := range opts {
		opt(s)
	}
	config := tableConfig(indexers)
	config.OnVersion = onVersion(s.metric)
	s.table = table.New(config)
	return s
}

// threadSafeMap is a table that panics where its methods cannot return an error.
type threadSafeMap struct {
	table  *table.Table
	metric GaugeMetric // of the version; nil without one
}

var _ ThreadSafeStoreWithTransaction = (*threadSafeMap)(nil)

func must(err error) {
	if err != nil {
		panic(err)
	}
}

func (s *threadSafeMap) Add(key string, obj interface{}) { s.Update(key, obj) }

func (s *threadSafeMap) Update(key string, obj interface{}) {
	must(s.table.Put(key, obj, versionAt(obj)))
}

func (s *threadSafeMap) Delete(key string) { s.table.Remove(key, table.Version{}) }

func (s *threadSafeMap) DeleteWithObject(key string, obj interface{}) {
	s.table.Remove(key, versionAt(obj))
}

func (s *threadSafeMap) Transaction(fns ...ThreadSafeStoreTransaction) {
	if len(fns) > 0 {
		must(s.table.Apply(stepsOf(fns), versionAt(fns[len(fns)-1].Object)))
	}
}

func (s *threadSafeMap) Replace(items map[string]interface{}, resourceVersion string) {
	must(s.table.Replace(maps.All(items), len(items), resourceVersion))
}

func (s *threadSafeMap) Get(key string) (item interface{}, exists bool) { return s.table.Get(key) }

func (s *threadSafeMap) List() []interface{} { return s.table.List() }

func (s *threadSafeMap) ListKeys() []string { return s.table.Keys() }

func (s *threadSafeMap) Index(indexName string, obj interface{}) ([]interface{}, error) {
	rows, err := s.table.Like(indexName, obj)
	if err != nil {
		return nil, err
	}
	out := make([]any, len(rows))
	for i, r := range rows {
		out[i] = r.Object
	}
	return out, nil
}

func (s *threadSafeMap) IndexKeys(indexName, indexedValue string) ([]string, error) {
	return s.table.KeysByIndex(indexName, indexedValue)
}

func (s *threadSafeMap) Bookmark(rv string) { s.table.SetVersion(rv) }

func (s *threadSafeMap) LastStoreSyncResourceVersion() string { return s.table.Version() }

func (s *threadSafeMap) ListIndexFuncValues(name string) []string { return s.table.IndexValues(name) }

func (s *threadSafeMap) ByIndex(indexName, indexedValue string) ([]interface{}, error) {
	return s.table.ListByIndex(indexName, indexedValue)
}

func (s *threadSafeMap) GetIndexers() Indexers { return indexersOf(s.table) }

func (s *threadSafeMap) AddIndexers(newIndexers Indexers) error {
	return s.table.AddIndexes(indexesOf(newIndexers))
}

func (s *threadSafeMap) Resync() error { return nil }
