package cache

// Store keeps objects by keys that it makes of them. What it hands out is shared and must not be changed.
type Store interface {
	// Add and Update both store an object under its key, whether there was one or not.
	Add(obj interface{}) error
	Update(obj interface{}) error
	// Delete removes what is stored under the object's key, if anything is.
	Delete(obj interface{}) error
	// List returns all objects, in no promised order, in a slice that belongs to the caller.
	List() []interface{}
	// ListKeys returns the keys of all objects.
	ListKeys() []string
	// LastStoreSyncResourceVersion is the resource version of what was written last: of the object that Add, Update or Delete
	// was given, or the version given to Replace or Bookmark.
	LastStoreSyncResourceVersion() string
	// Bookmark says that the store holds everything up to a version.
	Bookmark(rv string)
	// Get returns what is stored under the object's key.
	Get(obj interface{}) (item interface{}, exists bool, err error)
	// GetByKey returns what is stored under a key.
	GetByKey(key string) (item interface{}, exists bool, err error)
	// Replace puts the list in the place of all there is, in one step. The list belongs to the store from then on.
	Replace([]interface{}, string) error
	// Resync has a meaning for queues only.
	Resync() error
}

// Indexer is a Store that also finds objects by the values of index functions.
type Indexer interface {
	Store
	// Index returns the objects that share a value with the given one in the named index.
	Index(indexName string, obj interface{}) ([]interface{}, error)
	// IndexKeys returns the keys of the objects that have a value in the named index, sorted.
	IndexKeys(indexName, indexedValue string) ([]string, error)
	// ListIndexFuncValues returns the values that objects have in the named index.
	ListIndexFuncValues(indexName string) []string
	// ByIndex returns the objects that have a value in the named index.
	ByIndex(indexName, indexedValue string) ([]interface{}, error)
	// GetIndexers returns the index functions.
	GetIndexers() Indexers
	// AddIndexers adds index functions, also to a store with objects in it.
	AddIndexers(newIndexers Indexers) error
}

// StoreOption is an option of NewStore and NewIndexer.
type StoreOption = func(*cache)

// WithTransformer has every object changed before it is stored. Keys are made of the objects before.
func WithTransformer(transformer TransformFunc) StoreOption {
	return func(c *cache) { c.transformer = transformer }
}

// WithStoreMetrics has the store's resource version counted, if the identifier is reserved for it.
func WithStoreMetrics(identifier InformerNameAndResource, metrics InformerMetricsProvider) StoreOption {
	return func(c *cache) { c.metric = versionMetric(identifier, metrics) }
}

// NewStore returns a Store. It is an Indexer without indexes.
func NewStore(keyFunc KeyFunc, opts ...StoreOption) Store { return newCache(keyFunc, nil, opts) }

// NewIndexer returns an Indexer. It is a TransactionStore, too.
//
// An index function that fails does not keep an object from being stored: Add, Update, Replace and Transaction store it,
// file it in all other indexes, and return an IndexError.
func NewIndexer(keyFunc KeyFunc, indexers Indexers, opts ...StoreOption) Indexer {
	return newCache(keyFunc, indexers, opts)
}
