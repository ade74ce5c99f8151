package cache

import (
	"fmt"
	"maps"
	"slices"

	"vedette.dev/internal/object"
	"vedette.dev/internal/table"
)

// ThreadSafeStore is an [Indexer] with explicit keys. Its objects are shared and must not be modified.
type ThreadSafeStore interface {
	// Add and Update both store an object under a key. They panic if an index function fails, after the object was
	// stored and added to all other indexes.
	Add(key string, obj interface{})
	Update(key string, obj interface{})
	// Delete removes a key and does not change the store's resource version.
	Delete(key string)
	// DeleteWithObject removes a key, and sets the resource version to that of the object.
	DeleteWithObject(key string, obj interface{})
	Get(key string) (item interface{}, exists bool)
	List() []interface{}
	ListKeys() []string
	// Replace replaces the contents with the map, in one step. It panics as Add does.
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

// ThreadSafeStoreOption is an option of [NewThreadSafeStore].
type ThreadSafeStoreOption = func(*threadSafeMap)

// WithThreadSafeStoreMetrics enables the metric for the store's resource version, if the identifier is reserved for it.
func WithThreadSafeStoreMetrics(identifier InformerNameAndResource, metricsProvider InformerMetricsProvider) ThreadSafeStoreOption {
	return func(s *threadSafeMap) { s.metric = versionMetric(identifier, metricsProvider) }
}

// NewThreadSafeStore returns an empty [ThreadSafeStore]. Its indexes follow from its objects, so indices, which client-go
// uses as their initial contents, are ignored.
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

// TransactionType is the type of a Transaction.
type TransactionType string

const (
	TransactionTypeAdd    TransactionType = "Add"
	TransactionTypeUpdate TransactionType = "Update"
	TransactionTypeDelete TransactionType = "Delete"
)

// Transaction is one of several writes that are applied in one step.
type Transaction struct {
	Object interface{}
	Type   TransactionType
}

// ThreadSafeStoreTransaction is a Transaction with its key.
type ThreadSafeStoreTransaction struct {
	Transaction
	Key string
}

// TransactionStore is a [Store] that can apply several writes in one step. The results of [NewStore] and [NewIndexer] can.
type TransactionStore interface {
	// Transaction applies all writes in the given order, and readers see none of them or all. A write whose object has
	// no key is skipped and reported.
	Transaction(txns ...Transaction) *TransactionError
}

// ThreadSafeStoreWithTransaction is a [ThreadSafeStore] that can apply several writes in one step. The results of
// [NewThreadSafeStore] can.
type ThreadSafeStoreWithTransaction interface {
	ThreadSafeStore
	Transaction(fns ...ThreadSafeStoreTransaction)
}

// TransactionError has the writes of a Transaction that were applied, by their position in the argument list, and the
// errors. An object that was stored but could not be added to an index counts as applied.
type TransactionError struct {
	SuccessfulIndices []int
	TotalTransactions int
	Errors            []error
}

func (t *TransactionError) Error() string {
	return fmt.Sprintf("failed to execute (%d/%d) transactions failed due to: %v",
		t.TotalTransactions-len(t.SuccessfulIndices), t.TotalTransactions, t.Errors)
}

// Unwrap returns Errors.
func (t *TransactionError) Unwrap() []error { return t.Errors }

// tableConfig returns the configuration of a table with these indexes. Index functions are called with decoded objects,
// unless they read metadata only.
func tableConfig(indexers Indexers) table.Config {
	return table.Config{
		Indexes: indexesOf(indexers),
		Decode:  func(stored any) (any, error) { return object.Shared(stored, object.ForIndexFunc) },
		IndexError: func(key, index string, err error) error {
			return IndexError{Key: key, Index: index, Err: err}
		},
	}
}

// indexesOf returns the indexes of a table for index functions, sorted by name.
func indexesOf(indexers Indexers) []table.Index {
	out := make([]table.Index, 0, len(indexers))
	for _, name := range slices.Sorted(maps.Keys(indexers)) {
		f := indexers[name]
		out = append(out, table.Index{Name: name, Func: table.IndexFunc(f), Undecoded: f.decodesItself()})
	}
	return out
}

// indexersOf returns the index functions of a table.
func indexersOf(t *table.Table) Indexers {
	set := t.Indexes()
	out := make(Indexers, set.Len())
	for x := range set.All() {
		out[x.Name] = IndexFunc(x.Func)
	}
	return out
}

// stepsOf converts the writes of a transaction for a table.
func stepsOf(txns []ThreadSafeStoreTransaction) []table.Step {
	steps := make([]table.Step, 0, len(txns))
	for _, txn := range txns {
		steps = txn.appendStep(steps, txn.Key)
	}
	return steps
}

// appendStep appends the write of a transaction on a key. A transaction of an unknown type does nothing.
func (t Transaction) appendStep(steps []table.Step, key string) []table.Step {
	switch t.Type {
	case TransactionTypeAdd, TransactionTypeUpdate:
		return append(steps, table.Step{Op: table.Put, Key: key, Object: t.Object})
	case TransactionTypeDelete:
		return append(steps, table.Step{Op: table.Delete, Key: key})
	}
	return steps
}

// versionAt returns the version that a write of an object sets: its own, if it has metadata.
func versionAt(obj any) table.Version {
	if version, ok := object.Version(obj); ok {
		return table.At(version)
	}
	return table.Version{}
}
