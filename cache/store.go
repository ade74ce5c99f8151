package cache

import (
	"fmt"

	"vedette.dev/internal/object"
	"vedette.dev/internal/table"
)

// Store stores objects by key. Its objects are shared and must not be modified.
type Store interface {
	// Add and Update both store an object under its key, whether or not it exists.
	Add(obj interface{}) error
	Update(obj interface{}) error
	// Delete removes the object with the same key, if there is one.
	Delete(obj interface{}) error
	// List returns all objects, in unspecified order, in a slice that belongs to the caller.
	List() []interface{}
	// ListKeys returns the keys of all objects.
	ListKeys() []string
	// LastStoreSyncResourceVersion is the resource version of what was written last: of the object that Add, Update or Delete
	// was given, or the version given to Replace or Bookmark.
	LastStoreSyncResourceVersion() string
	// Bookmark records that the store holds everything up to a version.
	Bookmark(rv string)
	// Get returns the object with the same key.
	Get(obj interface{}) (item interface{}, exists bool, err error)
	// GetByKey returns the object with this key.
	GetByKey(key string) (item interface{}, exists bool, err error)
	// Replace replaces the contents with the list, in one step. The list belongs to the store from then on.
	Replace([]interface{}, string) error
	// Resync is meaningful for queues only.
	Resync() error
}

// Indexer is a [Store] that also finds objects by the values of index functions.
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
	// AddIndexers adds index functions, also to a store that is not empty.
	AddIndexers(newIndexers Indexers) error
}

// StoreOption is an option of [NewStore] and [NewIndexer].
type StoreOption = func(*cache)

// WithTransformer transforms every object before it is stored. Keys are computed before the transform.
func WithTransformer(transformer TransformFunc) StoreOption {
	return func(c *cache) { c.transformer = transformer }
}

// WithStoreMetrics enables the metric for the store's resource version, if the identifier is reserved for it.
func WithStoreMetrics(identifier InformerNameAndResource, metrics InformerMetricsProvider) StoreOption {
	return func(c *cache) { c.metric = versionMetric(identifier, metrics) }
}

// NewStore returns a [Store]. It is an [Indexer] without indexes.
func NewStore(keyFunc KeyFunc, opts ...StoreOption) Store { return newCache(keyFunc, nil, opts) }

// NewIndexer returns an [Indexer]. It is a [TransactionStore], too.
//
// An index function that fails does not prevent an object from being stored: Add, Update, Replace and Transaction store
// it, add it to all other indexes, and return an [IndexError].
func NewIndexer(keyFunc KeyFunc, indexers Indexers, opts ...StoreOption) Indexer {
	return newCache(keyFunc, indexers, opts)
}

// cache is a table with a key function.
type cache struct {
	table       *table.Table
	keyFunc     KeyFunc
	transformer TransformFunc
	decode      decoder
	converts    bool        // decode changes the type of objects
	metric      GaugeMetric // of the version; nil without one
}

var (
	_ Indexer          = (*cache)(nil)
	_ TransactionStore = (*cache)(nil)
)

func newCache(keyFunc KeyFunc, indexers Indexers, opts []StoreOption) *cache {
	c := &cache{keyFunc: keyFunc}
	for _, opt := range opts {
		opt(c)
	}
	config := tableConfig(indexers)
	config.OnVersion = onVersion(c.metric)
	c.table = table.New(config)
	return c
}

func (c *cache) Add(obj interface{}) error { return c.Update(obj) }

func (c *cache) Update(obj interface{}) error {
	key, obj, err := c.admit(obj)
	if err != nil {
		return err
	}
	return c.table.Put(key, obj, versionAt(obj))
}

// admit returns the key and what is to be stored under it.
func (c *cache) admit(obj any) (string, any, error) {
	key, err := c.keyFunc(obj)
	if err != nil {
		return "", nil, KeyError{obj, err}
	}
	if c.transformer != nil {
		if obj, err = c.transformer(obj); err != nil {
			return "", nil, fmt.Errorf("transforming: %w", err)
		}
	}
	return key, obj, nil
}

func (c *cache) Delete(obj interface{}) error {
	key, err := c.keyFunc(obj)
	if err != nil {
		return KeyError{obj, err}
	}
	c.table.Remove(key, versionAt(obj))
	return nil
}

func (c *cache) Replace(list []interface{}, resourceVersion string) error {
	keys := make([]string, len(list))
	for i, obj := range list {
		var err error
		if keys[i], list[i], err = c.admit(obj); err != nil {
			return err
		}
	}
	pairs := func(yield func(string, any) bool) {
		for i, key := range keys {
			if !yield(key, list[i]) {
				return
			}
		}
	}
	return c.table.Replace(pairs, len(list), resourceVersion)
}

func (c *cache) Transaction(txns ...Transaction) *TransactionError {
	steps := make([]table.Step, 0, len(txns))
	var last any // the version of the table is that of the last object
	done := make([]int, 0, len(txns))
	var failed []error
	for i, txn := range txns {
		key, err := c.keyFunc(txn.Object)
		if err != nil {
			failed = append(failed, KeyError{txn.Object, err})
			continue
		}
		steps, last = txn.appendStep(steps, key), txn.Object
		done = append(done, i)
	}
	if err := c.table.Apply(steps, versionAt(last)); err != nil {
		failed = append(failed, err)
	}
	if len(failed) == 0 {
		return nil
	}
	return &TransactionError{SuccessfulIndices: done, TotalTransactions: len(txns), Errors: failed}
}

func (c *cache) Get(obj interface{}) (item interface{}, exists bool, err error) {
	key, err := c.keyFunc(obj)
	if err != nil {
		return nil, false, KeyError{obj, err}
	}
	return c.GetByKey(key)
}

func (c *cache) GetByKey(key string) (item interface{}, exists bool, err error) {
	if item, exists = c.table.Get(key); !exists {
		return nil, false, nil
	}
	item, err = c.decode.of(item, object.ForGet)
	return item, err == nil, err
}

func (c *cache) List() []interface{} {
	if c.decode == nil {
		return c.table.List()
	}
	v := c.viewAll()
	defer v.Release()
	return v.objects()
}

func (c *cache) ListKeys() []string { return c.table.Keys() }

func (c *cache) LastStoreSyncResourceVersion() string { return c.table.Version() }

func (c *cache) Bookmark(rv string) { c.table.SetVersion(rv) }

func (c *cache) Resync() error { return nil }

func (c *cache) Index(indexName string, obj interface{}) ([]interface{}, error) {
	rows, err := c.table.Like(indexName, obj)
	if err != nil {
		return nil, err
	}
	out := make([]any, 0, len(rows))
	for _, r := range rows {
		out = c.decode.appendTo(out, r.Object, object.ForIndex)
	}
	return out, nil
}

func (c *cache) IndexKeys(indexName, indexedValue string) ([]string, error) {
	return c.table.KeysByIndex(indexName, indexedValue)
}

func (c *cache) ListIndexFuncValues(indexName string) []string { return c.table.IndexValues(indexName) }

func (c *cache) ByIndex(indexName, indexedValue string) ([]interface{}, error) {
	if c.decode == nil {
		return c.table.ListByIndex(indexName, indexedValue)
	}
	v, err := c.viewByIndex(indexName, indexedValue)
	if err != nil {
		return nil, err
	}
	defer v.Release()
	return v.objects(), nil
}

func (c *cache) GetIndexers() Indexers { return indexersOf(c.table) }

func (c *cache) AddIndexers(newIndexers Indexers) error {
	return c.table.AddIndexes(indexesOf(newIndexers))
}

// decoder returns the reader's form of a stored object. A nil decoder returns the object unchanged.
type decoder func(stored any, use object.Use) (any, error)

// of returns the reader's form of stored.
func (o decoder) of(stored any, use object.Use) (any, error) {
	if o == nil {
		return stored, nil
	}
	return o(stored, use)
}

// appendTo appends the reader's form of stored, unless there is an error.
func (o decoder) appendTo(list []any, stored any, use object.Use) []any {
	if obj, err := o.of(stored, use); err == nil {
		list = append(list, obj)
	}
	return list
}

// view is a view of a table with the decoder for its objects, and what it is for.
type view struct {
	table.View
	decode decoder
	use    object.Use
}

// objects returns the reader's form of the objects of the view, without those for which there is an error.
func (v *view) objects() []any {
	out := make([]any, 0, v.Len())
	for r := range v.Rows() {
		out = v.decode.appendTo(out, r.Object, v.use)
	}
	return out
}

// forCopy is table.View.ForCopy. A view with a decoder takes no slot, because decoding may take long.
func (v view) forCopy(again func() (view, error)) (view, error) {
	if v.decode != nil {
		return v, nil
	}
	next, err := v.View.ForCopy(func() (table.View, error) {
		v, err := again()
		return v.View, err
	})
	return view{View: next, use: v.use}, err
}

// viewer is implemented by the stores of this package. Listers read them through a view and copy only the objects that
// they return. Other stores are listed as a whole.
type viewer interface {
	viewAll() view
	viewByIndex(name, value string) (view, error)
}

func (c *cache) viewAll() view { return view{c.table.All(), c.decode, object.ForList} }

func (c *cache) viewByIndex(name, value string) (view, error) {
	v, err := c.table.ByIndex(name, value)
	return view{v, c.decode, object.ForIndex}, err
}

// collect returns the objects of a view that a filter keeps.
func collect[T any](v *view, keep filter) ([]T, error) {
	if keep == nil {
		return collectAll[T](v)
	}
	var out []T
	for r := range v.Rows() {
		ok, err := keep(r.Object)
		if err != nil {
			return nil, err
		}
		if !ok {
			continue
		}
		if out, err = appendTyped(out, r.Object, v); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// appendTyped appends the reader's form of stored.
func appendTyped[T any](list []T, stored any, v *view) ([]T, error) {
	obj, err := v.decode.of(stored, v.use)
	if err != nil {
		return nil, err
	}
	typed, ok := obj.(T)
	if !ok {
		return nil, errWrongType[T](obj)
	}
	return append(list, typed), nil
}

// collectAll returns all objects of a view.
func collectAll[T any](v *view) ([]T, error) {
	out := make([]T, 0, v.Len())
	for r := range v.Rows() {
		var err error
		if out, err = appendTyped(out, r.Object, v); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// decoded returns an object or a tombstone of the engine for a handler or an index function. It panics if the object
// cannot be decoded: that was possible when it arrived.
func decoded(obj any) any {
	if gone, ok := obj.(object.Tombstone); ok {
		out := DeletedFinalStateUnknown{Key: gone.Key}
		if gone.Obj != nil {
			out.Obj = decoded(gone.Obj)
		}
		return out
	}
	out, err := object.Shared(obj, object.ForHandler)
	if err != nil {
		panic(err)
	}
	return out
}
